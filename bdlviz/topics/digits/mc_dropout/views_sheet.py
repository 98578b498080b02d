"""The sheet of held-out images to choose from, and the controls beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.errors import InvalidInput
from bdlviz.topics.digits.mc_dropout.choice import OWN_PICTURE, Chosen, describe, to_text
from bdlviz.topics.digits.mc_dropout.controls import (
    CLASS,
    DIGIT,
    FIRST,
    IMAGES,
    MOST_IMAGES,
    ORDER,
    OWN,
)
from bdlviz.topics.digits.mc_dropout.source import Source
from bdlviz.topics.shared import own_digit, views_hover
from bdlviz.types import Array
from bdlviz.ui.controls import picked
from bdlviz.ui.controls.control import Control
from bdlviz.ui.jobs.shipped import SHAPES
from bdlviz.ui.model import Custom, Figure, Part, Screen, Setting, Widget, Words

SHEET, PAGE = "digit_sheet", "sheet_page"  # of the figure; of the page of the sheet, in the session state and setting
SEEN = "sheet_of"  # session state: (order, class, image) of the last run
WIDE, NARROW = 12, 6  # pictures side by side
PER_PAGE = 24
CARD_DRAWS = 40  # dots for each class in the card over a digit


def _show_choice() -> None:
    """Draw the controls; another class or order starts at its first image."""
    order, label = ORDER.show(), CLASS.show()
    last = st.session_state.get(SEEN)
    here = (order, label, DIGIT.present())
    if last is not None and last[:2] != here[:2]:
        st.session_state[PAGE] = 0
        if last[2] == here[2] != OWN and not st.session_state.get("arrived_with"):
            st.session_state[DIGIT.key] = FIRST
    DIGIT.show()
    st.session_state[SEEN] = (order, label, DIGIT.present())


def _chosen_elsewhere() -> dict[str, str]:
    """The page of the sheet, and the visitor's own digit in the form of the data."""
    own = own_picture(SHAPES[IMAGES.present()])
    return {PAGE: str(st.session_state.get(PAGE, 0)), OWN_PICTURE: "" if own is None else to_text(own)}


CHOICE = Custom(_show_choice, (CLASS, ORDER, DIGIT), _chosen_elsewhere)


def own_picture(shape: tuple[int, int]) -> Array | None:
    """What the visitor drew or uploaded, in the form of the data; None where that is nothing."""
    ink = st.session_state.get(own_digit.INK)
    try:
        return None if ink is None else own_digit.to_digit(ink, shape)
    except InvalidInput:
        return None


def sheet(setting: Setting, screen: Screen, source: Source, rows: Array, chosen: Chosen) -> list[Part]:
    """The pictures to choose from, a page of them."""
    if not len(rows):
        return [Words("There is no such held-out image: the network classifies all of them correctly.")]
    last_page = (len(rows) - 1) // PER_PAGE
    page = min(int(setting.text(PAGE) or 0), last_page)
    first, last = page * PER_PAGE + 1, min((page + 1) * PER_PAGE, len(rows))
    told = (
        f"**Hover over a digit for its softmax samples; click to choose it.** {first} to {last} of {len(rows):,}, "
        f"{ORDER.name(setting[ORDER])}. The number is the prediction, :orange[orange] if it is wrong."
    )
    # Another sheet is another element: a click on it is always a new one.
    name = (source.images, source.fit.config.method, setting[ORDER], setting[CLASS], str(source.unseen))
    figure = pictures(screen, source, rows[first - 1 : last], chosen, f"{SHEET}_{'_'.join(name)}_{page}")
    head = Widget(lambda: _show_head(told, page, last_page))
    return [head, figure, *_cards(screen, source, rows[first - 1 : last], figure.key)]


def _cards(screen: Screen, source: Source, rows: Array, key: str) -> list[Part]:
    """The card over each digit with its softmax samples, once the network is trained."""
    if not source.is_done:
        return []
    draws = source.predict(source.pictures[rows], CARD_DRAWS).draws.swapaxes(0, 1)
    titles = [describe(source, int(row)).replace("<br>", "\n") for row in rows]
    return [views_hover.samples(key, draws, rows, titles, screen.theme)]


def _show_head(told: str, page: int, last_page: int) -> None:
    with st.container(key="sheet_head", horizontal=True, vertical_alignment="center"):
        st.caption(told, width="stretch")
        st.button("‹ Previous", key="sheet_back", on_click=_turn, args=(page - 1,), disabled=page == 0)
        st.button("Next ›", key="sheet_on", on_click=_turn, args=(page + 1,), disabled=page == last_page)


def _turn(page: int) -> None:
    st.session_state[PAGE] = page


def pictures(screen: Screen, source: Source, rows: Array, chosen: Chosen, key: str) -> Figure:
    """Some held-out images, to choose one of by a click."""
    names: Sequence[str] = [str(label) for label in source.labels[rows]]
    wrong, hover = np.zeros(len(rows), bool), None
    if source.is_done:
        held_out = source.held_out
        wrong, names = held_out.is_wrong[rows], [str(answer) for answer in held_out.mean[rows].argmax(1)]
        hover = [describe(source, int(row)) for row in rows]
    position = np.flatnonzero(rows == chosen.row) if chosen.row is not None else []
    fig = plots.contact_sheet(
        source.pictures[rows],
        screen.by_width(WIDE, NARROW),
        names=names,
        is_wrong=wrong,
        rows=rows,
        chosen=int(position[0]) if len(position) else None,
        hover=hover,
        theme=screen.theme,
        size=screen.by_width(70, 52),
    )
    alt = f"{len(rows)} held-out digits to choose from; the network says {', '.join(names)}."
    return Figure(key, fig, alt, on_select=lambda: _pick(key))


def _pick(key: str) -> None:
    """Show the image that was clicked."""
    rows = picked.rows(key)
    if rows and rows[0] < MOST_IMAGES:
        st.session_state[DIGIT.key] = str(rows[0] + 1)


def pick_step(key: str, control: Control) -> Callable[[], None]:
    """What a click on a step of the course does: its slider moves there."""

    def pick() -> None:
        steps = picked.rows(key)
        if steps and steps[0] < len(control.options):
            st.session_state[control.key] = control.options[steps[0]]

    return pick
