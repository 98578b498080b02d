"""What several methods are compared with: the answer of a reference, and what has to be said of it."""

from __future__ import annotations

from dataclasses import dataclass

from bdlviz.predictive import comparison
from bdlviz.predictive.convergence import Convergence
from bdlviz.topics.shared.compare_choice import EXACT, title
from bdlviz.topics.shared.compare_fits import REFERENCE_SAMPLES, ComparedFits
from bdlviz.types import Array, Predictive
from bdlviz.ui.cache import remembered

NOT_THIS_NETWORK = {
    "gaussian_process": "The Gaussian process is the exact answer of an infinitely wide network, not of this one.",
    "deep_ensemble": "A deep ensemble is not exact: the distance says how similar two methods are, not which is right.",
}


@dataclass(frozen=True, eq=False)
class Reference:
    """What the others are compared with: its prediction on the figure's x, and why it may not count."""

    method: str
    predictive: Predictive
    convergence: Convergence | None = None  # of a sampled one
    floor: Array | None = None  # (N,), the distance between two halves of its draws

    @property
    def is_converged(self) -> bool:
        """May its draws stand for the posterior?"""
        return self.convergence is None or self.convergence.is_reached

    @property
    def is_exact(self) -> bool:
        """Is it the answer, and not another approximation?"""
        return self.method in EXACT and self.is_converged

    @property
    def name(self) -> str:
        """What a legend calls it."""
        if not self.is_converged:
            return f"{title(self.method)}, not converged"
        return f"{'Exact' if self.is_exact else 'Reference'} ({title(self.method)})"


def reference_of(compared: ComparedFits, method: str, x: Array) -> Reference | None:
    """The reference, once its fit is there."""
    if method not in compared.fits:
        return None
    predictive = compared.predictive(method, x, REFERENCE_SAMPLES)
    is_drawn = len(predictive.draws) > 1
    key = (x.tobytes(), "floor")
    fit = compared.fits[method]
    floor = remembered(fit, key, lambda: comparison.sampling_distance(predictive)) if is_drawn else None
    return Reference(method, predictive, compared.convergence(method, x), floor)


def remark_on(compared: ComparedFits, reference: Reference | None, wanted: str, consequence: str) -> str:
    """What has to be said of the reference: that it is missing, not converged, or not exact; "" where nothing has.

    ``consequence`` is what happens to numbers that rest on chains which have not converged.
    """
    if reference is None:
        if wanted in compared.problems:
            return f"There is nothing to compare with. {compared.problems[wanted]}"
        return f"What compares with {title(wanted)} follows once it has ended."
    if reference.convergence is not None and not reference.convergence.is_reached:
        return (
            f"{consequence}: the chains of {title(reference.method)} have not converged ("
            f"{reference.convergence.numbers}), so their draws are not the posterior."
        )
    return NOT_THIS_NETWORK.get(reference.method, "")
