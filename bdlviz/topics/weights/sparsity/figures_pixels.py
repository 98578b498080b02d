"""Weights as pictures: how many of each pixel are left, and what pruning leaves of single units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.panels import panel_axes
from bdlviz.plots.theme import LIGHT, Theme, axis, empty
from bdlviz.plots.traces import scatter
from bdlviz.topics.weights.sparsity.figures import grid_figure
from bdlviz.types import Array

COUNTS = (0, 1, 3, 10, 30, 100, 300)  # ticks of the colours of counts


def weights_left(
    alive: Array,
    magnitude: Array,
    *,
    num_units: int,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """How many first-layer weights every pixel (h, w) has left of ``num_units``, beside their mean size (h, w).

    A pixel without any is drawn in the colour of what a mask removes. Colours of counts are logarithmic.
    """
    rows, columns = alive.shape
    fig = grid_figure(
        theme,
        ["Weights left of each pixel", "Mean |θ| at the end, before pruning"],
        columns=1 if stacked else 2,
        x_labels=["", ""],
        y_labels=["", ""],
        x_ranges=[(-0.5, columns - 0.5)] * 2,
        y_ranges=[(rows - 0.5, -0.5)] * 2,
        height=height or (860 if stacked else 520),
    )
    fig.update_xaxes(visible=False)
    for index in range(2):
        name = panel_axes(index)
        fig.update_layout(
            {
                name["xaxis"].replace("x", "xaxis"): {"constrain": "domain"},
                name["yaxis"].replace("y", "yaxis"): {
                    "visible": False,
                    "constrain": "domain",
                    "constraintoward": "top",
                    "scaleanchor": name["xaxis"],
                },
            }
        )
    ticks = [count for count in COUNTS if count <= num_units]
    fig.add_heatmap(
        z=np.log10(1 + alive.astype(np.float32)),
        zmin=0,
        zmax=float(np.log10(1 + num_units)),
        customdata=alive.astype(np.int16),
        colorscale=theme.colorscale,
        colorbar=_bar(theme, fig, 0, np.log10(1 + np.array(ticks)), [str(count) for count in ticks]),
        hovertemplate="row %{y}, column %{x}<br>%{customdata} weights left<extra></extra>",
    )
    fig.add_heatmap(
        z=np.where(alive == 0, 1, np.nan).astype(np.float32), **_flat(theme.dropped), hoverinfo="skip", showscale=False
    )
    top = max(float(np.nanquantile(magnitude, 0.99)), 1e-9)  # a few pixels should not make all others pale
    fig.add_heatmap(
        z=magnitude.astype(np.float32),
        zmin=0,
        zmax=top,
        colorscale=theme.colorscale,
        colorbar=_bar(theme, fig, 1, np.array([0, top]), ["0", f"{top:.2g} and more"]),
        hovertemplate="row %{y}, column %{x}<br>mean |θ| %{z:.3g}<extra></extra>",
        **panel_axes(1),
    )
    marker = {"symbol": "square", "size": 12 * theme.scale, "color": theme.dropped}
    fig.add_trace(scatter([None], [None], mode="markers", marker=marker, name="no weight left", hoverinfo="skip"))
    for index in range(2):
        fig.add_shape(**_frame(theme, -0.5, -0.5, columns, rows), **_on(index))
    return fig.update_layout(showlegend=True)


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

    ``left`` (U, h, w) says which weights stay; a removed one is drawn in the colour of what a mask removes. ``names``
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
                z=sheet[1, 2 * row + 1, column], showscale=False, hoverinfo="skip", **place, **_flat(theme.dropped)
            )
        else:
            name = names[row * columns + column]
            at = {"x": place["x0"] - 0.5, "y": place["y0"] - 0.7, "xanchor": "left", "yanchor": "bottom"}
            notes.append({"text": name, "font": theme.font(small=True), "showarrow": False, **at})
    for name, color in (("θ < 0", theme.aleatoric), ("θ > 0", theme.mean), ("removed", theme.dropped)):
        marker = {"symbol": "square", "size": 12 * theme.scale, "color": color}
        fig.add_trace(scatter([None], [None], mode="markers", marker=marker, name=name, hoverinfo="skip"))
    return fig.update_layout(annotations=notes, legend_traceorder="normal", margin_t=40)


def _signed(theme: Theme) -> list[list[Any]]:
    return [[0.0, theme.aleatoric], [0.5, theme.paper], [1.0, theme.mean]]


def _frame(theme: Theme, left: float, top: float, width: int, height: int) -> dict[str, Any]:
    """A thin frame around a picture, whose paper would not be told from the page's."""
    corners = {"x0": left, "y0": top, "x1": left + width, "y1": top + height}
    return {"type": "rect", "line": theme.line(theme.muted, 0.5), **corners}


def _on(index: int) -> dict[str, str]:
    """The axes of panel ``index``, as a shape names them."""
    axes = panel_axes(index)
    return {"xref": axes["xaxis"], "yref": axes["yaxis"]}


def _flat(color: str) -> dict[str, Any]:
    return {"zmin": 0, "zmax": 1, "colorscale": [[0.0, color], [1.0, color]]}


def _bar(theme: Theme, fig: Any, index: int, values: Array, texts: Sequence[str]) -> dict[str, Any]:
    """A colour bar below panel ``index``."""
    axes = panel_axes(index)
    across = fig.layout[axes["xaxis"].replace("x", "xaxis")].domain
    below = fig.layout[axes["yaxis"].replace("y", "yaxis")].domain[0]
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
