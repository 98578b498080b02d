"""The numbers of pictures as a table in long form, one row for each drawn number, and that table as CSV.

Axis titles, which contain the units, are repeated in separate columns. Comments above the header are not part of RFC
4180: a spreadsheet would read them as data. Numbers have the fewest digits that give them back, as float32 or float64.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import plotly.graph_objects as go

from bdlviz.digits import exact
from bdlviz.export.panels import Panels
from bdlviz.export.traces import NO_PIXELS, Cell, plain_text, trace_rows

Row = dict[str, Cell]

ALWAYS = ("picture", "panel", "series", "kind", "piece", "x", "y", "z")
IF_USED = ("x_error", "x_error_minus", "y_error", "y_error_minus", "base", "width", "text", "note")
LABELS = ("x_label", "y_label")
LABELS_IF_USED = ("z_label",)
FORMULA = re.compile(r"[\t\r\n]|\s*[=+\-@＝＋－＠]")  # beginnings that a spreadsheet may read as a formula
PLAIN_NUMBER = re.compile(r"[-+−]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?([eE][-+]?\d+)?")


def figure_table(fig: go.Figure) -> list[Row]:
    """The numbers that a figure draws, a dictionary for each point, bar or cell.

    Keys: ``panel`` (its title, else its number from 1), ``series`` (name of the trace), ``kind`` (type of the trace),
    ``piece`` (index of the run between two gaps: several functions are one trace, and each function a piece; a
    second trace of the same name continues the count), ``x``, ``y``, ``z`` (value of a cell), ``x_label``, ``y_label``,
    ``z_label``, and where a trace has them errors, ``base`` and ``width`` of bars, and ``text``. Outlines in the
    paper colour, shapes and annotations are left out; a picture of pixels is one row with a ``note``.
    """
    drawn = fig.to_dict()
    layout = drawn.get("layout", {})
    panels = Panels(layout)
    pieces: Counter[tuple[Cell, Cell]] = Counter()  # so far, of each series in each panel
    rows: list[Row] = []
    for number, trace in enumerate(drawn.get("data", ()), start=1):
        if _is_shown(trace, layout):
            name = trace.get("name") or trace.get("legendgroup") or f"trace {number}"
            head: Row = {key: plain_text(text) for key, text in panels.of(trace).items()}
            head |= {"series": plain_text(name), "kind": trace.get("type", "scatter")}
            found = [head | row for row in trace_rows(trace, pieces[head["panel"], head["series"]])]
            pieces[head["panel"], head["series"]] = 1 + max((int(row.get("piece", -1)) for row in found), default=-1)
            rows += found
    return rows + [{"series": f"image {k}", "kind": "image", "note": NO_PIXELS} for k in _images(layout)]


def csv_of(figures: Mapping[str, go.Figure], numbers: Sequence[tuple[str, str, str]] = ()) -> str:
    """The numbers of several pictures, by name, and the page's key numbers, as one table in CSV (RFC 4180).

    A key number, (label, value, help), is a row of kind ``number``: its value in ``y``, or in ``text`` if it is more
    than a number, and its help in ``note``. Text that a spreadsheet could read as a formula gets an apostrophe.
    """
    tables = [("", [_key_number(*number) for number in numbers])]
    tables += [(name, figure_table(fig)) for name, fig in figures.items()]
    used = {key for _, rows in tables for row in rows for key in row}
    columns = [*ALWAYS, *filter(used.__contains__, IF_USED), *LABELS, *filter(used.__contains__, LABELS_IF_USED)]
    sheet = io.StringIO(newline="")
    writer = csv.writer(sheet, lineterminator="\r\n")
    writer.writerow(columns)
    for name, rows in tables:
        picture = safe_text(name)
        writer.writerows([picture, *(_cell(row.get(column, "")) for column in columns[1:])] for row in rows)
    return sheet.getvalue()


@lru_cache(1024)
def safe_text(text: str) -> str:
    """Text that no spreadsheet reads as a formula."""
    return f"'{text}" if FORMULA.match(text) else text


def _cell(value: Cell) -> str:
    """A cell as CSV: safe text, and numbers with the fewest digits that give them back."""
    if isinstance(value, str):
        return safe_text(value)
    return str(value) if isinstance(value, int) else exact(value)


def _key_number(label: str, value: str, note: str) -> Row:
    """The row of a page's key number."""
    is_plain = PLAIN_NUMBER.fullmatch(value)
    told: Row = {"y": float(value.replace(",", "").replace("−", "-"))} if is_plain else {"text": value}
    return {"series": label, "kind": "number", **told, **({"note": note} if note else {})}


def _is_shown(trace: Mapping[str, Any], layout: Mapping[str, Any]) -> bool:
    """True if a trace draws its own numbers; an outline in the paper colour does not."""
    is_line = trace.get("mode") == "lines" and not trace.get("fill")
    is_casing = is_line and trace.get("line", {}).get("color", "") == layout.get("paper_bgcolor", "#FFFFFF")
    return trace.get("visible", True) is not False and not is_casing


def _images(layout: Mapping[str, Any]) -> Iterable[int]:
    """Numbers, from 1, of the pictures of pixels that lie behind or above the traces."""
    return range(1, len(layout.get("images", ())) + 1)
