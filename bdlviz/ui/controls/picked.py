"""Points that were clicked or selected in a figure. They come from a browser, so they are not trusted."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bdlviz.data.tables import MAX_MAGNITUDE
from bdlviz.ui.controls.control import Control
from bdlviz.ui.places.link import whole_number

MAX_POINTS = 20_000  # of one selection; no figure has so many selectable points
LARGEST_ROW = 10**9


def points(key: str) -> list[dict[str, Any]]:
    """The selected points of the figure with that key, as Plotly describes them."""
    state = st.session_state.get(key)
    selection = state.get("selection") if isinstance(state, dict) else None
    found = selection.get("points") if isinstance(selection, dict) else None
    return [point for point in found[:MAX_POINTS] if isinstance(point, dict)] if isinstance(found, list) else []


def rows(key: str) -> list[int]:
    """The row numbers of the selected points of a figure; they may be larger than any row."""
    found = (_row(point.get("customdata")) for point in points(key))
    return [row for row in found if row is not None]


def into_control(key: str, control: Control) -> None:
    """Set a control to the number of the clicked point of a figure, if it is one of the options."""
    found = rows(key)
    if found and str(found[0]) in control.options:
        st.session_state[control.key] = str(found[0])


def _row(carried: Any) -> int | None:
    while isinstance(carried, list | tuple) and carried:
        carried = carried[0]
    return whole_number(int(carried) if isinstance(carried, float) and carried.is_integer() else carried, LARGEST_ROW)


def place(point: dict[str, Any]) -> tuple[float, float] | None:
    """The coordinates (x, y) of a selected point; None if they are not numbers in the range of a table."""
    x, y = point.get("x"), point.get("y")
    if not isinstance(x, int | float) or not isinstance(y, int | float):
        return None
    is_near = abs(x) <= MAX_MAGNITUDE and abs(y) <= MAX_MAGNITUDE  # also False for NaN
    return (float(x), float(y)) if is_near else None
