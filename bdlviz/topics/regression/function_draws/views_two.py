"""The comparison of two settings in the visitor's session and in the link: the controls hold one, this file the other.

In the link, ``other`` is the setting that the controls do not hold (those of its values that are not defaults),
``side=b`` says that the controls hold B, and ``difference=1`` that the difference of the bands is shown.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from bdlviz.topics.regression.function_draws.two import OTHER, Comparison, read, written
from bdlviz.ui.controls.control import Control, set_controls
from bdlviz.ui.places import link

SIDE, DIFFERENCE = "side", "difference"  # keys in the link
STATE = "comparison"  # key in the session state


def present() -> Comparison | None:
    """The comparison under way, if there is one."""
    return st.session_state.get(STATE)


def in_setting() -> dict[str, str]:
    """The other setting as text, for the setting of the page; "" where nothing is compared."""
    found = present()
    return {OTHER: written(found.other) if found is not None else ""}


def arrive(controls: Sequence[Control]) -> None:
    """Do what a link says of a comparison, at the start of a run that a link brought about."""
    if not st.session_state.get("arrived_with"):
        return
    other = read(link.arrived_with(OTHER) or "", controls)
    if other is None:
        st.session_state.pop(STATE, None)
        return
    side = "b" if link.arrived_with(SIDE) == "b" else "a"
    st.session_state[STATE] = Comparison(other, side, link.arrived_with(DIFFERENCE) == "1")


def leave_link() -> None:
    """Put the comparison into the link of this run."""
    found = present()
    if found is None:
        return
    link.add(OTHER, written(found.other))
    if found.active == "b":
        link.add(SIDE, "b")
    if found.difference:
        link.add(DIFFERENCE, "1")


def act(what: str, controls: Sequence[Control]) -> None:
    """Do what a button of the view says; the controls are those that make up a setting."""
    found = present()
    if what == "on" and found is None:
        st.session_state[STATE] = Comparison(link.settings(controls))
    elif found is None:
        return
    elif what == "off":
        st.session_state.pop(STATE)
    elif what == "swap":
        st.session_state[STATE] = Comparison(found.other, found.opposite, found.difference)
    elif what == "difference":
        st.session_state[STATE] = Comparison(found.other, found.active, not found.difference)
    elif what == "other":
        st.session_state[STATE] = Comparison(link.settings(controls), found.opposite, found.difference)
        set_controls(found.other, controls)
