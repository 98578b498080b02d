"""The bound of a VAE, from one image and its unknown code to the loss of a minibatch.

The small case is an image of four black or white pixels with a code of two dimensions, under a network with fixed
random weights: there the posterior of the code can be summed over a grid.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from bdlviz.lectures.derivation import Derivation, Sides, Step
from bdlviz.lectures.small_cases import mean_and_error
from bdlviz.methods import vae
from bdlviz.models.autoencoder import Autoencoder
from bdlviz.models.model import Model
from bdlviz.models.pixel_likelihoods import BinarisedBernoulli
from bdlviz.predictive import bounds, estimators, latent
from bdlviz.types import Array

IMAGE = np.array([1.0, 0.0, 1.0, 1.0])
MODEL = Model(Autoencoder(4, (3,), latent_dim=2, activation="tanh"), BinarisedBernoulli())
NUM_DRAWS = 20_000
BOX, NUM_STEPS = (-9.0, 9.0, -9.0, 9.0), 181  # of the grid: it holds all of q, and stays where q is moved a little
STEP = 0.01


@cache
def _params() -> dict[str, Array]:
    """A network at its start, its decoder's weights doubled so that the code matters; q is wide enough to weigh by."""
    start = MODEL.network.init(np.random.default_rng(1))
    large = {name: np.asarray(array, float) * (2 if name.startswith("decoder") else 1) for name, array in start.items()}
    return large | {"encoder.bias1": np.array([[0.3, -0.2, 1.0, 0.8]])}


@cache
def _grid() -> bounds.PosteriorGrid:
    return bounds.posterior_grid(MODEL, _params(), IMAGE, box=BOX, num_steps=NUM_STEPS)


def _code() -> tuple[Array, Array]:
    return latent.encode(MODEL.network, _params(), IMAGE[None])


def evidence() -> Sides:
    """The evidence by a grid over the code, and by codes drawn from q and weighed."""
    found = bounds.identity(MODEL, _params(), IMAGE, np.random.default_rng(0), NUM_DRAWS)
    return Sides(_grid().log_evidence, found.log_evidence, found.log_evidence_error)


def decomposition() -> Sides:
    """The evidence by the grid, and three terms, one of them in closed form."""
    grid, (mean, std) = _grid(), _code()
    return Sides(grid.log_evidence, grid.reconstruction - float(latent.kl_to_prior(mean, std)[0]) + grid.gap)


def inequality() -> Sides:
    """The bound and the evidence, both from the grid."""
    return Sides(_grid().identity.elbo, _grid().log_evidence)


def closed_form() -> Sides:
    """The divergence from the prior by the grid and by its formula."""
    return Sides(_grid().kl, float(latent.kl_to_prior(*_code())[0]))


def reparameterisation() -> Sides:
    """The expected log-likelihood by the grid, and over codes made of standard normal noise."""
    copies = np.tile(IMAGE, (NUM_DRAWS, 1))
    drawn = bounds.bound(MODEL, _params(), copies, np.random.default_rng(0), 1)
    return Sides(_grid().reconstruction, *mean_and_error(drawn.reconstruction))


def _moved(by: float) -> float:
    """The expected log-likelihood by the grid, the first mean of the code moved."""
    params = _params()
    moved = params | {"encoder.bias1": params["encoder.bias1"] + by * np.eye(1, 4)}
    return bounds.posterior_grid(MODEL, moved, IMAGE, box=BOX, num_steps=NUM_STEPS).reconstruction


def gradient() -> Sides:
    """The gradient of the expected log-likelihood by the grid, and the mean gradient of the decoder at drawn codes."""
    mean, std = _code()
    codes = mean + std * np.random.default_rng(0).standard_normal((NUM_DRAWS, 2))
    slope = estimators.value_and_slope(MODEL, _params(), codes, IMAGE)[1][:, 0]
    return Sides((_moved(STEP) - _moved(-STEP)) / (2 * STEP), *mean_and_error(slope))


def loss() -> Sides:
    """The minibatch's loss as the method writes it, and from the parts in numpy, for the same noise."""
    import torch

    images = np.stack([IMAGE, 1 - IMAGE])
    noise = np.random.default_rng(0).standard_normal((2, 2))
    params = {name: torch.from_numpy(array)[None, None] for name, array in _params().items()}
    x, eps = (torch.from_numpy(array)[None, None] for array in (images, noise))
    found = vae.negative_elbo(MODEL.network, MODEL.likelihood, params, x, eps, torch.ones(1))
    mean, std = latent.encode(MODEL.network, _params(), images)
    fit = bounds.log_likelihood(MODEL, _params(), mean + std * noise, images)
    return Sides(float(found.minimised), float((latent.kl_to_prior(mean, std) - fit).mean()))


