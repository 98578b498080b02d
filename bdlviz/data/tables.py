"""The visitor's own data: two columns of numbers, pasted, uploaded or clicked in.

Errors of a table are one sentence with the number of the row, counted from 1 as in the file.
"""

from __future__ import annotations

import csv
import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bdlviz.checks import reals
from bdlviz.data.built_in import built_in
from bdlviz.data.sampling import Split
from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Dataset

MAX_BYTES = 1_000_000
MAX_ROWS = 5_000
MAX_MAGNITUDE = 1e12  # squares and their sums stay far below the largest float32
MAX_LABEL = 60
MIN_HELD_OUT = 20  # smallest number of points for which every fifth is held out

# The initial points of the visitor's own table, (N, 2).
STARTING_POINTS = np.array([[-3.0, -1.0], [-2.0, 0.5], [-1.0, 1.0], [0.5, 0.0], [1.0, -0.5], [2.5, 1.5]])

DATE = re.compile(r"\d{4}-\d\d?-|\d\d?[./]\d\d?[./]\d\d|\d\d?:\d\d")  # the beginning of a date or a time of day
HIDDEN = ("Cc", "Cs", "Zl", "Zp")  # categories of characters that a label cannot show
DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
SEPARATORS = ("\t", ";", ",")  # a comma may also be a decimal mark, so the other two are tried first
SIGNATURES = {
    b"PK\x03\x04": "a ZIP archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an Excel workbook",
    b"\x1f\x8b": "a gzip archive",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"%PDF": "a PDF document",
}


@dataclass(frozen=True, eq=False)
class Points:
    """Numbers of a table in the order of its rows: ``x`` and ``y`` are (N,); labels come from its header."""

    x: Array
    y: Array
    x_label: str = "x"
    y_label: str = "y"


def parse_table(source: str | bytes) -> Points:
    """Read two columns of numbers separated by tabs, semicolons, commas or spaces.

    A header is optional and gives the labels. Decimal commas are read unless commas separate the columns.
    Bytes are UTF-8, or UTF-16 with a byte-order mark. Blank lines are skipped. Raises `InvalidInput` for other
    content, and for more than 1 MB or 5,000 rows before numbers are read.
    """
    lines = _numbered_lines(_decode(source))
    separator = _find_separator([line for _, line in lines])
    row, line = lines[0]
    header = _split(row, line, separator)
    has_header = all(cell and _parse(cell) is None for cell in header)
    lines = lines[has_header:]
    _check_num_rows(len(lines))
    values = np.array([_numbers(row, _split(row, line, separator)) for row, line in lines])
    x_label, y_label = map(_label, header) if has_header else ("x", "y")
    return Points(values[:, 0], values[:, 1], x_label, y_label)


def from_points(
    x: Array | Sequence[float],
    y: Array | Sequence[float],
    *,
    name: str = "your_data",
    title: str = "Your data",
    x_label: str = "x",
    y_label: str = "y",
    held_out: bool = True,
) -> Dataset:
    """A data set of N >= 1 points, ``x`` and ``y`` (N,) or (N, 1).

    With ``held_out`` every fifth point, in the given order, is held out if N is at least 20; points added at the end
    do not change the split of the earlier ones. `InvalidInput` if values are not finite numbers within 1e12, or x and
    y differ in length.
    """
    x, y = _column("x", x), _column("y", y)
    if len(x) != len(y):
        raise InvalidInput(f"There are {len(x):,} values of x and {len(y):,} of y; give one y for each x.")
    _check_num_rows(len(x))
    return Dataset(
        name=name,
        title=title,
        **_hold_out(x, y, held_out and len(x) >= MIN_HELD_OUT),
        x_label=x_label,
        y_label=y_label,
        source="Your own data.",
    )


@built_in
def starting_points() -> Dataset:
    """The data set of `STARTING_POINTS`."""
    return from_points(STARTING_POINTS[:, 0], STARTING_POINTS[:, 1])


def with_points(dataset: Dataset, x: Array | Sequence[float], y: Array | Sequence[float]) -> Dataset:
    """A data set with other training points, called as one's own; its held-out points, noise and truth are kept.

    Its axes are kept, too, unless one of the points lies outside them. `InvalidInput` as in `from_points`.
    """
    changed = from_points(x, y, held_out=False)
    kept = ["x_test", "y_test", "noise_std", "truth", "x_label", "y_label"]
    if all(_is_inside(getattr(changed, axis), getattr(dataset, f"{axis}_range")) for axis in "xy"):
        kept += ["x_range", "y_range"]
    return replace(changed, **{field: getattr(dataset, field) for field in kept})


def _is_inside(values: Array, limits: tuple[float, float]) -> bool:
    return bool((limits[0] <= values).all() and (values <= limits[1]).all())


def _decode(source: str | bytes) -> str:
    """The text of a table of at most 1 MB."""
    if len(source) > MAX_BYTES:
        raise InvalidInput(f"The table is larger than 1 MB; keep at most {MAX_ROWS:,} rows of two columns.")
    text = source if isinstance(source, str) else _decode_bytes(source)
    if "\0" in text:
        raise InvalidInput("The table holds NUL bytes, so it is not plain text; save it as CSV in UTF-8.")
    return text.removeprefix("\ufeff")


