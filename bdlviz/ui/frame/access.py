"""Accessibility of every page: for keyboards, screen readers and touch screens.

A style sheet sets the contrast of secondary text, a ring around the focused element, and the size of touch targets. A
script adds a link that skips to the picture, and lets arrow keys scroll formulas that are wider than their container.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from streamlit.components import v2

CLIENT = Path(__file__).resolve().parents[1] / "client"
KEY = "access"
SKIP = "Skip to the picture"


@cache
def _component() -> Callable[..., Any]:
    def read(name: str) -> str:
        return (CLIENT / name).read_text(encoding="utf-8")

    html = f'<a href="#" class="skip-to-picture">{SKIP}</a>'
    # The style applies to the whole page, so it must not be isolated.
    return v2.component("bdlviz_access", html=html, css=read("access.css"), js=read("access.js"), isolate_styles=False)


def help_everybody() -> None:
    """Put the style, the link and the script on the page; called first, so that Tab reaches the link first."""
    _component()(key=KEY)
