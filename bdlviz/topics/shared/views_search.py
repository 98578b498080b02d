"""A list with a search field, which filters while a visitor types."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, Literal

from streamlit.components import v2

from bdlviz.plots.theme import Theme
from bdlviz.ui.model import Widget
from bdlviz.ui.places import navigation

HERE = Path(__file__).resolve().parent


def search(
    noun: str,
    cards: Iterable[str],
    pages: Iterable[str],
    theme: Theme,
    *,
    look: Literal["rows", "gallery"] = "rows",
    names: str = "",
    on_click: Callable[[], None] = lambda: None,
) -> Widget:
    """Cards of HTML, written by the project itself, under a field that finds a ``noun`` among them.

    A card is a ``section`` with a heading ``h4``. What is found are cards in ``rows``, and in a ``gallery`` the
    paragraphs of cards. Pictures named ``data-page`` get the small picture of that page, one of ``pages``. ``names``
    are links above the cards; a click on one calls ``on_click``, and the value ``clicked`` is the end of its address.
    """
    data = {
        "noun": noun,
        "html": "".join(cards),
        "pictures": {page: navigation.thumbnail(page, theme.name) for page in pages},
        "link": theme.text(theme.mean),
        "muted": theme.muted,
        "look": look,
        "names": names,
    }
    return Widget(lambda: _component()(key=f"{noun}s", data=data, on_clicked_change=on_click))


@cache
def _component() -> Callable[..., Any]:
    html, css, js = ((HERE / f"search.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js"))
    # With the fonts of the page; and the keys of its buttons are not heard while a visitor types.
    return v2.component("bdlviz_search", html=html, css=css, js=js, isolate_styles=False)
