"""How a table is written: what separates its columns, which marks its numbers have, and what is no number.

All marks are decided for the whole table: 1,200 is 1200 beside 0.51, and 1.2 beside 0,51.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from bdlviz.errors import InvalidInput

Rows = Sequence[Sequence[str]]

SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas", " ": "spaces"}
MARK_NAMES = {".": "point", ",": "comma", " ": "space", "'": "apostrophe"}
ALIKE = {".": r"\.", ",": ",", " ": "[ \u00a0\u2009\u202f]", "'": "['\u2019]"}  # how a mark may be written
MISSING = {"na", "n/a", "nan", "null", "none", "nil", "missing"}
INDEX_NAMES = {"", "unnamed: 0", "index", "row.names", "rownames", "row names"}  # of a column that numbers the rows
# A first line for Excel that names the separator; some programs write it.
SEPARATOR_LINE = re.compile(r'"?sep=([\t;, ])"?[ \t]*(?=[\r\n]|\Z)', re.IGNORECASE)
SHORT_NUMBER = re.compile(r"\d{1,3}")
WHOLE_NUMBER = re.compile(r"\d+")
INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
WITH_UNIT = re.compile(r"[^\w]*\d[\d.,'’ ]*[^\d/]{0,3}")  # $1200, 100%, 12 kg
DATE = re.compile(r"\d{4}-\d\d?-|\d\d?[./]\d\d?[./]\d\d|\d\d?:\d\d")  # the beginning of a date or a time of day


@dataclass(frozen=True)
class Marks:
    """The decimal mark of a table's numbers, and the mark between their thousands; "" for none."""

    decimal: str = "."
    thousands: str = ""

    def read(self, cell: str) -> float | None:
        """The number in a cell, which may be infinite; None if it is not a number that is written in this way."""
        text = cell.replace("\N{MINUS SIGN}", "-")
        if not self._pattern.fullmatch(text):
            return float(text) if INFINITE.fullmatch(text) else None
        if self.thousands:
            text = re.sub(ALIKE[self.thousands], "", text)
        return float(text.replace(self.decimal, "."))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        mark = ALIKE[self.decimal]
        whole = rf"[1-9]\d{{0,2}}(?:{ALIKE[self.thousands]}\d{{3}})+|\d+" if self.thousands else r"\d+"
        return re.compile(rf"[+-]?(?:(?:{whole})(?:{mark}\d*)?|{mark}\d+)(?:[eE][+-]?\d+)?")


# The usual ones first: of those that read a table equally well, the first is taken.
POINT, COMMA, ENGLISH = Marks("."), Marks(","), Marks(".", ",")
ALL_MARKS = (POINT, COMMA, ENGLISH, *(Marks(d, t) for d, t in (",.", ". ", ", ", ".'", ",'")))


@dataclass(frozen=True)
class Layout:
    """How a table is read; ``has_names``: its first row has names, ``has_index``: its first column numbers the rows."""

    separator: str
    marks: Marks
    has_names: bool
    has_index: bool = False
    is_latin: bool = False

    @property
    def words(self) -> str:
        """What was decided, as the end of a sentence."""
        marks = self.marks
        parts = [f"{SEPARATORS[self.separator]} between columns", f"{MARK_NAMES[marks.decimal]} = decimal mark"]
        if marks.thousands:
            parts.append(f"{MARK_NAMES[marks.thousands]} = thousands mark")
        parts.append("first row = names" if self.has_names else "first row = numbers")
        if self.has_index:
            parts.append("first column = row names, left out")
        if self.is_latin:
            parts.append("text in Latin-1")
        return ", ".join(parts)


def read_number(text: str) -> float:
    """A number that is typed alone, with a decimal point or comma.

    Raises:
        InvalidInput: it is not a number, or a comma may be a decimal mark or separate thousands.
    """
    text = text.strip()
    number = POINT.read(text)
    if number is not None:
        return number
    found = {number for marks in ALL_MARKS if (number := marks.read(text)) is not None}
    if len(found) == 1:
        return found.pop()
    if not found:
        raise InvalidInput(f"{quote(text)} is not a number; write it as 1.5, 1,5 or 1e-3.")
    raise InvalidInput(f"{quote(text)} is {COMMA.read(text):g} or {ENGLISH.read(text):g}: write it without a comma.")


