"""Bounds on log p(x) of a VAE: the ELBO and its parts, tighter bounds, and for two-dimensional codes the exact value.

Everything is in nats, one number per image. ``model`` is a `Model` whose network is a variational `Autoencoder`,
``params`` are those of one network.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from bdlviz.checks import reals, whole_number
from bdlviz.errors import InvalidInput
from bdlviz.models.model import Model
from bdlviz.predictive.latent import decode_logits, encode, kl_per_dimension, kl_to_prior
from bdlviz.types import Array

LOG_TWO_PI = 1.8378770664093453
CHUNK_CODES = 1000  # decoded at once: a few megabytes of pixels
GRID_REACH, GRID_STEPS = 6.0, 81  # the first grid: the prior beyond 6 is negligible
LEAST_STEPS = 21  # with fewer, the first grid is so coarse that a posterior may lie between its codes
MAX_ZOOMS = 8


@dataclass(frozen=True, eq=False)
class Bound:
    """The bound of every image and its two parts: elbo = reconstruction - kl, all (N,) in nats."""

    reconstruction: Array  # (N,), mean over codes of log p(x | z)
    kl_per_dimension: Array  # (N, Z)

    @property
    def kl(self) -> Array:
        """KL[q(z|x) || p(z)], (N,)."""
        return self.kl_per_dimension.sum(-1)

    @property
    def elbo(self) -> Array:
        """The bound, (N,)."""
        return self.reconstruction - self.kl


def bound(
    model: Model, params: Mapping[str, Array], images: Array, rng: np.random.Generator, num_samples: int
) -> Bound:
    r"""The evidence lower bound of every image and its parts, over S codes drawn from q(z|x) of each image.

    It is an average over codes. The value at the mean code is several nats larger and is no bound.

    $$ \log p(x) \ge \frac1S \sum_s \log p(x \mid z_s) - \operatorname{KL}\left[q(z \mid x)\,\Vert\,p(z)\right],
       \qquad z_s = \mu + \sigma \epsilon_s $$
    """
    mean, std = _encode(model, params, images)
    total = np.zeros(len(images))
    for _ in range(num_samples):
        codes = mean + std * rng.standard_normal(mean.shape, np.float32)
        total += log_likelihood(model, params, codes, images)
    return Bound(total / num_samples, kl_per_dimension(mean, std))


def elbo(model: Model, params: Mapping[str, Array], images: Array, rng: np.random.Generator, num_samples: int) -> Array:
    r"""Evidence lower bound of every image (N,), in nats; see `bound`.

    $$ \log p(x) \ge \frac1S \sum_s \log p(x \mid z_s) - \operatorname{KL}\left[q(z \mid x)\,\Vert\,p(z)\right] $$
    """
    return bound(model, params, images, rng, num_samples).elbo


def plug_in(model: Model, params: Mapping[str, Array], images: Array) -> Array:
    r"""The same expression at the mean of each code, (N,). It is **no bound**, although it is often reported as one.

    The decoder is better at the mean of q(z|x) than around it; the bound needs the average over codes.

    $$ \log p(x \mid \mu) - \operatorname{KL}\left[q(z \mid x)\,\Vert\,p(z)\right] \not\le \log p(x) $$
    """
    mean, std = _encode(model, params, images)
    return log_likelihood(model, params, mean, images) - kl_to_prior(mean, std)


def importance_bound(
    model: Model, params: Mapping[str, Array], images: Array, rng: np.random.Generator, num_samples: int
) -> Array:
    r"""Importance-weighted bound of every image over K codes, (N,): at least the ELBO, and tighter for larger K.

    K = 1 is the ELBO. Burda, Grosse & Salakhutdinov, "Importance weighted autoencoders", ICLR 2016.

    $$ \log p(x) \ge \mathbb{E}\left[\log \frac1K \sum_k \frac{p(x \mid z_k)\, p(z_k)}{q(z_k \mid x)}\right],
       \qquad z_k \sim q(z \mid x) $$
    """
    total = np.full(len(images), -np.inf)
    for weights in _log_weights(model, params, images, rng, num_samples):
        np.logaddexp(total, weights, out=total)
    return total - np.log(num_samples)


def class_posterior(log_evidence: Array) -> Array:
    r"""Probability of every class (N, C) from log p(x | y), or bounds on it, with equal prior probabilities.

    A generative classifier: it chooses the class under which the image has the highest density.

    $$ p(y \mid x) = \frac{p(x \mid y)}{\sum_{y'} p(x \mid y')} $$
    """
    log_evidence = np.asarray(log_evidence, np.float64)
    return np.exp(log_evidence - logsumexp(log_evidence, axis=-1, keepdims=True))


def _log_weights(
    model: Model, params: Mapping[str, Array], images: Array, rng: np.random.Generator, num_samples: int
) -> Iterator[Array]:
    """The logarithm of p(x | z) p(z) / q(z | x) for one code of every image at a time, (N,) float64."""
    mean, std = _encode(model, params, images)
    log_std = np.log(std).sum(-1)
    for _ in range(num_samples):
        noise = rng.standard_normal(mean.shape, np.float32)
        codes = mean + std * noise
        # log p(z) - log q(z|x): the constants of the two Gaussians cancel
        ratio = 0.5 * (np.square(noise) - np.square(codes)).sum(-1) + log_std
        yield (log_likelihood(model, params, codes, images) + ratio).astype(np.float64)


@dataclass(frozen=True)
class Identity:
    """The terms of log p(x) of one image in nats: log_evidence = reconstruction - kl + gap."""

    log_evidence: float
    log_evidence_error: float  # Monte Carlo standard error; 0 from a grid
    reconstruction: float
    kl: float

    @property
    def elbo(self) -> float:
        """The evidence lower bound, which a VAE maximises."""
        return self.reconstruction - self.kl

    @property
    def gap(self) -> float:
        """KL[q(z|x) || p(z|x)], from the encoder's Gaussian to the posterior; negative only by Monte Carlo noise."""
        return self.log_evidence - self.elbo


