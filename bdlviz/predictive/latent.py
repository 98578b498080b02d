"""What a trained autoencoder says of images and of codes, in numpy: encode, decode, and the bound on log p(x)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bdlviz.models.autoencoder import MIN_STD, Autoencoder, part_of
from bdlviz.models.mlp import MLP
from bdlviz.models.model import Model
from bdlviz.predictive.functions import evaluate
from bdlviz.types import Array, Draws


def encode(network: Autoencoder, params: Mapping[str, Array], images: Array) -> tuple[Array, Array]:
    r"""Mean and standard deviation of the code of every image: (N, D) -> (N, Z) each.

    $$ q(z \mid x) = \mathcal{N}\left(\mu(x), \sigma^2(x)\right), \qquad \sigma = \log(1 + e^{\rho}) $$
    """
    mean, rho = np.split(_forward(network.encoder, part_of(params, "encoder"), images), 2, axis=-1)
    return mean, np.maximum(np.logaddexp(0, rho), np.float32(MIN_STD))


def decode_logits(network: Autoencoder, params: Mapping[str, Array], codes: Array) -> Array:
    """What the decoder makes of codes (M, Z): one logit per pixel, (M, D)."""
    return _forward(network.decoder, part_of(params, "decoder"), codes)


def elbo(model: Model, params: Mapping[str, Array], images: Array, rng: np.random.Generator, num_samples: int) -> Array:
    r"""Evidence lower bound of every image (N,), in nats, over S codes drawn from each image's own posterior.

    An average over codes, not the value at their mean: that reads several nats too good and bounds nothing.

    $$ \log p(x) \ge \frac1S \sum_s \log p(x \mid z_s) - \operatorname{KL}\left[q(z \mid x)\,\Vert\,p(z)\right],
       \qquad z_s = \mu + \sigma \epsilon_s $$
    """
    mean, std = encode(model.network, params, images)
    total = np.zeros(len(images))
    for _ in range(num_samples):
        codes = mean + std * rng.standard_normal(mean.shape, np.float32)
        total += model.likelihood.log_likelihood(decode_logits(model.network, params, codes), images)
    return total / num_samples - kl_to_prior(mean, std)


def kl_to_prior(mean: Array, std: Array) -> Array:
    r"""How far each code (N, Z) is from the prior N(0, I), in nats, (N,) (Kingma & Welling 2014, appendix B).

    $$ \operatorname{KL}\left[q(z \mid x)\,\Vert\,p(z)\right] =
       \frac12 \sum_j \left(\mu_j^2 + \sigma_j^2 - \log \sigma_j^2 - 1\right) $$
    """
    return 0.5 * (mean**2 + std**2 - 2 * np.log(std) - 1).sum(-1)


def _forward(network: MLP, params: Mapping[str, Array], x: Array) -> Array:
    return evaluate(network, Draws(params), x.astype(np.float32))[0]
