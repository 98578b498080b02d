"""Methods side by side on shared axes, and the distance of each to a reference over x."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.data.gaps import middle
from bdlviz.digits import number
from bdlviz.plots.functions import SHOW, Reference, check_curves, function_traces, in_panel
from bdlviz.plots.panels import domains, panel_axes
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, figure, tint
from bdlviz.plots.traces import TRAIL, Trace, band, cased_line, float32, hover_number, line_bundle, points, scatter
from bdlviz.types import Array, Dataset, Predictive

PANEL_HEIGHT, BOTTOM = 240, 60  # px: of one panel, of the labels below all
TITLE_HEIGHT = 4.0  # of the words above a panel, relative to the font size
COLUMNS = 3
SIDES = ((0.0, 0.7), (0.76, 1.0))  # of functions, and of the bars beside them
BANDS = SHOW - {"draws"}
DASHES = ("solid", "dash", "dot")  # used if there are more methods than colours
FAINT = 0.35  # opacity of unreliable curves
FAN_DRAWS, FAN_OPACITY = 20, 0.3
WIDTH = "width"  # the name of the bars of two widths
SIDE = "widths"  # the name of bars beside the functions and of their words
DECADES = 4  # of distances below the height of the picture


@dataclass(frozen=True, eq=False)
class MethodPanel:
    """One method: its prediction and a line of numbers, or a sentence that says why there is no picture."""

    title: str
    predictive: Predictive | None = None
    note: str = ""
    problem: str = ""


@dataclass(frozen=True, eq=False)
class MethodCurve:
    """Values (N,) of one method at every x; ``index`` determines its colour, the same in all figures.

    ``values`` may be a median over training seeds; ``low`` and ``high`` (N,) are then the smallest and the largest.
    """

    title: str
    values: Array
    index: int
    is_exact: bool = False
    low: Array | None = None
    high: Array | None = None


def method_panels(
    panels: Sequence[MethodPanel],
    data: Dataset,
    *,
    reference: Reference | None = None,
    theme: Theme = LIGHT,
    stacked: bool = False,
) -> go.Figure:
    """Mean, bands and data of every method, with the same reference outlined over each, on the axes of the data.

    Three panels a row, or with ``stacked``, for phones, one. The height follows from their number.
    """
    columns = 1 if stacked else min(COLUMNS, max(1, len(panels)))
    rows = -(-max(1, len(panels)) // columns)
    height = round(rows * (PANEL_HEIGHT + TITLE_HEIGHT * theme.font_size)) + BOTTOM + 30
    spans = _rows(rows, TITLE_HEIGHT * theme.font_size), domains(columns, 0.03)
    axes, words = {}, []
    for index, panel in enumerate(panels):
        row, column = divmod(index, columns)
        is_lowest = index + columns >= len(panels)
        axes |= _axes(theme, data, index, spans[1][column], spans[0][row], column == 0, is_lowest)
        words += _words(theme, panel, index, data)
    first = next((i for i, panel in enumerate(panels) if panel.predictive is not None), 0)
    traces = [
        in_panel(trace, index, legend=index == first)
        for index, panel in enumerate(panels)
        for trace in _traces(panel, data, theme, reference)
    ]
    around = {"legend": {"y": 1.0 + 4 / height, "yanchor": "bottom"}, "margin": {"t": 34, "b": 8}}
    return empty(theme, height, traces=traces, annotations=words, **axes, **around)


def over_reference(
    predictive: Predictive | None,
    reference: Reference | None,
    data: Dataset,
    *,
    title: str,
    place: Array | None = None,
    theme: Theme = LIGHT,
    height: int = 480,
) -> go.Figure:
    """The functions of one method in front of those of a reference: mean, 2 sd and draws of each, without noise.

    Either is None while it trains. ``place`` tells which x (N,) the axis shows with the band of the reference; in
    their middle two bars show the 2 sd of both, with their numbers.
    """
    given = [predictive, None if reference is None else reference.predictive]
    check_curves(data, *(each for each in given if each is not None))
    traces: list[Trace] = []
    fans: list[tuple[str, Predictive, str]] = []
    low, high = data.y_range
    if reference is not None:
        color, other = theme.exact if reference.is_exact else theme.ink, reference.predictive
        traces += _fan(other, reference.name, color, color, theme)
        fans.append((f"{'exact posterior' if reference.is_exact else 'reference'} ", other, color))
        sd, shown = 2 * other.epistemic_std[:, 0], np.zeros(len(other.x), bool) if place is None else place
        low = float(np.min((other.mean[:, 0] - sd)[shown], initial=low))
        high = float(np.max((other.mean[:, 0] + sd)[shown], initial=high))
    if predictive is not None:
        traces += _fan(predictive, title, theme.mean, theme.draws, theme)
        fans.append((f"{title} ", predictive, theme.mean))
    traces.append(points(data.x, data.y, "Data", theme))
    fig = figure(
        theme,
        x_label=data.x_label,
        y_label=data.y_label,
        x_range=data.x_range,
        y_range=(low, high),
        height=height,
        traces=traces,
    )
    if place is not None:
        _add_bars(fig, fans, middle(place), theme)
    return fig


def _add_bars(fig: go.Figure, fans: Sequence[tuple[str, Predictive, str]], at: int, theme: Theme) -> None:
    """Bars of ±2 sd of each fan at one index of x; the number of the first is above it, the next one's below, left."""
    for index, (whose, predictive, color) in enumerate(fans):
        mean, width = float(predictive.mean[at, 0]), 2 * float(predictive.epistemic_std[at, 0])
        x, size = float(predictive.x[at, 0]), (10 + 8 * index) * theme.scale
        look = {"symbol": "line-ew-open", "size": size, "color": color, "line": {"width": 3 * theme.scale}}
        silent = {"name": WIDTH, "showlegend": False, "hoverinfo": "skip"}
        ends = [mean - width, mean + width]
        fig.add_trace(scatter([x, x], ends, mode="lines+markers", line=theme.line(color, 4), marker=look, **silent))
        place: dict[str, Any] = {"y": ends[1], "yanchor": "bottom", "yshift": 4, "xanchor": "right", "xshift": 24}
        if index:  # with a line to the bar, which may be too short to be seen
            place = {"y": mean, "ax": -60, "ay": 60, "showarrow": True, "arrowhead": 0, "arrowcolor": color}
        look = {"font": theme.font(small=True, bold=True, color=theme.text(color)), "bgcolor": tint(theme.paper, 0.75)}
        fig.add_annotation(x=x, text=f"{whose}±{number(width, 2)}", name=WIDTH, **{"showarrow": False} | look | place)


