"""Weights as pictures: how many of each pixel are left, and what pruning leaves of single units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import percent
from bdlviz.plots.panels import panel_axes
from bdlviz.plots.theme import LIGHT, Theme, axis, empty, mix, tint
from bdlviz.plots.traces import line_bundle, scatter
from bdlviz.topics.weights.sparsity.figures import grid_figure
from bdlviz.types import Array

COUNTS = (1, 3, 10, 30, 100, 300)  # ticks of the colours of counts
FEWEST = 0.35  # of the colour of the mean, where one weight is left
SPANS = ((0.0, 0.46), (0.56, 1.0))  # of the panels of one moment, side by side
ALL, WHOLE = "all weights, at the end", 0.35  # name and opacity of the line at the accuracy of the whole network


@dataclass(frozen=True, eq=False)
class Course:
    """A training at T moments: share of it that is done, share of all weights left, held-out accuracy, all (T,).

    ``whole`` is the accuracy with all weights at the end; ``at`` is the index of the moment that is shown.
    """

    done: Array
    left: Array
    accuracy: Array
    whole: float
    at: int


def weights_left(
    alive: Array,
    course: Course,
    *,
    num_units: int,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """How many first-layer weights every pixel (h, w) has left of ``num_units``, and the course of the training.

    A pixel without any is drawn in the colour of what is removed. Colours of counts are logarithmic.
    """
    rows, columns = alive.shape
    fig = grid_figure(
        theme,
        ["Weights left of each pixel", "Digits right and weights left"],
        columns=1 if stacked else 2,
        x_labels=["", "Share of training"],
        y_labels=[""] * 2,
        x_ranges=[(-0.5, columns - 0.5), (0.0, 1.02)],
        y_ranges=[(rows - 0.5, -0.5), (0.0, 1.02)],
        height=height or (860 if stacked else 520),
        spans=None if stacked else SPANS,
    )
    fig.update_layout(
        xaxis={"visible": False, "constrain": "domain"},
        yaxis={"visible": False, "constrain": "domain", "constraintoward": "top", "scaleanchor": "x"},
        xaxis2={"tickformat": ".0%"},
        yaxis2={"tickformat": ".0%"},
    )
    ticks = [count for count in COUNTS if count <= num_units]
    fig.add_heatmap(
        z=np.where(alive > 0, np.log10(np.maximum(alive, 1)), np.nan).astype(np.float32),
        zmin=0,
        zmax=float(np.log10(num_units)),
        customdata=alive.astype(np.int16),
        colorscale=[[0.0, mix(theme.paper, theme.mean, FEWEST)], [1.0, theme.mean]],
        colorbar=_bar(theme, fig, np.log10(np.array(ticks)), [str(count) for count in ticks]),
        hovertemplate="row %{y}, column %{x}<br>%{customdata} weights left<extra></extra>",
    )
    fig.add_heatmap(
        z=np.where(alive == 0, 1, np.nan).astype(np.float32), **_flat(theme.removed), hoverinfo="skip", showscale=False
    )
    marker = {"symbol": "square", "size": 12 * theme.scale, "color": theme.removed}
    fig.add_trace(scatter([None], [None], mode="markers", marker=marker, name="no weight left", hoverinfo="skip"))
    _add_course(fig, course, theme)
    fig.add_shape(**_frame(theme, -0.5, -0.5, columns, rows), xref="x", yref="y")
    return fig.update_layout(showlegend=True)


def _add_course(fig: go.Figure, course: Course, theme: Theme) -> None:
    """Accuracy and share of weights left over training, in the second panel, with a dot at the moment shown.

    The accuracy lies on a wide grey line where it is that of the network with all weights.
    """
    axes = panel_axes(1)
    wide = theme.line(tint(theme.muted, WHOLE), 11)
    fig.add_trace(line_bundle(np.array([0.0, 1.0]), np.full((1, 2), course.whole), wide, ALL, showlegend=False, **axes))
    for values, color, name, side in (
        (course.accuracy, theme.ink, "digits right", "top"),
        (course.left, theme.mean, "weights left", "bottom"),
    ):
        hover = f"%{{x:.0%}} of training: {name} %{{y:.1%}}<extra></extra>"
        look = {"hoverinfo": None, "hovertemplate": hover, "showlegend": False, **axes}
        fig.add_trace(line_bundle(course.done, values[None], theme.line(color, 3), name, **look))
        marker = {"size": 13 * theme.scale, "color": color, "line": {"width": 2 * theme.scale, "color": theme.paper}}
        at = ([course.done[course.at]], [values[course.at]])
        fig.add_trace(
            scatter(*at, mode="markers", marker=marker, showlegend=False, hoverinfo="skip", cliponaxis=False, **axes)
        )
        place = {"x": 1, "xref": "x2", "y": values[-1], "yref": "y2", "xanchor": "right", "yanchor": side}
        shift = {"yshift": (-6 if side == "top" else 6) * theme.scale}
        font = theme.font(color=theme.text(color), bold=True)
        text = f"{name}: {percent(float(values[course.at]))}"
        if side == "top":
            text += f"<br><span style='color:{theme.muted}'>{ALL}: {percent(course.whole)}</span>"
        fig.add_annotation(text=text, align="right", showarrow=False, font=font, **place, **shift)


def unit_weights(
    before: Array,
    left: Array,
    *,
    names: Sequence[str],
    columns: int,
    theme: Theme = LIGHT,
    height: int | None = None,
) -> go.Figure:
    """Incoming weights (U, h, w) of some units as pictures, and under each what pruning leaves of it.

    ``left`` (U, h, w) says which weights stay; a removed one is pale. ``names``
    stand over the units, in rows of ``columns``.
    """
    _, rows, width = before.shape
    count = len(before)
    num_rows = -(-count // columns)
    step_x, step_y, label = width + 1, 2 * rows + 2, 0.34 * rows
    right, bottom = columns * step_x - 1.5, num_rows * (step_y + label) - 1.5
    sheet = np.full((2, num_rows * 2, columns, rows, width), np.nan, np.float32)
    for index in range(count):
        row, column = divmod(index, columns)
        sheet[0, 2 * row, column] = before[index]
        sheet[0, 2 * row + 1, column] = np.where(left[index], before[index], np.nan)
        sheet[1, 2 * row + 1, column] = np.where(left[index], np.nan, 1)
    limit = max(float(np.nanquantile(np.abs(before), 0.995)), 1e-9)
    fig = empty(
        theme,
        height or 520,
        xaxis=axis(theme, "", (-0.5, right), visible=False, constrain="domain"),
        yaxis=axis(
            theme, "", (bottom, -label - 0.5), visible=False, scaleanchor="x", constrain="domain", constraintoward="top"
        ),
    )
    notes = []
    for half, row, column in np.ndindex(2, num_rows, columns):
        if row * columns + column >= count:
            continue
        place = {"x0": column * step_x, "y0": row * (step_y + label) + half * (rows + 0.6), "dx": 1, "dy": 1}
        signed = {"zmin": -limit, "zmax": limit, "colorscale": _signed(theme), "showscale": False}
        hover = "row %{y:.0f}: θ = %{z:.3f}<extra></extra>"
        fig.add_heatmap(z=sheet[0, 2 * row + half, column], hovertemplate=hover, **place, **signed)
        fig.add_shape(**_frame(theme, place["x0"] - 0.5, place["y0"] - 0.5, width, rows))
        if half:
            fig.add_heatmap(
                z=sheet[1, 2 * row + 1, column], showscale=False, hoverinfo="skip", **place, **_flat(theme.removed)
            )
        else:
            name = names[row * columns + column]
            at = {"x": place["x0"] - 0.5, "y": place["y0"] - 0.7, "xanchor": "left", "yanchor": "bottom"}
            notes.append({"text": name, "font": theme.font(small=True), "showarrow": False, **at})
    for name, color in (("θ < 0", theme.ink), ("θ > 0", theme.mean), ("removed", theme.removed)):
        marker = {"symbol": "square", "size": 12 * theme.scale, "color": color}
        fig.add_trace(scatter([None], [None], mode="markers", marker=marker, name=name, hoverinfo="skip"))
    return fig.update_layout(annotations=notes, legend_traceorder="normal", margin_t=40)


def _signed(theme: Theme) -> list[list[Any]]:
    return [[0.0, theme.ink], [0.5, theme.paper], [1.0, theme.mean]]


def _frame(theme: Theme, left: float, top: float, width: int, height: int) -> dict[str, Any]:
    """A thin frame around a picture, whose paper would not be told from the page's."""
    corners = {"x0": left, "y0": top, "x1": left + width, "y1": top + height}
    return {"type": "rect", "line": theme.line(theme.muted, 0.5), **corners}


def _flat(color: str) -> dict[str, Any]:
    return {"zmin": 0, "zmax": 1, "colorscale": [[0.0, color], [1.0, color]]}


def _bar(theme: Theme, fig: Any, values: Array, texts: Sequence[str]) -> dict[str, Any]:
    """A colour bar below the first panel."""
    across, below = fig.layout.xaxis.domain, fig.layout.yaxis.domain[0]
    return {
        "orientation": "h",
        "x": sum(across) / 2,
        "xanchor": "center",
        "y": below - 0.01,
        "yanchor": "top",
        "lenmode": "fraction",
        "len": 0.7 * (across[1] - across[0]),
        "thickness": 12 * theme.scale,
        "tickvals": [float(value) for value in values],
        "ticktext": list(texts),
        "tickfont": theme.font(small=True, color=theme.muted),
        "outlinecolor": theme.grid,
    }
