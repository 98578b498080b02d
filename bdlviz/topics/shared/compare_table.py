"""The table of the comparison: what held-out points and the reference say of every method, and a ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.predictive import comparison
from bdlviz.predictive.convergence import Convergence
from bdlviz.predictive.summaries import negative_log_likelihood, rmse
from bdlviz.topics.shared.compare_choice import EXACT, title
from bdlviz.topics.shared.compare_fits import NUM_SAMPLES, REFERENCE_SAMPLES, Several
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.types import Array, Predictive
from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.jobs.memory import remembered

GAUSSIAN = frozenset({"gaussian_process", "laplace"})  # their moments are known
ROW, HEAD = 35, 3  # px
SHIPPED, HERE = "another machine", "this machine"  # where a fit was timed: the one that made the shipped file, or here


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


@dataclass(frozen=True)
class Scores:
    """A method's numbers; NaN where they cannot be had."""

    method: str
    nll: float = np.nan
    rmse: float = np.nan
    covered: tuple[float, ...] = (np.nan,) * len(comparison.LEVELS)
    distance: float = np.nan  # mean over the x shown
    seconds: float = np.nan
    where: str = ""

    @property
    def coverage_error(self) -> float:
        """Mean distance of the coverage from what it should be."""
        return comparison.coverage_error(self.covered)


def reference_of(several: Several, method: str, x: Array) -> Reference | None:
    """The reference, once its fit is there."""
    if method not in several.fits:
        return None
    predictive = several.predictive(method, x, REFERENCE_SAMPLES)
    is_drawn = len(predictive.draws) > 1
    key = (x.tobytes(), "floor")
    fit = several.fits[method]
    floor = remembered(fit, key, lambda: comparison.sampling_distance(predictive)) if is_drawn else None
    return Reference(method, predictive, several.convergence(method, x), floor)


def scores_of(several: Several, x: Array, reference: Reference | None) -> dict[str, Scores]:
    """The numbers of every method that is there; one whose prediction fails has none."""
    found = {}
    for method in several.fits:
        try:
            found[method] = _scores(several, method, x, reference)
        except InvalidInput:
            found[method] = Scores(method)
    return found


def distances(several: Several, method: str, x: Array, reference: Reference) -> Array:
    """The distance of a method's functions to the reference's, (N,)."""
    key = (x.tobytes(), "distance", several.fits[reference.method].config)
    is_gaussian = {method, reference.method} <= GAUSSIAN

    def compute() -> Array:
        return comparison.distance(several.predictive(method, x), reference.predictive, is_gaussian=is_gaussian)

    return remembered(several.fits[method], key, compute)


def _scores(several: Several, method: str, x: Array, reference: Reference | None) -> Scores:
    fit, data = several.fits[method], several.dataset
    is_shipped = method in several.shipped
    numbers: dict[str, Any] = {"seconds": fit.seconds, "where": SHIPPED if is_shipped else HERE}
    if reference is not None and method != reference.method:
        numbers["distance"] = float(distances(several, method, x, reference).mean())
    if len(data.x_test):
        key = (data.x_test.tobytes(), data.y_test.tobytes(), "held out")
        numbers |= remembered(fit, key, lambda: _held_out(several, method))
    return Scores(method, **numbers)


def _held_out(several: Several, method: str) -> Mapping[str, Any]:
    x, y = several.dataset.x_test, several.dataset.y_test
    predictive = several.fits[method].predict(x, NUM_SAMPLES)
    covered = tuple(comparison.coverage(predictive, y, level) for level in comparison.LEVELS)
    return {"nll": negative_log_likelihood(predictive, y), "rmse": rmse(predictive, y), "covered": covered}


def show_table(several: Several, scores: Mapping[str, Scores], reference: Reference | None, wanted: str) -> None:
    """All methods and numbers, the most honest first, and in words what the columns say and what is missing."""
    frame = _frame(several, scores, reference)
    ordered = frame.sort_values("Place", na_position="last", kind="stable")
    theme = present_theme()
    styled = ordered.style
    if reference is not None and not reference.is_converged:
        styled = styled.set_properties(subset=[_distance_title(several)], **{"color": theme.muted, "opacity": "0.5"})
    styled = styled.format(_formats(frame), na_rep="–")
    height = ROW * (len(frame) + 1) + HEAD
    st.dataframe(
        styled, hide_index=True, column_config=_columns(several), height=height, key="comparison", placeholder="–"
    )
    _say(several, scores, reference, wanted)


def _distance_title(several: Several) -> str:
    return f"Distance{unit(several.dataset)}"


def _band_title(level: float) -> str:
    return f"Inside {level:.0%} (%)"