def add_widths(fig: go.Figure, title: str, widths: Sequence[tuple[str, float, str]], theme: Theme = LIGHT) -> None:
    """Draw bars beside the functions of `over_reference`: (name, half-width of its band in y's unit, colour).

    A dashed line continues the end of the first bar, that of the reference, down to the others.
    """
    fig.update_xaxes(domain=SIDES[0])
    rows, ends = np.arange(len(widths))[::-1], [width for _, width, _ in widths]
    ticks, most = {"tickvals": [], "showgrid": False}, max(ends, default=1.0) or 1.0
    fig.update_layout(
        xaxis2=axis(theme, "", (0, 1.02 * most), domain=SIDES[1], anchor="y2", **ticks),
        yaxis2=axis(theme, "", (-0.5, len(widths) + 0.3), anchor="x2", **ticks),
    )
    words = {"showarrow": False, "xref": "x2", "yref": "y2", "x": 0, "xanchor": "left", "yanchor": "bottom"}
    colors = [color for _, _, color in widths]
    ground = {"bgcolor": tint(theme.paper, 0.8)}
    opacity = [0.5 if color == theme.muted else 1.0 for color in colors]
    look = {"type": "bar", "orientation": "h", "width": 0.24, "showlegend": False, "hoverinfo": "skip", "name": SIDE}
    bars = {"x": float32(ends), "y": float32(rows - 0.12), "marker": {"color": colors, "opacity": opacity}}
    fig.add_trace(look | bars | panel_axes(1))
    for row, (name, width, color) in zip(rows, widths, strict=True):
        font = theme.font(small=True, color=theme.text(color))
        fig.add_annotation(text=f"{name} ±{number(width, 2)}", font=font, y=row, name=SIDE, **words, **ground)
    if widths:
        x, top, color = ends[0], len(widths) - 1.12, colors[0]
        fig.add_shape(type="line", x0=x, x1=x, y0=-0.5, y1=top, line=theme.line(color, 2, "dash"), xref="x2", yref="y2")
    bold = {"font": theme.font(small=True, bold=True), "y": len(widths) - 0.3}
    fig.add_annotation(text=title, **words | bold)


