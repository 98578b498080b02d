r"""Bayes by Backprop: every weight has its own Gaussian, which is learned with the gradient of reparameterised draws.

$$ q(w) = \mathcal{N}(w \mid \mu, \sigma^2), \qquad \sigma = \log(1 + e^{\rho}) $$

Blundell, Cornebise, Kavukcuoglu & Wierstra, "Weight uncertainty in neural networks", ICML 2015 (arXiv 1505.05424).
They draw one set of weights per minibatch. Here training draws the pre-activations of each layer for every point
instead (Kingma, Salimans & Welling 2015): the gradient has the same expectation and a smaller variance. Predictions
draw weights.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.methods.common import KL_WARM_UP, KL_WEIGHT, LENGTH_SCALE, with_prefix
from bdlviz.models import divergences
from bdlviz.models.elementary import softplus
from bdlviz.types import Array, Draws, Hyperparameter, MethodSpec

if TYPE_CHECKING:
    from bdlviz.training.method import Method, Setup

RHO = "rho_"  # prefix of the names of rho; the rest is the name of the weights
START_RHO = Hyperparameter(
    name="start_rho",
    label="ρ at the start",
    symbol=r"\rho_0",
    values=(-10.0, -8.0, -6.0, -5.0, -4.0, -3.0, -2.0, 0.0),
    default=-4.0,
    minimum=-20.0,
    maximum=5.0,
    help="Every weight starts with the standard deviation log(1 + exp(ρ)): −4 means 0.018.",
    is_axis=False,
)
KL_HALVING = Hyperparameter(
    name="kl_halving",
    label="KL early in an epoch",
    symbol=r"\pi_i",
    values=(0.0, 1.0),
    default=0.0,
    minimum=0.0,
    maximum=1.0,
    help="1: in an epoch the weight of the KL term is halved from one minibatch to the next. 0: equal weights.",
    is_axis=False,
    is_whole=True,
)
MIXTURE_WEIGHT = Hyperparameter(
    name="mixture_weight",
    label="Share of the wide prior",
    symbol=r"\pi",
    values=(0.1, 0.25, 0.5, 0.75, 1.0),
    default=1.0,
    minimum=0.01,
    maximum=1.0,
    help="The prior is a mixture of two Gaussians. 1: only the wide one, with the standard deviation 1/ℓ.",
    is_axis=False,
)
NARROW_STD = Hyperparameter(
    name="narrow_std",
    label="Width of the narrow prior",
    symbol=r"\sigma_2",
    values=(math.exp(-8), math.exp(-7), math.exp(-6), math.exp(-5), math.exp(-3)),
    default=math.exp(-7),
    minimum=1e-5,
    maximum=10.0,
    help="Standard deviation of the second Gaussian of the mixture, to which most weights may shrink.",
    is_axis=False,
)


def build(setup: Setup) -> Method:
    r"""The negative evidence lower bound per data point, minimised by gradient descent.

    $$ \frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, w_i) + \frac{\beta}{N} \operatorname{KL}[q(w) \| p(w)],
       \qquad w_i \sim q $$

    If the prior is a mixture of two Gaussians, the expected log prior is estimated by one draw of all weights.
    """
    from bdlviz.training.gaussian_weights import family_of_weights
    from bdlviz.training.weight_families import GaussianPrior, MixturePrior, SoftplusFamily

    length_scale, kl_weight = (setup.hyperparameters[name].astype(np.float32) for name in ("length_scale", "kl_weight"))
    scales = np.tile(length_scale, len(setup.seeds))[:, None]
    share = setup.options["mixture_weight"]
    prior = GaussianPrior(scales) if share == 1 else MixturePrior(1 / scales, setup.options["narrow_std"], share)

    def init(rng: np.random.Generator) -> dict[str, Array]:
        start = setup.model.network.init(rng)
        rho = {RHO + name: np.full_like(mean, setup.options["start_rho"]) for name, mean in start.items()}
        return start | rho

    return family_of_weights(setup, init, SoftplusFamily(RHO, prior), kl_weight, setup.precision)


def kl_to_prior(mean: Mapping[str, Array], std: Mapping[str, Array], length_scale: float) -> Array:
    r"""KL from q to a Gaussian prior over all weights (..., in, out), in nats: (...), not yet divided by N.

    $$ \sum_j \left[ \frac{\ell^2 (\mu_j^2 + \sigma_j^2)}{2} - \log(\ell \sigma_j) - \frac12 \right],
       \qquad p(w) = \mathcal{N}(0, \ell^{-2}) $$
    """
    terms = [divergences.gaussian(mean[name], std[name], length_scale).sum((-1, -2)) for name in mean]
    return np.sum(terms, axis=0)


def standard_deviations(params: Mapping[str, Array]) -> dict[str, Array]:
    """The standard deviation of every weight, by name and with the shapes of the weights."""
    return {name: softplus(rho) for name, rho in with_prefix(params, RHO).items()}


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """One set of weights per draw, shared by all inputs: each draw is one function."""
    std = standard_deviations(params)
    mean = {name: params[name] for name in std}
    if hyperparameters.get("dropout_rate") == 0:  # the prediction with the means of the weights
        return Draws(mean, num_samples=1)
    seeds = rng.integers(2**63, size=num_samples)
    return Draws(mean, num_samples=num_samples, weight_std=std, weight_seeds=seeds)


SPEC = MethodSpec(
    name="bayes_by_backprop",
    title="Bayes by Backprop",
    idea="Every weight has a mean and a standard deviation: every draw of all weights is one function.",
    reference="Blundell et al. 2015",
    hyperparameters=(LENGTH_SCALE, KL_WEIGHT, KL_WARM_UP, KL_HALVING, START_RHO, MIXTURE_WEIGHT, NARROW_STD),
    build=build,
    sample=sample,
    order=50,
    abbreviation="Backprop",
    noise_on="weights",
    is_usual=True,
)
