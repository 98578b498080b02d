"""Errata about automatic relevance determination: its divergence, and the constant of it."""

from __future__ import annotations

import numpy as np

from bdlviz.errata.base import Effect, Erratum, Number, written
from bdlviz.errata.figures import Comparison, Curve, Panel
from bdlviz.models import divergences
from bdlviz.predictive import latent
from bdlviz.types import Array

LENET_WEIGHTS = 784 * 300 + 300 * 100 + 100 * 10  # of LeNet-300-100, biases apart


# The divergence -------------------------------------------------------------------------------------------------------


def ard_kl_as_printed(mean: Array, std: Array, prior_std: Array) -> Array:
    r"""KL of N(mean, std^2) to the prior N(0, prior_std^2) as printed, all of one shape.

    $$ \log\frac{\sigma}{\lambda} + \frac{\sigma^2 + \mu^2}{2 \lambda^2} $$
    """
    return np.log(std / prior_std) + (std**2 + mean**2) / (2 * prior_std**2)


def ard_kl(mean: Array, std: Array, prior_std: Array) -> Array:
    r"""KL of N(mean, std^2) to the prior N(0, prior_std^2) in nats, all of one shape.

    $$ \log\frac{\lambda}{\sigma} + \frac{\sigma^2 + \mu^2}{2 \lambda^2} - \frac12 $$
    """
    return np.log(prior_std / std) + (std**2 + mean**2) / (2 * prior_std**2) - 0.5


def measure_ard_kl() -> Effect:
    """Both expressions against the prior's standard deviation, which ARD sets to where the KL is smallest."""
    mean, std = np.array(1.0), np.array(0.5)
    prior = np.geomspace(0.4, 10, 200)
    wrong, right = ard_kl_as_printed(mean, std, prior), ard_kl(mean, std, prior)
    best = float(np.hypot(mean, std))
    off, good = float(wrong[-1]), float(right[-1])
    says = (
        f"The printed KL turns negative, which no KL can be: {written(off, '.2f')} nats at λ = 10 (right: {good:.2f})."
    )
    panel = Panel(
        [
            Curve("as printed", prior, wrong, "wrong"),
            Curve("KL", prior, right, "right"),
            Curve("minimum, λ² = μ² + σ²", np.array([best]), ard_kl(mean, std, np.array([best])), "data"),
        ]
    )
    return Effect(
        Number("✗ KL, λ = 10 (nats)", off, ".2f"),
        Number("✓ KL, λ = 10 (nats)", good, ".2f"),
        (
            Number("Best λ", best, help="√(μ² + σ²), for μ = 1 and σ = 0.5."),
            Number("KL there (nats)", float(ard_kl(mean, std, np.array(best)))),
        ),
        says,
        Comparison([panel], "Prior standard deviation λ", "KL in nats", (0.4, 10.0), (-3.2, 4.0), (True, False), says),
    )


ARD_KL = Erratum(
    "ard-kl",
    "KL with log σ/λ, and without −1/2",
    "Mittov: automatic relevance determination",
    "A KL is never negative and is 0 where both Gaussians agree. With the fraction turned over and the −1/2 lost it is "
    "neither, and there is no best prior any more.",
    ard_kl_as_printed,
    ard_kl,
    measure_ard_kl,
    "weights/sparsity",
    "Sparsity: ARD",
    (("scene", "ard"),),
    (latent.kl_per_dimension,),
)


# Its constant ---------------------------------------------------------------------------------------------------------


def ard_kl_with_constant(mean: Array, std: Array) -> Array:
    r"""The KL at the best prior with the constant that is left when the -1/2 is lost, all of one shape.

    $$ \tfrac12 \log\left(1 + \tfrac{\mu^2}{\sigma^2}\right) + \text{Const} $$
    """
    return 0.5 * np.log1p((mean / std) ** 2) + 0.5


def ard_kl_at_best(mean: Array, std: Array) -> Array:
    r"""The KL at the best prior, lambda^2 = mu^2 + sigma^2, in nats (Kharitonov et al. 2018), all of one shape.

    $$ \tfrac12 \log\left(1 + \tfrac{\mu^2}{\sigma^2}\right) + 0 $$
    """
    return divergences.ard(2 * np.log(std / np.abs(mean)))


def measure_ard_constant() -> Effect:
    """The smallest KL over priors, found on a fine grid, minus the closed form."""
    ratios = np.geomspace(0.05, 20, 120)
    one = np.ones_like(ratios)
    priors = np.geomspace(0.5, 50, 4001)[:, None]
    smallest = ard_kl(ratios, one, priors).min(0)
    constant = float((smallest - ard_kl_at_best(ratios, one)).max())
    off = float((ard_kl_with_constant(ratios, one) - smallest).max())
    some = slice(4, None, 12)
    says = (
        f"The constant is exactly 0. If a −1/2 were lost in it, every weight would cost {off:.2f} nats too much "
        f"(right: {constant:.2f})."
    )
    panel = Panel(
        [
            Curve("Const = 1/2", ratios, ard_kl_with_constant(ratios, one), "wrong"),
            Curve("Const = 0", ratios, ard_kl_at_best(ratios, one), "right"),
            Curve("smallest KL over λ, found numerically", ratios[some], smallest[some], "data"),
        ]
    )
    return Effect(
        Number("✗ Const (nats)", off, ".2f", "What is left where the −1/2 is lost."),
        Number("✓ Const (nats)", constant, ".2f", "Measured: smallest KL over a grid of λ, minus the formula."),
        (
            Number("LeNet-300-100, weights", LENET_WEIGHTS, ",.0f"),
            Number("✗ Const of all (nats)", 0.5 * LENET_WEIGHTS, ",.0f"),
        ),
        says,
        Comparison([panel], "|μ| / σ", "Smallest KL in nats", (0.05, 20.0), (-0.1, 3.8), (True, False), says),
    )


ARD_CONSTANT = Erratum(
    "ard-constant",
    "The “+ Const” of the ARD KL is exactly 0",
    "Mittov: automatic relevance determination",
    "At λ² = μ² + σ² the fraction is exactly 1/2 and cancels the −1/2. Gradients do not notice a constant; the bound "
    "itself, and a comparison of models by it, do.",
    ard_kl_with_constant,
    ard_kl_at_best,
    measure_ard_constant,
    "weights/sparsity",
    "Sparsity: ARD",
    (("scene", "ard"),),
    (ard_kl, divergences.ard),
)
