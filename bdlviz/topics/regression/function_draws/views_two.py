"""Two settings side by side: the controls hold the active one, this module the other, and the link both.

In the link, ``other`` is the setting that the controls do not hold (those of its values that are not defaults),
``side=b`` says that the controls hold B, and ``difference=1`` that the difference of the bands is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from bdlviz.methods import METHODS
from bdlviz.ui.controls.control import Control, set_controls
from bdlviz.ui.places import link

OTHER, SIDE, DIFFERENCE = "other", "side", "difference"  # keys in the link
STATE = "comparison"  # key in the session state
DEFAULTS = "defaults"  # how the link says that the other setting is the default one
MAX_LINK = 600  # characters of a link's other setting that are read
SHORT = {"dropout_rate": "p", "weight_decay": "λ", "num_members": "members"}

Setting = dict[str, str]  # control key -> option; what is missing is at its default


@dataclass(frozen=True)
class Comparison:
    """The setting that the controls do not hold, and which of the two they hold."""

    other: Setting
    active: str = "b"
    difference: bool = False

    @property
    def labels(self) -> tuple[str, str]:
        """Of the active and of the other side."""
        return ("A", "B") if self.active == "a" else ("B", "A")


def present() -> Comparison | None:
    """The comparison under way, if there is one."""
    return st.session_state.get(STATE)


def arrive(controls: Sequence[Control]) -> None:
    """Do what a link says of a comparison, at the start of a run that a link brought about."""
    if not st.session_state.get("arrived_with"):
        return
    asked = link.arrived_with(OTHER)
    if asked is None:
        st.session_state.pop(STATE, None)
        return
    given = dict(parse_qsl("" if asked == DEFAULTS else asked[:MAX_LINK]))
    other = {c.key: option for c in controls if c.key in given and (option := c.read(given[c.key])[0]) != c.default}
    side = "b" if link.arrived_with(SIDE) == "b" else "a"
    st.session_state[STATE] = Comparison(other, side, link.arrived_with(DIFFERENCE) == "1")


def leave_link() -> None:
    """Put the comparison into the link of this run."""
    found = present()
    if found is None:
        return
    link.add(OTHER, urlencode(found.other) or DEFAULTS)
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
        st.session_state[STATE] = Comparison(found.other, _opposite(found), found.difference)
    elif what == "difference":
        st.session_state[STATE] = Comparison(found.other, found.active, not found.difference)
    elif what == "other":
        st.session_state[STATE] = Comparison(link.settings(controls), _opposite(found), found.difference)
        set_controls(found.other, controls)


def _opposite(found: Comparison) -> str:
    return "a" if found.active == "b" else "b"


def describe(setting: Mapping[str, str], against: Mapping[str, str], controls: Sequence[Control]) -> str:
    """A panel's title: the method, its hyper-parameters, and whatever else differs between the two settings."""
    full = {control.key: setting.get(control.key, control.default) for control in controls}
    name = full.get("method", "mc_dropout")
    own = {parameter.name for parameter in METHODS[name].hyperparameters} | {"weight_decay"}
    parts = [METHODS[name].title]
    for control in controls:
        differs = full[control.key] != against.get(control.key, control.default)
        if control.key in own and (control.key in SHORT or differs):
            parts.append(f"{SHORT.get(control.key, control.label)} {control.name(full[control.key])}")
        elif differs and control.key != "method" and not _belongs_to_a_method(control.key):
            parts.append(f"{control.label} {control.name(full[control.key])}")
    return " · ".join(parts)


def _belongs_to_a_method(key: str) -> bool:
    return any(spec.hyperparameter(key) is not None for spec in METHODS.values())
