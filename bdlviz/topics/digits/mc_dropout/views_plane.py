"""The plane of noise and ignorance: every held-out digit as a point, and the pictures behind chosen points."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz.topics.digits.mc_dropout import figures, views_change, views_choice
from bdlviz.topics.digits.mc_dropout.views import Picture
from bdlviz.types import Array
from bdlviz.ui.controls import picked
from bdlviz.ui.frame.look import figure, present_theme
from bdlviz.ui.frame.window import by_width

KEY, PICKED = "uncertainty_plane", "plane_sheet"
MOST_SHOWN = 36
DIRECTIONS = (
    "**To the right**: each draw is unsure by itself, which more data would not cure, if the network is right about "
    "it. **Upwards**: each draw has an opinion, and they contradict each other. Crosses are wrong answers. "
    "Click a point, or drag a box around several, to see the digits."
)


def show(shown: Picture) -> None:
    """The plane, and the digits that are selected on it."""
    found = shown.source
    held_out = found.held_out
    st.markdown(DIRECTIONS)
    course = None
    if shown.course is not None and (changed := views_change.present()) is not None:
        prediction = shown.course[1]
        course = (prediction.expected_entropy, prediction.mutual_information, f"this digit: {changed.title}")
    fig = figures.uncertainty_plane(
        held_out.expected_entropy,
        held_out.mutual_information,
        held_out.is_wrong,
        hover=[views_choice.describe(found, row) for row in range(len(found.labels))],
        chosen=[] if shown.chosen.row is None else [shown.chosen.row],
        course=course,
        theme=present_theme(),
    )
    fig.update_layout(dragmode="select")
    alt = figures.describe_uncertainty_plane(held_out.expected_entropy, held_out.mutual_information, held_out.is_wrong)
    figure(fig, key=KEY, alt=alt, on_select="rerun", selection_mode=("points", "box"))
    st.markdown(summary(held_out.expected_entropy, held_out.mutual_information, held_out.is_wrong))
    _show_selected(shown)


def summary(expected: Array, mutual: Array, is_wrong: Array) -> str:
    """Which digits the network is unsure of, and whether it is noise or ignorance, in numbers."""
    total = expected + mutual
    share = float(mutual.sum() / max(total.sum(), 1e-12))
    most = np.argsort(-total, kind="stable")[: max(1, len(total) // 10)]
    text = (
        f"Over all {len(total):,} held-out digits **{share:.0%}** of the predictive entropy is mutual information, the "
        f"rest is inside the single draws. The most uncertain tenth holds **{is_wrong[most].sum()} of the "
        f"{is_wrong.sum()}** wrong answers"
    )
    return text + (f" and has a mean entropy of {total[most].mean():.2f} nats; the other digits {_rest(total, most)}.")


def _rest(total: Array, most: Array) -> str:
    rest = np.delete(total, most)
    return f"have {rest.mean():.2f}" if len(rest) else "are none"


def _show_selected(shown: Picture) -> None:
    rows = list(dict.fromkeys(picked.rows(KEY)))
    rows = np.array([row for row in rows if row < len(shown.source.labels)], int)
    if not len(rows):
        return
    st.caption(
        f"Selected: {len(rows)} digits" + (f", the first {MOST_SHOWN} of them." if len(rows) > MOST_SHOWN else ".")
    )
    here = rows[:MOST_SHOWN]
    views_choice.show_pictures(
        shown.source, here, by_width(views_choice.WIDE, views_choice.NARROW), shown.chosen, PICKED
    )
