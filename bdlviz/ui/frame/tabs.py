"""The tabs under the picture: which one is open, in the link too, and what a room sees of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from bdlviz.ui.places import link

TAB = "tab"  # in the link
OPEN = "open_tab"  # session state: the tab that is open; "" for the first
ASKED = "asked_tab"  # session state: the tab that a link has just asked for
TITLES = "tab_titles"  # session state: the tabs that were drawn last
WIDGET = "tabs"

Contents = Mapping[str, Callable[[], Any]]


def ask_for(title: str) -> None:
    """Open the tab of that title with the next drawing; "" is the first."""
    st.session_state[ASKED] = title
    st.session_state[OPEN] = title


def is_open(title: str) -> bool:
    """Is this the open tab, as far as the last run knows?"""
    return st.session_state.get(WIDGET, st.session_state.get(OPEN, "")) == title


def show(contents: Contents) -> None:
    """Draw the tabs; only what is in the open one, because a slider should not wait for pictures that nobody sees."""
    first, state = next(iter(contents)), st.session_state
    asked = state.pop(ASKED, None)
    if asked and asked not in contents:
        st.warning(f"This page has no tab {link.quoted(asked)}; its tabs are {', '.join(contents)}.")
    if asked is None and state.get(TITLES) != list(contents):
        asked = state.get(OPEN)  # other tabs are another widget, which would begin with the first
    if asked is not None:
        state[WIDGET] = asked if asked in contents else first
    state[TITLES], state[OPEN] = list(contents), ""
    for tab, (title, draw) in zip(
        st.tabs(list(contents), key=WIDGET, on_change="rerun"), contents.items(), strict=True
    ):
        if tab.open:
            if title != first:
                state[OPEN] = title
                link.add(TAB, title)
            with tab:
                draw()


def show_to_a_room(contents: Contents) -> None:
    """In presenter mode there are no tabs: what is in the open one stands in the place of the picture."""
    title = st.session_state.get(OPEN, "")
    if title in contents:
        link.add(TAB, title)
        st.html("<style>.st-key-frame { display: none; }</style>")
        contents[title]()
