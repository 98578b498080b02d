"""Another answer outlined over a function picture, and how far chains agree, as values and sentences."""

from __future__ import annotations

from bdlviz.fits import Fit
from bdlviz.plots import Reference
from bdlviz.predictive.convergence import Convergence
from bdlviz.topics.regression.function_draws.controls import EXACT, REFERENCE
from bdlviz.types import Array, Predictive
from bdlviz.ui.model import Words

NUM_SAMPLES = 1000


def outline(fit: Fit | None, x: Array) -> tuple[Reference | None, list[Words]]:
    """The answer to outline at x, (N, 1), with what is to be said of it; None where chains do not agree."""
    if fit is None:
        return None, []
    told: list[Words] = []
    if fit.spec.inference == "sampled":
        found = fit.convergence(x)
        told = [agreement(found)]
        if not found.is_reached:
            return None, told
    name = fit.config.method
    return Reference(fit.predict(x, NUM_SAMPLES), REFERENCE.names[name], name in EXACT), told


def agreement(found: Convergence) -> Words:
    """How far chains agree, in a sentence; a warning where they do not."""
    size = f"{found.num_chains} chains, {found.num_draws:,} draws, {found.acceptance:.0%} of the trajectories accepted"
    if found.is_reached:
        return Words(
            f"HMC: split R̂ at most {found.worst:.3f}, effective sample size at least {found.fewest:,.0f} over all x: "
            f"the chains agree ({size})."
        )
    return Words(
        f"HMC has not converged: {found.numbers}; {size}. Its draws cannot stand for the posterior. More leapfrog "
        "steps or trajectories, a smaller network or a narrower prior help.",
        "warning",
    )


def describe(reference: Reference | None, predictive: Predictive) -> str:
    """The outline in words, for people who do not see it."""
    if reference is None:
        return ""
    ratio = predictive.epistemic_std.mean() / max(float(reference.predictive.epistemic_std.mean()), 1e-12)
    return (
        f" Outlined: {reference.name}; the picture's epistemic standard deviation is {ratio:.2g} times its, on average "
        "over x."
    )
