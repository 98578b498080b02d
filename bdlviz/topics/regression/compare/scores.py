"""The numbers of every method in a comparison, from held-out points and from the reference, and a ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.methods import METHODS
from bdlviz.predictive import comparison
from bdlviz.predictive.summaries import rmse
from bdlviz.topics.shared.compare_fits import NUM_SAMPLES, ComparedFits
from bdlviz.topics.shared.compare_reference import Reference
from bdlviz.types import Array
from bdlviz.ui.cache import data_key, remembered

SHIPPED, HERE = "another machine", "this machine"  # where a fit was timed: the one that made the shipped file, or here


@dataclass(frozen=True)
class Scores:
    """A method's numbers; NaN where they cannot be had."""

    method: str
    nll: float = np.nan
    nll_error: float = np.nan  # from the finite number of draws
    rmse: float = np.nan
    covered: tuple[float, ...] = (np.nan,) * len(comparison.LEVELS)
    distance: float = np.nan  # mean over the x shown
    seconds: float = np.nan
    where: str = ""

    @property
    def coverage_error(self) -> float:
        """Mean distance of the coverage from what it should be."""
        return comparison.coverage_error(self.covered)


def scores_of(compared: ComparedFits, x: Array, reference: Reference | None) -> dict[str, Scores]:
    """The numbers of every method that is there; one whose prediction fails has none."""
    found = {}
    for method in compared.fits:
        try:
            found[method] = _scores(compared, method, x, reference)
        except InvalidInput:
            found[method] = Scores(method)
    return found


def distances(compared: ComparedFits, method: str, x: Array, reference: Reference) -> Array:
    """The distance of a method's functions to the reference's, (N,)."""
    key = (x.tobytes(), "distance", compared.fits[reference.method].config)
    is_gaussian = METHODS[method].is_gaussian and METHODS[reference.method].is_gaussian

    def compute() -> Array:
        return comparison.distance(compared.predictive(method, x), reference.predictive, is_gaussian=is_gaussian)

    return remembered(compared.fits[method], key, compute)


def _scores(compared: ComparedFits, method: str, x: Array, reference: Reference | None) -> Scores:
    fit, data = compared.fits[method], compared.dataset
    is_shipped = method in compared.shipped
    numbers: dict[str, Any] = {"seconds": fit.seconds, "where": SHIPPED if is_shipped else HERE}
    if reference is not None and method != reference.method:
        numbers["distance"] = float(distances(compared, method, x, reference).mean())
    if len(data.x_test):
        numbers |= remembered(fit, (data_key(data), "held out"), lambda: _held_out(compared, method))
    return Scores(method, **numbers)


def _held_out(compared: ComparedFits, method: str) -> Mapping[str, Any]:
    x, y = compared.dataset.x_test, compared.dataset.y_test
    predictive = compared.fits[method].predict(x, NUM_SAMPLES)
    covered = tuple(comparison.coverage(predictive, y, level) for level in comparison.LEVELS)
    log_prob, error = (float(each.mean()) for each in predictive.log_prob_and_error(y))
    return {"nll": -log_prob, "nll_error": error, "rmse": rmse(predictive, y), "covered": covered}


def ranking(rows: Sequence[Scores], reference: Reference | None) -> dict[str, float]:
    """The place of every method; the reference itself has none, and one that has not converged ranks no method."""
    ranked = [row for row in rows if reference is None or row.method != reference.method]
    counts = reference is None or reference.is_converged
    distance = [row.distance if counts else np.nan for row in ranked]
    found = comparison.calibration_rank([row.coverage_error for row in ranked], distance)
    return {row.method: np.nan for row in rows} | {row.method: float(p) for row, p in zip(ranked, found, strict=True)}