def identity(
    model: Model, params: Mapping[str, Array], image: Array, rng: np.random.Generator, num_samples: int
) -> Identity:
    r"""Both sides of the identity behind the bound, for one image (D,), over S codes of q(z|x).

    The left side is the importance-sampled evidence, and the gap is the difference. The standard error
    is that of the logarithm of a mean of weights (delta method); with few effective codes it is too small.

    $$ \log p(x) = \mathbb{E}_q\left[\log p(x \mid z)\right] - \operatorname{KL}\left[q(z \mid x)\,\Vert\,p(z)\right]
       + \operatorname{KL}\left[q(z \mid x)\,\Vert\,p(z \mid x)\right] $$
    """
    mean, std = _encode(model, params, image[None])
    log_p, log_weights = _weights_of_one(model, params, image, rng, num_samples)
    log_evidence = float(logsumexp(log_weights) - np.log(num_samples))
    relative = np.exp(log_weights - log_evidence)
    error = float(relative.std() / np.sqrt(num_samples))
    return Identity(log_evidence, error, float(log_p.mean()), float(kl_to_prior(mean, std)[0]))


def _weights_of_one(
    model: Model, params: Mapping[str, Array], image: Array, rng: np.random.Generator, num_samples: int
) -> tuple[Array, Array]:
    """For S codes of one image: the logarithms of p(x | z) and of p(x | z) p(z) / q(z | x), (S,) each."""
    copies = np.broadcast_to(image, (num_samples, image.size))
    mean, std = _encode(model, params, image[None])
    noise = rng.standard_normal((num_samples, mean.shape[1]), np.float32)
    codes = mean + std * noise
    log_p = log_likelihood(model, params, codes, copies)
    ratio = 0.5 * (np.square(noise) - np.square(codes)).sum(-1) + np.log(std).sum()
    return log_p, log_p + ratio