def _fan(predictive: Predictive, name: str, color: str, thin: str, theme: Theme) -> Iterator[Trace]:
    x, mean, group = predictive.x[:, 0], predictive.mean[:, 0], {"legendgroup": name, "showlegend": False}
    two_sd, fill = 2 * predictive.epistemic_std[:, 0], tint(color, FAN_OPACITY)
    told = f"{name}: mean, draws, 2 sd" if two_sd.any() else f"{name}, no band"
    yield band(x, mean, two_sd, fill, told, legendgroup=name, meta=TRAIL)
    draws = predictive.draws[:FAN_DRAWS, :, 0]
    yield line_bundle(x, draws, theme.line(thin, 1), f"{name}, draws", opacity=theme.draws_opacity, **group)
    yield from cased_line(x, mean, theme.line(color, 3), name, theme, showlegend=False, meta=TRAIL)


def _rows(count: int, title_height: float) -> list[Range]:
    """The vertical interval of every row in px, the first on top, with space for words above each."""
    each = PANEL_HEIGHT + title_height
    return [
        (each * (count - 1 - row) / (each * count), (each * (count - row) - title_height) / (each * count))
        for row in range(count)
    ]


def _axes(
    theme: Theme, data: Dataset, index: int, column: Range, row: Range, is_first: bool, is_lowest: bool
) -> dict[str, Any]:
    x_name, y_name = panel_axes(index).values()
    x_axis = axis(
        theme,
        data.x_label if is_lowest else "",
        data.x_range,
        domain=column,
        anchor=y_name,
        showticklabels=is_lowest,
        nticks=6,
    )
    label = data.y_label if is_first else ""
    y_axis = axis(theme, label, data.y_range, domain=row, anchor=x_name, showticklabels=is_first, nticks=5)
    return {x_name.replace("x", "xaxis"): x_axis, y_name.replace("y", "yaxis"): y_axis}


def _words(theme: Theme, panel: MethodPanel, index: int, data: Dataset) -> Iterator[dict[str, Any]]:
    """Title and numbers above a panel; the reason in an empty panel."""
    x_name, y_name = panel_axes(index).values()
    common = {"showarrow": False, "xref": f"{x_name} domain", "yref": f"{y_name} domain", "x": 0, "xanchor": "left"}
    above_note = round(1.3 * theme.small_size)
    title = {"text": panel.title, "font": theme.font(bold=True), "y": 1, "yanchor": "bottom", "yshift": above_note}
    yield {**common, **title}
    small = theme.font(small=True, color=theme.muted)
    if panel.note:
        yield {**common, "text": panel.note, "font": small, "y": 1, "yanchor": "bottom", "yshift": 0}
    if panel.problem:
        font = theme.font(small=True, color=theme.text(theme.warning))
        text = _wrapped(panel.problem)
        yield {**common, "text": text, "font": font, "align": "left", "y": 0.5, "yanchor": "middle", "xshift": 8}


def _wrapped(sentence: str, width: int = 34) -> str:
    """A sentence in lines that fit a panel."""
    lines = [""]
    for word in sentence.split():
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "<br>".join(lines)


def _traces(panel: MethodPanel, data: Dataset, theme: Theme, reference: Reference | None) -> Iterator[Any]:
    if panel.predictive is None:
        yield points(data.x, data.y, "Data", theme)
        return
    yield from function_traces(panel.predictive, data, theme, 0, None, BANDS, reference)


