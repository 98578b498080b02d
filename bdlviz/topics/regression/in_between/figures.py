"""Epistemic standard deviations across a gap in the data, and what is left of the exact one in its middle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.compare import MethodCurve, log_axis, method_line, method_look, rug
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, tint
from bdlviz.plots.traces import Trace, band, line_bundle, scatter
from bdlviz.types import Array, Dataset

CURVES, RATIOS = (0.0, 0.60), (0.80, 1.0)  # of the width, side by side
LOWEST, HIGHEST = 0.0005, 200.0  # the axis of the ratios; those below stand at its left end
RATIO_LIMITS = (float(np.log10(LOWEST)) - 0.25, float(np.log10(HIGHEST)))
RATIO_TICKS = {"tickvals": (0.01, 1, 100), "ticktext": ("0.01", "1", "100")}  # more do not fit on a phone
AT_MOST, OWN, EXACT = "most a theorem allows", "÷ own sd at the data", "÷ exact sd"  # one row of the legend
ABOVE, BELOW = -0.15, 0.15  # of a row's middle: the ratio to the exact sd, and that to the method's own


@dataclass(frozen=True)
class Ratio:
    """A method's sd in the middle of the gap, relative to the exact one (None: none) and to its own at the data.

    Of ``num_seeds`` training seeds they are the medians, and ``exact_range`` and ``own_range`` hold the smallest and
    the largest. A single fit has no range.
    """

    title: str
    index: int
    to_exact: float | None
    to_own: float
    is_exact: bool = False
    num_seeds: int = 1
    exact_range: Range | None = None
    own_range: Range | None = None


def spreads_in_between(
    x: Array,
    curves: Sequence[MethodCurve],
    ratios: Sequence[Ratio],
    data: Dataset,
    gap: Range,
    *,
    ceilings: Mapping[str, tuple[Array, MethodCurve]] | None = None,
    sd_range: Range = (1e-3, 10.0),
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """The epistemic sd of every method over x (N,), and the two ratios that sum it up.

    Args:
        x: (N,).
        curves: the sd of every method, the exact one marked so.
        ratios: the same methods' numbers.
        data: for the rug, and for the unit of y.
        gap: its ends; its middle half is tinted.
        ceilings: what a theorem does not let a method exceed, by what the legend says: (N,), and the method's curve.
        sd_range: of the sd's axis, in y's unit.
        theme: colours and sizes.
        stacked: the ratios under the curves, for phones.
        height: in px.
    """
    height = height or (760 + 30 * len(ratios) if stacked else 580)
    fig = empty(theme, height).update_layout(_axes(theme, data, ratios, sd_range, stacked))
    quarter = (gap[1] - gap[0]) / 4
    limits = {"x0": gap[0] + quarter, "x1": gap[1] - quarter, "y0": 0, "y1": 1, "yref": "y domain", "layer": "below"}
    fig.add_shape(type="rect", fillcolor=tint(theme.muted, 0.12), line={"width": 0}, **limits)
    for curve in curves:
        if curve.low is not None and curve.high is not None:
            fig.add_trace(_range_band(x, curve.low, curve.high, curve, sd_range[0], theme))
    for curve in sorted(curves, key=lambda each: each.is_exact):
        fig.add_trace(method_line(x, np.maximum(curve.values, sd_range[0]), curve, theme, showlegend=False))
    for name, (ceiling, curve) in (ceilings or {}).items():
        line = {**method_look(curve, theme), "dash": "dashdot", "width": 1.5 * theme.scale}
        shown = np.where(np.isfinite(ceiling), ceiling, np.nan)[None]
        fig.add_trace(line_bundle(x, shown, line, name, showlegend=False))
    if ceilings:
        fig.add_trace(line_bundle(x[:1], np.full((1, 1), np.nan), theme.line(theme.ink, 1.5, "dashdot"), AT_MOST))
    fig.add_trace(rug(data, sd_range[0], theme) | {"showlegend": False})
    _add_ratios(fig, ratios, theme)
    return fig.update_layout(legend_traceorder="normal")


def _range_band(x: Array, low: Array, high: Array, curve: MethodCurve, floor: float, theme: Theme) -> Trace:
    low, high = np.maximum(low, floor), np.maximum(high, floor)
    fill = tint(method_look(curve, theme)["color"], 0.18)
    name = f"{curve.title}: range over training seeds"
    return band(x, (low + high) / 2, (high - low) / 2, fill, name, showlegend=False, hoverinfo="skip")


def _axes(
    theme: Theme, data: Dataset, ratios: Sequence[Ratio], sd_range: Range, stacked: bool
) -> dict[str, dict[str, Any]]:
    share = (120 + 30 * len(ratios)) / (760 + 30 * len(ratios))
    left, right = ((0.0, 1.0), (0.42, 1.0)) if stacked else (CURVES, RATIOS)
    upper, lower = ((share + 0.1, 1.0), (0.0, share)) if stacked else ((0.0, 1.0), (0.0, 1.0))
    names = [f"<span style='color:{theme.text(_color(ratio, theme))}'>{ratio.title}</span>" for ratio in ratios]
    places = list(range(len(ratios)))
    low, high = (float(np.log10(end)) for end in sd_range)
    return {
        "xaxis": axis(theme, data.x_label, data.x_range, domain=left, anchor="y"),
        "yaxis": log_axis(theme, f"Epistemic sd of {data.y_label}", (low, high), domain=upper, anchor="x"),
        "xaxis2": log_axis(theme, "Sd in the gap, relative", RATIO_LIMITS, domain=right, anchor="y2") | RATIO_TICKS,
        "yaxis2": axis(
            theme, "", (len(ratios) - 0.4, -0.6), domain=lower, anchor="x2", tickvals=places, ticktext=names
        ),
    }


def _add_ratios(fig: go.Figure, ratios: Sequence[Ratio], theme: Theme) -> None:
    """A filled mark for the ratio to the exact answer, a hollow one for that to the method's own sd at the data.

    A line through a mark is the range over training seeds.
    """
    ends = np.array([-0.6, len(ratios) - 0.4])
    silent = {"mode": "lines", "showlegend": False, "hoverinfo": "skip"} | SECOND
    fig.add_trace(scatter([1.0, 1.0], ends, line=theme.line(theme.exact, 2), **silent))
    for row, ratio in enumerate(ratios):
        if ratio.own_range:
            fig.add_trace(_interval(ratio.own_range, row + BELOW, theme.line(theme.ink, 1.5), silent))
        if ratio.exact_range:
            fig.add_trace(_interval(ratio.exact_range, row + ABOVE, theme.line(_color(ratio, theme), 4), silent))
    rows = np.arange(len(ratios)) + BELOW
    own = np.maximum([ratio.to_own for ratio in ratios], LOWEST)
    hover = "%{text}<extra></extra>"
    told = [f"{ratio.title}: {_told(ratio, ratio.to_own, ratio.own_range)} × its sd at the data" for ratio in ratios]
    hollow = {"symbol": "diamond-open", "size": 9 * theme.scale, "color": theme.ink, "line": {"width": 1.5}}
    look = {"mode": "markers", "marker": hollow, "name": OWN, "hovertemplate": hover}
    fig.add_trace(scatter(own, rows, text=told, **look, **SECOND))
    known = [(row, ratio, ratio.to_exact) for row, ratio in enumerate(ratios) if ratio.to_exact is not None]
    if not known:
        return
    colors = [_color(ratio, theme) for _, ratio, _ in known]
    marker = {"size": 10 * theme.scale, "color": colors, "line": {"width": theme.scale, "color": theme.paper}}
    told = [f"{ratio.title}: {_told(ratio, value, ratio.exact_range)} × the exact sd" for _, ratio, value in known]
    look = {"mode": "markers", "marker": marker, "showlegend": False, "hovertemplate": hover}
    at = np.maximum([value for _, _, value in known], LOWEST)
    plain = {"mode": "markers", "marker": {"size": 10 * theme.scale, "color": theme.ink}, "hoverinfo": "skip"}
    fig.add_trace(scatter([np.nan], [0], name=EXACT, **plain, **SECOND))
    fig.add_trace(scatter(at, [row + ABOVE for row, _, _ in known], text=told, **look, **SECOND))
    if any(ratio.exact_range for ratio in ratios):
        line = {"mode": "lines", "line": theme.line(theme.ink, 4), "hoverinfo": "skip"}
        name = f"range of {max(ratio.num_seeds for ratio in ratios)} seeds"
        fig.add_trace(scatter([np.nan], [0], name=name, **line, **SECOND))


SECOND = {"xaxis": "x2", "yaxis": "y2"}


def _interval(ends: Range, row: float, line: dict[str, Any], look: dict[str, Any]) -> Trace:
    return scatter(np.maximum(ends, LOWEST), [row, row], line=line, **look)


def _color(ratio: Ratio, theme: Theme) -> str:
    return theme.exact if ratio.is_exact else theme.classes[ratio.index % len(theme.classes)]


def _told(ratio: Ratio, value: float, ends: Range | None) -> str:
    """A ratio in words, with its range where there is one."""
    if ends is None:
        return f"{value:.2g}"
    return f"{value:.2g} ({ends[0]:.2g} to {ends[1]:.2g} over {ratio.num_seeds} training seeds)"


def describe_in_between(ratios: Sequence[Ratio]) -> str:
    """What `spreads_in_between` shows, in a sentence with numbers, for people who do not see it."""
    told = []
    for ratio in ratios:
        exact, own = "", _told(ratio, ratio.to_own, ratio.own_range)
        if ratio.to_exact is not None:
            exact = f"{_told(ratio, ratio.to_exact, ratio.exact_range)} times the exact sd, "
        told.append(f"{ratio.title} {exact}{own} times its own at the data")
    return f"Epistemic sd in the middle of the gap: {'; '.join(told)}."
