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
    parts: list[Part] = [Widget(_show_field, is_picture=False)]
    if shown.chosen.row is None:
        told = f"Your own digit · prediction **{int(shown.mean.argmax())}**"
        alt = told.replace("**", "")
        parts += [
            Sheet(shown.picture[None], 1, alt, scale_of(shown.source.shape, screen.by_width(*SIZES))),
            Words(told),
        ]
    return [*parts, Widget(_show_return)]


def show_invitation() -> None:
    """Show the button that replaces the held-out digit by the field."""
    told = "Draw or upload a digit of your own."
    st.button("Own digit", key="draw_own", on_click=_choose, args=(OWN,), help=told)


def _show_field() -> None:
    own_digit.ask("digit_sketch", "digit_upload")
    if problem := st.session_state.get(own_digit.PROBLEM):
        st.error(problem)


def _show_return() -> None:
    st.button("Back to the held-out digits", key="leave_own", on_click=_choose, args=(FIRST,))


def _choose(digit: str) -> None:
    st.session_state[DIGIT.key] = digit
