"""The visitor's own data: two columns of numbers, pasted, uploaded or clicked in.

Errors of a table are one sentence with the number of the row, counted from 1 as in the file.
"""

from __future__ import annotations

import csv
import math
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bdlviz.checks import reals
from bdlviz.data import layout
from bdlviz.data.built_in import built_in
from bdlviz.data.layout import ALL_MARKS, INDEX_NAMES, MARK_NAMES, Layout, Marks, quote, read_number
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

HIDDEN = ("Cc", "Cs", "Zl", "Zp")  # categories of characters that a label cannot show
DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
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
    """Numbers of a table in the order of its rows: ``x`` and ``y`` are (N,); labels come from its header.

    ``layout`` says how the table was read, and ``others`` how it could be read as well.
    """

    x: Array
    y: Array
    x_label: str
    y_label: str
    layout: Layout
    others: tuple[Layout, ...] = ()


def parse_table(source: str | bytes, wanted: Layout | None = None, *, has_index: bool = False) -> Points:
    """Read two columns of numbers separated by tabs, semicolons, commas or spaces.

    A header is optional and gives the labels. The decimal mark and the thousands mark are decided for the whole table,
    unless a layout is ``wanted``. A first column without a name, before two others, numbers the rows and is left out;
    with ``has_index`` the first of three columns is left out in any case. A first line "sep=;" names the separator.
    Bytes are UTF-8, UTF-16 with a byte-order mark, or else Latin-1. Blank lines are skipped. Raises `InvalidInput` for
    other content, and for more than 1 MB or 5,000 rows before numbers are read.
    """
    text, is_latin = _decode(source)
    numbered = _numbered_lines(text)
    lines = [line for _, line in numbered]
    declared = layout.SEPARATOR_LINE.match(text)
    separator = wanted.separator if wanted else declared[1] if declared else layout.find_separator(lines)
    rows = [(row, _cells(row, line, separator)) for row, line in numbered]
    first, has_index = rows[0][1], has_index or (wanted is not None and wanted.has_index)
    has_names = layout.are_names(first) or layout.are_quoted_numbers(lines, first, separator)
    if has_names and not has_index:
        has_index = _numbers_rows(first, [cells for _, cells in rows[1:]])
    if wanted is not None:
        has_names = wanted.has_names
    names = first[1:] if has_index and len(first) == 3 else first
    rows = rows[has_names:]
    _check_num_rows(len(rows))
    if has_names:
        _two(numbered[0][0], names, separator)
    pairs = [(row, _two(row, cells[has_index:], separator)) for row, cells in rows]
    marks = layout.possible_marks([pair for _, pair in pairs], separator)
    chosen = Layout(separator, wanted.marks if wanted else marks[0], has_names, has_index, is_latin)
    values = np.array([_numbers(row, pair, chosen.marks) for row, pair in pairs])
    x_label, y_label = map(axis_label, names, "xy") if has_names else "xy"
    others = layout.alternatives(chosen, marks, names, len(numbered))
    return Points(values[:, 0], values[:, 1], x_label, y_label, chosen, others)