def describe_method_panels(panels: Sequence[MethodPanel], data: Dataset) -> str:
    """A description of the figure of `method_panels`, in a sentence for each method, for screen readers."""
    told = []
    for panel in panels:
        if panel.predictive is None:
            told.append(f"{panel.title}: {panel.problem or 'not there yet'}")
            continue
        spread = panel.predictive.epistemic_std[:, 0]
        told.append(f"{panel.title}: epistemic sd from {spread.min():.2g} to {spread.max():.2g}; {panel.note}")
    return f"{data.y_label} over {data.x_label}, {data.num_data} points, one panel a method. {'. '.join(told)}."


def distance_curves(
    x: Array,
    curves: Sequence[MethodCurve],
    data: Dataset,
    *,
    floor: Array | None = None,
    is_grey: bool = False,
    theme: Theme = LIGHT,
    height: int = 560,
) -> go.Figure:
    """The distance of every method to the reference at every x (N,), in y's unit, on a logarithmic axis.

    ``floor`` (N,) is the distance between two halves of the reference's draws: smaller distances have no meaning. The
    rug at the bottom marks the data. ``is_grey`` draws unreliable curves faintly.
    """
    top = float(np.log10(data.y_range[1] - data.y_range[0]))
    limits = (top - DECADES, top)
    fig = figure(
        theme,
        x_label=data.x_label,
        y_label=f"Distance to the reference{_unit(data.y_label)}",
        x_range=data.x_range,
        height=height,
    )
    fig.update_layout(yaxis=log_axis(theme, f"Distance to the reference{_unit(data.y_label)}", limits))
    if floor is not None:
        line = theme.line(theme.exact, 1.5, "dot")
        shown = np.maximum(floor, 10.0 ** limits[0])[None]
        fig.add_trace(line_bundle(x, shown, line, "Two halves of the reference's draws"))
    for curve in curves:
        shown = np.maximum(curve.values, 10.0 ** limits[0])
        fig.add_trace(method_line(x, shown, curve, theme, opacity=FAINT if is_grey else 1.0))
    fig.add_trace(rug(data, 10.0 ** limits[0], theme))
    return fig.update_layout(legend_traceorder="normal")


def log_axis(theme: Theme, label: str, limits: Range, **extra: Any) -> dict[str, Any]:
    """A logarithmic axis over decimal logarithms ``limits``, with a number at every decade."""
    ticks = [10.0**power for power in range(int(np.ceil(limits[0])), int(np.floor(limits[1])) + 1)]
    told = [f"{tick:g}" for tick in ticks]
    return axis(theme, label, limits, type="log", tickvals=ticks, ticktext=told, **extra)


def method_line(x: Array, values: Array, curve: MethodCurve, theme: Theme, **extra: Any) -> Any:
    """The line of a method over x, in its colour; thick for an exact method."""
    look = {"mode": "lines", "line": method_look(curve, theme), "name": curve.title, **extra}
    place = hover_number("x", x)
    return scatter(x, values, hovertemplate=f"{curve.title}<br>{place}: %{{y:.3g}}<extra></extra>", **look)


def method_look(curve: MethodCurve, theme: Theme) -> dict[str, Any]:
    """Colour, width and dash of a method's line; they are the same in all figures."""
    if curve.is_exact:
        return theme.line(theme.exact, 4)
    count = len(theme.classes)
    return theme.line(theme.classes[curve.index % count], 2, DASHES[curve.index // count % len(DASHES)])


def rug(data: Dataset, height: float, theme: Theme) -> Any:
    """A mark at the bottom for every data point."""
    marker = {"symbol": "line-ns-open", "size": 12 * theme.scale, "color": theme.data, "line": {"width": 1.5}}
    where = np.full(data.num_data, height * 1.12)
    return scatter(data.x, where, mode="markers", marker=marker, name="Data", hoverinfo="skip")


def describe_distances(curves: Sequence[MethodCurve]) -> str:
    """A description of the figure of `distance_curves`, for screen readers."""
    told = "; ".join(f"{curve.title} {curve.values.mean():.2g} on average" for curve in curves)
    return f"Distance to the reference over x: {told}."


def _unit(label: str) -> str:
    return f" ({label[label.index('(') + 1 : label.rindex(')')]})" if "(" in label and ")" in label else ""