@dataclass(frozen=True, eq=False)
class ImportanceCurve:
    """The importance-weighted bound of one image as a function of the number of codes, in nats; all arrays (T,)."""

    num_samples: Array  # K
    bound: Array
    error: Array  # standard error over groups of K codes
    plug_in: float  # the expression at the mean code: no bound


def importance_curve(
    model: Model,
    params: Mapping[str, Array],
    image: Array,
    rng: np.random.Generator,
    num_samples: Sequence[int],
    num_draws: int,
) -> ImportanceCurve:
    r"""The bound of `importance_bound` for one image (D,) and several K at once, from the weights w of the same codes.

    M = ``num_draws`` codes are cut into groups of K; the bound is the mean over groups, with its standard error. Every
    K needs two groups at least.

    $$ \mathcal{L}_K \approx \frac{K}{M} \sum_{g=1}^{M/K} \log \frac1K \sum_{k \in g} w_k, \qquad
       w_k = \frac{p(x \mid z_k)\, p(z_k)}{q(z_k \mid x)} $$
    """
    counts = np.asarray(num_samples, int)
    if not len(counts) or counts.min() < 1 or 2 * counts.max() > num_draws:
        raise InvalidInput(f"Every K must be between 1 and half of the {num_draws} codes, not {list(num_samples)}.")
    _, log_weights = _weights_of_one(model, params, image, rng, num_draws)
    groups = [_group_bounds(log_weights, count) for count in counts]
    return ImportanceCurve(
        counts,
        np.array([group.mean() for group in groups]),
        np.array([group.std(ddof=1) / len(group) ** 0.5 for group in groups]),
        float(plug_in(model, params, image[None])[0]),
    )


def _group_bounds(log_weights: Array, size: int) -> Array:
    """The logarithm of the mean weight of each group of ``size`` codes."""
    count = len(log_weights) // size
    return logsumexp(log_weights[: count * size].reshape(count, size), axis=1) - np.log(size)


@dataclass(frozen=True, eq=False)
class PosteriorGrid:
    """The posterior of one image over a plane of codes, and the encoder's Gaussian, on a rectangular grid.

    ``posterior`` and ``approximation`` are densities (V, U) per unit of area: rows are second coordinates, ascending.
    """

    first: Array  # (U,)
    second: Array  # (V,)
    posterior: Array
    approximation: Array
    log_evidence: float
    reconstruction: float
    kl: float
    gap: float  # KL[q || p(z|x)] by summing over the grid

    @property
    def identity(self) -> Identity:
        """The terms of the identity, from sums over the grid, without Monte Carlo noise."""
        return Identity(self.log_evidence, 0.0, self.reconstruction, self.kl)


def posterior_grid(
    model: Model,
    params: Mapping[str, Array],
    image: Array,
    *,
    num_steps: int = GRID_STEPS,
    box: tuple[float, float, float, float] | None = None,
) -> PosteriorGrid:
    r"""The posterior of one image (D,) over two-dimensional codes, by evaluation on a grid.

    ``box`` is (left, right, bottom, top); by default the grid is refined to the region in which the posterior or q
    has mass. The evidence is that of the box. ``num_steps`` is the number of codes a side, at least 21.

    $$ p(z \mid x) = \frac{p(x \mid z)\, p(z)}{p(x)}, \qquad
       p(x) \approx \sum_{\text{cells}} p(x \mid z)\, p(z)\, \Delta $$

    Raises:
        InvalidInput: codes of another dimension, too few steps, or a box without an area.
    """
    num_steps = whole_number("num_steps", num_steps, LEAST_STEPS)
    mean, std = _encode(model, params, image[None])
    if mean.shape[1] != 2:
        raise InvalidInput(f"A grid needs codes of two dimensions, not {mean.shape[1]}.")
    mean, std = mean[0].astype(float), std[0].astype(float)
    if box is not None:
        ends = reals("box", box)
        is_area = ends.shape == (4,) and np.isfinite(ends).all() and ends[0] < ends[1] and ends[2] < ends[3]
        if not is_area:
            raise InvalidInput(f"box must be (left, right, bottom, top) with left < right and bottom < top, not {box}.")
        return _on_box(model, params, image, mean, std, box, num_steps)
    reach = max(GRID_REACH, *(np.abs(mean) + 4 * std))
    found = _on_box(model, params, image, mean, std, (-reach, reach, -reach, reach), num_steps)
    for _ in range(MAX_ZOOMS):
        smaller = _box_of_mass(found, mean, std)
        if _area(smaller) > 0.5 * _area((*found.first[[0, -1]], *found.second[[0, -1]])):
            break
        found = _on_box(model, params, image, mean, std, smaller, num_steps)
    return found


