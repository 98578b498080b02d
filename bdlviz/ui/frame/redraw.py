"""A part of a page that is redrawn before the rest of the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

Found = TypeVar("Found")


def redraw_first(draw: Callable[[], Found]) -> Found:
    """Draw a part of a page and return the value of ``draw``. An event inside it redraws it first, then the whole page.

    A page has about eighty elements; sending all of them delays the picture by a third of a second. ``draw`` must read
    its values from the session state, because no control is drawn when the part runs alone.
    """

    @st.fragment
    def part() -> Found:
        found = draw()
        if is_alone():
            st.rerun()
        return found

    return part()


def is_alone() -> bool:
    """True if only a part of the page runs."""
    context = get_script_run_ctx()
    return bool(context and context.fragment_ids_this_run)
