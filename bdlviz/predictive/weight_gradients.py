"""Three estimators of the gradient that trains Gaussian weights, compared by their variance.

All draw weights w = mu + sigma epsilon and have the same expectation. They differ in the noise that the points of a
minibatch share: one draw for all ("weights"), one draw with random signs for each point ("flipout"), or independent
noise on the pre-activations ("sums").

Arrays have a leading axis for P pairs of a minibatch and a draw of the noise. A layer's bias is the last row of its
weights, over an input that is always 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models.activations import activation
from bdlviz.models.mlp import MLP
from bdlviz.threads import draw_here
from bdlviz.types import Array

ESTIMATORS = ("weights", "flipout", "sums")
GROUPS = ("mean", "rho")  # the parameters of the gradient
BATCH_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
NUM_MINIBATCHES, NUM_DRAWS = 64, 8  # draws of the noise for each minibatch
NUM_BOOTSTRAPS = 1000
LEVEL = 0.95  # of the intervals
CHUNK_NUMBERS = 2**20  # float32 numbers of one layer worked on at once
SMALLEST_VARIANCE = 1e-16  # as in training; avoids an infinite gradient of the root


class Layer(NamedTuple):
    """Mean and standard deviation of a layer's weights, (in + 1, out) each; the last row is the bias."""

    mean: Array
    std: Array


class Noise(NamedTuple):
    """The noise of one layer: normal numbers and, for flipout, random signs of inputs and outputs."""

    normal: Array  # (P, in + 1, out); for "sums" (P, B, out)
    signs_in: Array | None = None  # (P, B, in + 1)
    signs_out: Array | None = None  # (P, B, out)


def layers_of(network: MLP, mean: Mapping[str, Array], std: Mapping[str, Array]) -> list[Layer]:
    """The layers of one network from its weights' means and standard deviations by name."""

    def with_bias(values: Mapping[str, Array], index: int) -> Array:
        return np.concatenate([values[f"weight{index}"], values[f"bias{index}"]]).astype(np.float32)

    return [Layer(with_bias(mean, index), with_bias(std, index)) for index in range(network.num_layers)]


# The three estimators -------------------------------------------------------------------------------------------------


def by_weights(h: Array, layer: Layer, noise: Noise) -> tuple[Array, Callable[[Array], tuple[Array, Array, Array]]]:
    r"""A layer's pre-activations with one draw of its weights for all points of a minibatch (Blundell et al. 2015).

    ``h`` (P, B, in + 1) -> (P, B, out), and its backward pass: gradients by h, means and sigma.

    $$ b = h\, (\mu + \sigma \odot E), \qquad E \sim \mathcal{N}(0, 1) $$
    """
    weight = layer.mean + layer.std * noise.normal

    def backward(slope: Array) -> tuple[Array, Array, Array]:
        by_mean = h.mT @ slope
        return slope @ weight.mT, by_mean, by_mean * noise.normal

    return h @ weight, backward


def by_flipout(h: Array, layer: Layer, noise: Noise) -> tuple[Array, Callable[[Array], tuple[Array, Array, Array]]]:
    r"""A layer's pre-activations with one draw of the weight noise, whose signs are random for each point.

    ``h`` (P, B, in + 1) -> (P, B, out), and its backward pass: gradients by h, means and sigma. Source:
    Wen, Vicol, Ba, Tran & Grosse 2018, equation 4 (arXiv 1803.04386).

    $$ b = h\, \mu + \left[(h \odot s)\, (\sigma \odot E)\right] \odot r, \qquad
       E \sim \mathcal{N}(0, 1), \quad s, r \in \{-1, 1\} $$
    """
    assert noise.signs_in is not None and noise.signs_out is not None
    s, r, deviation = noise.signs_in, noise.signs_out, layer.std * noise.normal
    flipped = h * s

    def backward(slope: Array) -> tuple[Array, Array, Array]:
        turned = slope * r
        by_h = slope @ layer.mean.T + s * (turned @ deviation.mT)
        return by_h, h.mT @ slope, (flipped.mT @ turned) * noise.normal

    return h @ layer.mean + (flipped @ deviation) * r, backward


def by_sums(h: Array, layer: Layer, noise: Noise) -> tuple[Array, Callable[[Array], tuple[Array, Array, Array]]]:
    r"""A layer's pre-activations, drawn independently for each point: the local reparameterisation.

    ``h`` (P, B, in + 1) -> (P, B, out), and its backward pass: gradients by h, means and sigma. Source:
    Kingma, Salimans & Welling 2015, equation 6 (arXiv 1506.02557).

    $$ b = h\, \mu + \sqrt{h^2 \sigma^2} \odot \epsilon, \qquad \epsilon \sim \mathcal{N}(0, 1) $$
    """
    squares, variances = np.square(h), np.square(layer.std)
    spread = np.sqrt(np.maximum(squares @ variances, np.float32(SMALLEST_VARIANCE)))

    def backward(slope: Array) -> tuple[Array, Array, Array]:
        by_variance = slope * noise.normal / (2 * spread)
        by_h = slope @ layer.mean.T + 2 * h * (by_variance @ variances.T)
        return by_h, h.mT @ slope, 2 * layer.std * (squares.mT @ by_variance)

    return h @ layer.mean + spread * noise.normal, backward


