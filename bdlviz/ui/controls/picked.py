"""What was clicked or encircled in a figure. A browser sends it, so it is read as what anybody may have written."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bdlviz.data.tables import MAX_MAGNITUDE
from bdlviz.ui.controls.control import Control
from bdlviz.ui.places.link import whole_number

MOST = 20_000  # points of one choice; no figure has as many that can be chosen
LARGEST_ROW = 10**9


def points(key: str) -> list[dict[str, Any]]:
    """The points that are chosen in the figure of that key, as Plotly describes each."""
    state = st.session_state.get(key)
    selection = state.get("selection") if isinstance(state, dict) else None
    found = selection.get("points") if isinstance(selection, dict) else None
    return [point for point in found[:MOST] if isinstance(point, dict)] if isinstance(found, list) else []


def rows(key: str) -> list[int]:
    """The numbers from 0 that the chosen points of a figure carry, where they do; perhaps larger than any row."""
    found = (_row(point.get("customdata")) for point in points(key))
    return [row for row in found if row is not None]


def into_control(key: str, control: Control) -> None:
    """Set a control to the number that the clicked point of a figure carries, where it is one of its options."""
    found = rows(key)
    if found and str(found[0]) in control.options:
        st.session_state[control.key] = str(found[0])


def _row(carried: Any) -> int | None:
    while isinstance(carried, list | tuple) and carried:
        carried = carried[0]
    return whole_number(int(carried) if isinstance(carried, float) and carried.is_integer() else carried, LARGEST_ROW)


def place(point: dict[str, Any]) -> tuple[float, float] | None:
    """Where a chosen point lies, (x, y); None where it says no numbers within those of a table."""
    x, y = point.get("x"), point.get("y")
    if not isinstance(x, int | float) or not isinstance(y, int | float):
        return None
    is_near = abs(x) <= MAX_MAGNITUDE and abs(y) <= MAX_MAGNITUDE  # also False for NaN
    return (float(x), float(y)) if is_near else None
