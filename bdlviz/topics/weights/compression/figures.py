"""How small a network can become: priors that shrink, living units, bits, times, and what others published."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import percent
from bdlviz.plots.curves import log_ticks
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, figure, tint
from bdlviz.plots.traces import Trace, cased_line, line_bundle, scatter
from bdlviz.types import Array

DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
GAP = 9  # cells between two layers
STEM = 9  # px, the width of a mass


@dataclass(frozen=True)
class Curves:
    """What `prior_curves` is told of its axes; decades where an axis is logarithmic."""

    x_label: str
    y_label: str
    x_range: Range
    y_range: Range
    is_log: tuple[bool, bool] = (False, False)
    diagonal: str = ""  # what the line y = x means, where it is drawn


def prior_curves(
    x: Array,
    curves: Mapping[str, Array],
    about: Curves,
    *,
    chosen: str,
    masses: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    theme: Theme = LIGHT,
    height: int = 440,
) -> go.Figure:
    """One quantity of several priors over the same x (N,), one of them standing out.

    ``masses`` are (place, probability) of what is no curve: stems up to that share of the picture's height.
    """
    fig = figure(
        theme,
        x_label=about.x_label,
        y_label=about.y_label,
        x_range=about.x_range,
        y_range=about.y_range,
        height=height,
    )
    if about.is_log[0]:
        fig.update_layout(xaxis=log_ticks(about.x_range, _power))
    if about.is_log[1]:
        fig.update_layout(yaxis=log_ticks(about.y_range, _power))
    if about.diagonal:
        ends = np.array(about.x_range)
        fig.add_trace(line_bundle(ends, ends[None], theme.line(theme.truth, 1.5, "dot"), about.diagonal))
    for dash, (name, y) in zip(DASHES, curves.items(), strict=False):
        if name != chosen and np.isfinite(y).any():
            fig.add_trace(line_bundle(x, y[None], theme.line(theme.muted, 1.6, dash), name))
    y = curves[chosen]
    if np.isfinite(y).any():
        fig.add_traces(list(cased_line(x, y, theme.line(theme.prior, 4), chosen, theme)))
    for name, stems in (masses or {}).items():
        _add_masses(fig, name, stems, about, name == chosen, theme)
    return fig.update_layout(legend_traceorder="normal")


def scale_mixture(x: Array, parts: Array, density: Array, *, theme: Theme = LIGHT, height: int = 440) -> go.Figure:
    """Gaussians (K, N) over x (N,), each times its share, their sum, and the Laplace density (N,) that they make up."""
    fig = figure(
        theme,
        x_label="Weight w, in units of the scale s",
        y_label="Density, times s",
        x_range=(float(x[0]), float(x[-1])),
        y_range=(0.0, 1.1 * float(density.max())),
        height=height,
    )
    fig.add_trace(line_bundle(x, parts, theme.line(theme.draws, 1.2), f"{len(parts)} Gaussians, × 1/{len(parts)}"))
    fig.add_trace(line_bundle(x, parts.sum(0)[None], theme.line(theme.mean, 3), "their sum"))
    fig.add_trace(line_bundle(x, density[None], theme.line(theme.prior, 2.5, "dot"), "Laplace"))
    return fig.update_layout(legend_traceorder="normal")


def architecture(
    alive: Sequence[Array],
    names: Sequence[str],
    weights: Sequence[tuple[int, int]],
    title: str,
    accuracy: tuple[float, float],
    *,
    image_shape: tuple[int, int] | None = None,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int = 440,
) -> go.Figure:
    """A network's layers as blocks of units (units,), bool: those left filled, dead ones pale.

    Between two layers stands how many weights are left, of how many there were: ``weights`` has both for each layer of
    them. The first layer keeps the form of an image. The title says what is left in all, and below it stands what a
    square is; ``accuracy`` is that with all weights and with those left. Bars show both shares. ``stacked`` puts the
    layers one under the other, for phones.
    """
    blocks = [_block(units, image_shape if layer == 0 else None, stacked) for layer, units in enumerate(alive)]
    places, extent = _places(blocks, stacked)
    margin = 2.6 * 1.35 * theme.font_size
    fig = empty(
        theme,
        height,
        xaxis=axis(theme, limits=extent[0], visible=False, scaleanchor="y", constrain="domain"),
        yaxis=axis(theme, limits=extent[1], visible=False, constrain="domain", constraintoward="bottom")
        | {"domain": [0, 1 if stacked else 0.92]},
        margin={"l": 4, "r": 4, "t": margin, "b": 4 if stacked else margin},
        showlegend=False,
    )
    left, removed = (f"<span style='color:{color}'>■</span>" for color in (theme.mean, theme.removed))
    above = f"<b>{title}</b><br>Each square is a pixel or a unit: {left} left, {removed} removed"
    whole, right = map(percent, accuracy)
    note = {"xref": "paper", "yref": "paper", "y": 1, "xanchor": "left", "yanchor": "bottom", "align": "left"}
    note |= {"showarrow": False, "font": theme.font(small=True)}
    fig.add_annotation(text=above, x=0, **note)
    if not stacked:
        fig.add_annotation(text=f"<b>{right} right</b> (all weights: {whole})", x=0.63, **note)
        size = sum(few for few, _ in weights) / sum(many for _, many in weights)
        look = {"type": "rect", "xref": "paper", "yref": "paper", "y0": 0.96, "y1": 0.99, "line_width": 0}
        for start, width, share in ((0.0, 0.55, size), (0.63, 0.37, accuracy[1])):
            for part, color in ((1.0, theme.removed), (share, theme.mean)):
                fig.add_shape(x0=start, x1=start + width * part, fillcolor=color, **look)
    for block, (left, bottom) in zip(blocks, places, strict=True):
        fig.add_trace(_cells(block, left, bottom, theme))
    for layer, (block, units, place) in enumerate(zip(blocks, alive, places, strict=True)):
        end = f", <b>{right} right</b>" if stacked and layer == len(alive) - 1 else ""
        text = f"<b>{names[layer]}</b><br>{_count(units)}{end}"
        fig.add_annotation(**_label(text, block, place, extent, stacked, theme))
        if layer:
            text = "{:,}<br>of {:,}<br>weights".format(*weights[layer - 1])
            fig.add_annotation(**_between(text, blocks[layer - 1], places[layer - 1], place, extent, stacked, theme))
    return fig


def rounding(
    places: Array,
    accuracy: Array,
    *,
    by_layer: Sequence[int],
    after: float,
    full: float,
    theme: Theme = LIGHT,
    y_range: Range = (0.0, 1.0),
    height: int = 420,
) -> go.Figure:
    """Held-out accuracy (T,) against the binary places (T,) that every weight is rounded to.

    ``by_layer`` are the places that the posterior's variance asks for, ``after`` the accuracy with those, ``full`` that
    of 32 bits.
    """
    x_range = (float(places.min()) - 0.5, float(places.max()) + 0.5)
    fig = figure(
        theme,
        x_label="Binary places after the point, all layers alike",
        y_label="Held-out accuracy (%)",
        x_range=x_range,
        y_range=(100 * y_range[0], 100 * y_range[1]),
        height=height,
    )
    ends = np.array(x_range)
    fig.add_trace(line_bundle(ends, np.full((1, 2), 100 * full), theme.line(theme.truth, 2, "dash"), "32 bits"))
    hover = "%{x} places: %{y:.1f} %<extra></extra>"
    look = {"mode": "lines+markers", "marker": {"size": 8 * theme.scale, "color": theme.mean}, "hovertemplate": hover}
    line = theme.line(theme.mean, 3)
    fig.add_trace(line_bundle(places, 100 * accuracy[None], line, "rounded", **look | {"hoverinfo": None}))
    marker = {"symbol": "diamond", "size": 14 * theme.scale, "color": theme.ink}
    fig.add_trace(
        scatter(
            [float(np.mean(by_layer))],
            [100 * after],
            mode="markers",
            marker={**marker, "line": {"width": 2, "color": theme.paper}},
            name=f"as the variance asks: {'-'.join(map(str, by_layer))} places",
            hovertemplate="%{y:.1f} %<extra></extra>",
        )
    )
    return fig.update_layout(legend_traceorder="normal")


def speeds(
    times: Mapping[str, Array],
    *,
    theme: Theme = LIGHT,
    x_range: Range = (-2.0, 3.0),
    height: int = 300,
) -> go.Figure:
    """Microseconds per image of several ways to compute the same, (rounds,) by name: median, and where 90 % lie.

    The first is what the others are compared with. ``x_range`` are decades.
    """
    count = len(times)
    fig = figure(theme, x_label="Time per image (µs)", y_label="", x_range=x_range, height=height)
    fig.update_layout(xaxis=log_ticks(x_range, "{:g}".format), showlegend=False)
    fig.update_yaxes(range=[-0.6, count - 0.4], showticklabels=False, showgrid=False)
    first = float(np.median(next(iter(times.values()))))
    for row, (name, taken) in enumerate(times.items()):
        y = count - 1 - row
        low, middle, high = (float(value) for value in np.quantile(taken, (0.05, 0.5, 0.95)))
        color = theme.mean if row else theme.ink
        fig.add_trace(line_bundle(np.array([low, high]), np.full((1, 2), y), theme.line(color, 4), name))
        marker = {"size": 15 * theme.scale, "color": color, "line": {"width": 2, "color": theme.paper}}
        hover = f"{name}: %{{x:.3g}} µs<extra></extra>"
        fig.add_trace(scatter([middle], [y], mode="markers", marker=marker, name=name, hovertemplate=hover))
        told = "" if row == 0 else f": {_times(first / middle)}"
        fig.add_annotation(
            **{"x": x_range[0], "y": y, "xanchor": "left", "yanchor": "bottom", "yshift": 10 * theme.scale},
            text=f"<b>{name}</b>{told}",
            font=theme.font(),
            showarrow=False,
        )
    return fig


def describe_architecture(alive: Sequence[Array], names: Sequence[str]) -> str:
    """What `architecture` shows, in one sentence."""
    told = ", ".join(f"{name} {_count(units)}" for name, units in zip(names, alive, strict=True))
    return f"Units that are left: {told}."


def _power(value: float) -> str:
    """Powers of ten; what lies near 1 as it is."""
    exponent = round(math.log10(value))
    return f"{value:g}" if 1e-3 < value < 1e4 else f"10<sup>{exponent}</sup>".replace("-", "−")


def _times(ratio: float) -> str:
    return f"{ratio:.3g}× as fast" if ratio >= 1 else f"{1 / ratio:.3g}× slower"


def _add_masses(
    fig: go.Figure, name: str, stems: Sequence[tuple[float, float]], about: Curves, is_chosen: bool, theme: Theme
) -> None:
    """Stems of point masses; those of the chosen prior with their probability beside them."""
    color = theme.prior if is_chosen else theme.muted
    for place, mass in stems:
        top = about.y_range[0] + mass * 0.9 * (about.y_range[1] - about.y_range[0])
        line = {
            "color": tint(color, 1.0 if is_chosen else 0.45),
            "width": STEM * theme.scale * (1 if is_chosen else 0.5),
        }
        fig.add_trace(
            line_bundle(np.array([place, place]), np.array([[about.y_range[0], top]]), line, name, showlegend=False)
        )
        if is_chosen:
            is_right = place > sum(about.x_range) / 2
            fig.add_annotation(
                **{"x": place, "y": top, "xanchor": "right" if is_right else "left", "xshift": -10 if is_right else 10},
                text=f"probability {mass:.2g}<br>at {place:.3g}",
                align="right" if is_right else "left",
                font=theme.font(color=theme.text(theme.prior)),
                bgcolor=tint(theme.paper, 0.85),
                yanchor="top",
                showarrow=False,
            )


def _block(units: Array, image_shape: tuple[int, int] | None, is_wide: bool) -> Array:
    """Units (H,) as a block (rows, columns) of 1 (left), 0 (dead) and NaN (no unit), rows from the bottom."""
    if image_shape is not None:
        rows, columns = image_shape
    elif units.size <= 12:
        rows, columns = units.size, 1
    else:
        columns = math.ceil(math.sqrt(units.size / 2))
        rows = math.ceil(units.size / columns)
    if is_wide and image_shape is None:
        rows, columns = columns, rows
    cells = np.full(rows * columns, np.nan, np.float32)
    cells[: units.size] = units
    return cells.reshape(rows, columns)[::-1]


def _places(blocks: Sequence[Array], stacked: bool) -> tuple[list[tuple[float, float]], tuple[Range, Range]]:
    """Left and bottom of every block, and the ranges of both axes, in cells."""
    breadth = max(block.shape[1 if stacked else 0] for block in blocks)
    lengths = [block.shape[0 if stacked else 1] for block in blocks]
    starts = np.cumsum([0, *(length + GAP for length in lengths[:-1])])
    end = float(starts[-1] + lengths[-1])
    if stacked:
        places = [
            ((breadth - block.shape[1]) / 2, -float(start) - block.shape[0])
            for block, start in zip(blocks, starts, strict=True)
        ]
        return places, ((-0.5, breadth + 0.5), (-end - 3.5, 0.5))
    places = [(float(start), -block.shape[0] / 2) for block, start in zip(blocks, starts, strict=True)]
    return places, ((-2.0, end + 2.0), (-breadth / 2 - 0.5, breadth / 2 + 0.5))


def _cells(block: Array, left: float, bottom: float, theme: Theme) -> Trace:
    rows, columns = block.shape
    return {
        "type": "heatmap",
        "z": np.ascontiguousarray(block),
        "x": np.arange(columns, dtype=np.float32) + np.float32(left + 0.5),
        "y": np.arange(rows, dtype=np.float32) + np.float32(bottom + 0.5),
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, theme.removed], [1, theme.mean]],
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hoverinfo": "skip",
    }


def _count(units: Array) -> str:
    return f"{int(units.sum()):,} of {units.size:,}"


def _label(
    text: str, block: Array, place: tuple[float, float], extent: tuple[Range, Range], stacked: bool, theme: Theme
) -> dict[str, Any]:
    """Name and counts of a layer: under its block, or under the lowest of all where they stand side by side."""
    x = place[0] + block.shape[1] / 2
    y = place[1] - 0.4 if stacked else extent[1][0]
    shift = {} if stacked else {"yshift": -2}
    line = text.replace("<br>", " ") if stacked else text
    return {"x": x, "y": y, "yanchor": "top", "text": line, "showarrow": False, "font": theme.font(small=True), **shift}


def _between(
    text: str,
    before: Array,
    start: tuple[float, float],
    end: tuple[float, float],
    extent: tuple[Range, Range],
    stacked: bool,
    theme: Theme,
) -> dict[str, Any]:
    """How many weights join two layers, between their blocks."""
    look = {"showarrow": False, "font": theme.font(small=True, color=theme.muted)}
    if stacked:
        return look | {
            **{"x": sum(extent[0]) / 2, "y": start[1] - 4.2, "yanchor": "middle"},
            "text": "↓ " + text.replace("<br>", " "),
        }
    return look | {"x": (start[0] + before.shape[1] + end[0]) / 2, "y": 0, "text": text + "<br>→"}
