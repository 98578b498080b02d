"""Errata about Bayes' rule itself: what makes a posterior of prior times likelihood, and hypotheses that are equal."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from bdlviz.errata.base import Effect, Erratum, Number
from bdlviz.errata.figures import Comparison, Curve, Panel
from bdlviz.errata.one_weight import OneWeight, one_weight
from bdlviz.models import bayes_rule, four_networks
from bdlviz.types import Array

NUM_OBSERVATIONS = 1
MASSES = np.array([1 / 6, 1 / 3, 1 / 6, 1 / 3])  # of the four entries
THETAS = np.array([3, 3, 0, 1])  # the network of each entry: the first two are the same one
MOST_POINTS, NOISE_STD = 10, 0.5


# Proportional to ------------------------------------------------------------------------------------------------------


def posterior_as_printed(likelihood: Array, prior: Array, spacing: float) -> Array:
    r"""Prior times likelihood at every w of a grid (G,), without the evidence.

    $$ p(\theta \mid x) = p(x \mid \theta)\, p(\theta) $$
    """
    return likelihood * prior


def posterior_density(likelihood: Array, prior: Array, spacing: float) -> Array:
    r"""The posterior density at every w of a grid (G,) with that ``spacing``: its integral is 1.

    $$ p(\theta \mid x) = \frac{p(x \mid \theta)\, p(\theta)}{p(x)} \propto p(x \mid \theta)\, p(\theta), \qquad
       p(x) = \int p(x \mid \theta)\, p(\theta)\, d\theta $$
    """
    product = likelihood * prior
    return product / (product.sum() * spacing)


def grid_of(model: OneWeight) -> tuple[Array, Array, Array]:
    """A grid of weights w (G,), and at each w the likelihood of the data and the prior's density."""
    w = np.linspace(-3, 3, 601)
    return w, np.exp(model.expected_log_likelihood(w, 0.0)), np.exp(-0.5 * w**2) / np.sqrt(2 * np.pi)


def measure_proportional() -> Effect:
    """Both curves for one weight after one observation: their areas, and the means that follow from them."""
    model = one_weight(NUM_OBSERVATIONS)
    w, likelihood, prior = grid_of(model)
    spacing = float(w[1] - w[0])
    wrong, right = (rule(likelihood, prior, spacing) for rule in (posterior_as_printed, posterior_density))
    off, good = float(wrong.sum() * spacing), float(right.sum() * spacing)
    means = [float((w * curve).sum() * spacing) for curve in (wrong, right)]
    says = f"Without the division by p(x) it is no density: the area below it is {off:.3g} (right: {good:.3g})."
    exact_mean, exact_std = model.posterior
    exact = np.exp(-0.5 * np.square((w - exact_mean) / exact_std)) / (exact_std * np.sqrt(2 * np.pi))
    some = slice(0, None, 20)
    panel = Panel(
        [
            Curve("p(x | θ) p(θ)", w, wrong, "wrong"),
            Curve("p(x | θ) p(θ) / p(x)", w, right, "right"),
            Curve("posterior in closed form", w[some], exact[some], "data"),
        ]
    )
    return Effect(
        Number("✗ Area", off, help="Of prior times likelihood: the evidence p(x)."),
        Number("✓ Area", good, help="Of the posterior."),
        (Number("✗ Mean of θ", means[0], ".2g"), Number("✓ Mean of θ", means[1], ".2f")),
        says,
        Comparison([panel], "Parameter θ", "Density", (-3.0, 3.0), (0.0, 0.7), says=says),
    )


# Equal hypotheses -----------------------------------------------------------------------------------------------------


def masses_as_printed(masses: Array, thetas: Array) -> Array:
    r"""The mass of each of H entries, (H,), as if every entry were another theta.

    $$ p(\theta_1), \dots, p(\theta_4) \text{ with } \theta_1 = \theta_2 $$
    """
    return masses