VAE = Derivation(
    title="The bound of a VAE",
    claim=r"One drawn code and a closed form give a loss whose mean is a bound on $-\log p(x)$.",
    steps=(
        Step(
            "One image, one unknown code",
            r"\log p(x) = \log \int p(x \mid z)\, p(z)\, dz = \log \mathbb{E}_{q(z \mid x)}\left["
            r"\frac{p(x \mid z)\, p(z)}{q(z \mid x)}\right]",
            r"The sum rule; then every $p(z)$ is multiplied and divided by $q(z \mid x)$. The integral has no closed "
            "form, because $p(x \\mid z)$ is a neural network.",
            "*Other pictures*, *From the bound to log p(x)*: the last level of the staircase.",
            sides=evidence,
            relation="≈",
        ),
        Step(
            "Evidence = bound + gap",
            r"\log p(x) = \mathbb{E}_q[\log p(x \mid z)] - \operatorname{KL}[q(z \mid x) \Vert p(z)]"
            r" + \operatorname{KL}[q(z \mid x) \Vert p(z \mid x)]",
            r"Bayes' rule, $\log p(x) = \log p(x \mid z) + \log p(z) - \log p(z \mid x)$, averaged over $q$, with "
            r"$\log q$ added and subtracted.",
            "*Other pictures*, *From the bound to log p(x)*: the steps of the staircase, one for each term.",
            sides=decomposition,
        ),
        Step(
            "Leave out the unknown term",
            r"\operatorname{ELBO}(x) = \mathbb{E}_q[\log p(x \mid z)] - \operatorname{KL}[q(z \mid x) \Vert p(z)]"
            r" \le \log p(x)",
            r"$\operatorname{KL}[q(z \mid x) \Vert p(z \mid x)] \ge 0$, and the posterior of the code is unknown.",
            "The blue curve: the black one minus the green band; under *Other pictures*, *The bound (ELBO)*.",
            ("reconstruction", "ELBO"),
            inequality,
            "<=",
        ),
        Step(
            "The divergence in closed form",
            r"\operatorname{KL}[q(z \mid x) \Vert p(z)] = \frac12 \sum_j \left(\mu_j^2 + \sigma_j^2"
            r" - \log \sigma_j^2 - 1\right)",
            r"$q = \mathcal{N}(\mu, \operatorname{diag} \sigma^2)$ and $p(z) = \mathcal{N}(0, I)$: the expectation of "
            "a quadratic form, one dimension at a time.",
            "The price of the code; its dimensions under *Other pictures*, *KL of each dimension*.",
            ("price",),
            closed_form,
        ),
        Step(
            "Draw the noise, not the code",
            r"\mathbb{E}_{q(z \mid x)}[\log p(x \mid z)] = \mathbb{E}_\epsilon[\log p(x \mid \mu + \sigma \epsilon)],"
            r" \qquad \epsilon \sim \mathcal{N}(0, I)",
            r"A change of variables: $z = \mu + \sigma \epsilon$ has the distribution $q$. The distribution "
            "of the noise does not depend on the encoder.",
            "The upper curve, the reconstruction term.",
            ("reconstruction",),
            reparameterisation,
            "≈",
        ),
        Step(
            "The gradient inside the expectation",
            r"\nabla_\mu \mathbb{E}_q[\log p(x \mid z)] = \mathbb{E}_\epsilon\left[\nabla_z \log p(x \mid z)\right],"
            r" \qquad \nabla_\sigma \mathbb{E}_q[\log p(x \mid z)] = \mathbb{E}_\epsilon\left[\epsilon\,"
            r" \nabla_z \log p(x \mid z)\right]",
            "The distribution of the noise has no parameters, so the gradient is taken inside the expectation: the "
            "chain rule. The score function needs no gradient of the decoder, but its variance is far larger.",
            "*Other pictures*, *Reparameterisation*: the lowest line.",
            sides=gradient,
            relation="≈",
        ),
        Step(
            "What a minibatch minimises",
            r"\frac1B \sum_{i \in \text{batch}} \Big[ -\log p(x_i \mid \mu_i + \sigma_i \epsilon_i)"
            r" + \frac12 \sum_j \left(\mu_{ij}^2 + \sigma_{ij}^2 - \log \sigma_{ij}^2 - 1\right) \Big]",
            r"The mean over the images of a minibatch, one $\epsilon$ for each: the same expectation, estimated with "
            r"noise that averages out over the steps. With $\beta \ne 1$ before the sum it is another objective.",
            "The bound upside down, of training images; the curves have it of held-out ones.",
            ("ELBO",),
            loss,
        ),
    ),
    source="Kingma & Welling 2014",
)
