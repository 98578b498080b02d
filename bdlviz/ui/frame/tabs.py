"""The tabs under the picture. The link holds the open one; presenter mode shows only its content."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import streamlit as st

from bdlviz.ui.places import link

TAB = "tab"  # in the link
EXPLAIN, MATHS, CODE, EXERCISES, EXPORT = "Explain", "Maths", "Code", "Exercises", "Export"
# Titles of older links.
FORMER = {
    "Equation": MATHS,
    "Derivation": MATHS,
    "Reproduce": CODE,
    "Try this": EXPLAIN,
    "Caveat and paper": EXPLAIN,
}
OPEN = "open_tab"  # session state: the tab that is open; "" for the first
ASKED = "asked_tab"  # session state: the tab of the link that was just opened
TITLES = "tab_titles"  # session state: the titles of the tabs drawn last
WIDGET = "tabs"

Contents = Mapping[str, Callable[[], Any]]


def ask_for(title: str) -> None:
    """Open the tab with that title, or with one of `FORMER`, in the next run; "" is the first."""
    title = FORMER.get(title, title)
    st.session_state[ASKED] = title
    st.session_state[OPEN] = title


def is_open(title: str) -> bool:
    """True if this tab was open in the last run."""
    return st.session_state.get(WIDGET, st.session_state.get(OPEN, "")) == title


def show(contents: Contents, elsewhere: Collection[str] = ()) -> None:
    """Draw the tabs. Only the content of the open one is computed, so that sliders do not wait for the others.

    A link may also name one of the titles in ``elsewhere``, which are no tabs.
    """
    first, state = next(iter(contents)), st.session_state
    asked = state.pop(ASKED, None)
    is_unknown = asked and asked not in contents and asked not in elsewhere
    told = f"This page has no tab {link.quoted(asked)}; its tabs are {', '.join(contents)}."
    link.warn("tabs", [told] if is_unknown else [])
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