_SUMS = {"weights": by_weights, "flipout": by_flipout, "sums": by_sums}


def draw_noise(kind: str, layers: Sequence[Layer], rng: np.random.Generator, pairs: int, batch: int) -> list[Noise]:
    """The noise of an estimator for so many pairs and points of a minibatch, layer by layer."""

    def signs(width: int) -> Array:
        return rng.integers(0, 2, (pairs, batch, width), np.int8).astype(np.float32) * 2 - 1

    found = []
    for rows, columns in (layer.mean.shape for layer in layers):
        first = batch if kind == "sums" else rows
        normal = rng.standard_normal((pairs, first, columns), np.float32)
        found.append(Noise(normal, signs(rows), signs(columns)) if kind == "flipout" else Noise(normal))
    return found


def gradient(
    kind: str, name: str, layers: Sequence[Layer], x: Array, y: Array, noise: Sequence[Noise], precision: float
) -> dict[str, Array]:
    r"""Gradient of a minibatch's negative log-likelihood by all means and all rho, (P, G) each, layer by layer.

    Args:
        kind: one of `ESTIMATORS`.
        name: of the activation.
        layers: of one network.
        x: (P, B, D) standardised inputs, ``y`` (P, B, K) targets.
        noise: of each layer, as `draw_noise` gives it.
        precision: of the observation noise in standardised units.

    The KL term is computed exactly and adds no noise. The gradient by rho is the gradient by sigma times
    1 / (1 + exp(-rho)), which is 1 - exp(-sigma).

    $$ \frac{\tau}{B} \sum_{i \in \text{batch}} \nabla_{\mu, \rho}\, \tfrac12 (y_i - f(x_i, w_i))^2, \qquad
       \frac{\partial \sigma}{\partial \rho} = \frac{1}{1 + e^{-\rho}} $$
    """
    h, before, backwards = _with_one(x), [], []
    for index, layer in enumerate(layers):
        sums, backward = _SUMS[kind](h, layer, noise[index])
        before.append(sums)
        backwards.append(backward)
        if index < len(layers) - 1:
            h = _with_one(activation(name)(sums.copy()))
    slope = (before[-1] - y) * np.float32(precision / y.shape[1])
    found: dict[str, list[Array]] = {group: [] for group in GROUPS}
    for index in reversed(range(len(layers))):
        by_h, by_mean, by_std = backwards[index](slope)
        found["mean"].insert(0, by_mean.reshape(len(x), -1))
        found["rho"].insert(0, (by_std * -np.expm1(-layers[index].std)).reshape(len(x), -1))
        if index:
            slope = by_h[..., :-1] * DERIVATIVES[name](before[index - 1])
    return {group: np.concatenate(parts, 1) for group, parts in found.items()}


def _with_one(h: Array) -> Array:
    return np.concatenate([h, np.ones((*h.shape[:-1], 1), np.float32)], -1)


def _slope_of_gelu(a: Array) -> Array:
    from scipy.special import ndtr

    return ndtr(a) + a * np.exp(-0.5 * np.square(a)) * np.float32(0.3989422804014327)


def _slope_of_silu(a: Array) -> Array:
    from scipy.special import expit

    return expit(a) * (1 + a * expit(-a))


DERIVATIVES: dict[str, Callable[[Array], Array]] = {
    "relu": lambda a: (a > 0).astype(np.float32),
    "tanh": lambda a: 1 - np.square(np.tanh(a)),
    "gelu": _slope_of_gelu,
    "silu": _slope_of_silu,
}


# Their variance -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class VarianceCourse:
    """Variance of the estimators against the batch size, summed over all numbers of a gradient.

    The last axis, of three, is the estimate and the ends of its interval. The minibatch's part is the same for all
    three estimators, whose expectations are equal given the minibatch; it is measured with the least noisy one, and 0
    where a minibatch holds all points.
    """

    batch_sizes: Array  # (T,)
    minibatch: Mapping[str, Array]  # group -> (T, 3)
    noise: Mapping[tuple[str, str], Array]  # (estimator, group) -> (T, 3)

    def total(self, kind: str, group: str) -> Array:
        """The total variance, (T, 3); interval ends are added, so that the interval is conservative."""
        return self.minibatch[group] + self.noise[kind, group]


