"""Two estimators of the gradient that trains an encoder, compared by their variance.

Both differentiate an expectation over q(z|x) = N(mu, sigma^2) by mu and sigma. The reparameterisation trick uses
the gradient of the decoder; the score function (REINFORCE) uses only its value, and has a larger variance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bdlviz.models.activations import activation
from bdlviz.models.autoencoder import part_of
from bdlviz.models.mlp import MLP
from bdlviz.models.model import Model
from bdlviz.predictive.latent import encode
from bdlviz.types import Array

NUM_DRAWS = 10_000
CHUNK_CODES = 1000  # decoded at once: a few megabytes of pixels
STEP = 1e-2  # of the central differences that approximate the derivative of an activation


@dataclass(frozen=True, eq=False)
class GradientVariance:
    """Total variance of each estimator over the 2 Z numbers of the gradient by mu and sigma, against S.

    ``mean_reparameterised`` and ``mean_score_function`` (2 Z,) estimate the same gradient.
    """

    num_samples: Array  # (T,), S
    reparameterised: Array  # (T,)
    score_function: Array  # (T,)
    score_function_with_baseline: Array  # (T,), the mean of f subtracted
    mean_reparameterised: Array
    mean_score_function: Array
    mean_error: Array  # (2 Z,), standard error of the score function's mean


def gradient_variance(
    model: Model,
    params: Mapping[str, Array],
    image: Array,
    rng: np.random.Generator,
    num_samples: Sequence[int] = (1, 2, 5, 10, 20, 50, 100),
    num_draws: int = NUM_DRAWS,
) -> GradientVariance:
    r"""The variance of both estimators for one image (D,), with S codes each.

    Measured over ``num_draws`` codes, cut into groups of S. With f(z) = log p(x | z):

    $$ \nabla_\mu \mathbb{E}[f] = \mathbb{E}\left[\nabla_z f\right]
         = \mathbb{E}\left[f(z)\, \frac{\epsilon}{\sigma}\right], \qquad
       \nabla_\sigma \mathbb{E}[f] = \mathbb{E}\left[\epsilon\, \nabla_z f\right]
         = \mathbb{E}\left[f(z)\, \frac{\epsilon^2 - 1}{\sigma}\right], \qquad z = \mu + \sigma \epsilon $$
    """
    mean, std = encode(model.network, params, model.likelihood.observe(image[None]))
    noise = rng.standard_normal((num_draws, mean.shape[1]), np.float32)
    codes = mean + std * noise
    pieces = [codes[start : start + CHUNK_CODES] for start in range(0, num_draws, CHUNK_CODES)]
    value, slope = map(
        np.concatenate, zip(*(value_and_slope(model, params, piece, image) for piece in pieces), strict=True)
    )
    by_slope = np.concatenate([slope, slope * noise], axis=1).astype(np.float64)
    score = np.concatenate([noise / std, (np.square(noise) - 1) / std], axis=1).astype(np.float64)
    by_score, with_baseline = value[:, None] * score, (value - value.mean())[:, None] * score
    counts = np.array([count for count in num_samples if num_draws // count >= 2])
    estimators = (by_slope, by_score, with_baseline)
    return GradientVariance(
        counts,
        *(np.array([_variance_of_groups(each, count) for count in counts]) for each in estimators),
        mean_reparameterised=by_slope.mean(0),
        mean_score_function=by_score.mean(0),
        mean_error=by_score.std(0) / num_draws**0.5,
    )


def _variance_of_groups(draws: Array, size: int) -> float:
    """Total variance of the means of groups of ``size`` draws."""
    count = len(draws) // size
    return float(draws[: count * size].reshape(count, size, -1).mean(1).var(0, ddof=1).sum())


def value_and_slope(model: Model, params: Mapping[str, Array], codes: Array, image: Array) -> tuple[Array, Array]:
    r"""The logarithm of p(x | z) at codes (M, Z) for one image (D,), (M,), and its gradient by the codes, (M, Z).

    Backwards through the decoder, layer by layer:

    $$ \nabla_z \log p(x \mid z) = W_1\, a'(h_1) \odot \left( \cdots W_L\, \nabla_f \log p(x \mid f) \right) $$
    """
    network, decoder = model.network.decoder, part_of(params, "decoder")
    before = _preactivations(network, decoder, codes.astype(np.float32, copy=False))
    copies = np.broadcast_to(image, (len(codes), image.size))
    slope = np.empty_like(before[-1])
    model.likelihood.gradient(before[-1], copies, slope)  # of the batch's mean negative log likelihood
    slope *= -len(codes)
    for layer in reversed(range(network.num_layers)):
        slope = slope @ decoder[f"weight{layer}"].T
        if layer:
            slope = slope * _derivative(network.activation, before[layer - 1])
    return model.likelihood.log_likelihood(before[-1], copies), slope


def _preactivations(network: MLP, params: Mapping[str, Array], x: Array) -> list[Array]:
    act, h, before = activation(network.activation), x, []
    for layer in range(network.num_layers):
        before.append(h @ params[f"weight{layer}"] + params[f"bias{layer}"])
        h = act(before[-1].copy())
    return before


def _derivative(name: str, a: Array) -> Array:
    if name == "relu":
        return (a > 0).astype(np.float32)
    act = activation(name)
    return (act(a + np.float32(STEP)) - act(a - np.float32(STEP))) / np.float32(2 * STEP)
