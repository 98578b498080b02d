"""Networks made small beside each other: error against compression, as published and as trained here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import plotly.graph_objects as go

from bdlviz.plots.curves import log_ticks
from bdlviz.plots.theme import LIGHT, Range, Theme, figure
from bdlviz.plots.traces import scatter

Kind = Literal["published", "convolutional", "ours"]

LETTER, PHONE_LETTER = 0.0105, 0.026  # width of a letter, as a share of the picture's


@dataclass(frozen=True)
class Point:
    """A network's held-out error in % and how many times smaller it became."""

    name: str
    error: float
    compression: float
    kind: Kind = "published"


def error_against_compression(
    results: Sequence[Point],
    *,
    theme: Theme = LIGHT,
    x_range: Range = (-0.15, 3.0),
    y_range: Range = (0.0, 5.0),
    narrow: bool = False,
    height: int = 440,
) -> go.Figure:
    """Held-out error of networks against how many times fewer weights they have; ``x_range`` in decades.

    Rings are published, squares published of convolutional networks, filled points are ours. ``narrow`` is for phones.
    """
    fig = figure(
        theme,
        x_label="All weights / weights left",
        y_label="Held-out error (%)",
        x_range=x_range,
        y_range=y_range,
        height=height,
    )
    fig.update_layout(xaxis=log_ticks(x_range, "{:g}".format), legend_traceorder="normal")
    looks = {
        "published": ("published, LeNet-300-100", "circle-open", theme.ink),
        "convolutional": ("published, LeNet-5 (convolutional)", "square-open", theme.muted),
        "ours": ("trained here", "circle", theme.mean),
    }
    placer = _Placer(results, x_range, y_range, PHONE_LETTER if narrow else LETTER)
    for kind, (name, symbol, color) in looks.items():
        group = [each for each in results if each.kind == kind and math.isfinite(each.compression)]
        if not group:
            continue
        marker = {"symbol": symbol, "size": 12 * theme.scale, "color": color, "line": {"width": 2 * theme.scale}}
        x, y = [each.compression for each in group], [each.error for each in group]
        hover = [f"{each.name}: {each.error:.2f} %, ×{each.compression:.3g}" for each in group]
        trace = scatter(x, y, mode="markers", marker=marker, name=name, text=hover, cliponaxis=False)
        fig.add_trace(trace | {"hovertemplate": "%{text}<extra></extra>"})
        for each in group:
            fig.add_annotation(**placer.name(each), font=theme.font(small=True, color=theme.text(color)))
    return fig


class _Placer:
    """Puts names beside points such that none covers another name or a point; all in shares of the picture."""

    LINE, AWAY = 0.055, 0.035  # height of a line, distance of a name from its point

    def __init__(self, results: Sequence[Point], x_range: Range, y_range: Range, letter: float) -> None:
        self._x_range, self._y_range, self._letter = x_range, y_range, letter
        self._taken = [(*self._place(each), 0.012, 0.03) for each in results if math.isfinite(each.compression)]

    def _place(self, each: Point) -> tuple[float, float]:
        (left, right), (bottom, top) = self._x_range, self._y_range
        return (math.log10(each.compression) - left) / (right - left), (each.error - bottom) / (top - bottom)

    def name(self, each: Point) -> dict[str, Any]:
        """An annotation above, below or beside its point; plotly wants the exponent on a logarithmic axis."""
        width = self._letter * len(each.name) / 2
        x, y = self._place(each)
        vertical, beside = self.AWAY + self.LINE / 2, self.AWAY + width
        # How far the name's centre lies from the point, its anchors, and the gap in px between the two.
        above = (0.0, vertical, {"yanchor": "bottom", "yshift": 8})
        below = (0.0, -vertical, {"yanchor": "top", "yshift": -8})
        right = (beside, 0.0, {"xanchor": "left", "xshift": 12})
        left = (-beside, 0.0, {"xanchor": "right", "xshift": -12})
        choices = (below, right, left, above) if each.kind == "convolutional" else (above, right, below, left)
        free = (choice for choice in choices if self._is_free(x + choice[0], y + choice[1], width))
        across, up, anchors = next(free, choices[0])
        self._taken.append((x + across, y + up, width, self.LINE / 2))
        return {"x": math.log10(each.compression), "y": each.error, "text": each.name, "showarrow": False, **anchors}

    def _is_free(self, x: float, y: float, width: float) -> bool:
        return y > 0 and all(
            abs(x - x_taken) > width + w or abs(y - y_taken) > self.LINE / 2 + h
            for x_taken, y_taken, w, h in self._taken
        )