def variance_course(
    network: MLP,
    layers: Sequence[Layer],
    x: Array,
    y: Array,
    precision: float,
    rng: np.random.Generator,
    *,
    batch_sizes: Sequence[int] = BATCH_SIZES,
    num_minibatches: int = NUM_MINIBATCHES,
    num_draws: int = NUM_DRAWS,
    on_progress: Callable[[float], bool] = lambda fraction: True,
) -> VarianceCourse:
    """Measure all estimators on standardised x (N, D) and y (N, K), for batch sizes up to N and for N itself.

    ``on_progress`` gets the completed fraction; if it returns False, the measured values so far are returned.

    Raises:
        InvalidInput: nothing was measured before it was stopped, or a gradient is not finite.
    """
    sizes = sorted({size for size in batch_sizes if size < len(x)} | {min(len(x), max(batch_sizes))})
    done: list[int] = []
    minibatch: dict[str, list[Array]] = {group: [] for group in GROUPS}
    noise: dict[tuple[str, str], list[Array]] = {(kind, group): [] for kind in ESTIMATORS for group in GROUPS}
    for size in sizes:
        if not on_progress(sum(done) / sum(sizes)):
            break
        rows = np.argsort(rng.random((num_minibatches, len(x))), axis=1)[:, :size]
        for kind in ESTIMATORS:
            drawn = partial(_nested, kind, network, layers, x[rows], y[rows], precision, rng, num_draws)
            for group, gradients in draw_here(drawn).items():
                parts = draw_here(partial(split_variance, gradients, rng))
                noise[kind, group].append(parts.noise)
                if kind == "sums":
                    minibatch[group].append(parts.minibatch if size < len(x) else np.zeros(3))
        done.append(size)
    if not done:
        raise InvalidInput("The measurement was stopped before its first result.")
    return VarianceCourse(
        np.array(done),
        {group: np.array(each) for group, each in minibatch.items()},
        {key: np.array(each) for key, each in noise.items()},
    )


def _nested(
    kind: str,
    network: MLP,
    layers: Sequence[Layer],
    x: Array,
    y: Array,
    precision: float,
    rng: np.random.Generator,
    num_draws: int,
) -> dict[str, Array]:
    """Gradients of M minibatches (M, B, D), each with J draws of noise of its own: group -> (M, J, G)."""
    widest = max(layer.mean.size + len(layer.mean) * x.shape[1] for layer in layers)
    chunk = max(1, CHUNK_NUMBERS // (widest * num_draws))
    pieces: list[dict[str, Array]] = []
    for start in range(0, len(x), chunk):
        inputs, targets = (np.repeat(a[start : start + chunk].astype(np.float32), num_draws, 0) for a in (x, y))
        drawn = draw_noise(kind, layers, rng, len(inputs), x.shape[1])
        pieces.append(gradient(kind, network.activation, layers, inputs, targets, drawn, precision))
    return {
        group: np.concatenate([piece[group] for piece in pieces]).reshape(len(x), num_draws, -1) for group in GROUPS
    }


class Parts(NamedTuple):
    """The two parts of a variance, each an estimate and the ends of its interval, (3,)."""

    minibatch: Array
    noise: Array


def split_variance(gradients: Array, rng: np.random.Generator, num_bootstraps: int = NUM_BOOTSTRAPS) -> Parts:
    r"""The variance of a gradient from minibatches and from noise, by the law of total variance, summed over G numbers.

    ``gradients`` (M, J, G): M minibatches, J draws of the noise for each. Both estimates are unbiased, before the
    first is cut off at 0. The intervals hold the middle 95 % of what resampled minibatches give (bootstrap).

    $$ \operatorname{Var}[g] = \underbrace{\operatorname{Var}_{\text{batch}}\,
       \mathbb{E}_\epsilon[g]}_{\text{minibatch}}
       + \underbrace{\mathbb{E}_{\text{batch}}\, \operatorname{Var}_\epsilon[g]}_{\text{noise}} $$
    """
    count, num_draws, _ = gradients.shape
    if not np.isfinite(gradients).all():
        raise InvalidInput("The gradients are not finite: the network diverged. Lower ρ at the start.")
    means = gradients.mean(1, dtype=np.float64)
    within = gradients.var(1, ddof=1, dtype=np.float64).sum(-1)  # (M,)
    inner = (means - means.mean(0)) @ (means - means.mean(0)).T
    resampled = rng.multinomial(count, np.full(count, 1 / count), num_bootstraps) / count
    # The first row is the sample itself. The variance of a resample is too small by a further factor (M - 1) / M.
    shares = np.concatenate([np.full((1, count), 1 / count), resampled])
    factors = np.full(len(shares), count / (count - 1)) ** np.where(np.arange(len(shares)), 2, 1)
    between = factors * (shares @ inner.diagonal() - ((shares @ inner) * shares).sum(1))
    noise = shares @ within
    return Parts(_with_interval(np.maximum(between - noise / num_draws, 0)), _with_interval(noise))


def _with_interval(values: Array) -> Array:
    """The first value, and the interval of the others."""
    ends: Any = np.quantile(values[1:], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return np.array([values[0], *ends])