def masses_of_thetas(masses: Array, thetas: Array) -> Array:
    r"""The mass of each entry's theta, (H,): the masses of all entries with the same theta, added up.

    $$ p(\theta) = \sum_{k:\, \theta_k = \theta} p_k $$
    """
    return np.array([masses[thetas == theta].sum() for theta in thetas])


def beliefs(num_points: Array) -> Array:
    r"""The posterior of all four entries after so many points (P,) of the network that is listed twice, (P, 4).

    $$ p_k \propto p_k^{(0)}\, p(D \mid \theta_k) $$
    """
    x = np.random.default_rng(6).uniform(-3, 3, MOST_POINTS)
    functions = four_networks.evaluate(x)[THETAS]
    y = functions[0] + NOISE_STD * np.random.default_rng(7).standard_normal(MOST_POINTS)
    squares = np.cumsum(np.square(y - functions), axis=1)
    found = [MASSES]
    for count in range(1, MOST_POINTS + 1):
        log_likelihood = bayes_rule.log_normal(squares[:, count - 1], count, NOISE_STD)
        found.append(bayes_rule.update(np.log(MASSES), log_likelihood).posterior)
    return np.array(found)[num_points]


def measure_same_theta() -> Effect:
    """The mass of the network listed twice as points of it are seen, read from one entry and from both."""
    counts = np.arange(MOST_POINTS + 1)
    posterior = beliefs(counts)
    wrong = np.array([masses_as_printed(each, THETAS)[:2].max() for each in posterior])
    right = np.array([masses_of_thetas(each, THETAS)[0] for each in posterior])
    off, good = float(wrong[-1]), float(right[-1])
    says = (
        f"Listed twice, the true θ seems uncertain even after {MOST_POINTS} points: probability {off:.2f} "
        f"(right: {good:.2f})."
    )
    panel = Panel(
        [
            Curve("larger entry of the two", counts, wrong, "wrong"),
            Curve("both entries: the mass of θ", counts, right, "right"),
        ]
    )
    return Effect(
        Number("✗ Mass of θ", off, ".2f", f"After {MOST_POINTS} points, as listed: the larger of the two entries."),
        Number("✓ Mass of θ", good, ".2f", f"After {MOST_POINTS} points: both entries together."),
        (
            Number("✗ Mass before the data", float(wrong[0]), ".2f", "The larger of the two entries."),
            Number("✓ Mass before the data", float(right[0]), ".2f", "Both entries together."),
        ),
        says,
        Comparison([panel], "Points seen", "Probability", (0.0, float(MOST_POINTS)), (0.0, 1.05), says=says),
    )


# The entries ----------------------------------------------------------------------------------------------------------

PROPORTIONAL = Erratum(
    "proportional",
    "p(θ | x) = p(x | θ) p(θ) lacks the evidence",
    "Lecture: Bayes' rule",
    "Prior times likelihood is proportional to the posterior, not equal to it: its integral is the evidence p(x). The "
    "most probable θ is the same; every mean, variance and probability read from it is off by the factor p(x).",
    posterior_as_printed,
    posterior_density,
    measure_proportional,
    "foundations/bayes_rule",
    "Bayes' rule: prior, likelihood, evidence, posterior",
    (("look", "four"),),
    (bayes_rule.update,),
)
SAME_THETA = Erratum(
    "same-theta",
    "One θ listed as two networks",
    "Mittov: posterior over four networks",
    "Two of the four networks are the same θ. A posterior is a distribution over θ, so this θ has the sum of both "
    "masses, 1/2. An average over the list stays the same; the most probable θ and the entropy change. The example's "
    f"masses are {', '.join(str(Fraction(float(mass)).limit_denominator(9)) for mass in MASSES)}.",
    masses_as_printed,
    masses_of_thetas,
    measure_same_theta,
    "foundations/bayes_rule",
    "Bayes' rule: four networks, all of them different",
    (("look", "four"),),
    (beliefs, bayes_rule.update),
)
