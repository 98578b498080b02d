"""Writes the tables of a run into README.md and docs/performance.md: `python -m benchmarks readme FILE.json`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from bdlviz.errors import InvalidInput
from benchmarks.record import ROOT, Record
from benchmarks.report import Row, by_workload, table

BEGIN, END = "<!-- benchmarks:begin -->", "<!-- benchmarks:end -->"
LINES = 5  # workloads in the README
NUMBER = re.compile(r"^\d+\. ")
OURS = "/ bdlviz"  # the end of the name of a row that compares with another library


def write(record: Record, root: Path = ROOT) -> None:
    """Write the short table into the README and the long one into docs/performance.md."""
    tables = {"README.md": short(record), "docs/performance.md": long(record)}
    texts = {name: between((root / name).read_text(encoding="utf-8"), part, name) for name, part in tables.items()}
    for name, text in texts.items():  # files are written only if both have their markers
        (root / name).write_text(text, encoding="utf-8", newline="\n")


def between(text: str, made: str, name: str) -> str:
    """``text`` in which ``made`` replaces the content between the two markers."""
    before, begin, rest = text.partition(BEGIN)
    old, end, after = rest.partition(END)
    if not (begin and end) or any(marker in part for marker in (BEGIN, END) for part in (before, old, after)):
        raise InvalidInput(f"{name} should hold {BEGIN} and, after it, {END}, once each: put them around the table.")
    return f"{before}{BEGIN}\n{made.strip()}\n{END}{after}"


def short(record: Record) -> str:
    """The section of the README: a line for each of the first workloads that are compared with other libraries."""
    lines = []
    for title, rows in by_workload(record.rows).items():
        if compared := [row for row in rows if row.target and OURS in row.what]:
            best, weakest = extremes(compared)
            command = f"`python -m benchmarks {' '.join(dict.fromkeys(row.group for row in compared))}`"
            lines.append(f"- **{NUMBER.sub('', title)}**: {_cell(best)}; at the least {_cell(weakest)} ({command})")
    paragraphs = [
        "## How fast",
        f"`make bench`: {record.where} A ratio above 1 says that bdlviz is the faster one.",
        "\n".join(lines[:LINES]),
        *record.gaps,
        "Every figure, its target, how it comes about and what limits it: [docs/performance.md](docs/performance.md).",
    ]
    return "\n\n".join(paragraphs)


def _cell(row: Row) -> str:
    return f"{row.what}: **{row.value_text}**"


def extremes(aimed: Sequence[Row]) -> tuple[Row, Row]:
    """The rows with the largest and the smallest ratio."""
    return max(aimed, key=lambda row: row.value.median), min(aimed, key=lambda row: row.value.median)


def long(record: Record) -> str:
    """The section of docs/performance.md: a table of all rows for each workload."""
    paragraphs = [record.where, f"{record.software}. {record.duration}", *record.gaps]
    for title, rows in by_workload(record.rows).items():
        paragraphs += [f"### {title}", table(rows)]
    return "\n\n".join(paragraphs)
