"""The menu of methods to compare, with a list to pick from and what of it stands in the link."""

from __future__ import annotations

import streamlit as st

from bdlviz.topics.shared.compare_choice import CHOSEN, GROUP, GROUPS, NAMES, OWN, title
from bdlviz.ui.model import Custom
from bdlviz.ui.places import link

START, VERSION = "chosen_first", "chosen_version"  # session state: of the list to pick from


def _choose() -> None:
    """Draw the menu of methods, and the list to pick from where the choice is one's own."""
    state, group = st.session_state, GROUP.show()
    if group != OWN:
        state[CHOSEN] = state[START] = GROUPS[group]  # where one's own choice would begin
        return
    take_from_link()
    start = state.setdefault(START, GROUPS[GROUP.default])
    key = f"pills_{state.get(VERSION, 0)}"
    picked = st.pills("Your choice", NAMES, selection_mode="multi", default=start, format_func=title, key=key)
    state[CHOSEN] = tuple(name for name in NAMES if name in picked)
    link.add(CHOSEN, ",".join(state[CHOSEN]))
    if not picked:
        st.caption("Nothing is chosen; only the reference is shown.")


def take_from_link() -> None:
    """Methods named in a link, if this run comes from one; unknown names are left out, and said."""
    given, state = link.arrived_with(CHOSEN), st.session_state
    if given is None or given == ",".join(state.get(CHOSEN, ("",))):
        return
    asked = [name for name in given.split(",") if name]
    state[CHOSEN] = state[START] = tuple(name for name in NAMES if name in asked)
    state[VERSION] = state.get(VERSION, 0) + 1
    unknown = [link.quoted(name) for name in asked if name not in NAMES]
    if unknown:
        st.warning(f"The link asks for {', '.join(unknown[:3])}, which is no method for regression.")


METHODS = Custom(_choose, (GROUP,), lambda: {CHOSEN: ",".join(st.session_state.get(CHOSEN, ()))})
