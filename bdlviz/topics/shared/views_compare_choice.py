"""The menu of methods to compare, with a list for the user's own choice, which is also part of the link."""

from __future__ import annotations

import streamlit as st

from bdlviz.topics.shared.compare_choice import CHOSEN, GROUP, GROUPS, NAMES, OWN, title
from bdlviz.ui.model import Custom
from bdlviz.ui.places import link

START, VERSION = "chosen_first", "chosen_version"  # keys in the session state: first selection and version of the list


def _choose() -> None:
    """Draw the menu of methods and, for the user's own choice, the list of all methods."""
    state, group = st.session_state, GROUP.show()
    if group != OWN:
        state[CHOSEN] = state[START] = GROUPS[group]  # the initial selection if the user switches to an own choice
        return
    link.warn("methods", take_from_link())
    start = state.setdefault(START, GROUPS[GROUP.default])
    key = f"pills_{state.get(VERSION, 0)}"
    picked = st.pills("Your choice", NAMES, selection_mode="multi", default=start, format_func=title, key=key)
    state[CHOSEN] = tuple(name for name in NAMES if name in picked)
    link.add(CHOSEN, ",".join(state[CHOSEN]))
    if not picked:
        st.caption("No method is chosen. Only the reference is shown.")


def take_from_link() -> list[str]:
    """Choose the methods named in the link, if there is one; returns a sentence on unknown names, if there are any."""
    in_link, state = link.arrived_with(CHOSEN), st.session_state
    if in_link is None or in_link == ",".join(state.get(CHOSEN, ("",))):
        return []
    requested = [name for name in in_link.split(",") if name]
    state[CHOSEN] = state[START] = tuple(name for name in NAMES if name in requested)
    state[VERSION] = state.get(VERSION, 0) + 1
    unknown = [link.quoted(name) for name in requested if name not in NAMES]
    return [f"The link asks for {', '.join(unknown[:3])}, which is no method for regression."] if unknown else []


METHODS = Custom(_choose, (GROUP,), lambda: {CHOSEN: ",".join(st.session_state.get(CHOSEN, ()))})
