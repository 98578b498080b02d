"""The numbers of one trace of a figure, row by row."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from itertools import pairwise, repeat
from typing import Any

import numpy as np

Cell = str | int | float
Column = Sequence[Any]

IN_PIECES = frozenset({"scatter", "scattergl", "scatter3d"})  # kinds in which a gap ends a line
COUNTED = IN_PIECES | {"bar", "funnel", "waterfall"}  # kinds for which a missing coordinate is the index of the point
NOT_LISTED = "A kind of picture whose numbers are not listed."
NO_PIXELS = "A picture of pixels, which are not listed."


def trace_rows(trace: Mapping[str, Any], first: int = 0) -> Iterator[dict[str, Cell]]:
    """The rows of a trace: of its cells or its points; one row with a note if its numbers are not listed.

    ``first`` is the index of its first piece.
    """
    columns = {name: values(trace[name]) for name in ("x", "y", "z") if trace.get(name) is not None}
    if trace.get("type") == "image":
        yield {"note": NO_PIXELS}
    elif _is_grid(columns.get("z", ())):
        yield from _cells(trace, columns, first)
    elif columns:
        yield from _points(trace, columns, first)
    elif trace.get("type", "scatter") not in COUNTED:
        yield {"note": NOT_LISTED}


def values(column: Any) -> Column:
    """A column of a figure as Python numbers and texts: a list, an array, or an array written as base64.

    A float32 becomes the number that its shortest text says: 0.1, not 0.10000000149.
    """
    if isinstance(column, Mapping):
        kind = np.dtype(column["dtype"].removesuffix("c")).newbyteorder("<")
        array = np.frombuffer(base64.b64decode(column["bdata"]), kind)
        shape = [int(size) for size in str(column.get("shape", array.size)).split(",")]
        return _plain(array.reshape(shape))
    if isinstance(column, str | bytes) or not hasattr(column, "__len__"):
        return [column]
    return _plain(column) if isinstance(column, np.ndarray) else list(column)


def _plain(array: Any) -> list[Any]:
    return (array.astype("U").astype(float) if array.dtype == np.float32 else array).tolist()


def is_missing(value: Any) -> bool:
    """True if a figure draws nothing for this value."""
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def plain_text(text: str) -> str:
    """Text of a figure without plotly's markup: z<sub>1</sub> is z_1, 10<sup>2</sup> is 10^2."""
    for tag, sign in (("<br>", " "), ("<sub>", "_"), ("<sup>", "^")):
        text = text.replace(tag, sign)
    return unescape(re.sub(r"</?(?:b|i|em|strong|sub|sup|br)\s*/?>", "", text))


def _is_grid(z: Column) -> bool:
    return len(z) > 0 and isinstance(z[0], list | tuple | np.ndarray)


def _cells(trace: Mapping[str, Any], columns: Mapping[str, Column], piece: int) -> Iterator[dict[str, Cell]]:
    """The cells of a map, row by row; a cell without a value has no ``z``."""
    grid = [list(row) for row in columns["z"]]
    if trace.get("transpose"):
        grid = [list(row) for row in zip(*grid, strict=True)]
    xs = _centres(columns.get("x"), max(map(len, grid)), trace.get("x0", 0), trace.get("dx", 1))
    ys = _centres(columns.get("y"), len(grid), trace.get("y0", 0), trace.get("dy", 1))
    for y, row in zip(ys, grid, strict=True):
        for x, z in zip(xs, row, strict=False):
            cell: dict[str, Cell] = {"piece": piece, "x": _told(x), "y": _told(y)}
            yield cell if is_missing(z) else cell | {"z": _told(z)}


def _centres(column: Column | None, count: int, start: float, step: float) -> Column:
    """The positions of ``count`` cells: as given, half-way between their edges, or indices."""
    if column is None:
        return [start + index * step for index in range(count)]
    if len(column) == count + 1:
        return [(low + high) / 2 for low, high in pairwise(column)]
    return column


def _points(trace: Mapping[str, Any], columns: Mapping[str, Column], piece: int) -> Iterator[dict[str, Cell]]:
    """The points, bars or values of a trace; a gap makes no row, and in a line it begins the next piece."""
    kind = trace.get("type", "scatter")
    columns = _with_counts(kind, trace, columns)
    more = dict(_more(trace, columns))
    breaks = kind in IN_PIECES and not trace.get("connectgaps")
    length = 0
    for place, *others in zip(zip(*columns.values(), strict=False), *more.values(), strict=False):
        if any(map(is_missing, place)):
            piece, length = piece + (breaks and length > 0), 0
            continue
        length += 1
        row: dict[str, Cell] = {"piece": piece, **dict(zip(columns, map(_told, place), strict=True))}
        for name, value in zip(more, others, strict=True):
            if not is_missing(value):
                row[name] = _told(value)
        yield row


def _with_counts(kind: str, trace: Mapping[str, Any], columns: Mapping[str, Column]) -> Mapping[str, Column]:
    """Both coordinates of a trace that gives only one; the other is the index of the point."""
    if kind not in COUNTED or {"x", "y"} <= columns.keys():
        return columns
    absent = "y" if "x" in columns else "x"
    count = len(next(iter(columns.values())))
    counted = [trace.get(f"{absent}0", 0) + index * trace.get(f"d{absent}", 1) for index in range(count)]
    return {name: columns.get(name, counted) for name in ("x", "y", "z") if name in columns or name == absent}


def _more(trace: Mapping[str, Any], columns: Mapping[str, Column]) -> Iterator[tuple[str, Any]]:
    """Further values of points: errors, base and width of bars, texts; a single value holds for all."""
    for axis in ("x", "y"):
        if axis in columns:
            yield from _errors(axis, trace.get(f"error_{axis}") or {}, columns[axis])
    if trace.get("type") == "bar":
        for name in ("base", "width"):
            if trace.get(name) is not None:
                yield name, _column(trace[name])
    if trace.get("text") is not None:
        yield "text", _column(trace["text"])


def _column(given: Any) -> Any:
    """A column, or a single value repeated."""
    found = values(given)
    return repeat(found[0]) if np.ndim(given) == 0 and not isinstance(given, Mapping) else found


def _errors(axis: str, bars: Mapping[str, Any], at: Column) -> Iterator[tuple[str, Any]]:
    """The error bars of one coordinate, upwards, and downwards where those differ."""
    if not bars or bars.get("visible") is False:
        return
    yield f"{axis}_error", _lengths(bars, "", at)
    given_below = "arrayminus" in bars or "valueminus" in bars
    if given_below and not bars.get("symmetric", False):
        yield f"{axis}_error_minus", _lengths(bars, "minus", at)


def _lengths(bars: Mapping[str, Any], side: str, at: Column) -> Any:
    """The lengths of error bars: listed, constant, a percentage of the value, or its square root."""
    if bars.get(f"array{side}") is not None:
        return values(bars[f"array{side}"])
    kind, size = bars.get("type", "percent"), bars.get(f"value{side}", 10)
    if kind == "constant":
        return repeat(size)
    scale = {"percent": lambda value: abs(value) * size / 100, "sqrt": lambda value: math.sqrt(abs(value))}.get(kind)
    return [None if scale is None or is_missing(value) else scale(value) for value in at]


def _told(value: Any) -> Cell:
    """A value as a cell: numbers unchanged, all else as text."""
    if type(value) in (float, int):
        return value
    if isinstance(value, np.generic):
        return _told(value.item())
    return int(value) if isinstance(value, bool) else plain_text(str(value))
