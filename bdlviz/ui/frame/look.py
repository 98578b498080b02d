"""The current theme, and figures and numbers on a page."""

from __future__ import annotations

from typing import Any

# Streamlit imports pandas late, on one visitor's thread, and Plotly uses it without waiting for that import. With many
# visitors in the first seconds, figures on other threads would fail on the partly imported module.
import pandas  # noqa: F401
import streamlit as st

from bdlviz import plots
from bdlviz.plots import legend
from bdlviz.plots.theme import MODEBAR, Theme
from bdlviz.ui.frame import derivation, mode, on_page, room, window

CHART = MODEBAR | {"displayModeBar": False}  # the tab Export saves pictures, with the fonts of the page

# A constant style sheet, without text of visitors. On a phone the controls are below the picture.
STYLE = """
<style>
.stMainBlockContainer { padding-top: 3.4rem; max-width: 92rem; }
.stMainBlockContainer > [data-testid="stVerticalBlock"] { gap: 0.45rem; }
.st-key-heading { min-height: 2.2rem; }
.st-key-question { flex-direction: row !important; align-items: baseline; gap: 0.9rem !important; flex-wrap: wrap; }
.st-key-question > * { width: auto !important; }
.st-key-question h3 { padding: 0; font-size: 1.25rem; }
.st-key-question p { white-space: nowrap; }
.st-key-scenes { gap: 0.5rem !important; }
.st-key-scenes button { min-height: 2.1rem; padding: 0.15rem 0.7rem; }
.st-key-frame .st-key-tries { margin-top: 0.5rem; }
.st-key-frame .st-key-tries :is(p, li) { margin: 0 0 0.35rem; font-size: 0.9rem; line-height: 1.35; }
.st-key-frame .st-key-tries ul { margin: 0; padding-left: 1.1rem; }
:is(.st-key-claim, .st-key-at_start) p { margin: 0; font-size: 1rem; line-height: 1.25; opacity: 0.8; }
.st-key-says { min-height: 1.5rem; gap: 0.25rem !important; }
:is(.st-key-says, .st-key-at_start) { margin-top: -0.25rem; }
:is(.st-key-claim, .st-key-says, .st-key-at_start) [data-testid="stMarkdownContainer"] { margin-bottom: 0; }
.st-key-says p { margin: 0; font-size: 1.125rem; line-height: 1.3; }
/* Without controls at the left, the picture takes their column. */
.st-key-frame > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"]
  > [data-testid="stColumn"]:first-child:not(:has([data-testid="stElementContainer"])) { display: none; }
.st-key-live { margin: -0.25rem 0 1.25rem; } /* ends with the window: what follows is not cut */
.st-key-live [data-testid="stSlider"] { padding-bottom: 0; }
[data-testid="stMetricValue"], [data-testid="stSliderThumbValue"] { font-variant-numeric: tabular-nums; }
.st-key-shown_window { display: none; }
[data-testid="stMetricLabel"], [data-testid="stMetricLabel"] * { white-space: normal; overflow: visible; }
.st-key-doors [data-testid="stPageLink-NavLink"] { padding-left: 0; margin-left: 0; }
@media (min-width: 641px) { [data-testid="stSlider"] [data-testid="stSliderTickBar"] { opacity: 1; } }
@media (max-width: 640px) {
  .stMainBlockContainer { padding-top: 4.1rem; }
  .st-key-claim, .st-key-at_start { display: none; }
  .st-key-scenes { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; }
  .st-key-scenes > * { flex: none; }
  .st-key-question > :first-child { display: none; }
  .st-key-live, :root:not(:has(.st-key-live)) .st-key-live_stop {
    position: fixed; left: 0; right: 0; bottom: 0; z-index: 20; margin: 0; padding: 0.25rem 1rem 0.5rem;
    width: auto !important;
    background: var(--page-ground); box-shadow: 0 -6px 12px -10px rgba(0, 0, 0, 0.5);
  }
  .stMainBlockContainer { padding-bottom: 9rem; }
  [data-testid="stMain"] { scroll-padding-bottom: 8rem; }
  .st-key-below { margin-top: 2.5rem; } /* buttons of a table stand above it */
  .st-key-onward { display: none; }
  .st-key-question h3 { font-size: 1.1rem; }
  .st-key-live [data-testid="stWidgetLabel"] p { white-space: nowrap; }
  .st-key-live [data-testid="stHorizontalBlock"] { flex-wrap: nowrap; overflow-x: auto; padding: 0 0.8rem; }
  .st-key-live [data-testid="stButtonGroup"] > div { flex-wrap: wrap; mask-image: none; }
  .st-key-live [data-testid="stButtonGroup"] > div > button { min-width: 1.75rem; padding-inline: 0.4rem; }
  .st-key-live [data-testid="stColumn"] { min-width: 9rem; flex: 1 0 9rem; }
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


def figure(fig: Any, *, key: str, alt: str = "", available: int | None = None, **options: Any) -> Any:
    """Put a plotly figure on the page, with a description for screen readers.

    The main picture of a page is fitted to the ``available`` height in px.
    """
    if available is not None:
        fig.update_layout(height=room.fitted(fig.layout.height, available, mode.is_presenting()))
    elif mode.is_magnified():
        fig.update_layout(height=mode.height_of(fig.layout.height))
    if window.is_narrow():
        legend.in_words(fig, present_theme())
    derivation.focus(fig)
    on_page.note_figure(key, lambda: fig, alt)
    return st.plotly_chart(fig, key=key, theme=None, config=CHART, alt=alt or None, **options)


def numbers(values: list[tuple[str, str, str]]) -> None:
    """Show at most four key numbers: (label with unit, value, help)."""
    on_page.note_numbers(values)
    with st.container(key="numbers"):
        for column, (label, value, help_text) in zip(st.columns(len(values)), values, strict=True):
            column.metric(label, value, help=help_text or None)
