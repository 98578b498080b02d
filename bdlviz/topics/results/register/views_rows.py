"""The table of the register: one line for each number with a range plot, grouped by source, in a box that scrolls."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from bdlviz.published import Row
from bdlviz.topics.results.register.controls import SIGNS
from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.model import Widget

HEADS = ("Quantity", "Published", "Ours ± sd", "Range", "Verdict")
MARGIN = 0.08  # free share of a range plot at both ends
STYLE = """
<style>
.register { max-height: max(300px, calc(var(--room, 600px) - 44px)); overflow: auto;
  border-bottom: 1px solid rgba(128, 128, 128, 0.25); }
.register table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 0.875rem; }
.register th, .register td { text-align: left; padding: 0.22rem 0.8rem 0.22rem 0; vertical-align: middle;
  border-bottom: 1px solid rgba(128, 128, 128, 0.18); }
.register thead th { position: sticky; top: 0; z-index: 2; background: var(--page-ground); }
.register tbody th { padding-top: 0.7rem; font-weight: 600; }
.register td:not(:first-child) { white-space: nowrap; }
.register td:first-child { min-width: 11rem; }
.register .range { position: relative; display: inline-block; width: 150px; height: 18px; vertical-align: middle; }
.register .range i { position: absolute; display: block; }
.register .band { top: 3px; height: 12px; background: GREY; }
.register .bar { top: 8px; height: 2px; }
.register .dot { top: 4px; width: 10px; height: 10px; margin-left: -5px; border-radius: 50%; }
.register .tick { top: 0; width: 2px; height: 18px; margin-left: -1px; background: INK; }
.register .good { background: GOOD; } .register .bad { background: BAD; }
.register .open.bar { background: GREY; } .register .open.dot { border: 2px solid INK; }
.register .bad.dot { border-radius: 0; transform: rotate(45deg); }
.register .unread { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
</style>
"""


def rows(found: Sequence[Row]) -> Widget:
    """The rows as a table, grouped by source."""
    return Widget(lambda: st.html(_style() + as_html(found)))


def as_html(found: Sequence[Row]) -> str:
    """The table as HTML."""
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in HEADS)
    groups = []
    for source in dict.fromkeys(row.source for row in found):
        of_source = [row for row in found if row.source == source]
        title = f"<tr><th scope='rowgroup' colspan='{len(HEADS)}'>{escape(source)}</th></tr>"
        groups.append(f"<tbody>{title}{''.join(map(_line, of_source))}</tbody>")
    table = f"<table><thead><tr>{head}</tr></thead>{''.join(groups)}</table>"
    return f"<div class='register' tabindex='0' role='region' aria-label='Published numbers'>{table}</div>"


def _style() -> str:
    theme = present_theme()
    colors = {"GREY": "rgba(128, 128, 128, 0.35)", "INK": theme.ink, "GOOD": theme.mean, "BAD": theme.warning}
    style = STYLE
    for name, color in colors.items():
        style = style.replace(name, color)
    return style


def _line(row: Row) -> str:
    ours = "–" if row.ours is None else row.told(row.ours)
    spread = "" if row.spread is None else f" ± {row.told(row.spread)}"
    cells = (
        escape(row.quantity),
        escape(f"{row.printed or '–'} {row.unit}".replace("-", "−", row.printed.startswith("-"))),
        escape((ours + spread).replace("-", "−")),
        _range(row),
        escape(SIGNS[row.verdict]),
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _range(row: Row) -> str:
    """The interval of the rule, the printed number as a tick and ours as a dot; every row has a scale of its own."""
    if row.low is None or row.high is None or row.ours is None or row.published is None:
        return ""
    bar = (row.ours if row.our_low is None else row.our_low, row.ours if row.our_high is None else row.our_high)
    ends = (row.low, row.high, row.published, *bar)
    size = (max(ends) - min(ends)) or 1.0
    low, high = min(ends) - MARGIN * size, max(ends) + MARGIN * size

    def place(value: float) -> float:
        return round(100 * (value - low) / (high - low), 2)

    kind = {"reproduced": "good", "contradicted": "bad"}.get(row.verdict, "open")
    band = "" if row.is_ours else _piece("band", place(row.low), place(row.high))
    said = f"published {row.told(row.published)}, ours {row.told(row.ours)}, from {row.told(bar[0])} to "
    said += f"{row.told(bar[1])}"
    marks = _piece("tick", place(row.published)) + _piece(f"dot {kind}", place(row.ours))
    plot = f"{band}{_piece(f'bar {kind}', place(bar[0]), place(bar[1]))}{marks}"
    return f"<span class='range' title='{escape(said)}'>{plot}<span class='unread'>{escape(said)}</span></span>"


def _piece(kind: str, left: float, right: float | None = None) -> str:
    width = "" if right is None else f"; width: {right - left:.2f}%"
    return f"<i class='{kind}' style='left: {left}%{width}'></i>"
