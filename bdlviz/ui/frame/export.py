"""Exports of a page: the picture, its numbers, the whole page, and code that reproduces the state; all offline."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import plotly.graph_objects as go
import streamlit as st
from streamlit.components.v2 import component

from bdlviz import __version__
from bdlviz.export import Content, csv_of, notebook, page_html, script
from bdlviz.ui.frame import on_page
from bdlviz.ui.frame.drag_routes import plotly_address
from bdlviz.ui.frame.explain import as_formula, formulas
from bdlviz.ui.frame.look import CHART, present_theme

if TYPE_CHECKING:
    from bdlviz.ui.model import Formula, Function, Page

SCRIPT = Path(__file__).resolve().parents[1] / "client" / "export" / "save.js"
PREVIEW = "export_figure"  # key of the figure as it will be saved
VERSIONS = ("bdlviz", "streamlit", "torch", "plotly", "numpy", "scikit-learn")

BUTTONS = """
<button data-format="png">PNG</button><button data-format="svg">SVG</button><output></output>
"""
BUTTON_STYLE = """
button {
  font: inherit; color: inherit; background: transparent; border: 1px solid var(--st-border-color); cursor: pointer;
  border-radius: var(--st-button-radius); padding: 0.4rem 0.9rem; margin-right: 0.5rem; min-height: 2.5rem;
}
button:hover { border-color: var(--st-primary-color); color: var(--st-primary-color); }
button:focus-visible { outline: 3px solid var(--st-primary-color); outline-offset: 1px; }
"""


@dataclass(frozen=True, eq=False)
class Given:
    """What the page passes to the exports besides its pictures."""

    page: Page
    formulas: Sequence[Formula | Function]
    snippet: str
    present: str


def show(given: Given) -> None:
    """Show the exports of the current state of the page."""
    shown = on_page.present()
    pictures = enumerate(shown.figures.values(), 1)
    figures = {f"Picture {place}": (picture.make(), picture.alt) for place, picture in pictures}
    if not figures and not shown.images:
        st.caption("There is no picture to export yet: it is still being computed.")
        return
    content = _content(given, figures, shown)
    name = file_name(given.page)
    _show_picture(figures, name)
    with st.container(horizontal=True, key="downloads"):
        for place, (picture, _) in enumerate(shown.images, 1):
            _offer(f"images_{place}", f"Images {place} (PNG)", picture, f"{name}-images-{place}.png", "image/png")
        numbers = {key: fig for key, (fig, _) in figures.items()}
        _offer("csv", "Numbers (CSV)", lambda: _table(numbers, shown), f"{name}.csv", "text/csv")
        _offer("html", "Page (HTML)", lambda: page_html(content), f"{name}.html", "text/html")
        _offer("py", "Python", script(content), f"{name}.py", "text/x-python")
        _offer("ipynb", "Notebook", notebook(content), f"{name}.ipynb", "application/x-ipynb+json")
    st.caption(
        "Everything is made here and in your browser; nothing is sent anywhere. CSV: every line and point of the "
        "pictures. HTML: one file that opens without a network. Notebook and Python give this state again."
    )


def _table(figures: dict[str, go.Figure], shown: on_page.OnPage) -> bytes:
    """The numbers as CSV. The byte order mark tells a spreadsheet that the file is UTF-8, for example for λ."""
    return csv_of(figures, shown.numbers).encode("utf-8-sig")


def _offer(key: str, label: str, content: bytes | str | Callable[[], bytes | str], file: str, mime: str) -> None:
    """A button that saves a file without a run of the page, because such a run could discard a file being written."""
    st.download_button(label, content, file, mime, on_click="ignore", key=f"save_{key}")


def _show_picture(figures: dict[str, tuple[go.Figure, str]], name: str) -> None:
    if not figures:
        return
    titles = list(figures)
    title = st.selectbox("Picture", titles, key="export_which") if len(titles) > 1 else titles[0]
    fig, alt = figures[title]
    with st.container(key="save_as"):
        file = name if len(titles) == 1 else f"{name}-{titles.index(title) + 1}"
        save = component("bdlviz_save_as", html=BUTTONS, css=BUTTON_STYLE, js=SCRIPT.read_text(encoding="utf-8"))
        save(key="save_as_buttons", data={"name": file, "preview": PREVIEW, "plotly": plotly_address()})
    copy = go.Figure(fig)
    with st.container(key=PREVIEW):
        st.plotly_chart(copy, key="exported", theme=None, config=CHART, alt=alt or None)


def _content(given: Given, figures: dict[str, tuple[go.Figure, str]], shown: on_page.OnPage) -> Content:
    page = given.page
    told = [(each.says, latex) for each in map(as_formula, given.formulas) for latex in formulas(each.of)]
    if given.present:
        told.append(("With the current values", given.present))
    return Content(
        title=page.title,
        question=page.question,
        says=shown.says,
        figures=figures,
        images={f"Images {place}": image for place, image in enumerate(shown.images, 1)},
        numbers=shown.numbers,
        formulas=told,
        snippet=given.snippet,
        try_this=page.try_this,
        caveat=page.caveat,
        papers=[(paper.citation, paper.link) for paper in page.papers],
        address=address(),
        theme=present_theme().name,
        versions={name: _version(name) for name in VERSIONS},
        made_on=time.strftime("%Y-%m-%d"),
    )


def address() -> str:
    """The link to the current state of the page."""
    url = st.context.url or ""
    if not url.startswith(("http://", "https://")):
        return ""
    query = urlencode(st.query_params.to_dict())
    return url.partition("?")[0] + (f"?{query}" if query else "")


def file_name(page: Page) -> str:
    """A name for files: the last part of the page's title in plain letters."""
    word = page.title.rpartition("·")[2].replace("λ", "lambda").lower()
    return "bdlviz-" + re.sub(r"[^a-z0-9]+", "-", word).strip("-")


def _version(name: str) -> str:
    return __version__ if name == "bdlviz" else version(name)
