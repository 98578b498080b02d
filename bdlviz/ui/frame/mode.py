"""Presenter mode, and controls that are hidden from a class.

Both are set by the link, ``?present=1`` and ``?hide=width,noise``, and hold until the visit ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import streamlit as st

from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame import window
from bdlviz.ui.places import link

PRESENT, HIDE = "present", "hide"

# Parts of the page that can be hidden besides single controls, with their selectors.
COLUMNS = '.st-key-frame > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"]'
LEFT = f'{COLUMNS} > [data-testid="stColumn"]:first-child'  # the column of controls
GROUPS = {
    "controls": f"{LEFT}, .st-key-live, .st-key-live_stop",
    "scenes": ".st-key-scenes, .st-key-says",
    "tabs": ".st-key-below",
    "numbers": ".st-key-numbers",
    "question": ".st-key-question",
    "navigation": 'header[data-testid="stHeader"]',
}
FIGURE_SCALE, FIGURE_HEIGHT = 1.35, 600  # scale of heights, and the maximum in px: a projected page does not scroll
UNSET_HEIGHT = 450  # px; the height that Plotly gives to a figure without one
NAME = re.compile(r"[a-z0-9_]{1,40}")
WITH_LABEL = '[data-testid="stSlider"], [data-testid="stSelectbox"], [data-testid="stButtonGroup"]'
BESIDE = f":is(.st-key-live, .st-key-live_stop) :is({WITH_LABEL})"
LEAST_ROOT, MOST_ROOT, ROOT_SHARE = 18, 30, 0.028  # font size of the root: limits in px, and its share of the height
ROOT_SIZE = f"clamp({LEAST_ROOT}px, min({100 * ROOT_SHARE:g}vh, 1.6vw), {MOST_ROOT}px)"

# Legible from the last row: all sizes are in rem, so the font size of the root magnifies everything except figures.
# It follows the window, so that heading, picture and bar take the same share of every screen (see `room`).
PRESENTER_STYLE = """
<style>
@media (min-width: WIDEpx) { html { font-size: ROOT !important; } }
.stMainBlockContainer { padding: 0.3rem 1.5rem 2.4rem 1.5rem !important; max-width: none !important; }
.stMainBlockContainer > [data-testid="stVerticalBlock"] { gap: 0.2rem; }
.st-key-question { flex-direction: column !important; flex-wrap: nowrap !important; gap: 0 !important; }
.st-key-question * { flex-shrink: 0; }
.st-key-question [data-testid$="Container"] { margin-bottom: 0 !important; }
.st-key-question h3, .st-key-says { margin: 0 !important; }
.st-key-frame [data-testid="stColumn"] [data-testid="stVerticalBlock"] { gap: 0.4rem; }
.st-key-question > [data-testid="stElementContainer"]:first-child { display: none; }
.st-key-question h3 { padding: 0; font-size: 2rem; line-height: 1.15; }
.st-key-says p { font-size: 1.4rem; line-height: 1.25; }
.st-key-frame [data-testid="stCaptionContainer"] p { font-size: 0.9rem; line-height: 1.3; }
.st-key-heading { min-height: 0; align-items: center !important; }
BESIDE { display: flex; align-items: center; gap: 1rem; padding-bottom: 0; }
BESIDE > [data-testid="stWidgetLabel"] { flex: none; max-width: 50%; min-height: 0; margin: 0; }
BESIDE > :not([data-testid="stWidgetLabel"]) { flex: 1; }
BESIDE > [data-testid="stWidgetLabel"] p { font-size: 0.9rem; line-height: 1.15; }
BESIDE > [data-testid="stWidgetLabel"] [data-testid="stTooltipIcon"] { display: none; }
BESIDE [data-testid="stSliderTickBar"] { display: none; }
.st-key-live { margin-bottom: 0; }
.st-key-prediction .st-key-commit_guess { display: none; }
.st-key-lecture {
  position: fixed; left: 0; right: 0; bottom: 0; z-index: 999; padding: 0.1rem 1.5rem;
  background: GROUND; border-top: 1px solid BORDER; row-gap: 0;
}
.st-key-lecture p { font-size: 0.75rem; }
.st-key-lecture button, .st-key-lecture a { min-height: 1.8rem; padding-top: 0; padding-bottom: 0; }
HIDDEN { display: none; }
</style>
"""


def is_presenting() -> bool:
    """True in presenter mode."""
    return link.of_visit().get(PRESENT, "0") != "0"


def is_magnified() -> bool:
    """True if everything is magnified: in presenter mode, but not on a phone."""
    return is_presenting() and not window.is_narrow()


def toggle_presenting() -> None:
    """Start or end presenter mode (for use in a callback)."""
    visit = link.of_visit()
    if is_presenting():
        visit.pop(PRESENT)
    else:
        visit[PRESENT] = "1"


def rem(height: int) -> float:
    """The font size of the root in px in presenter mode, in a window of that height."""
    return min(max(LEAST_ROOT, ROOT_SHARE * height), MOST_ROOT)


def height_of(height: float | None) -> float:
    """The height of a figure in presenter mode, in px, from its usual height."""
    return min(FIGURE_SCALE * (height or UNSET_HEIGHT), FIGURE_HEIGHT)


def hidden() -> list[str]:
    """The names of controls and parts of the page that the link hides."""
    return NAME.findall(link.of_visit().get(HIDE, "")[:1000])


def remarks(controls: Sequence[Control]) -> list[str]:
    """A sentence on the names to hide that this page does not have; empty if there are none."""
    known = [control.key for control in controls] + list(GROUPS)
    unknown = [name for name in hidden() if name not in known]
    if not unknown:
        return []
    return [f"The link hides {', '.join(unknown[:5])}, which this page does not have; it has {', '.join(known)}."]


def show_style(controls: Sequence[Control], ground: str, border: str) -> None:
    """Put the style sheets of presenter mode and of hidden parts on the page."""
    keys = {control.key for control in controls}
    wanted = hidden()
    selectors = [f".st-key-{name}" for name in wanted if name in keys]
    selectors += [GROUPS[name] for name in wanted if name in GROUPS]
    if st.context.is_embedded:
        selectors.append(GROUPS["navigation"])
    if is_presenting():
        selectors += [LEFT, GROUPS["navigation"], ".st-key-scenes", ".st-key-numbers"]
        values = {"HIDDEN": ", ".join(selectors), "WIDE": str(window.NARROW + 1), "ROOT": ROOT_SIZE, "BESIDE": BESIDE}
        values |= {"GROUND": ground, "BORDER": border}
        style = PRESENTER_STYLE
        for name, value in values.items():
            style = style.replace(name, value)
        st.html(style)
    elif selectors:
        st.html(f"<style>{', '.join(selectors)} {{ display: none; }}</style>")
