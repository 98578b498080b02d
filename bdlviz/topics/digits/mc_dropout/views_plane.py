"""The further picture *Noise or ignorance*: every held-out digit as a point on a plane, and chosen pictures."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz.digits import percent
from bdlviz.topics.digits.mc_dropout import figures
from bdlviz.topics.digits.mc_dropout.choice import describe
from bdlviz.topics.digits.mc_dropout.picture import Picture
from bdlviz.topics.digits.mc_dropout.views_sheet import pictures
from bdlviz.types import Array
from bdlviz.ui.controls import picked
from bdlviz.ui.frame.look import figure
from bdlviz.ui.frame.render import show_part
from bdlviz.ui.model import Figure, Part, Says, Screen, Widget, Words

KEY, PICKED = "uncertainty_plane", "plane_sheet"
MOST_SHOWN = 36
DIRECTIONS = (
    "**To the right**: each draw is uncertain by itself, which more data would not change, if the network is right "
    "about it. **Upwards**: each draw is certain, and the draws contradict each other. Crosses are wrong answers. "
    "Click a point, or drag a box around several, to see the digits."
)


def tab(screen: Screen, shown: Picture) -> list[Part]:
    """The plane, and the digits that are selected on it."""
    held_out = shown.source.held_out
    told = summary(held_out.expected_entropy, held_out.mutual_information, held_out.is_wrong)
    drawn = plane(screen, shown)
    return [
        Says(sentence(held_out.expected_entropy, held_out.mutual_information, held_out.is_wrong)),
        Words(DIRECTIONS, "markdown"),
        Widget(lambda: _show_plane(drawn)),
        Words(told, "markdown"),
        Widget(lambda: _show_selected(screen, shown)),
    ]


def plane(screen: Screen, shown: Picture) -> Figure:
    """Every held-out digit by its two entropies, with the course of the chosen one if it is changed."""
    found = shown.source
    held_out = found.held_out
    course = None
    if shown.course is not None and shown.change is not None:
        prediction = shown.course[1]
        name = f"this digit: {shown.change.title.lower()}"
        course = (prediction.expected_entropy, prediction.mutual_information, name)
    fig = figures.uncertainty_plane(
        held_out.expected_entropy,
        held_out.mutual_information,
        held_out.is_wrong,
        hover=[describe(found, row) for row in range(len(found.labels))],
        chosen=[] if shown.chosen.row is None else [shown.chosen.row],
        course=course,
        theme=screen.theme,
    )
    fig.update_layout(dragmode="select")
    alt = figures.describe_uncertainty_plane(held_out.expected_entropy, held_out.mutual_information, held_out.is_wrong)
    return Figure(KEY, fig, alt)


def _show_plane(drawn: Figure) -> None:
    """The plane; the page runs again when points are selected on it."""
    figure(drawn.figure, key=drawn.key, alt=drawn.alt, on_select="rerun", selection_mode=("points", "box"))


def summary(expected: Array, mutual: Array, is_wrong: Array) -> str:
    """Which digits the network is uncertain about, and whether it is noise or ignorance, in numbers."""
    total = expected + mutual
    share = float(mutual.sum() / max(total.sum(), 1e-12))
    most = _most_uncertain(total)
    text = (
        f"Over all {len(total):,} held-out digits **{100 * share:.0f} %** of the predictive entropy is mutual "
        f"information, the rest is within single draws. The most uncertain tenth holds "
        f"**{is_wrong[most].sum()} of the {is_wrong.sum()}** wrong answers"
    )
    return text + (f" and has a mean entropy of {total[most].mean():.2f} nats; the other digits {_rest(total, most)}.")


def sentence(expected: Array, mutual: Array, is_wrong: Array) -> str:
    """Which part of all entropy is ignorance, and how many wrong answers are among the most uncertain digits."""
    total = expected + mutual
    share, most = float(mutual.sum() / max(total.sum(), 1e-12)), _most_uncertain(total)
    return (
        f"{percent(share)} of all entropy is ignorance; the most uncertain tenth holds {is_wrong[most].sum()} of the "
        f"{is_wrong.sum()} wrong answers."
    )


def _most_uncertain(total: Array) -> Array:
    """The rows of the tenth with the largest entropy."""
    return np.argsort(-total, kind="stable")[: max(1, len(total) // 10)]


def _rest(total: Array, most: Array) -> str:
    rest = np.delete(total, most)
    return f"have {rest.mean():.2f}" if len(rest) else "are none"


def _show_selected(screen: Screen, shown: Picture) -> None:
    rows = list(dict.fromkeys(picked.rows(KEY)))
    rows = np.array([row for row in rows if row < len(shown.source.labels)], int)
    if not len(rows):
        return
    more = f", the first {MOST_SHOWN} of them." if len(rows) > MOST_SHOWN else "."
    st.caption(f"Selected: {len(rows)} digits{more}")
    show_part(pictures(screen, shown.source, rows[:MOST_SHOWN], shown.chosen, PICKED))
