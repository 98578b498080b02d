r"""Variational autoencoder: a latent code for every image, and a decoder that draws an image for every code.

$$ \log p(x) \ge \mathbb{E}_{q(z \mid x)}\left[\log p(x \mid z)\right]
   - \operatorname{KL}\left[q(z \mid x)\,\Vert\,\mathcal{N}(0, I)\right] $$

Kingma & Welling, "Auto-encoding variational Bayes", ICLR 2014 (arXiv 1312.6114). ``beta`` weighs the KL term as in
Higgins et al., "beta-VAE", ICLR 2017; 1 is the bound itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models.autoencoder import MIN_STD, Autoencoder, part_of
from bdlviz.types import Array, Draws, Hyperparameter, MethodSpec

if TYPE_CHECKING:
    from torch import Tensor

    from bdlviz.models.likelihoods import Likelihood
    from bdlviz.training.by_gradient import Objective
    from bdlviz.training.method import Method, Setup

BETA = Hyperparameter(
    name="beta",
    label="Weight of the KL term β",
    symbol=r"\beta",
    values=(0.0, 0.01, 0.1, 0.3, 1.0, 2.0, 4.0, 10.0),
    default=1.0,
    minimum=0.0,
    maximum=1000.0,
    help="Multiplies the KL term in what is minimised; 1 is the evidence lower bound.",
)
LATENT_DIM = Hyperparameter(
    name="latent_dim",
    label="Latent dimensions",
    symbol="Z",
    values=(2, 5, 10, 20, 50),
    default=2,
    minimum=1,
    maximum=256,
    help="How many numbers describe an image.",
    is_axis=False,
)


def build(setup: Setup) -> Method:
    """The negative evidence lower bound by gradient, one code per image and step."""
    import torch

    from bdlviz.training.by_gradient import by_gradient

    network = setup.model.network
    if not isinstance(network, Autoencoder):
        raise InvalidInput("A VAE needs its own network and a likelihood of images: leave both out.")
    beta = torch.from_numpy(setup.hyperparameters["beta"].astype(np.float32))

    def draw_noise(rng: np.random.Generator) -> list[Array]:
        return [rng.standard_normal((setup.batch_size, network.latent_dim), np.float32)]

    def loss(params: dict[str, Tensor], x: Tensor, y: Tensor, noise: Sequence[Tensor]) -> Objective:
        return negative_elbo(network, setup.model.likelihood, params, x, noise[0], beta)

    return by_gradient(setup, network.init, draw_noise, loss)


def negative_elbo(
    network: Autoencoder,
    likelihood: Likelihood,
    params: dict[str, Tensor],
    x: Tensor,
    noise: Tensor,
    beta: Tensor,
) -> Objective:
    r"""The minibatch's mean loss (R, C) in nats; what is recorded has beta = 1, the negative bound itself.

    Images ``x`` are (R or 1, 1, B, D), ``noise`` is (R, 1, B, Z), ``beta`` (C,).

    $$ \frac1B \sum_{i \in \text{batch}} -\log p(x_i \mid \mu_i + \sigma_i \epsilon_i)
       + \beta\, \frac12 \sum_j \left(\mu_{ij}^2 + \sigma_{ij}^2 - \log \sigma_{ij}^2 - 1\right) $$
    """
    from bdlviz.training.by_gradient import Objective, forward, softplus

    mean, rho = forward(network.encoder, part_of(params, "encoder"), x).chunk(2, dim=-1)
    std = softplus(rho).clamp_min(MIN_STD)
    logits = forward(network.decoder, part_of(params, "decoder"), mean + std * noise)
    misfit = likelihood.negative_log_likelihood(logits, x).mean(-1)
    kl = 0.5 * (mean**2 + std**2 - 2 * std.log() - 1).sum(-1).mean(-1)
    return Objective(misfit + beta * kl, misfit + kl)


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """Refuses: labels were ignored, so there is no function from x to y."""
    raise InvalidInput("A VAE predicts no y: use encode, decode, sample and elbo of its fit.")


SPEC = MethodSpec(
    name="vae",
    title="Variational autoencoder",
    idea="Every image has a distribution over codes; every code decodes to an image.",
    reference="Kingma & Welling 2014",
    hyperparameters=(BETA, LATENT_DIM),
    build=build,
    sample=sample,
    is_generative=True,
)
