r"""Variational autoencoder: a distribution over codes for every image, and a decoder from codes to images.

$$ \log p(x) \ge \mathbb{E}_{q(z \mid x)}\left[\log p(x \mid z)\right]
   - \operatorname{KL}\left[q(z \mid x)\,\Vert\,\mathcal{N}(0, I)\right] $$

Kingma & Welling, "Auto-encoding variational Bayes", ICLR 2014 (arXiv 1312.6114). ``beta`` is the weight of the KL term
as in Higgins et al., "beta-VAE", ICLR 2017; 1 gives the bound. The warm-up of this weight is from Sønderby et al.,
"Ladder variational autoencoders", NIPS 2016.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.methods.common import LATENT_DIM, record_every
from bdlviz.models.autoencoder import MIN_STD, Autoencoder, part_of
from bdlviz.types import Array, Draws, Hyperparameter, MethodSpec

if TYPE_CHECKING:
    from torch import Tensor

    from bdlviz.models.likelihood_base import Likelihood
    from bdlviz.training.by_gradient import Objective
    from bdlviz.training.method import Method, Setup

BETA = Hyperparameter(
    name="beta",
    label="Weight of the KL term β",
    symbol=r"\beta",
    values=(0.0, 0.01, 0.1, 0.3, 1.0, 2.0, 4.0, 10.0, 30.0, 100.0),
    default=1.0,
    minimum=0.0,
    maximum=1000.0,
    help="Multiplies the KL term in the loss. 1: the negative evidence lower bound.",
)
WARM_UP = Hyperparameter(
    name="warm_up",
    label="Warm-up of the KL term",
    symbol="w",
    values=(0.0, 0.1, 0.2, 0.5, 1.0),
    default=0.0,
    minimum=0.0,
    maximum=1.0,
    help="The share of the training during which the weight of the KL term rises from 0 to β.",
    is_axis=False,
)


def build(setup: Setup) -> Method:
    """The negative evidence lower bound with one code per image and step; its gradient is written by hand."""
    from bdlviz.training.autoencoding import autoencoding

    every = record_every(setup.num_data, setup.batch_size, setup.num_steps)
    return autoencoding(setup, setup.hyperparameters["beta"], setup.options["warm_up"], every)


def negative_elbo(
    network: Autoencoder,
    likelihood: Likelihood,
    params: dict[str, Tensor],
    x: Tensor,
    noise: Tensor,
    beta: Tensor,
    classes: Tensor | None = None,
) -> Objective:
    r"""The mean loss (R, C) of a minibatch in nats; the recorded loss has beta = 1 (the negative bound).

    Images ``x`` are (R or 1, 1, B, D), ``noise`` is (R, 1, B, Z), ``beta`` (C,); for a conditional VAE, ``classes`` are
    one-hot, (R or 1, 1, B, K). This is the short form, for autograd. Training computes the same loss, and its gradient,
    with code written by hand (`bdlviz.training.stacked_autoencoder`).

    $$ \frac1B \sum_{i \in \text{batch}} \Big[ -\log p(x_i \mid \mu_i + \sigma_i \epsilon_i)
       + \beta\, \frac12 \sum_j \left(\mu_{ij}^2 + \sigma_{ij}^2 - \log \sigma_{ij}^2 - 1\right) \Big] $$
    """
    import torch

    from bdlviz.training.by_gradient import Objective, forward, softplus

    def with_classes(rows: Tensor) -> Tensor:
        return rows if classes is None else torch.cat([rows, classes.expand(*rows.shape[:-1], -1)], dim=-1)

    mean, rho = forward(network.encoder, part_of(params, "encoder"), with_classes(likelihood.observe(x))).chunk(
        2, dim=-1
    )
    std = softplus(rho).clamp_min(MIN_STD)
    outputs = forward(network.decoder, part_of(params, "decoder"), with_classes(mean + std * noise))
    data_term = likelihood.negative_log_likelihood(outputs, x).mean(-1)
    kl = 0.5 * (mean**2 + std**2 - 2 * std.log() - 1).sum(-1).mean(-1)
    return Objective(data_term + beta * kl, data_term + kl)


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """Always raises `InvalidInput`: labels are ignored in training, so there is no function from x to y."""
    raise InvalidInput("A VAE predicts no y: use encode, decode, sample and elbo of its fit.")


SPEC = MethodSpec(
    name="vae",
    title="Variational autoencoder",
    idea="Every image has a distribution over codes; every code decodes to an image.",
    reference="Kingma & Welling 2014",
    hyperparameters=(BETA, LATENT_DIM, WARM_UP),
    build=build,
    sample=sample,
    is_generative=True,
    order=150,
)