def _area(box: tuple[float, ...]) -> float:
    return (box[1] - box[0]) * (box[3] - box[2])


def _on_box(
    model: Model,
    params: Mapping[str, Array],
    image: Array,
    mean: Array,
    std: Array,
    box: tuple[float, float, float, float],
    num_steps: int,
) -> PosteriorGrid:
    first, second = np.linspace(box[0], box[1], num_steps), np.linspace(box[2], box[3], num_steps)
    codes = np.stack(np.meshgrid(first, second), -1).reshape(-1, 2)
    log_area = np.log((first[1] - first[0]) * (second[1] - second[0]))
    log_p = log_likelihood(model, params, codes.astype(np.float32), np.broadcast_to(image, (len(codes), image.size)))
    log_prior = -0.5 * np.square(codes).sum(-1) - LOG_TWO_PI
    log_joint = log_p + log_prior
    log_q = -0.5 * np.square((codes - mean) / std).sum(-1) - np.log(std).sum() - LOG_TWO_PI
    log_evidence = float(logsumexp(log_joint) + log_area)
    q, log_posterior = np.exp(log_q + log_area), log_joint - log_evidence
    shape = (num_steps, num_steps)
    return PosteriorGrid(
        first,
        second,
        np.exp(log_posterior).reshape(shape),
        np.exp(log_q).reshape(shape),
        log_evidence,
        reconstruction=float(q @ log_p),
        kl=float(q @ (log_q - log_prior)),
        gap=float(q @ (log_q - log_posterior)),
    )


def _box_of_mass(grid: PosteriorGrid, mean: Array, std: Array) -> tuple[float, float, float, float]:
    """A box around all cells with a relevant part of the posterior mass, and six standard deviations of q."""
    heavy = grid.posterior > 1e-9 * grid.posterior.max()
    ends = []
    for axis, (ticks, mine) in enumerate(((grid.first, heavy.any(0)), (grid.second, heavy.any(1)))):
        step, inside = ticks[1] - ticks[0], ticks[mine]
        ends += [
            min(inside[0] - 2 * step, mean[axis] - 6 * std[axis]),
            max(inside[-1] + 2 * step, mean[axis] + 6 * std[axis]),
        ]
    return ends[0], ends[1], ends[2], ends[3]


def _encode(model: Model, params: Mapping[str, Array], images: Array) -> tuple[Array, Array]:
    return encode(model.network, params, model.likelihood.observe(images))


def log_likelihood(model: Model, params: Mapping[str, Array], codes: Array, images: Array) -> Array:
    """The logarithm of p(x | z) for pairs of codes (M, Z) and images (M, D), (M,)."""

    def of_piece(start: int) -> Array:
        piece = slice(start, start + CHUNK_CODES)
        return model.likelihood.log_likelihood(decode_logits(model.network, params, codes[piece]), images[piece])

    return np.concatenate([of_piece(start) for start in range(0, len(codes), CHUNK_CODES)])
