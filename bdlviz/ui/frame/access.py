"""What every page needs besides for those who use a keyboard, a screen reader or a finger.

Most of it is a style sheet: contrast of secondary text, one ring around whatever has the focus, targets that a finger
can hit. The script beside it does what neither Streamlit nor a style sheet can: a link that skips to the picture, and
formulas that are wider than their place and can then be scrolled with arrow keys.
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
    # The style is for the page, so it must not stay inside.
    return v2.component("bdlviz_access", html=html, css=read("access.css"), js=read("access.js"), isolate_styles=False)


def help_everybody() -> None:
    """Put the style, the link and the script on the page: before anything else, since Tab finds the link first."""
    _component()(key=KEY)