def find_separator(lines: Sequence[str]) -> str:
    """The separator that most lines contain: tabs, semicolons, commas, or else spaces."""
    for separator in "\t;":
        if _most(separator in line for line in lines):
            return separator
    has_commas = _most("," in line for line in lines)
    return "," if has_commas and not _most(map(_has_two_numbers, lines)) else " "


def _has_two_numbers(line: str) -> bool:
    """True for 1,5 2,5 but not for 1, 2."""
    cells = line.split()
    return len(cells) == 2 and all(COMMA.read(cell) is not None and cell.strip(",") == cell for cell in cells)


def _most(holds: Iterable[bool]) -> bool:
    found = list(holds)
    return 2 * sum(found) > len(found)


def cells_of(line: str, separator: str) -> list[str]:
    """The cells of a line, without the quotes and spaces around them; `csv.Error` if one is far too long."""
    if separator == " ":
        line = " ".join(line.split())
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True))]


def are_names(cells: Sequence[str]) -> bool:
    """True if the first row of a table has names: all of its cells have letters, and none is a number or no value."""
    return all(cell.lower() in INDEX_NAMES or not _is_value(cell) for cell in cells) and any(cells)


def _is_value(cell: str) -> bool:
    return (
        not any(map(str.isalpha, cell))
        or cell.lower() in MISSING
        or DATE.match(cell) is not None
        or WITH_UNIT.fullmatch(cell) is not None
        or is_number(cell)
    )


def is_number(cell: str) -> bool:
    """True if a cell is a number under any marks."""
    return any(marks.read(cell) is not None for marks in ALL_MARKS)


def are_quoted_numbers(lines: Sequence[str], cells: Sequence[str], separator: str) -> bool:
    """True if the first row has numbers in quotes that they do not need, and the second has none: they are names."""
    is_quoted = [line.count('"') == 2 * len(cells) for line in lines[:2]]
    return is_quoted == [True, False] and all(is_number(cell) and separator not in cell for cell in cells)


def possible_marks(rows: Rows, separator: str) -> list[Marks]:
    """The marks that read most cells: the likeliest first, then those that read other numbers from as many."""
    cells = [cell for row in rows for cell in row]
    found = {marks: [marks.read(cell) for cell in cells] for marks in ALL_MARKS}
    fewest = min(numbers.count(None) for numbers in found.values())
    best: list[Marks] = []
    for marks, numbers in found.items():
        if numbers.count(None) == fewest and numbers not in [found[other] for other in best]:
            best.append(marks)
    if best[0] == COMMA and ENGLISH in best and (separator == "," or _has_short_numbers(rows)):
        best.sort(key=lambda marks: marks != ENGLISH)
    return best


def _has_short_numbers(rows: Rows) -> bool:
    """True if a column has numbers with a comma and others below 1000 without: then the comma separates thousands."""
    for column in zip(*rows, strict=False):
        others = [cell.lstrip("+-\N{MINUS SIGN}") for cell in column if "," not in cell]
        if 0 < len(others) < len(column) and all(map(SHORT_NUMBER.fullmatch, others)):
            return True
    return False


def alternatives(layout: Layout, marks: Sequence[Marks], first: Sequence[str], num_rows: int) -> tuple[Layout, ...]:
    """Other ways to read a table whose first row is ``first``, where the decision could be otherwise."""
    others = [replace(layout, marks=each) for each in marks if each != layout.marks]
    is_either = all(map(is_number if layout.has_names else WHOLE_NUMBER.fullmatch, first))
    if is_either and num_rows > 1:
        others.append(replace(layout, has_names=not layout.has_names))
    return tuple(others)


def quote(text: str) -> str:
    """The text in quotes for a message, cut after 20 characters."""
    return repr(text if len(text) <= 20 else f"{text[:20]}…")