def _frame(several: Several, scores: Mapping[str, Scores], reference: Reference | None) -> pd.DataFrame:
    """A row for every method that was asked for, those without numbers too."""
    names = [*several.fits, *several.problems, *several.waiting]
    rows = [scores.get(name, Scores(name)) for name in names]
    places = ranking(rows, reference)
    of_y = unit(several.dataset)
    columns: dict[str, Sequence[Any]] = {
        "Place": [places[row.method] for row in rows],
        "Method": [_named(row.method, reference) for row in rows],
        "NLL (nats)": [row.nll for row in rows],
        f"RMSE{of_y}": [row.rmse for row in rows],
    }
    for index, level in enumerate(comparison.LEVELS):
        columns[_band_title(level)] = [100 * row.covered[index] for row in rows]
    columns[_distance_title(several)] = [row.distance for row in rows]
    columns["Fit (s)"] = [row.seconds for row in rows]
    columns["Timed on"] = [row.where or _why_none(several, row.method) for row in rows]
    return pd.DataFrame(columns)


def _named(method: str, reference: Reference | None) -> str:
    is_reference = reference is not None and method == reference.method
    return f"{title(method)} (reference)" if is_reference else title(method)


def _why_none(several: Several, method: str) -> str:
    return "failed" if method in several.problems else "not trained yet"


def ranking(rows: Sequence[Scores], reference: Reference | None) -> dict[str, float]:
    """The place of every method in honesty; the reference itself has none, and one not converged ranks nobody."""
    ranked = [row for row in rows if reference is None or row.method != reference.method]
    counts = reference is None or reference.is_converged
    distance = [row.distance if counts else np.nan for row in ranked]
    found = comparison.honesty([row.coverage_error for row in ranked], distance)
    return {row.method: np.nan for row in rows} | {row.method: float(p) for row, p in zip(ranked, found, strict=True)}


def _formats(frame: pd.DataFrame) -> dict[str, Any]:
    formats = {name: "{:.1f}" for name in frame if str(name).startswith(("Inside", "Fit"))}
    return {name: "{:.3g}" for name in frame if frame[name].dtype.kind == "f"} | formats


def _columns(several: Several) -> dict[str, Any]:
    number = st.column_config.NumberColumn
    helps = {
        "Place": "By honesty: the mean of the places in coverage error and in distance. 1 is the most honest.",
        "NLL (nats)": "Minus log predictive density of a held-out point; lower is better.",
        f"RMSE{unit(several.dataset)}": "Error of the mean on held-out points.",
        _distance_title(several): "Wasserstein-1 distance of the functions to the reference's, mean over the x shown.",
        "Fit (s)": "Training, as long as it took where it was timed; whatever else ran there adds to it.",
    }
    for level in comparison.LEVELS:
        helps[_band_title(level)] = (
            f"Percent of the held-out points in the central band that should hold {level:.0%}. Below: too certain."
        )
    return {name: number(help=text) for name, text in helps.items()} | {
        "Method": st.column_config.TextColumn(pinned=True, width=210),
        "Timed on": st.column_config.TextColumn(help="This machine, or the one that made the shipped file.", width=120),
    }


def _say(several: Several, scores: Mapping[str, Scores], reference: Reference | None, wanted: str) -> None:
    count = len(several.dataset.x_test)
    sentences = []
    if count:
        chance = [100 * comparison.coverage_by_chance(count, level) for level in comparison.LEVELS]
        sentences.append(
            f"On {count} held-out point{'s' * (count > 1)} chance alone moves the coverage of an honest band by "
            f"± {chance[0]:.0f} (50 %) and ± {chance[1]:.0f} (90 %) percentage points."
        )
    else:
        sentences.append(
            "No points are held out, so NLL, RMSE and coverage are missing. Your own data hold out every fifth point "
            "from 20 points on; below that, choose *Hold out* under *Data*."
        )
    sentences.append(of_reference(several, reference, wanted, "Distances are greyed and rank nobody"))
    st.caption(" ".join(filter(None, sentences)))


def of_reference(several: Several, reference: Reference | None, wanted: str, consequence: str) -> str:
    """What has to be said of the reference: that it is missing, not converged, or not exact; "" where nothing has.

    ``consequence`` is what happens to numbers that rest on chains which have not converged.
    """
    if reference is None:
        if wanted in several.problems:
            return f"There is nothing to compare with. {several.problems[wanted]}"
        return f"What compares with {title(wanted)} follows once it has ended."
    if reference.convergence is not None and not reference.convergence.is_reached:
        return (
            f"{consequence}: the chains of {title(reference.method)} have not converged ("
            f"{reference.convergence.numbers}), so their draws are not the posterior."
        )
    return NOT_THIS_NETWORK.get(reference.method, "")


NOT_THIS_NETWORK = {
    "gaussian_process": "The Gaussian process is the exact answer of an infinitely wide network, not of this one.",
    "deep_ensemble": "A deep ensemble is not exact: the distance says how alike two methods are, not who is right.",
}
