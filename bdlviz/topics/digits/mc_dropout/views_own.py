"""The visitor's own digit: a field to draw on beside the picture, and the digit in the form of the data."""

from __future__ import annotations

import streamlit as st

from bdlviz.plots.images import scale_of
from bdlviz.topics.digits.mc_dropout.controls import DIGIT, FIRST, OWN
from bdlviz.topics.digits.mc_dropout.picture import Picture
from bdlviz.topics.shared import own_digit
from bdlviz.ui.model import Part, Screen, Sheet, Widget, Words

SIZES = (84, 56)  # px of the digit in the form of the data, wide and on a phone


def column(screen: Screen, shown: Picture) -> list[Part]:
    """The field to draw on, and the digit as the network gets it once there is one."""
    parts: list[Part] = [Widget(_show_field)]
    if shown.chosen.row is None:
        told = f"Your own digit · prediction **{int(shown.mean.argmax())}**"
        alt = told.replace("**", "")
        parts += [
            Sheet(shown.picture[None], 1, alt, scale_of(shown.source.shape, screen.by_width(*SIZES))),
            Words(told),
        ]
    return [*parts, Widget(lambda: _choose_button("Back to the held-out digits", FIRST))]


def invitation() -> Widget:
    """The button that replaces the held-out digit by the field."""
    return Widget(lambda: _choose_button("Draw your own digit", OWN))


def _show_field() -> None:
    own_digit.ask("digit_sketch", "digit_upload")
    if problem := st.session_state.get(own_digit.PROBLEM):
        st.error(problem)


def _choose_button(label: str, digit: str) -> None:
    st.button(
        label, key=f"choose_{digit}", on_click=_choose, args=(digit,), icon=":material/draw:" if digit == OWN else None
    )


def _choose(digit: str) -> None:
    st.session_state[DIGIT.key] = digit
