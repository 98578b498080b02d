"""Cards in columns, so that most of a long list is on the first screen."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.model import Widget

STYLE = """
<style>
.cards { columns: 3 14rem; column-gap: 1rem; font-size: 0.9rem; line-height: 1.3; }
.cards section { break-inside: avoid; display: flow-root; margin-bottom: 1rem; padding: 0.5rem 0.6rem;
  border-radius: 0.5rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
.cards h4 { font-size: 1rem; line-height: 1.3; font-weight: 600; margin: 0; padding: 0.3rem 0; }
.cards p { margin: 0; font-size: inherit; }
.cards a { color: LINK; display: block; padding: 0.17rem 0; text-decoration: none; }
.cards a:hover { text-decoration: underline; }
.cards img { width: 100%; height: 7rem; object-fit: contain; border-radius: 0.3rem; }
.cards small { display: block; color: MUTED; font-size: 0.8125rem; }
.cards :is(h4, a) small { display: inline; font-weight: 400; }
@media (max-width: 640px) { .cards a:has(img) { float: left; width: 38%; margin: 0 0.7rem 0.2rem 0; } }
</style>
"""


def in_columns(cards: Iterable[str]) -> Widget:
    """Cards of HTML, written by the page itself, in three columns; on a phone in one."""
    listed = f"<div class='cards'>{''.join(cards)}</div>"
    return Widget(lambda: st.html(_style() + listed))


def _style() -> str:
    theme = present_theme()
    return STYLE.replace("LINK", theme.text(theme.mean)).replace("MUTED", theme.muted)
