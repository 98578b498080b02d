"""A part of a page that redraws by itself, before the rest of the page does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

Found = TypeVar("Found")


def redraw_first(draw: Callable[[], Found]) -> Found:
    """Draw a part of a page and return what ``draw`` gives; an event inside it redraws it first, then the whole page.

    A page is some eighty elements to send and to take in; a picture among them comes a third of a second late. So
    ``draw`` must read what it needs from the session's state: in a run of the part alone no control is drawn.
    """

    @st.fragment
    def part() -> Found:
        found = draw()
        if is_alone():
            st.rerun()
        return found

    return part()


def is_alone() -> bool:
    """Does a part of the page run by itself?"""
    context = get_script_run_ctx()
    return bool(context and context.fragment_ids_this_run)