def _decode_bytes(content: bytes) -> str:
    for signature, kind in SIGNATURES.items():
        if content.startswith(signature):
            raise InvalidInput(f"The file is {kind}, not text; save the two columns as CSV in UTF-8.")
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        row = content[: error.start].decode(encoding, "ignore").count("\n") + 1
        raise InvalidInput(f"Row {row} is not {encoding.upper()} text; save the table as CSV in UTF-8.") from None


def _numbered_lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, with their row numbers from 1; at least one, at most 5,001."""
    # str.splitlines would also split at characters that editors do not count as new rows.
    rows = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [(row, line) for row, line in enumerate(rows, 1) if line.strip()]
    if not lines:
        raise InvalidInput("The table is empty; give two columns of numbers, x and y.")
    if len(lines) > MAX_ROWS + 1:
        _check_num_rows(len(lines) - 1)
    return lines


def _check_num_rows(num_rows: int) -> None:
    if num_rows == 0:
        raise InvalidInput("There are no rows of numbers; give at least one point, x and y.")
    if num_rows > MAX_ROWS:
        raise InvalidInput(f"There are {num_rows:,} rows of numbers; keep at most {MAX_ROWS:,}.")


def _find_separator(lines: list[str]) -> str | None:
    """The separator that most lines contain; None for spaces."""
    for separator in SEPARATORS:
        if 2 * sum(separator in line for line in lines) > len(lines):
            return separator
    return None


def _label(cell: str) -> str:
    """A header's cell as the label of an axis: without control characters, changes of direction and tags."""
    shown = "".join(" " if unicodedata.category(c) in HIDDEN or c in DIRECTIONS else c for c in cell[:MAX_LABEL])
    return shown.replace("<", "‹").replace(">", "›").strip() or "?"  # figures read tags in labels


def _split(row: int, line: str, separator: str | None) -> list[str]:
    """The two cells of a row; `InvalidInput` if there are more or fewer."""
    try:
        cells = _cells(line, separator)
    except csv.Error:
        raise InvalidInput(f"Row {row} is far too long for two numbers; write one point per row.") from None
    if len(cells) == 1:
        raise InvalidInput(
            f"Row {row} has one column, {_quote(cells[0])}; separate x and y by a comma, a semicolon, a tab or a space."
        )
    if len(cells) > 2:
        hint = " (with decimal commas, separate them by semicolons)" if separator == "," else ""
        raise InvalidInput(f"Row {row} has {len(cells)} columns; keep two, x and y{hint}.")
    return cells


def _cells(line: str, separator: str | None) -> list[str]:
    """The cells of a line, without the quotes and spaces around them."""
    if separator is None:
        return line.split()
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True))]


def _numbers(row: int, cells: list[str]) -> list[float]:
    """The two numbers of a row; `InvalidInput` if one is missing, not a number, or out of range."""
    numbers = []
    for label, cell in zip("xy", cells, strict=True):
        if not cell:
            raise InvalidInput(f"Row {row} has no value of {label}; fill it in or remove the row.")
        number = _parse(cell)
        if number is None:
            remedy = "write dates as days or seconds since a start" if DATE.match(cell) else "correct or remove it"
            raise InvalidInput(f"Row {row} has {_quote(cell)} where {label} should be a number; {remedy}.")
        numbers.append(_check_number(f"Row {row}", label, number, cell))
    return numbers


def _parse(cell: str) -> float | None:
    """The number in a cell, with a decimal point or comma; None if it is not a number."""
    text = cell.replace("\N{MINUS SIGN}", "-")
    if text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    try:
        return None if "_" in text else float(text)  # float() would read 1_000, as Python does
    except ValueError:
        return None


def _check_number(place: str, label: str, number: float, text: str) -> float:
    """Return ``number``, or raise `InvalidInput` if it is NaN, infinite or beyond 1e12."""
    if math.isnan(number):
        raise InvalidInput(f"{place} has {_quote(text)} where {label} should be a number; correct or remove it.")
    if abs(number) > MAX_MAGNITUDE:
        raise InvalidInput(
            f"{place} has {_quote(text)} for {label}, but values must lie between -1e12 and 1e12; "
            "use a larger unit or remove it."
        )
    return number


def _quote(text: str) -> str:
    """The text in quotes for a message, cut after 20 characters."""
    return repr(text if len(text) <= 20 else f"{text[:20]}…")


def _column(label: str, values: Any) -> Array:
    """The values as floats, (N, 1)."""
    column = reals(label, values).astype(np.float64)
    if column.ndim == 0 or column.size != len(column):
        raise InvalidInput(f"{label} must be one column of numbers, not an array of shape {column.shape}.")
    for point, number in enumerate(column.ravel().tolist(), 1):
        _check_number(f"Point {point}", label, number, f"{number:g}")
    return column.reshape(-1, 1)


def _hold_out(x: Array, y: Array, held_out: bool) -> Split:
    """All points for training, or every fifth held out."""
    test = np.arange(len(x)) % 5 == 4 if held_out else np.zeros(len(x), dtype=bool)
    return Split(x=x[~test], y=y[~test], x_test=x[test], y_test=y[test])
