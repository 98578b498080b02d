"""The pictures and key numbers that the current run has put on the page, for the exports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

STATE = "on_page"


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture of the page: a function that makes the figure, and its description in words."""

    make: Callable[[], Any]
    alt: str


@dataclass
class OnPage:
    """The sentence, figures by key, images as PNG with descriptions, and key numbers, in the order of the page."""

    says: str = ""

    figures: dict[str, Picture] = field(default_factory=dict)
    images: list[tuple[bytes, str]] = field(default_factory=list)
    numbers: list[tuple[str, str, str]] = field(default_factory=list)


def begin() -> None:
    """Start a run: remove the content of an earlier one."""
    st.session_state[STATE] = OnPage()


def present() -> OnPage:
    """The content that this run has shown so far."""
    return st.session_state.setdefault(STATE, OnPage())


def note_sentence(sentence: str) -> None:
    """Record the sentence of what is shown."""
    present().says = sentence


def note_figure(key: str, make: Callable[[], Any], alt: str) -> None:
    """Record a plotly figure of the page, or a view that ``make`` can draw as one."""
    present().figures[key] = Picture(make, alt)


def note_image(picture: bytes, alt: str) -> None:
    """Record a sheet of images, as PNG."""
    present().images.append((picture, alt))


def note_numbers(values: Sequence[tuple[str, str, str]]) -> None:
    """Record the key numbers under the picture: (label with unit, value, help)."""
    present().numbers = [*values]


def end() -> None:
    """End a run: remove its content, since figures of many visitors would take much memory."""
    st.session_state.pop(STATE, None)
