"""The visitor's window: its theme, its height, and whether it is as narrow as a phone.

The browser reports all three, so that the server builds and sends one figure. A wide and a narrow figure, one of them
hidden by the browser, would double the work of the server and the bytes that it sends.
"""

from __future__ import annotations

import re
from typing import Literal

import streamlit as st
from streamlit.components.v2 import component

NARROW = 640  # px; up to this width everything is in one column
KEY = "shown_window"
# px; a window counts as the highest of these that it reaches. 720, 768, 1080 and 1200 are heights of projectors.
HEIGHTS = (600, 680, 720, 768, 880, 1000, 1080, 1200)
USUAL_HEIGHT = 880  # px; before the browser's first report
REPORTED_NARROW = "window_is_narrow"  # session state: the latest report of the browser
REPORTED_HEIGHT = "window_height"
# Session cookie with height and narrowness, so that the first run in a new tab fits the window.
COOKIE, COOKIE_VALUE = "bdlviz_window", re.compile(r"([0-9]{3,4})x([01])")

# Python learns about a changed window only in the next run. So the script requests a run when the window differs from
# the one that the last run knew; once, in case the run does not learn about it. It also requests a run when a lost
# connection comes back: another server may answer, which does not know the page and would treat the visitor's next
# move as an arrival by the link.
FOLLOW = f"""
const narrow = matchMedia('(max-width: {NARROW}px)');
const HEIGHTS = {list(HEIGHTS)};
let asked = null;

export default function ({{ data, setTriggerValue }}) {{
  const app = document.querySelector('[data-testid="stApp"]');
  let connection = app.dataset.testConnectionState;
  const compare = () => {{
    const isBack = app.dataset.testConnectionState === 'CONNECTED' && connection !== 'CONNECTED';
    connection = app.dataset.testConnectionState;
    const reached = HEIGHTS.findLast((each) => each <= innerHeight) ?? HEIGHTS[0];
    const height = narrow.matches ? data.height : reached; // on a phone pictures keep their height
    const shown = {{ type: getComputedStyle(app).colorScheme, is_narrow: narrow.matches, height }};
    document.cookie = `{COOKIE}=${{height}}x${{Number(narrow.matches)}}; path=/; SameSite=Lax`;
    const name = JSON.stringify(shown);
    if (name === JSON.stringify(data)) asked = null;
    if (isBack || (name !== JSON.stringify(data) && name !== asked)) setTriggerValue('shown', (asked = name, shown));
  }};
  const observer = new MutationObserver(compare);
  observer.observe(app, {{ attributeFilter: ['class', 'data-test-connection-state'] }});
  let waiting = 0;
  const later = () => {{ clearTimeout(waiting); waiting = setTimeout(compare, 250); }};
  narrow.addEventListener('change', compare);
  addEventListener('resize', later);
  compare();
  return () => {{
    observer.disconnect();
    narrow.removeEventListener('change', compare);
    removeEventListener('resize', later);
  }};
}}
"""


def theme_kind() -> Literal["light", "dark"]:
    """The theme of the visitor's page."""
    return "dark" if st.context.theme and st.context.theme.type == "dark" else "light"


def is_narrow() -> bool:
    """True if everything is in one column. Before the browser's first report, True for phones."""
    if REPORTED_NARROW in st.session_state:
        return st.session_state[REPORTED_NARROW]
    noted = _noted()
    return "Mobi" in st.context.headers.get("User-Agent", "") if noted is None else noted[1]


def height() -> int:
    """The height of the window in px, rounded down to one of `HEIGHTS`."""
    if REPORTED_HEIGHT in st.session_state:
        return st.session_state[REPORTED_HEIGHT]
    noted = _noted()
    return USUAL_HEIGHT if noted is None else noted[0]


def _noted() -> tuple[int, bool] | None:
    """Height and narrowness that the browser noted in a cookie on an earlier page; None without a valid one."""
    found = COOKIE_VALUE.fullmatch(str(st.context.cookies.get(COOKIE, "")))  # AppTest gives no string
    if found is None or int(found[1]) not in HEIGHTS:
        return None
    return int(found[1]), found[2] == "1"


def follow() -> None:
    """Request a run of the page when the theme or the size of the window differs from those of this run."""
    mount = component("bdlviz_window", js=FOLLOW)
    mount(key=KEY, data={"type": theme_kind(), "is_narrow": is_narrow(), "height": height()}, on_shown_change=_hear)


def _hear() -> None:
    shown = st.session_state[KEY].shown
    if isinstance(shown, dict):
        st.session_state[REPORTED_NARROW] = shown.get("is_narrow") is True
        if shown.get("height") in HEIGHTS:
            st.session_state[REPORTED_HEIGHT] = shown["height"]
