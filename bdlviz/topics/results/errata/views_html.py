"""What the page of errata writes as HTML: two formulas beside each other, and the table of all errata."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from html import escape
from typing import NamedTuple
from urllib.parse import urlencode

import streamlit as st

from bdlviz.errata import Erratum
from bdlviz.plots.theme import Theme
from bdlviz.topics.results.errata.controls import ERRATUM, address_of
from bdlviz.ui.frame.explain import formulas as formulas_of
from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.model import Widget

FORMULA_STYLE = """
<style>
.st-key-formulas .katex { font-size: 1.12em; }
.st-key-formulas .katex-display { overflow-x: auto; overflow-y: hidden; padding: 0.35rem 0; margin: 0.1rem 0; }
.st-key-formulas .verdict { font-weight: 600; border-left: 4px solid; padding-left: 0.6rem; }
.st-key-formulas small { font-weight: 400; margin-left: 0.5rem; }
@media (max-width: 640px) { .st-key-formulas .katex { font-size: 1em; } }
</style>
"""
TABLE_STYLE = """
<style>
.errata { border-collapse: collapse; width: 100%; }
.errata caption { text-align: left; font-weight: 600; padding: 0.5rem 0; }
.errata th, .errata td { text-align: left; padding: 0.4rem 0.9rem 0.4rem 0; vertical-align: top;
  border-bottom: 1px solid rgba(128, 128, 128, 0.25); font-weight: 400; font-variant-numeric: tabular-nums; }
.errata thead th { font-weight: 600; }
.errata tr > :nth-child(1) { width: 24%; }
.errata tr > :nth-child(2) { width: 17%; }
.errata tr > :nth-child(4) { width: 21%; }
.errata a { color: LINK; }
.errata tr[aria-current] th { font-weight: 600; }
@media (max-width: 640px) {
  .errata thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .errata tbody tr { display: block; padding: 0.6rem 0; border-bottom: 1px solid rgba(128, 128, 128, 0.25); }
  .errata tbody th, .errata tbody td { display: block; width: auto !important; border: 0; padding: 0.1rem 0; }
  .errata tbody th { font-weight: 600; }
  .errata tbody td:nth-child(2) { font-size: 0.875em; }
}
</style>
"""
# A symbol, a word, a delimiter with its size, or a sign of LaTeX's own.
TOKEN = re.compile(
    r"\\(?:text|operatorname|mathbb|mathcal)\{[^{}]*\}|\\(?:left|right)(?![a-zA-Z])(?:\\[a-zA-Z]+|.)"
    r"|\\not\\[a-zA-Z]+|\\[a-zA-Z]+|\\.|\S"
)
STRUCTURE = re.compile(r"[{}^_]|\\(?:left|right|t?frac|hat|underbrace|q?quad)(?![a-zA-Z])|\\[^a-zA-Z]")  # no symbols
HEADS = ("Erratum", "Where", "Measured effect", "Right one in use")


class Row(NamedTuple):
    """An erratum, its effect in words, and whether the page shows it at present."""

    erratum: Erratum
    says: str
    is_present: bool


def formulas(shown: Erratum, theme: Theme) -> Widget:
    """The wrong formula beside the right one."""
    return Widget(lambda: _show_formulas(shown, theme))


def _show_formulas(shown: Erratum, theme: Theme) -> None:
    colors = theme.text(theme.warning), theme.text(theme.mean)
    verdicts = f"✗ As printed or read <small>{escape(shown.where)}</small>", "✓ Right"
    pair = marked(formulas_of(shown.wrong)[0], formulas_of(shown.right)[0], colors)
    st.html(FORMULA_STYLE)
    with st.container(key="formulas"):
        for column, verdict, color, latex in zip(st.columns(2, gap="medium"), verdicts, colors, pair, strict=True):
            with column:
                st.html(f"<div class='verdict' style='color: {color}'>{verdict}</div>")
                st.latex(latex)


def marked(wrong: str, right: str, colors: tuple[str, str]) -> tuple[str, str]:
    """Two formulas in LaTeX, each with the symbols that differ from the other one in its own colour."""
    first, second = TOKEN.findall(wrong), TOKEN.findall(right)
    for kind, start, end, other_start, other_end in SequenceMatcher(None, first, second, False).get_opcodes():
        if kind != "equal":
            _color(first, range(start, end), colors[0])
            _color(second, range(other_start, other_end), colors[1])
    return " ".join(first), " ".join(second)


def _color(tokens: list[str], places: range, color: str) -> None:
    """Colour symbols in place. Braces hold one together where it is an index or an argument without braces."""
    for place in places:
        if not STRUCTURE.match(tokens[place]):
            is_argument = tokens[place - 1] in "^_" or {*tokens[max(place - 2, 0) : place]} & {r"\frac", r"\tfrac"}
            colored = rf"\textcolor{{{color}}}{{{tokens[place]}}}"
            tokens[place] = f"{{{colored}}}" if is_argument else colored


def table(rows: Sequence[Row]) -> Widget:
    """Every erratum with its effect: a table, on a phone a list."""
    return Widget(lambda: st.html(table_html(rows, present_theme())))


def table_html(rows: Sequence[Row], theme: Theme) -> str:
    """The table; its roles hold it together for screen readers where the style makes blocks of its cells."""
    heads = "".join(f"<th scope='col' role='columnheader'>{escape(head)}</th>" for head in HEADS)
    return (
        f"{TABLE_STYLE.replace('LINK', theme.text(theme.mean))}<table class='errata' role='table'>"
        f"<caption>All errata</caption><thead role='rowgroup'><tr role='row'>{heads}</tr></thead>"
        f"<tbody role='rowgroup'>{''.join(map(_row, rows))}</tbody></table>"
    )


def _row(row: Row) -> str:
    erratum = row.erratum
    own = urlencode({ERRATUM.key: erratum.name})
    title = f'<a href="errata?{escape(own)}">{escape(erratum.title)}</a>'
    link = f'<a href="{escape(address_of(erratum))}">{escape(erratum.link)}</a>'
    current = " aria-current='true'" if row.is_present else ""
    tail = "".join(f"<td role='cell'>{cell}</td>" for cell in (escape(erratum.where), escape(row.says), link))
    return f"<tr role='row'{current}><th scope='row' role='rowheader'>{title}</th>{tail}</tr>"
