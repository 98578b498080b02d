"""Codes of a trained autoencoder, in numpy: from images to codes and back, and paths between codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.special import logsumexp, ndtr, ndtri

from bdlviz.checks import reals, whole_number
from bdlviz.errors import InvalidInput
from bdlviz.models.autoencoder import MIN_STD, Autoencoder, part_of
from bdlviz.models.elementary import softplus
from bdlviz.models.mlp import MLP
from bdlviz.predictive.functions import evaluate
from bdlviz.types import Array, Draws

SPACINGS = ("linear", "quantile")
COLLAPSED = 0.05  # nats per image: a dimension whose mean KL term is below this carries no information


def encode(network: Autoencoder, params: Mapping[str, Array], images: Array) -> tuple[Array, Array]:
    r"""Mean and standard deviation of the code of every image: (N, D) -> (N, Z) each.

    A plain autoencoder's codes have standard deviation 0.

    $$ q(z \mid x) = \mathcal{N}\left(\mu(x), \sigma^2(x)\right), \qquad \sigma = \log(1 + e^{\rho}) $$
    """
    encoded = _forward(network.encoder, part_of(params, "encoder"), images)
    if not network.is_variational:
        return encoded, np.zeros_like(encoded)
    mean, rho = np.split(encoded, 2, axis=-1)
    return mean, np.maximum(softplus(rho), np.float32(MIN_STD))


def decode_logits(network: Autoencoder, params: Mapping[str, Array], codes: Array) -> Array:
    """The decoder's outputs for codes (M, Z): the parameters of the likelihood, such as one logit per pixel, (M, K)."""
    return _forward(network.decoder, part_of(params, "decoder"), codes)


def given_class(network: Autoencoder, params: Mapping[str, Array], index: int) -> tuple[Autoencoder, dict[str, Array]]:
    r"""A conditional autoencoder for the class of an index, as one without classes that has different first biases.

    A one-hot input adds one row of weights to the bias, in the encoder and in the decoder. So ten classes are ten
    autoencoders that share all other parameters; their codes, samples and bounds are computed as without classes.

    $$ W_1 \begin{pmatrix} x \\ e_y \end{pmatrix} + b_1 = W_1^{x} x + \left(b_1 + w_y\right) $$
    """
    folded = dict(params)
    for part, width in (("encoder", network.num_inputs), ("decoder", network.latent_dim)):
        weight, row = params[f"{part}.weight0"], width + index
        folded[f"{part}.weight0"] = weight[..., :width, :]
        folded[f"{part}.bias0"] = params[f"{part}.bias0"] + weight[..., row : row + 1, :]
    return replace(network, num_classes=0), folded


def kl_per_dimension(mean: Array, std: Array) -> Array:
    r"""The part of each code dimension in the KL term, in nats, (N, Z) like mean and std.

    A dimension that the decoder ignores has KL 0: its posterior equals the prior; it has collapsed.

    $$ \operatorname{KL}_j = \frac12 \left(\mu_j^2 + \sigma_j^2 - \log \sigma_j^2 - 1\right) $$
    """
    return 0.5 * (mean**2 + std**2 - 2 * np.log(std) - 1)


def kl_to_prior(mean: Array, std: Array) -> Array:
    r"""KL divergence of each code's posterior (N, Z) from the prior N(0, I) in nats, (N,) (Kingma & Welling 2014, B).

    $$ \operatorname{KL}\left[q(z \mid x)\,\Vert\,p(z)\right] =
       \frac12 \sum_j \left(\mu_j^2 + \sigma_j^2 - \log \sigma_j^2 - 1\right) $$
    """
    return kl_per_dimension(mean, std).sum(-1)


def average_posterior(mean: Array, std: Array) -> tuple[Array, Array]:
    r"""Mean and standard deviation, (Z,) each, of the mixture of the posteriors of some images (N, Z).

    Dimensions that the images have in common have a narrow mixture that differs from the prior. For all training images
    it is the aggregated posterior, which should match the prior of a VAE (Makhzani et al. 2016).

    $$ \bar q(z) = \frac1N \sum_i q(z \mid x_i), \qquad \bar\mu = \frac1N \sum_i \mu_i, \qquad
       \bar\sigma^2 = \frac1N \sum_i \left(\sigma_i^2 + \mu_i^2\right) - \bar\mu^2 $$
    """
    mean, std = np.asarray(mean, np.float64), np.asarray(std, np.float64)
    if mean.ndim != 2 or mean.shape != std.shape or not len(mean):
        raise InvalidInput(f"mean and std must be codes (N, Z) of the same images, not {mean.shape} and {std.shape}.")
    centre = mean.mean(0)
    return centre, np.sqrt((np.square(std) + np.square(mean - centre)).mean(0))


