"""The button that leads to the next scene."""

from __future__ import annotations

import streamlit as st

from bdlviz.topics.foundations.depth_and_edges.controls import (
    DRAWS,
    FRONT,
    NUM_ROOMS,
    OF_MASKS,
    ROOM,
)
from bdlviz.ui.model import Custom


def button() -> None:
    """Draw the button."""
    st.button("Next scene ›", key="next_room", on_click=_next_scene)


def _next_scene() -> None:
    st.session_state[ROOM.key] = str((int(ROOM.present()) + 1) % NUM_ROOMS)


DEPTH = (ROOM, Custom(button), FRONT, OF_MASKS)
CLASSES = (ROOM, Custom(button), FRONT, DRAWS)
