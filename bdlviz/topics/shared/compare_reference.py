"""The reference with which several methods are compared, and a remark on its validity."""

from __future__ import annotations

from dataclasses import dataclass

from bdlviz.predictive import comparison
from bdlviz.predictive.convergence import Convergence
from bdlviz.topics.shared.compare_choice import EXACT, title
from bdlviz.topics.shared.compare_fits import REFERENCE_SAMPLES, ComparedFits
from bdlviz.types import Array, Predictive
from bdlviz.ui.cache import remembered

NOT_THIS_NETWORK = {
    "gaussian_process": "The Gaussian process is the exact posterior of an infinitely wide network, not of this one.",
    "deep_ensemble": "A deep ensemble is not exact: the distance shows how similar two methods are, not which is "
    "right.",
}


@dataclass(frozen=True, eq=False)
class Reference:
    """The prediction of the reference at the N inputs of the figure, and whether its chains have converged."""

    method: str
    predictive: Predictive
    convergence: Convergence | None = None  # None if the reference is not sampled by chains
    floor: Array | None = None  # (N,), the distance between two halves of its draws; None if it has one draw

    @property
    def is_converged(self) -> bool:
        """True if the reference has no chains, or if they have converged."""
        return self.convergence is None or self.convergence.is_reached

    @property
    def is_exact(self) -> bool:
        """True if the reference is exact and not an approximation."""
        return self.method in EXACT and self.is_converged

    @property
    def name(self) -> str:
        """The name in legends."""
        if not self.is_converged:
            return f"{title(self.method)}, not converged"
        return f"{'Exact' if self.is_exact else 'Reference'} ({title(self.method)})"


def reference_of(compared: ComparedFits, method: str, x: Array) -> Reference | None:
    """The reference; None if its fit is missing."""
    if method not in compared.fits:
        return None
    predictive = compared.predictive(method, x, REFERENCE_SAMPLES)
    has_draws = len(predictive.draws) > 1
    key = (x.tobytes(), "floor")
    fit = compared.fits[method]
    floor = remembered(fit, key, lambda: comparison.sampling_distance(predictive)) if has_draws else None
    return Reference(method, predictive, compared.convergence(method, x), floor)


def remark_on(compared: ComparedFits, reference: Reference | None, wanted: str, consequence: str) -> str:
    """A sentence if the reference is missing, not converged or not exact; otherwise "".

    ``consequence`` states the consequence of chains that have not converged.
    """
    if reference is None:
        if wanted in compared.problems:
            return f"There is no reference to compare with. {compared.problems[wanted]}"
        return f"Comparisons with {title(wanted)} are shown once its training has ended."
    if reference.convergence is not None and not reference.convergence.is_reached:
        return (
            f"{consequence}: the chains of {title(reference.method)} have not converged ("
            f"{reference.convergence.numbers}), so their draws are not the posterior."
        )
    return NOT_THIS_NETWORK.get(reference.method, "")
