"""What the visitor's window looks like: its theme, and whether it is as narrow as a phone.

The browser tells, so that a page builds and sends one figure. A wide and a narrow one, of which the browser hid one,
would be twice the work of a server with many visitors, and twice the bytes.
"""

from __future__ import annotations

from typing import Literal, TypeVar

import streamlit as st
from streamlit.components.v2 import component

NARROW = 640  # px of width up to which everything stands in one column
KEY = "shown_window"
TOLD = "window_is_narrow"  # in the session's state, what the browser said last

# Python learns of a window with the next run only, and figures are those of the last one. So this asks for a run when
# the window is another one than that run knew; once, in case the run does not learn of it. And when the connection was
# lost and found again: the server that answers may be another one, which knows nothing of the page and would take the
# visitor's next move for an arrival by the link.
FOLLOW = f"""
const narrow = matchMedia('(max-width: {NARROW}px)');
let asked = null;

export default function ({{ data, setTriggerValue }}) {{
  const app = document.querySelector('[data-testid="stApp"]');
  let connection = app.dataset.testConnectionState;
  const compare = () => {{
    const isBack = app.dataset.testConnectionState === 'CONNECTED' && connection !== 'CONNECTED';
    connection = app.dataset.testConnectionState;
    const shown = {{ type: getComputedStyle(app).colorScheme, is_narrow: narrow.matches }};
    const name = JSON.stringify(shown);
    if (name === JSON.stringify(data)) asked = null;
    if (isBack || (name !== JSON.stringify(data) && name !== asked)) setTriggerValue('shown', (asked = name, shown));
  }};
  const observer = new MutationObserver(compare);
  observer.observe(app, {{ attributeFilter: ['class', 'data-test-connection-state'] }});
  narrow.addEventListener('change', compare);
  compare();
  return () => {{ observer.disconnect(); narrow.removeEventListener('change', compare); }};
}}
"""

Choice = TypeVar("Choice")


def theme_kind() -> Literal["light", "dark"]:
    """That of the visitor's page."""
    return "dark" if st.context.theme and st.context.theme.type == "dark" else "light"


def is_narrow() -> bool:
    """Does everything stand in one column? Until the browser has said so, phones do."""
    return st.session_state.get(TOLD, "Mobi" in st.context.headers.get("User-Agent", ""))


def by_width(wide: Choice, narrow: Choice) -> Choice:
    """The one of two that suits the window."""
    return narrow if is_narrow() else wide


def follow() -> None:
    """Run the page again when the window's theme or width is another one than this run knows."""
    mount = component("bdlviz_window", js=FOLLOW)
    mount(key=KEY, data={"type": theme_kind(), "is_narrow": is_narrow()}, on_shown_change=_hear)


def _hear() -> None:
    shown = st.session_state[KEY].shown
    if isinstance(shown, dict):
        st.session_state[TOLD] = shown.get("is_narrow") is True
