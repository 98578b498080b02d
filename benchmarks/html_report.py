"""A run as one HTML file: bars with ranges and targets for every workload, then all numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from bdlviz.export import page_html
from bdlviz.export.content import Content
from bdlviz.plots.theme import LIGHT, Theme, axis, figure, tint
from benchmarks.record import Record
from benchmarks.report import Row, by_workload, digits

UNITS = {
    "x": "ratio",
    "share": "share",
    "exponent": "exponent",
    "s": "seconds",
    "ms": "milliseconds",
    "MB": "megabytes",
}
TICKS = [float(f"{first}e{power}") for power in range(-3, 4) for first in (1, 2, 5)]  # ticks of the axis of ratios
BAR, AROUND = 46, 110  # px of one bar, and px of the margins
LABEL = 46  # characters per line in the name of a bar


def report(record: Record) -> str:
    """The HTML file as text; it is self-contained and needs no network."""
    return page_html(
        Content(
            title="Benchmarks",
            question="How fast is bdlviz compared with other libraries?",
            says=f"{record.where} A ratio above 1 means that the second of the two is faster; dark lines are targets.",
            figures=panels(record.rows),
            numbers=[(row.what, row.value_text, _target_and_note(row)) for row in record.rows],
            snippet="make bench",
            caveat="\n\n".join([*record.gaps, record.duration]),
            versions={"Python": record.machine["python"], **record.machine["packages"]},
            made_on=record.date,
        )
    )


def panels(rows: Iterable[Row]) -> dict[str, tuple[go.Figure, str]]:
    """A figure and its description for every workload and unit, by title."""
    by_title = {}
    for title, of_workload in by_workload(rows).items():
        for unit in dict.fromkeys(row.unit for row in of_workload):
            in_unit = [row for row in of_workload if row.unit == unit]
            by_title[f"{title}: {UNITS.get(unit, unit)}"] = (_bars(in_unit, LIGHT), _description(in_unit))
    return by_title


def _bars(rows: Sequence[Row], theme: Theme) -> go.Figure:
    """Bars of rows with one unit: ratios start at 1 on a logarithmic axis, other units at 0."""
    is_ratio = rows[0].unit == "x"
    places = [*range(len(rows))]
    labels = [_wrapped(row.what) for row in rows]
    name = UNITS.get(rows[0].unit, rows[0].unit)
    x = axis(theme, name, type="log", tickvals=TICKS) if is_ratio else axis(theme, name, rangemode="tozero")
    y = axis(theme, tickvals=places, ticktext=labels, range=[len(rows) - 0.4, -0.6], showgrid=False)
    return figure(
        theme,
        x_label="",
        y_label="",
        height=AROUND + BAR * len(rows),
        traces=[_bar_trace(rows, theme, 1 if is_ratio else 0), _target_trace(rows, theme)],
        xaxis=x,
        yaxis=y,
        showlegend=False,
        bargap=0.35,
    )


def _bar_trace(rows: Sequence[Row], theme: Theme, base: float) -> dict[str, Any]:
    values = [row.value.median for row in rows]
    colors = [theme.warning if row.is_met is False else theme.mean if row.target else theme.truth for row in rows]
    spread = {
        "type": "data",
        "symmetric": False,
        "array": [row.value.high - row.value.median for row in rows],
        "arrayminus": [row.value.median - row.value.low for row in rows],
        "color": theme.ink,
        "thickness": 1,
        "width": 3,
    }
    return {
        "type": "bar",
        "orientation": "h",
        "y": [*range(len(rows))],
        "x": [value - base for value in values],
        "base": base,
        "error_x": spread,
        "marker": {"color": [tint(color, 0.75) for color in colors]},
        "hovertext": [f"{escape(row.what)}<br>{row.value_text}<br>{_target_and_note(row)}" for row in rows],
        "hoverinfo": "text",
    }


def _target_trace(rows: Sequence[Row], theme: Theme) -> dict[str, Any]:
    aimed = [(place, row) for place, row in enumerate(rows) if row.target]
    return {
        "type": "scatter",
        "mode": "markers",
        "y": [place for place, _ in aimed],
        "x": [row.goal for _, row in aimed],
        "marker": {"symbol": "line-ns", "size": 26, "line": {"width": 3, "color": theme.ink}},
        "hovertext": [f"target {escape(row.target_text)}" for _, row in aimed],
        "hoverinfo": "text",
    }


def _wrapped(text: str) -> str:
    return "<br>".join(escape(line) for line in textwrap.wrap(text, LABEL))


def _target_and_note(row: Row) -> str:
    """The target, whether it is met, and the note of a row, as text."""
    met = {True: "met", False: "missed", None: ""}[row.is_met]
    return "; ".join(filter(None, [f"target {row.target_text}, {met}" if row.target else "", row.note]))


def _description(rows: Sequence[Row]) -> str:
    """A text alternative to the bars."""
    return " ".join(f"{row.what}: {digits(row.value.median)}, {_target_and_note(row) or 'no target'}." for row in rows)
