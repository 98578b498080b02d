"""The switch between the picture that redraws during a drag and the plain figures."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import streamlit as st

from bdlviz.ui.controls.control import Control
from bdlviz.ui.places import link

SCRUB = "scrub"
FAILED = "scrub_failed"  # session state: the reason why this browser could not draw the view
PICTURE = Control(
    "picture",
    "Picture",
    (SCRUB, "figure"),
    SCRUB,
    "buttons",
    "Moving: redraws while you drag. Still: a plain figure, which can be saved.",
    {SCRUB: "Moving", "figure": "Still"},
)
MOVES = "moves"  # key in the setting; not empty if the page shows the view that redraws during a drag
log = logging.getLogger(__name__)


def choose(switch: Control) -> bool:
    """Draw the switch, whose value is in the link; True for the view in the browser, unless it has failed there.

    It is not a control of the page: scenes and Reset do not change it.
    """
    if st.session_state.get("arrived_with"):
        asked = link.arrived_with(switch.key) or switch.default
        st.session_state[switch.key] = switch.read(asked)[0]
    chosen = switch.show()
    if chosen != switch.default:
        link.add(switch.key, chosen)
    if chosen == SCRUB and (reason := st.session_state.get(FAILED)):
        st.caption(f"This browser cannot draw the moving picture ({reason}); showing the figure.")
        return False
    return chosen == SCRUB


def moving(switch: Control) -> dict[str, str]:
    """Whether the view in the browser is shown, for the setting of a page (``more`` of a `Custom`)."""
    state = st.session_state
    asked = link.arrived_with(switch.key) if state.get("arrived_with") else None
    chosen = switch.read(asked)[0] if asked is not None else switch.present()
    return {MOVES: "yes" if chosen == SCRUB and not state.get(FAILED) else ""}


def note_failure(event: Mapping[str, Any]) -> None:
    """Remember that the view failed in this browser, if an event says so."""
    if "failed" in event:
        said = event["failed"] if isinstance(event["failed"], str) else "no reason given"
        reason = " ".join("".join(c if c.isprintable() else " " for c in said[:200]).split())
        log.error("The function picture failed in a browser: %s", reason)
        st.session_state[FAILED] = link.quoted(reason, 80)
