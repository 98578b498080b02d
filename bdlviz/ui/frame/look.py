"""The current theme, and figures and numbers on a page."""

from __future__ import annotations

from typing import Any

# Streamlit imports pandas late, on one visitor's thread, and Plotly uses it without waiting for that import. With many
# visitors in the first seconds, figures on other threads would fail on the partly imported module.
import pandas  # noqa: F401
import streamlit as st

from bdlviz import plots
from bdlviz.plots.theme import MODEBAR, Theme
from bdlviz.ui.frame import derivation, mode, on_page, window

# A constant style sheet, without text of visitors. On a phone the controls are below the picture.
STYLE = """
<style>
.stMainBlockContainer { padding-top: 3.6rem; max-width: 92rem; }
[data-testid="stMetricValue"], [data-testid="stSliderThumbValue"] { font-variant-numeric: tabular-nums; }
.st-key-shown_window { display: none; }
[data-testid="stMetricLabel"], [data-testid="stMetricLabel"] * { white-space: normal; overflow: visible; }
.st-key-doors [data-testid="stPageLink-NavLink"] { padding-left: 0; margin-left: 0; }
@media (max-width: 640px) {
  .st-key-scenes { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; }
  .st-key-scenes > * { flex: none; }
  .st-key-heading { flex-wrap: wrap; }
  .st-key-heading > :has(> .st-key-question) { flex: 1 0 100% !important; }
  .st-key-frame > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"],
  .st-key-frame > [data-testid="stHorizontalBlock"] { flex-direction: column-reverse; }
  .st-key-numbers [data-testid="stColumn"] { min-width: 40%; flex: 1 1 40%; }
}
</style>
"""


def present_theme() -> Theme:
    """The theme of figures for the visitor's light or dark page and for presenter mode."""
    return plots.theme(window.theme_kind(), presenter=mode.is_magnified())


def figure(fig: Any, *, key: str, alt: str = "", **options: Any) -> Any:
    """Put a plotly figure on the page unchanged, with a description for screen readers."""
    if mode.is_magnified():
        fig.update_layout(height=mode.height_of(fig.layout.height))
    derivation.focus(fig)
    on_page.note_figure(key, lambda: fig, alt)
    return st.plotly_chart(fig, key=key, theme=None, config=MODEBAR, alt=alt or None, **options)


def numbers(values: list[tuple[str, str, str]]) -> None:
    """Show at most four key numbers: (label with unit, value, help)."""
    on_page.note_numbers(values)
    with st.container(key="numbers"):
        for column, (label, value, help_text) in zip(st.columns(len(values)), values, strict=True):
            column.metric(label, value, help=help_text or None)
