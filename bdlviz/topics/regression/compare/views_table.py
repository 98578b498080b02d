"""The table of the comparison, which the reader can sort by any column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from bdlviz.plots.theme import Theme
from bdlviz.predictive import comparison
from bdlviz.predictive.summaries import LARGE_ERROR
from bdlviz.topics.regression.compare.scores import Scores, ranking
from bdlviz.topics.shared.compare_choice import title
from bdlviz.topics.shared.compare_fits import ComparedFits
from bdlviz.topics.shared.compare_reference import Reference, remark_on
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.ui.model import Part, Widget, Words

ROW, HEAD = 35, 3  # px


def table(
    compared: ComparedFits, scores: Mapping[str, Scores], reference: Reference | None, wanted: str, theme: Theme
) -> list[Part]:
    """All methods and numbers, the first place on top, and in words what the columns say and what is missing."""
    frame = frame_of(compared, scores, reference)
    is_grey = reference is not None and not reference.is_converged
    told = [
        words_on(compared),
        remark_on(compared, reference, wanted, "Distances are greyed and rank no method"),
        _uncertain_scores(scores),
    ]
    return [Widget(lambda: _show(compared, frame, theme, is_grey)), Words(" ".join(filter(None, told)))]


def _show(compared: ComparedFits, frame: pd.DataFrame, theme: Theme, is_grey: bool) -> None:
    styled = frame.style
    if is_grey:
        styled = styled.set_properties(subset=[_distance_title(compared)], **{"color": theme.muted, "opacity": "0.5"})
    styled = styled.format(_formats(frame), na_rep="–")
    height = ROW * (len(frame) + 1) + HEAD
    st.dataframe(
        styled, hide_index=True, column_config=_columns(compared), height=height, key="comparison", placeholder="–"
    )


def frame_of(compared: ComparedFits, scores: Mapping[str, Scores], reference: Reference | None) -> pd.DataFrame:
    """A row for every method that was asked for, those without numbers too, in the order of their places."""
    names = [*compared.fits, *compared.problems, *compared.waiting]
    rows = [scores.get(name, Scores(name)) for name in names]
    places = ranking(rows, reference)
    columns: dict[str, Sequence[Any]] = {
        "Place": [places[row.method] for row in rows],
        "Method": [_named(row.method, reference) for row in rows],
        "NLL (nats)": [row.nll for row in rows],
        f"RMSE{unit(compared.dataset)}": [row.rmse for row in rows],
    }
    for index, level in enumerate(comparison.LEVELS):
        columns[_band_title(level)] = [100 * row.covered[index] for row in rows]
    columns[_distance_title(compared)] = [row.distance for row in rows]
    columns["Fit (s)"] = [row.seconds for row in rows]
    columns["Timed on"] = [row.where or _why_none(compared, row.method) for row in rows]
    return pd.DataFrame(columns).sort_values("Place", na_position="last", kind="stable")


def _uncertain_scores(scores: Mapping[str, Scores]) -> str:
    """A sentence on methods whose draws are too few for their negative log-likelihood; otherwise ""."""
    uncertain = [f"{title(name)} ({row.nll_error:.1f})" for name, row in scores.items() if row.nll_error > LARGE_ERROR]
    if not uncertain:
        return ""
    return (
        f"Few of the draws are near held-out points, so NLL is probably too large; its Monte Carlo error in nats is "
        f"large for {', '.join(uncertain)}."
    )


def _distance_title(compared: ComparedFits) -> str:
    return f"Distance{unit(compared.dataset)}"


def _band_title(level: float) -> str:
    return f"Inside {level:.0%} (%)"


def _named(method: str, reference: Reference | None) -> str:
    is_reference = reference is not None and method == reference.method
    return f"{title(method)} (reference)" if is_reference else title(method)


def _why_none(compared: ComparedFits, method: str) -> str:
    return "failed" if method in compared.problems else "not trained yet"


def _formats(frame: pd.DataFrame) -> dict[str, Any]:
    formats = {name: "{:.1f}" for name in frame if str(name).startswith(("Inside", "Fit"))}
    return {name: "{:.3g}" for name in frame if frame[name].dtype.kind == "f"} | formats


def _columns(compared: ComparedFits) -> dict[str, Any]:
    number = st.column_config.NumberColumn
    helps = {
        "Place": "The mean of the places in coverage error and in distance. 1 is the best.",
        "NLL (nats)": "Minus log predictive density of a held-out point; lower is better.",
        f"RMSE{unit(compared.dataset)}": "Error of the mean on held-out points.",
        _distance_title(compared): "Wasserstein-1 distance of the functions to the reference's, mean over the x shown.",
        "Fit (s)": "Training time where it was timed; other work on that machine makes it longer.",
    }
    for level in comparison.LEVELS:
        helps[_band_title(level)] = (
            f"Percent of the held-out points in the central band that should hold {level:.0%}. Below: too certain."
        )
    return {name: number(help=text) for name, text in helps.items()} | {
        "Method": st.column_config.TextColumn(pinned=True, width=180),
        "Timed on": st.column_config.TextColumn(help="This machine, or the one that made the shipped file.", width=120),
    }


def words_on(compared: ComparedFits) -> str:
    """How far chance alone moves the coverage of so many held-out points, or how to hold points out."""
    count = len(compared.dataset.x_test)
    if not count:
        return (
            "No points are held out, so NLL, RMSE and coverage are missing. Your own data hold out every fifth point "
            "from 20 points on; below that, choose *Hold out* under *Data*."
        )
    chance = [100 * comparison.coverage_by_chance(count, level) for level in comparison.LEVELS]
    return (
        f"On {count} held-out point{'s' * (count > 1)} chance alone moves the coverage of a calibrated band by "
        f"± {chance[0]:.0f} (50 %) and ± {chance[1]:.0f} (90 %) percentage points."
    )
