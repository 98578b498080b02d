"""What a wrong formula does, beside what the right one does: panels of curves, coloured by their role, or of maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.curves import log_ticks
from bdlviz.plots.images import unit_bar
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme, figure
from bdlviz.plots.traces import Trace, line_bundle, scatter
from bdlviz.types import Array

Role = Literal["wrong", "right", "exact", "truth", "prior", "data", "wrong draws", "right draws", "jump"]
MARKS = {"wrong": "✗ ", "wrong draws": "✗ ", "right": "✓ ", "right draws": "✓ "}


@dataclass(frozen=True, eq=False)
class Curve:
    """Values y over x (P,): one line (P,), or a bundle of them (L, P). ``role`` decides how it is drawn."""

    name: str
    x: Array
    y: Array
    role: Role


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves on one pair of axes; the last one lies on top."""

    curves: Sequence[Curve]
    title: str = ""


@dataclass(frozen=True, eq=False)
class Comparison:
    """One or two panels over the same axes. Ranges are in the units of the values, on logarithmic axes too."""

    panels: Sequence[Panel]
    x_label: str
    y_label: str
    x_range: Range
    y_range: Range
    is_log: tuple[bool, bool] = (False, False)
    says: str = ""  # what is to be seen, for those who do not see it


@dataclass(frozen=True, eq=False)
class Map:
    """A value in [0, 1] for every pixel, (h, w)."""

    title: str
    values: Array
    role: Literal["wrong", "right"]


@dataclass(frozen=True, eq=False)
class Maps:
    """Maps of one shape beside each other, on one scale from 0 to 1."""

    panels: Sequence[Map]
    label: str
    says: str = ""


def wrong_and_right(
    comparison: Comparison | Maps, *, theme: Theme = LIGHT, stacked: bool = False, height: int = 340
) -> go.Figure:
    """A comparison; several panels stand side by side, or one under the other when ``stacked``.

    ``height`` is of one row of panels, in px.
    """
    if isinstance(comparison, Maps):
        return _maps(comparison, theme, stacked=stacked, height=height)
    panels, (x_is_log, y_is_log) = comparison.panels, comparison.is_log
    limits = [
        _decades(limits) if is_log else limits
        for limits, is_log in zip((comparison.x_range, comparison.y_range), comparison.is_log, strict=True)
    ]
    labels = {"x_label": comparison.x_label, "x_range": limits[0]}
    if len(panels) == 1:
        fig = figure(theme, y_label=comparison.y_label, y_range=limits[1], height=height, **labels)
    else:
        several = {"y_labels": [comparison.y_label] * len(panels), "y_ranges": [limits[1]] * len(panels)}
        rows = len(panels) if stacked else 1
        titles = [f"{MARKS.get(panel.curves[0].role, '')}{panel.title}" for panel in panels]
        fig = panel_figure(theme, titles, stacked=stacked, height=rows * height, **labels, **several)
    if x_is_log:
        fig.update_xaxes(log_ticks(limits[0], _short))
    if y_is_log:
        fig.update_yaxes(log_ticks(limits[1], _short))
    for index, panel in enumerate(panels):
        names = panel_axes(index)
        fig.add_traces([_trace(curve, theme, in_legend=index == 0) | names for curve in panel.curves])
    return fig.update_layout(legend_traceorder="normal")


def _maps(maps: Maps, theme: Theme, *, stacked: bool, height: int) -> go.Figure:
    count, (rows, columns) = len(maps.panels), maps.panels[0].values.shape
    fig = panel_figure(
        theme,
        [each.title for each in maps.panels],
        x_label="",
        y_labels=[""] * count,
        x_range=(-0.5, columns - 0.5),
        y_ranges=[(rows - 0.5, -0.5)] * count,
        stacked=stacked,
        height=height * (count if stacked else 1),
    )
    hover = "row %{y}, column %{x}<br>%{z:.2f}<extra></extra>"
    for index, each in enumerate(maps.panels):
        names = panel_axes(index)
        fig.add_heatmap(
            z=np.asarray(each.values, np.float32), coloraxis="coloraxis", hovertemplate=hover, name=each.title, **names
        )
        fig.update_layout(
            {names["yaxis"].replace("y", "yaxis"): {"scaleanchor": names["xaxis"], "constrain": "domain"}}
        )
    fig.update_xaxes(visible=False, constrain="domain").update_yaxes(visible=False)
    bar = unit_bar(maps.label, theme)
    return fig.update_layout(coloraxis={"cmin": 0, "cmax": 1, "colorscale": theme.colorscale, "colorbar": bar})


def _trace(curve: Curve, theme: Theme, *, in_legend: bool) -> Trace:
    """One curve in the look of its role. Draws need no legend: they have a panel each, with its title."""
    name = f"{MARKS.get(curve.role, '')}{curve.name}"
    looks: dict[str, dict[str, Any]] = {
        "wrong": theme.line(theme.warning, 3, "dash"),
        "right": theme.line(theme.mean, 3),
        "exact": theme.line(theme.exact, 3, "dot"),
        "truth": theme.line(theme.truth, 2, "dash"),
        "prior": theme.line(theme.prior, 2, "dot"),
        "wrong draws": theme.line(theme.warning, 1.5),
        "right draws": theme.line(theme.mean, 1.5),
        "jump": theme.line(theme.ink, 6),
    }
    shown = {"showlegend": in_legend and not curve.role.endswith("draws")}
    hover = f"{name}<br>(%{{x:.4g}}, %{{y:.4g}})<extra></extra>"
    if curve.role == "data":
        rim = {"width": theme.scale, "color": theme.paper}
        marker = {"size": 8 * theme.scale, "color": theme.data, "line": rim}
        return scatter(curve.x, curve.y, mode="markers", marker=marker, name=name, hovertemplate=hover, **shown)
    if curve.role.endswith("draws"):
        look = {"opacity": theme.draws_opacity + 0.25}
        return line_bundle(curve.x, np.atleast_2d(curve.y), looks[curve.role], name, **look, **shown)
    look = {"mode": "lines", "line": looks[curve.role], "name": name, "hovertemplate": hover}
    return scatter(curve.x, curve.y, **look, **shown)


def _decades(limits: Range) -> Range:
    return float(np.log10(limits[0])), float(np.log10(limits[1]))


def _short(value: float) -> str:
    return f"{value:g}"
