"""The tabs under the picture. The link holds the open one; presenter mode shows only its content."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from bdlviz.ui.places import link

TAB = "tab"  # in the link
OPEN = "open_tab"  # session state: the tab that is open; "" for the first
ASKED = "asked_tab"  # session state: the tab of the link that was just opened
TITLES = "tab_titles"  # session state: the titles of the tabs drawn last
WIDGET = "tabs"

Contents = Mapping[str, Callable[[], Any]]


def ask_for(title: str) -> None:
    """Open the tab with that title in the next run; "" is the first."""
    st.session_state[ASKED] = title
    st.session_state[OPEN] = title


def is_open(title: str) -> bool:
    """True if this tab was open in the last run."""
    return st.session_state.get(WIDGET, st.session_state.get(OPEN, "")) == title


def show(contents: Contents) -> None:
    """Draw the tabs. Only the content of the open one is computed, so that sliders do not wait for the others."""
    first, state = next(iter(contents)), st.session_state
    asked = state.pop(ASKED, None)
    if asked and asked not in contents:
        st.warning(f"This page has no tab {link.quoted(asked)}; its tabs are {', '.join(contents)}.")
    if asked is None and state.get(TITLES) != list(contents):
        asked = state.get(OPEN)  # other tabs are another widget, which would open the first
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
    """Presenter mode has no tabs: the content of the open one replaces the picture."""
    title = st.session_state.get(OPEN, "")
    if title in contents:
        link.add(TAB, title)
        st.html("<style>.st-key-frame { display: none; }</style>")
        contents[title]()
