"""Lists of links in two columns, so that most of a long list is on the first screen."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.model import Widget

STYLE = """
<style>
.listed { columns: 2 20rem; column-gap: 2rem; font-size: 0.9rem; line-height: 1.3; }
.listed h4 { font-size: 1rem; line-height: 1.3; font-weight: 600; margin: 0; padding: 0.3rem 0; break-after: avoid; }
.listed p { margin: 0; font-size: inherit; }
.listed section { break-inside: avoid; padding-bottom: 0.6rem; }
.listed a { color: LINK; display: inline-block; padding: 0.17rem 0; }
.listed small { color: MUTED; font-size: 0.8125rem; }
</style>
"""


def in_columns(blocks: Iterable[str]) -> Widget:
    """Blocks of HTML, written by the page itself, one below another in two columns; on a phone in one."""
    listed = f"<div class='listed'>{''.join(blocks)}</div>"
    return Widget(lambda: st.html(_style() + listed))


def _style() -> str:
    theme = present_theme()
    return STYLE.replace("LINK", theme.text(theme.mean)).replace("MUTED", theme.muted)
