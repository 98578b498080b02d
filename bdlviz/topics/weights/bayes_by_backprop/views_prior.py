"""The prior of one weight beside the learned weights of the network."""

from __future__ import annotations

import numpy as np

from bdlviz.digits import percent
from bdlviz.fits import Fit
from bdlviz.models.priors import log_scale_mixture
from bdlviz.topics.weights.bayes_by_backprop import description, figures
from bdlviz.topics.weights.bayes_by_backprop.controls import DENSITY_AXIS
from bdlviz.topics.weights.bayes_by_backprop.figures import WEIGHTS
from bdlviz.topics.weights.bayes_by_backprop.network import LOSS, Weights, call_of, weights_of
from bdlviz.types import Array
from bdlviz.ui.model import Figure, Formula, Numbers, Result, Says, Screen, Setting

NUM_POINTS = 401
NEARLY_PRIOR = 0.9  # of the prior's sd: a weight that is at least as wide has hardly changed from its prior

MIXTURE = Formula(
    log_scale_mixture,
    "The prior of one weight: a wide and a narrow Gaussian; with π = 1 only the wide one.",
    {
        r"\sigma_1, \sigma_2": "standard deviations of the wide and the narrow Gaussian",
        r"\pi": "share of the wide one, 0 to 1",
        "p(w)": "the prior",
    },
    {"p(w)": "prior"},
)
KL_OF_A_WEIGHT = Formula(
    description.kl_by_weight,
    "The KL of one weight in nats; a weight whose q is the prior costs nothing.",
    {r"\sigma": "standard deviation of q", "q": "learned Gaussian of the weight", "p": "prior"},
    {"q": "mean", "p": "prior"},
)


def prior(setting: Setting, screen: Screen, fit: Fit) -> Result:
    """The prior's density and its parts, the histogram of learned means, and the average q."""
    found = weights_of(fit)
    mean, std = found.flat()
    w = grid_of_weights(found)
    fig = figures.prior_and_weights(
        w,
        np.exp(found.prior.log_density(w)),
        part_densities(w, found.prior),
        average_density(w, mean, std),
        mean,
        is_log=setting[DENSITY_AXIS] == "log",
        theme=screen.theme,
    )
    small = float((np.abs(mean) < 0.05).mean())
    wide = float((std > NEARLY_PRIOR * found.prior.wide_std).mean())
    kl = description.kl_to_prior(found.mean, found.std, found.prior)
    alt = (
        f"Prior of one weight with the standard deviation {found.prior.wide_std:.2g}; of {found.num_weights:,} learned "
        f"means {100 * small:.0f} % lie within 0.05 of zero."
    )
    values = Numbers(
        [
            ("Means within 0.05 of zero", f"{100 * small:.0f} %", f"Of {found.num_weights:,} weights."),
            (
                "As wide as the prior",
                f"{100 * wide:.0f} %",
                f"σ above {NEARLY_PRIOR:g} σ₁: hardly changed by the data.",
            ),
            ("Median σ", f"{np.median(std):.2g}", "Standard deviation of q, standardised units."),
            ("KL to the prior (nats)", f"{kl:,.0f}", f"Of all weights; {kl / found.num_weights:.2f} each."),
        ]
    )
    says = Says(
        f"{percent(wide)} of the {found.num_weights:,} weights are nearly as wide as the prior (σ above "
        f"{NEARLY_PRIOR:g} σ₁): the data hardly changed them."
    )
    return Result(
        [says, Figure("prior_and_weights", fig, alt), values],
        (MIXTURE, KL_OF_A_WEIGHT, LOSS),
        (log_scale_mixture, description.kl_by_weight),
        _call(setting, fit, found.prior),
    )


def grid_of_weights(found: Weights) -> Array:
    """Where densities are drawn, (P,): evenly, and densely around 0 where the prior may be a spike."""
    around = np.geomspace(1e-5, WEIGHTS[1], 150)
    return np.unique(np.concatenate([np.linspace(*WEIGHTS, NUM_POINTS), around, -around]))


def part_densities(w: Array, prior: description.Prior) -> Array:
    """The two Gaussians of a mixture at w (P,), each times its share, (2, P); (0, P) where the prior is one."""
    if prior.is_gaussian:
        return np.empty((0, len(w)))
    pairs = ((prior.wide_std, prior.share), (prior.narrow_std, 1 - prior.share))
    return np.array([share * np.exp(description.Prior(std).log_density(w)) for std, share in pairs])


def average_density(w: Array, mean: Array, std: Array) -> Array:
    r"""The mean over all weights (W,) of q's density at w (P,), (P,).

    $$ \frac1W \sum_j \mathcal{N}(w \mid \mu_j, \sigma_j^2) $$
    """
    z = (w[:, None] - mean) / std
    return (np.exp(-0.5 * np.square(z)) / (std * np.sqrt(2 * np.pi))).mean(1)


def _call(setting: Setting, fit: Fit, prior: description.Prior) -> str:
    return call_of(
        setting,
        fit.config,
        [
            "params = {name: array[0, 0] for name, array in fit.params.items()}",
            "std = standard_deviations(params)",
            f"prior = Prior({prior.wide_std:.6g}, {prior.narrow_std:.6g}, {prior.share:g})",
            "kl = kl_to_prior({name: params[name] for name in std}, std, prior)  # nats",
            "density = np.exp(prior.log_density(np.linspace(-2.5, 2.5, 401)))",
        ],
        [
            "from bdlviz.methods.bayes_by_backprop import standard_deviations",
            "from bdlviz.topics.weights.bayes_by_backprop.description import Prior, kl_to_prior",
        ],
    )