def log_average_posterior(codes: Array, mean: Array, std: Array) -> Array:
    r"""Log density of codes (M, Z) under the mixture of the posteriors of some images, mean and std (N, Z): (M,).

    It is low where hardly any image has its code.

    $$ \log \bar q(z) = \log \frac1N \sum_i \mathcal{N}\left(z;\, \mu_i, \sigma_i^2\right) $$
    """
    codes, mean, std = (np.asarray(each, np.float64) for each in (codes, mean, std))
    precision = 1 / np.square(std)
    squares = np.square(codes) @ precision.T - 2 * codes @ (mean * precision).T + (np.square(mean) * precision).sum(1)
    constants = np.log(std).sum(1) + 0.5 * mean.shape[1] * np.log(2 * np.pi)
    return logsumexp(-0.5 * squares - constants, axis=1) - np.log(len(mean))


def draw_codes(num_samples: int, latent_dim: int, rng: np.random.Generator, like: Array | None = None) -> Array:
    r"""Codes (M, Z) drawn from the prior, or from a Gaussian with the mean and covariance of given codes (N, Z).

    The second suits a plain autoencoder, whose training does not match its codes to N(0, I).

    $$ z = \epsilon \quad\text{or}\quad z = m + L \epsilon, \qquad L L^\top = \operatorname{Cov}, \quad
       \epsilon \sim \mathcal{N}(0, I) $$
    """
    noise = rng.standard_normal((num_samples, latent_dim), np.float32)
    if like is None:
        return noise
    like = np.asarray(like, np.float64)
    if like.ndim != 2 or like.shape[1] != latent_dim or len(like) < 2:
        raise InvalidInput(f"like must be at least two codes of {latent_dim} dimensions, not an array {like.shape}.")
    values, vectors = np.linalg.eigh(np.atleast_2d(np.cov(like.T)))
    return (like.mean(0) + noise * np.sqrt(np.maximum(values, 0)) @ vectors.T).astype(np.float32)


def traverse(code: Array, dimension: int, values: Array) -> Array:
    r"""Copies of a code (Z,) that differ in one coordinate, (M, Z): a latent traversal.

    $$ z^{(m)} = z + (v_m - z_j)\, e_j $$
    """
    code, values = (reals(*given).ravel().astype(np.float32) for given in (("code", code), ("values", values)))
    dimension = whole_number("dimension", dimension, 0, len(code) - 1)
    codes = np.tile(code, (len(values), 1))
    codes[:, dimension] = values
    return codes


def interpolate(start: Array, end: Array, num_steps: int) -> Array:
    r"""Codes (M, Z) in even steps along the straight line from one code (Z,) to another, both ends included.

    $$ z^{(m)} = (1 - t_m)\, z_{\text{start}} + t_m z_{\text{end}}, \qquad t_m = \frac{m}{M - 1} $$
    """
    start, end = np.asarray(start, np.float32).ravel(), np.asarray(end, np.float32).ravel()
    if start.shape != end.shape:
        raise InvalidInput(f"Two codes of one fit are needed: these have {len(start)} and {len(end)} dimensions.")
    num_steps = whole_number("num_steps", num_steps, 2)
    share = np.linspace(0, 1, num_steps, dtype=np.float32)[:, None]
    return (1 - share) * start + share * end


def code_grid(reach: float, steps: int, spacing: str = "linear") -> Array:
    r"""A square grid of codes (M^2, 2) from -a to a, row by row from the top left, for the figure of the manifold.

    ``steps`` M codes a side are even (``"linear"``), or have the same prior mass between two of them (``"quantile"``,
    Kingma & Welling 2014, figure 4).

    $$ z_m = -a + \frac{2a\,m}{M - 1} \quad\text{or}\quad
       z_m = \Phi^{-1}\left(\Phi(-a) + \left(1 - 2\,\Phi(-a)\right) \frac{m}{M - 1}\right),
       \qquad m = 0, \dots, M - 1 $$
    """
    if not 0 < reach < np.inf or steps < 2:
        raise InvalidInput(f"A grid needs a positive reach and at least 2 steps, not {reach:g} and {steps}.")
    if spacing not in SPACINGS:
        raise InvalidInput(f"Unknown spacing {spacing!r}: choose one of {', '.join(SPACINGS)}.")
    ticks = np.linspace(-reach, reach, steps)
    if spacing == "quantile":
        tail = ndtr(-reach)
        ticks = ndtri(np.linspace(tail, 1 - tail, steps))
    first, second = np.meshgrid(ticks, ticks[::-1])
    return np.column_stack([first.ravel(), second.ravel()]).astype(np.float32)


def nearest(codes: Array, code: Array, count: int) -> tuple[Array, Array]:
    r"""Rows and distances of the ``count`` codes (N, Z) nearest to a code (Z,), nearest first.

    $$ \lVert z_i - z \rVert $$
    """
    codes, code = np.asarray(codes, np.float32), np.asarray(code, np.float32).ravel()
    if codes.ndim != 2 or codes.shape[1] != len(code):
        raise InvalidInput(f"There are codes {codes.shape} and one of {len(code)} dimensions: take those of one fit.")
    if not 1 <= count <= len(codes):
        raise InvalidInput(f"count must be between 1 and {len(codes)}, not {count}.")
    distances = np.linalg.norm(codes - code, axis=1)
    rows = np.argsort(distances, kind="stable")[:count]
    return rows, distances[rows]


def _forward(network: MLP, params: Mapping[str, Array], x: Array) -> Array:
    return evaluate(network, Draws(params), x.astype(np.float32, copy=False))[0]
