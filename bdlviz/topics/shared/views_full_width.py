"""A picture over the whole width of a page, where nothing stands beside it."""

from __future__ import annotations

import streamlit as st

from bdlviz.ui.frame.mode import LEFT
from bdlviz.ui.model import Custom


def hide_controls() -> None:
    """Hide the column of controls; the picture takes its place."""
    st.html(f"<style>{LEFT} {{ display: none; }}</style>")


FULL_WIDTH = Custom(hide_controls)
