"""The sheet of held-out images to choose from, and the controls beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.errors import InvalidInput
from bdlviz.topics.digits.mc_dropout.choice import OWN_PICTURE, Chosen, describe, rows_of, to_text
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
PER_PAGE = 24  # pictures on a page
CARD_DRAWS = 40  # dots for each class in the card over a digit


def _show_choice() -> None:
    """Draw the class and the image; another class or order starts at its first image."""
    order, label = ORDER.present(), CLASS.show()
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


CHOICE = Custom(_show_choice, (CLASS, DIGIT), _chosen_elsewhere)


def own_picture(shape: tuple[int, int]) -> Array | None:
    """What the visitor drew or uploaded, in the form of the data; None where that is nothing."""
    ink = st.session_state.get(own_digit.INK)
    try:
        return None if ink is None else own_digit.to_digit(ink, shape)
    except InvalidInput:
        return None


def sheet(setting: Setting, screen: Screen, source: Source, chosen: Chosen) -> list[Part]:
    """The pictures to choose from, a page of them, over the whole width."""
    rows, first, told = _page(setting, source)
    if not len(rows):
        return [Words(told)]
    figure = pictures(screen, source, rows, chosen, _key(setting, source, first))
    return [_head(told, setting, source), figure, *_cards(screen, source, rows, figure.key)]


def _page(setting: Setting, source: Source) -> tuple[Array, int, str]:
    """The rows of the chosen page, the position of the first, and words about them."""
    rows = rows_of(setting, source)
    first = _number(setting, len(rows)) * PER_PAGE
    some = rows[first : first + PER_PAGE]
    if not len(some):
        return some, 0, "There is no such held-out image: the network classifies all of them correctly."
    told = (
        f"**Hover over a digit for its softmax samples; click to choose it.** {first + 1} to "
        f"{first + len(some)} of {len(rows):,}, {ORDER.name(setting[ORDER])}. The number is the prediction, "
        ":orange[orange] if it is wrong."
    )
    return some, first, told


def _number(setting: Setting, count: int) -> int:
    """The chosen page, at most the last one."""
    return min(int(setting.text(PAGE) or 0), max(0, count - 1) // PER_PAGE)


def _key(setting: Setting, source: Source, first: int) -> str:
    """Of the figure. Another sheet is another element: a click on it is always a new one."""
    name = (source.images, source.fit.config.method, setting[ORDER], setting[CLASS], str(source.unseen))
    return f"{SHEET}_{'_'.join(name)}_{first}"


def _head(told: str, setting: Setting, source: Source) -> Widget:
    """Words about the sheet and the buttons that turn its pages."""
    count = len(rows_of(setting, source))
    page, last_page = _number(setting, count), max(0, count - 1) // PER_PAGE

    def show() -> None:
        with st.container(key="sheet_head", horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(told, width="stretch")
            st.button("‹ Previous", key="sheet_back", on_click=_turn, args=(page - 1,), disabled=page == 0)
            st.button("Next ›", key="sheet_on", on_click=_turn, args=(page + 1,), disabled=page == last_page)

    return Widget(show)


def _turn(page: int) -> None:
    st.session_state[PAGE] = page


def _cards(screen: Screen, source: Source, rows: Array, key: str) -> list[Part]:
    """The card over each digit with its softmax samples, once the network is trained."""
    if not source.is_done:
        return []
    draws = source.predict(source.pictures[rows], CARD_DRAWS).draws.swapaxes(0, 1)
    titles = [describe(source, int(row)).replace("<br>", "\n") for row in rows]
    return [views_hover.samples(key, draws, rows, titles, screen.theme)]


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
    if source.is_done:  # the card says the same
        fig.update_traces(hoverinfo="none", hovertemplate=None, selector={"name": "pictures"})
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
