"""Building blocks shared by the figures: lines, bands and points as single traces of arrays.

plotly sends numpy arrays as base64, in half the bytes of lists. They are float32 where that is enough for a picture,
else float64 (`bdlviz.digits.compact`). Many lines in one trace are drawn much faster than many traces. A trace is a
plain dictionary until it becomes part of a figure, so that plotly does not check it twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bdlviz.digits import compact, significant
from bdlviz.plots.theme import Theme
from bdlviz.types import Array

Trace = dict[str, Any]

TRAIL = "trail"  # as plotly's ``meta``: while a slider is dragged, a dotted line shows where this curve was before


def float32(values: Any) -> Array:
    """Values as a flat float32 array, as they are sent to the browser."""
    return np.asarray(values, np.float32).ravel()


def scatter(x: Any, y: Any, **look: Any) -> Trace:
    """Points or a line through (x, y)."""
    return {"type": "scatter", "x": compact(x), "y": compact(y), **look}


def with_gaps(x: Array, lines: Array) -> tuple[Array, Array]:
    """S lines (S, N) over x (N,) as one pair of compact arrays (S (N + 1) - 1,), with NaN between two lines."""
    lines = np.asarray(lines)
    ys = compact(lines).reshape(lines.shape)
    xs = np.broadcast_to(compact(x), lines.shape)
    gap = np.full((len(lines), 1), np.nan, np.float32)
    return np.concatenate([xs, gap], axis=1).ravel()[:-1], np.concatenate([ys, gap], axis=1).ravel()[:-1]


def line_bundle(x: Array, lines: Array, line: dict[str, Any], name: str, **extra: Any) -> Trace:
    """S lines (S, N) over x (N,) as one trace that ignores the pointer."""
    look = {"mode": "lines", "line": line, "name": name, "hoverinfo": "skip", **extra}
    return scatter(*with_gaps(x, lines), **look)


def cased_line(x: Array, y: Array, line: dict[str, Any], name: str, theme: Theme, **extra: Any) -> Iterator[Trace]:
    """One line (N,) on a wider one in the paper colour, so that it is visible on all layers below."""
    casing = {"color": theme.paper, "width": line["width"] + 3 * theme.scale}
    yield line_bundle(x, y[None], casing, name, opacity=0.8, legendgroup=name, showlegend=False)
    yield line_bundle(x, y[None], line, name, legendgroup=name, **extra)


def band(x: Array, mean: Array, half_width: Array, fill: str, name: str, **extra: Any) -> Trace:
    """The area mean ± half_width (all (N,)) as one closed outline: along the top and back along the bottom."""
    return _area(x, [(mean + half_width, mean - half_width)], fill, name, **extra)


def ring(x: Array, mean: Array, inner: Array, outer: Array, fill: str, name: str, **extra: Any) -> Trace:
    """The two areas between mean ± inner and mean ± outer (all (N,)), one above the other, with NaN between them."""
    return _area(x, [(mean + outer, mean + inner), (mean - inner, mean - outer)], fill, name, **extra)


def points(x: Array, y: Array, name: str, theme: Theme, *, hollow: bool = False) -> Trace:
    """Observations, exactly as given: with a thin outline in the paper colour, or small and hollow if held out."""
    x, y = (np.asarray(values, np.float64).ravel() for values in (x, y))
    marker = (
        {"symbol": "circle-open", "size": 5 * theme.scale, "color": theme.data, "line": {"width": theme.scale}}
        if hollow
        else {"size": 7 * theme.scale, "color": theme.data, "line": {"width": theme.scale, "color": theme.paper}}
    )
    hover = f"({hover_number('x', x, 4)}, {hover_number('y', y)})<extra></extra>"
    look = {"mode": "markers", "marker": marker, "name": name, "hovertemplate": hover}
    return {"type": "scatter", "x": x, "y": y, **look}


def hover_number(axis: str, values: Array, digits: int = 3) -> str:
    """A coordinate for a hover text, with as many digits as the range of ``values`` needs; see `significant`."""
    shown = significant(float(np.min(values, initial=np.inf)), float(np.max(values, initial=-np.inf)), digits)
    return f"%{{{axis}:.{shown}~g}}"


def _area(x: Array, edges: list[tuple[Array, Array]], fill: str, name: str, **extra: Any) -> Trace:
    """Areas between pairs of (top, bottom) edges over the same x, as one filled trace."""
    outlines = np.stack([np.concatenate([top, bottom[::-1]]) for top, bottom in edges])
    round_trip = np.concatenate([x, x[::-1]])
    line = {"width": 0}
    return line_bundle(round_trip, outlines, line, name, fill="toself", fillcolor=fill, **extra)
