"""Which digit is looked at: browsed by class and order, picked from a sheet of pictures, or the visitor's own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.errors import InvalidInput
from bdlviz.topics.digits.mc_dropout.views_source import NUM_CLASSES, HeldOut, Source
from bdlviz.topics.shared import own_digit
from bdlviz.types import Array
from bdlviz.ui.controls import picked
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame.look import figure, present_theme
from bdlviz.ui.frame.window import by_width

ALL, FIRST, OWN = "all", "first", "own"
MOST_IMAGES = 1000
ORDER = Control(
    "order",
    "Order",
    ("uncertain", "disagreement", "noise", "confident", "wrong", "data"),
    "uncertain",
    "menu",
    "By predictive entropy, by mutual information (draws contradict each other), by expected entropy (every draw is "
    "unsure), from the most confident on, wrongly classified ones only, or as the data come.",
    {
        "uncertain": "most uncertain first",
        "disagreement": "most disagreement first",
        "noise": "most noise first",
        "confident": "most confident first",
        "wrong": "wrong ones, most confident first",
        "data": "as they come",
    },
)
CLASS = Control(
    "class",
    "Class",
    (ALL, *map(str, range(NUM_CLASSES))),
    ALL,
    "menu",
    "Show held-out images with this label only.",
    {ALL: "all classes"},
)
DIGIT = Control(
    "digit",
    "Image",
    (FIRST, OWN, *map(str, range(1, MOST_IMAGES + 1))),
    FIRST,
    "menu",
    "Click a picture of the sheet, or give the number of a held-out image.",
    {FIRST: "first of the sheet", OWN: "your own digit"},
)
SHEET, PAGE = "digit_sheet", "sheet_page"  # keys in the session state
SEEN = "sheet_of"  # (order, class, image) of the last run
WIDE, NARROW = 12, 6  # pictures side by side
PER_PAGE = 24


@dataclass(frozen=True, eq=False)
class Chosen:
    """The picture that is looked at, before any change."""

    picture: Array  # (height, width)
    label: int | None  # None for the visitor's own
    row: int | None

    @property
    def name(self) -> str:
        """What to call it."""
        return "Your own digit" if self.row is None else f"Held-out image no. {self.row + 1}"


def choose() -> None:
    """Draw the controls: another class or order starts at its first image."""
    order, label = ORDER.show(), CLASS.show()
    last = st.session_state.get(SEEN)
    here = (order, label, DIGIT.present())
    if last is not None and last[:2] != here[:2]:
        st.session_state[PAGE] = 0
        if last[2] == here[2] != OWN and not st.session_state.get("arrived_with"):
            st.session_state[DIGIT.key] = FIRST
    DIGIT.show()
    st.session_state[SEEN] = (order, label, DIGIT.present())


def ordered(held_out: HeldOut, order: str, label: str) -> Array:
    """Rows of the held-out images of a class (or of all) in an order; empty where there is no such image."""
    rows = np.arange(len(held_out.labels)) if label == ALL else np.flatnonzero(held_out.labels == int(label))
    if order == "data":
        return rows
    if order == "wrong":
        rows = rows[held_out.is_wrong[rows]]
    by = {
        "uncertain": -held_out.predictive_entropy,
        "disagreement": -held_out.mutual_information,
        "noise": -held_out.expected_entropy,
        "confident": held_out.predictive_entropy,
        "wrong": -held_out.mean.max(1),
    }[order]
    return rows[np.argsort(by[rows], kind="stable")]


def present_rows(source: Source) -> Array:
    """The held-out rows of the sheet. While the network trains it has no opinion to sort by."""
    order = ORDER.present() if source.is_done else "data"
    if order == "data":
        labels, label = source.labels, CLASS.present()
        return np.arange(len(labels)) if label == ALL else np.flatnonzero(labels == int(label))
    return ordered(source.held_out, order, CLASS.present())


def present(source: Source, rows: Array) -> Chosen:
    """The chosen picture; where there is none such, the first, and a sentence."""
    digit = DIGIT.present()
    if digit == OWN:
        own = own_picture(source.shape)
        if own is not None:
            return Chosen(own, None, None)
        st.caption("No digit of yours yet: draw or upload one in the tab *Your own digit*. This is the first image.")
    elif digit != FIRST:
        row = int(digit) - 1
        if row < len(source.labels):
            return _held_out(source, row)
        st.caption(f"There are {len(source.labels)} held-out images, no {digit}: this is the first of the sheet.")
    return _held_out(source, int(rows[0]) if len(rows) else 0)


def _held_out(source: Source, row: int) -> Chosen:
    return Chosen(source.pictures[row], int(source.labels[row]), row)


def own_picture(shape: tuple[int, int]) -> Array | None:
    """What the visitor drew or uploaded, in the form of the data; None where that is nothing."""
    ink = st.session_state.get(own_digit.INK)
    try:
        return None if ink is None else own_digit.to_digit(ink, shape)
    except InvalidInput:
        return None


def show_sheet(source: Source, rows: Array, chosen: Chosen) -> None:
    """The pictures to choose from, a page of them, wide or for a phone."""
    if not len(rows):
        st.caption("No held-out image is of that kind: the network has them all right.")
        return
    last_page = (len(rows) - 1) // PER_PAGE
    page = min(st.session_state.get(PAGE, 0), last_page)
    with st.container(key="sheet_head", horizontal=True, vertical_alignment="center"):
        first, last = page * PER_PAGE + 1, min((page + 1) * PER_PAGE, len(rows))
        st.caption(
            f"**Click a picture.** {ORDER.name(ORDER.present()).capitalize()}: {first} to {last} of {len(rows):,}. "
            "Under each what the mean says; :orange[orange] where it is wrong.",
            width="stretch",
        )
        st.button("‹ Previous", key="sheet_back", on_click=_turn, args=(page - 1,), disabled=page == 0)
        st.button("Next ›", key="sheet_on", on_click=_turn, args=(page + 1,), disabled=page == last_page)
    here = rows[page * PER_PAGE : (page + 1) * PER_PAGE]
    show_pictures(source, here, by_width(WIDE, NARROW), chosen, f"{SHEET}_{_name_of(source)}_{page}")


def _name_of(source: Source) -> str:
    """Another sheet is another element: a click on it is always a new one."""
    return "_".join((source.images, source.fit.config.method, ORDER.present(), CLASS.present(), str(source.unseen)))


def _turn(page: int) -> None:
    st.session_state[PAGE] = page


def show_pictures(source: Source, rows: Array, columns: int, chosen: Chosen, key: str) -> None:
    """Some held-out images, to choose one of by a click."""
    names, wrong, hover = [str(label) for label in source.labels[rows]], np.zeros(len(rows), bool), None
    if source.is_done:
        held_out = source.held_out
        answers, wrong = held_out.mean[rows].argmax(1), held_out.is_wrong[rows]
        names = [str(answer) for answer in answers]
        hover = [describe(source, int(row)) for row in rows]
    position = np.flatnonzero(rows == chosen.row) if chosen.row is not None else []
    fig = plots.contact_sheet(
        source.pictures[rows],
        columns,
        names=names,
        is_wrong=wrong,
        rows=rows,
        chosen=int(position[0]) if len(position) else None,
        hover=hover,
        theme=present_theme(),
        size=by_width(70, 52),
    )
    alt = f"{len(rows)} held-out digits to choose from; the network says {', '.join(names)}."
    figure(fig, key=key, alt=alt, on_select=lambda: _pick(key), selection_mode="points")


def describe(source: Source, row: int) -> str:
    """One line about a held-out image, for the pointer."""
    held_out = source.held_out
    answer = int(held_out.mean[row].argmax())
    return (
        f"no. {row + 1}, label {source.labels[row]}<br>mean says {answer} ({held_out.mean[row, answer]:.0%})<br>"
        f"{held_out.predictive_entropy[row]:.2f} nats, {held_out.mutual_information[row]:.2f} between draws"
    )


def _pick(key: str) -> None:
    """Look at the image that was clicked."""
    rows = picked.rows(key)
    if rows and rows[0] < MOST_IMAGES:
        st.session_state[DIGIT.key] = str(rows[0] + 1)
