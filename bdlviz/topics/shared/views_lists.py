"""Lists of links in columns, so that most of a long list is on the first screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

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
.listed.cards { columns: 3 14rem; column-gap: 1rem; }
.cards section { display: flow-root; margin-bottom: 1rem; padding: 0.5rem 0.6rem; border-radius: 0.5rem;
  border: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
.cards a { display: block; text-decoration: none; }
.cards a:hover { text-decoration: underline; }
.cards img { width: 100%; border-radius: 0.3rem; }
.cards small { display: block; }
.cards :is(h4, a) small { display: inline; font-weight: 400; }
@media (max-width: 640px) { .cards img { float: left; width: 38%; margin: 0 0.7rem 0.2rem 0; } }
</style>
"""


def in_columns(blocks: Iterable[str], kind: Literal["words", "cards"] = "words") -> Widget:
    """Blocks of HTML, written by the page itself, in two columns of words or three of cards; on a phone in one."""
    listed = f"<div class='listed {kind}'>{''.join(blocks)}</div>"
    return Widget(lambda: st.html(_style() + listed))


def _style() -> str:
    theme = present_theme()
    return STYLE.replace("LINK", theme.text(theme.mean)).replace("MUTED", theme.muted)
