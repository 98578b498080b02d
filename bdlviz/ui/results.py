"""The pages of results: published numbers beside ours, and the index of the lectures' figures."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import streamlit as st

from bdlviz import plots, published
from bdlviz.published import Row
from bdlviz.ui import figure_index
from bdlviz.ui.look import figure, numbers, present_theme

SIGNS = {"reproduced": "✓ reproduced", "contradicted": "✗ contradicted", "unverified": "– not measured yet"}
REGISTER_SNIPPET = """from bdlviz import published

for row in published.rows():
    print(row.source, row.quantity, row.published, row.ours, row.verdict, sep=" | ")
"""
TABLE_STYLE = """
<style>
.published { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.published th, .published td { text-align: left; padding: 0.35rem 0.7rem 0.35rem 0; vertical-align: top;
  border-bottom: 1px solid rgba(128, 128, 128, 0.25); }
.published th { font-weight: 600; }
.published th:first-child { width: 36%; }
.published td { min-width: 7rem; }
.published td:first-child { min-width: 12rem; }
.published code { white-space: nowrap; font-size: 0.875em; }
.published a { color: LINK; }
.wide-table { overflow-x: auto; }
</style>
"""


def show_register() -> None:
    """Ours minus published for every number of the same unit, then the whole table."""
    rows = published.rows()
    measured = [row for row in rows if row.ours is not None]
    if not measured:
        st.caption("Nothing has been measured yet: `python -m bdlviz measure NAME`.")
    for unit in dict.fromkeys(row.unit for row in measured):
        of_unit = [_compared(row) for row in measured if row.unit == unit]
        fig = plots.differences(of_unit, unit=unit, theme=present_theme())
        figure(fig, key=f"differences_{unit}", alt=_describe(of_unit, unit))
    st.caption(
        "Dot: our mean over seeds; bar: ± 2 sd of single runs; grey: the tolerance. A published log is of one run: "
        "it also counts as reproduced where the bar reaches it."
    )
    _show_verdicts(rows)


def _compared(row: Row) -> plots.Compared:
    tolerance = next(claim.tolerance for claim in published.CLAIMS if claim.name == row.name)
    below, above = _distances(tolerance, row.published)
    label = row.name.replace("_", " ").replace("vae", "VAE").replace("mc dropout", "MC dropout")
    difference = (row.ours or 0.0) - row.published
    return plots.Compared(label, difference, row.spread or 0.0, below, above, row.verdict == "reproduced")


def _distances(tolerance: Within | AtLeast | AtMost, published: float) -> tuple[float, float]:
    """How far ours may be below and above the published number."""
    if isinstance(tolerance, AtLeast):
        return published - tolerance.limit, np.inf
    if isinstance(tolerance, AtMost):
        return np.inf, tolerance.limit - published
    return tolerance.distance, tolerance.distance


def _describe(rows: Sequence[plots.Compared], unit: str) -> str:
    told = "; ".join(f"{row.label} {row.difference:+.2f}" for row in rows)
    return f"Ours minus published in {unit}: {told}."


def _show_verdicts(rows: Sequence[Row]) -> None:
    count = {verdict: sum(row.verdict == verdict for row in rows) for verdict in SIGNS}
    numbers(
        [
            ("Published numbers", f"{len(rows)}", "Those the register holds so far."),
            ("Reproduced", f"{count['reproduced']}", "By the tolerance in the table."),
            ("Contradicted", f"{count['contradicted']}", "Outside the tolerance."),
            ("Not measured yet", f"{count['unverified']}", ""),
        ]
    )


def show_register_table() -> None:
    """Every number by source, with tolerance, verdict and the command that measures it."""
    heads = ("Quantity", "Published", "Ours ± sd (seeds)", "Tolerance", "Verdict", "Command")
    rows = published.rows()
    for source in dict.fromkeys(row.source for row in rows):
        st.markdown(f"**{source}**")
        html_table(heads, [_cells(row) for row in rows if row.source == source])


def _cells(row: Row) -> tuple[str, ...]:
    ours = "" if row.ours is None else f"{row.ours:.{row.decimals}f}"
    spread = "" if row.spread is None else f" ± {row.spread:.{row.decimals}f} ({len(row.values)})"
    command = f"<code>{escape(row.command)}</code>" if row.command else ""
    told = (row.quantity, f"{row.published:g} {row.unit}", ours + spread, row.tolerance)
    return (*map(escape, told), escape(SIGNS[row.verdict]), command)


def show_counts() -> None:
    """How many figures of each lecture there are."""
    counts = figure_index.counts()
    told = "; ".join(f"{name}: {count}" for name, count in counts)
    short = [(name.partition(":")[0], count) for name, count in counts]
    figure(plots.figure_counts(short, theme=present_theme()), key="coverage", alt=f"Figures of each lecture. {told}.")


def show_index() -> None:
    """All figures by lecture, each a link to the state of a page that shows it."""
    for key, name in figure_index.LECTURES.items():
        st.markdown(f"**{name}**")
        entries = [entry for entry in figure_index.ENTRIES if entry.lecture == key]
        html_table(("Figure", "Where on the page"), [(_link(entry), escape(entry.note)) for entry in entries])


def _link(entry: figure_index.Entry) -> str:
    return f'<a href="{escape(entry.address)}">{escape(entry.title)}</a>'


def html_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table of cells that are HTML already; on a phone it scrolls sideways."""
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in heads)
    lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    table = f"<table class='published'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    theme = present_theme()
    style = TABLE_STYLE.replace("LINK", theme.text(theme.mean))
    st.html(f"{style}<div class='wide-table'>{table}</div>")