def _numbers_rows(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """True if the names of a table say that its first column, before two others, only numbers or names the rows."""
    if not rows or any(len(cells) != 3 for cells in rows):
        return False
    return len(names) == 2 or (len(names) == 3 and names[0].lower() in INDEX_NAMES)


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


def _decode(source: str | bytes) -> tuple[str, bool]:
    """The text of a table of at most 1 MB, and True if its bytes were Latin-1."""
    if len(source) > MAX_BYTES:
        raise InvalidInput(f"The table is larger than 1 MB; keep at most {MAX_ROWS:,} rows of two columns.")
    text, is_latin = (source, False) if isinstance(source, str) else _decode_bytes(source)
    if "\0" in text:
        raise InvalidInput("The table holds NUL bytes, so it is not plain text; save it as CSV in UTF-8.")
    return text.removeprefix("\ufeff"), is_latin


def _decode_bytes(content: bytes) -> tuple[str, bool]:
    for signature, kind in SIGNATURES.items():
        if content.startswith(signature):
            raise InvalidInput(f"The file is {kind}, not text; save the two columns as CSV in UTF-8.")
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    try:
        return content.decode(encoding), False
    except UnicodeDecodeError as error:
        row = content[: error.start].decode(encoding, "ignore").count("\n") + 1
    if encoding == "utf-8":
        with suppress(UnicodeDecodeError):
            return content.decode("cp1252"), True  # what Windows calls Latin-1
    raise InvalidInput(f"Row {row} is not {encoding.upper()} text; save the table as CSV in UTF-8.")


def _numbered_lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, with their row numbers from 1; at least one, at most 5,001."""
    # str.splitlines would also split at characters that editors do not count as new rows.
    rows = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    is_declared = layout.SEPARATOR_LINE.match(text) is not None
    lines = [(row, line) for row, line in enumerate(rows, 1) if line.strip() and not (is_declared and row == 1)]
    if not lines:
        raise InvalidInput("The table is empty; give two columns of numbers, x and y.")
    if len(lines) > MAX_ROWS + 1:
        raise InvalidInput(f"There are {len(lines):,} rows; keep at most {MAX_ROWS:,} rows of numbers.")
    return lines


def _check_num_rows(num_rows: int) -> None:
    if num_rows == 0:
        raise InvalidInput("There are no rows of numbers; give at least one point, x and y.")
    if num_rows > MAX_ROWS:
        raise InvalidInput(f"There are {num_rows:,} rows of numbers; keep at most {MAX_ROWS:,}.")


def axis_label(cell: str, axis: str) -> str:
    """A header's cell or a text of a link as a label: without control characters, changes of direction and tags."""
    shown = "".join(" " if unicodedata.category(c) in HIDDEN or c in DIRECTIONS else c for c in cell[:MAX_LABEL])
    return shown.replace("<", "‹").replace(">", "›").strip() or axis  # figures read tags in labels


def _cells(row: int, line: str, separator: str) -> list[str]:
    try:
        return layout.cells_of(line, separator)
    except csv.Error:
        raise InvalidInput(f"Row {row} is far too long for two numbers; write one point per row.") from None


def _two(row: int, cells: list[str], separator: str) -> list[str]:
    """The two cells of a row; `InvalidInput` if there are more or fewer."""
    if len(cells) == 2:
        return cells
    if len(cells) < 2:
        raise InvalidInput(
            f"Row {row} has one column, {quote(''.join(cells))}; "
            "separate x and y by a comma, a semicolon, a tab or a space."
        )
    hint = " (with decimal commas, separate them by semicolons)" if separator == "," else ""
    raise InvalidInput(f"Row {row} has {len(cells)} columns; keep two, x and y{hint}.")


def _numbers(row: int, cells: list[str], marks: Marks) -> list[float]:
    """The two numbers of a row; `InvalidInput` if one is missing, not a number, or out of range."""
    numbers = []
    for label, cell in zip("xy", cells, strict=True):
        if not cell:
            raise InvalidInput(f"Row {row} has no value of {label}; fill it in or remove the row.")
        number = marks.read(cell)
        if number is None:
            remedy = _remedy(cell, marks)
            raise InvalidInput(f"Row {row} has {quote(cell)} where {label} should be a number; {remedy}.")
        numbers.append(_check_number(f"Row {row}", label, number, cell))
    return numbers


def read_point(row: int, cells: Sequence[str]) -> list[float]:
    """The two numbers in a row of a table that is typed cell by cell, so that no other rows show its marks.

    Raises:
        InvalidInput: one is missing, not a number, ambiguous or out of range.
    """
    numbers = []
    for label, cell in zip("xy", cells, strict=True):
        if not cell:
            raise InvalidInput(f"Row {row} has no value of {label}; fill it in or remove the row.")
        try:
            numbers.append(_check_number(f"Row {row}", label, read_number(cell), cell))
        except InvalidInput as error:
            raise InvalidInput(str(error) if str(error).startswith("Row ") else f"In row {row} {error}") from None
    return numbers


def _remedy(cell: str, marks: Marks) -> str:
    if layout.DATE.match(cell):
        return "write dates as days or seconds since a start"
    if any(other.read(cell) is not None for other in ALL_MARKS):
        return f"the decimal mark of this table is the {MARK_NAMES[marks.decimal]}, so write all numbers in this way"
    return "correct or remove it"


def _check_number(place: str, label: str, number: float, text: str) -> float:
    """Return ``number``, or raise `InvalidInput` if it is NaN, infinite or beyond 1e12."""
    if math.isnan(number):
        raise InvalidInput(f"{place} has {quote(text)} where {label} should be a number; correct or remove it.")
    if abs(number) > MAX_MAGNITUDE:
        raise InvalidInput(
            f"{place} has {quote(text)} for {label}, but values must lie between -1e12 and 1e12; "
            "use a larger unit or remove it."
        )
    return number


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
