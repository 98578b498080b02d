"""A card beside the pointer over a figure: softmax samples of one digit, or the keep probability of one pixel."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.components import v2

from bdlviz.plots.theme import Theme
from bdlviz.types import Array
from bdlviz.ui.model import Widget
from bdlviz.ui.scrub import base

HERE = Path(__file__).resolve().parent
LISTENER = HERE / "figure_listener.js"  # the first script of a component that follows the pointer
HTML = '<div class="hover-card" aria-hidden="true"><p></p><canvas></canvas></div>'


def samples(figure: str, draws: Array, rows: Array, titles: Sequence[str], theme: Theme) -> Widget:
    """Over a digit of a contact sheet: its class probabilities in every draw, (digits, draws, classes).

    ``figure`` is the key of the sheet, ``rows`` (digits,) are the values of its ``customdata``.
    """
    return _card(figure, draws, theme, rows=rows.tolist(), titles=list(titles))


def history(figure: str, values: Array, chosen: int, end: str, theme: Theme) -> Widget:
    """Over a pixel of a heat map: its ``values`` (moments, height, width) over training, ``chosen`` marked."""
    return _card(figure, values, theme, chosen=chosen, end=end)


def _card(figure: str, values: Array, theme: Theme, **more: Any) -> Widget:
    rounded = np.rint(255 * np.clip(values, 0, 1)).astype(np.uint8)
    data = {
        "figure": figure,
        "values": base64.b64encode(rounded.tobytes()).decode(),
        "shape": list(rounded.shape),
        "theme": base.tokens(theme),
        **more,
    }
    return Widget(lambda: _component()(key=f"hover_{figure}", data=data), is_picture=False)


@cache
def _component() -> Callable[..., Any]:
    css, listener, card = (
        path.read_text(encoding="utf-8") for path in (HERE / "hover.css", LISTENER, HERE / "hover.js")
    )
    return v2.component("bdlviz_hover", html=HTML, css=css, js=f"{listener}\n{card}")
