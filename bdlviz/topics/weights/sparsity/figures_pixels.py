"""Weights at one moment of the training: some with their noise, or how many of each pixel are left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import compact, number, percent
from bdlviz.plots.curves import log_ticks
from bdlviz.plots.panels import panel_axes
from bdlviz.plots.theme import LIGHT, Range, Theme, mix, tint
from bdlviz.plots.traces import line_bundle, scatter
from bdlviz.topics.weights.sparsity.figures import grid_figure
from bdlviz.types import Array

COUNTS = (1, 3, 10, 30, 100, 300)  # ticks of the colours of counts
FEWEST = 0.35  # of the colour of the mean, where one weight is left
SPANS = ((0.0, 0.46), (0.56, 1.0))  # of the panels of one moment, side by side
LEAST, MOST = 0.01, 1000.0  # noise of a weight in multiples of its value, between which it is drawn
UNDER = {"top": 1.0, "bottom": 0.5}  # highest places of the labels at both curves, so that they do not collide
ALL = "all weights (dashed)"


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


def noisy_weights(
    log_alpha: Array, course: Course, *, pruned: float, theme: Theme = LIGHT, stacked: bool = False
) -> go.Figure:
    """The standard deviations of the noise of some weights (W,) in multiples of their value, beside the training.

    A weight is pale where its ``log_alpha`` is above ``pruned``, which is a dotted line.
    """
    labels = f"{len(log_alpha)} weights that stand for all, by noise", "Noise (sd) / value of the weight"
    ranges = (-1.0, float(len(log_alpha))), (0.0, 1.0)
    left, removed = (f"<span style='color:{color}'>■</span>" for color in (theme.mean, theme.removed))
    title = f"Noise: {left} left, {removed} removed"
    fig = _beside_course(title, labels, ranges, course, theme, stacked)
    room = float(np.log10(LEAST)), float(np.log10(MOST)) + 1.6
    fig.update_layout(xaxis={"showticklabels": False, "showgrid": False}, yaxis=log_ticks(room, "{:,g}".format))
    fig.update_layout(yaxis_range=list(room), bargap=0.3, showlegend=False)
    places, sds = np.arange(len(log_alpha)), np.clip(np.exp(log_alpha / 2), LEAST, MOST)
    for is_left, color, name in ((True, theme.mean, "left"), (False, theme.removed, "removed")):
        chosen = places[(log_alpha <= pruned) == is_left]
        look = {"marker": {"color": color, "line": {"width": 0}}, "name": name, "hoverinfo": "skip"}
        fig.add_bar(x=chosen, y=compact(sds[chosen]), **look)
    reach, middle = float(np.exp(pruned / 2)), len(sds) // 2
    limit = {"x0": 0, "x1": 1, "y0": reach, "y1": reach, "xref": "x domain"}
    fig.add_shape(type="line", line=theme.line(theme.ink, 1.5, "dot"), **limit)
    note = {"bgcolor": tint(theme.paper, 0.85), "font": theme.font(small=True), "align": "left"}
    text = f"removed where the noise<br>is over {number(reach, 2)} times the value"
    place = {"xref": "x domain", "x": 0.98, "xanchor": "right", "yanchor": "top", "y": np.log10(reach)}
    fig.add_annotation(text=text, yref="y", yshift=-4, showarrow=False, **place, **note)
    if is_capped := sds[-1] == MOST:
        middle = (int(np.argmax(sds == MOST)) + len(sds) - 1) // 2
    text = f"these weights have noise<br>over {MOST:,.0f} times their value"
    if not is_capped:
        text = f"this weight has noise<br>{number(float(sds[middle]), 2)} times its value"
    arrow = {"x": middle, "y": np.log10(sds[middle]), "ax": 0, "ay": room[1] - 0.5, "axref": "pixel", "ayref": "y"}
    fig.add_annotation(text=text, arrowhead=2, **arrow, **note)
    return fig


def weights_left(
    alive: Array, course: Course, *, num_units: int, theme: Theme = LIGHT, stacked: bool = False
) -> go.Figure:
    """How many first-layer weights every pixel (h, w) has left of ``num_units``, and the course of the training.

    A pixel without any is drawn in the colour of what is removed. Colours of counts are logarithmic.
    """
    rows, columns = alive.shape
    ranges = (-0.5, columns - 0.5), (rows - 0.5, -0.5)
    fig = _beside_course("Weights left of each pixel", ("", ""), ranges, course, theme, stacked)
    fig.update_layout(
        xaxis={"visible": False, "constrain": "domain"},
        yaxis={"visible": False, "constrain": "domain", "constraintoward": "top", "scaleanchor": "x"},
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
    flat = {"colorscale": [[0.0, theme.removed], [1.0, theme.removed]], "hoverinfo": "skip", "showscale": False}
    fig.add_heatmap(z=np.where(alive == 0, 1, np.nan).astype(np.float32), zmin=0, zmax=1, **flat)
    marker = {"symbol": "square", "size": 12 * theme.scale, "color": theme.removed}
    fig.add_trace(scatter([None], [None], mode="markers", marker=marker, name="no weight left", hoverinfo="skip"))
    ends = {"x0": -0.5, "y0": -0.5, "x1": columns - 0.5, "y1": rows - 0.5}  # its paper is that of the page
    fig.add_shape(type="rect", line=theme.line(theme.muted, 0.5), **ends)
    return fig.update_layout(showlegend=True)


def _beside_course(
    title: str, labels: tuple[str, str], ranges: tuple[Range, Range], course: Course, theme: Theme, stacked: bool
) -> go.Figure:
    """An empty panel, beside accuracy and share of weights left over training, with a dot at the moment shown.

    A dashed line is the accuracy of the network with all weights.
    """
    fig = grid_figure(
        theme,
        [title, "Digits right and weights left"],
        columns=1 if stacked else 2,
        x_labels=[labels[0], "Training (0 %: after one pass)"],
        y_labels=[labels[1], ""],
        x_ranges=[ranges[0], (0.0, 1.02)],
        y_ranges=[ranges[1], (0.0, 1.02)],
        height=860 if stacked else 520,
        spans=None if stacked else SPANS,
    )
    fig.update_layout(xaxis2_tickformat=".0%", yaxis2_tickformat=".0%")
    axes = panel_axes(1)
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
        done = course.done[course.at]
        anchor = "left" if done < 0.36 else "center" if done < 0.66 else "right"
        place = {"x": done, "xref": "x2", "xanchor": anchor, "yanchor": side}
        place |= {"y": min(values[course.at], UNDER[side]), "yref": "y2"}
        shift = {"yshift": (-6 if side == "top" else 10) * theme.scale, "xshift": 24 if anchor == "left" else 0}
        font = theme.font(color=theme.text(color), bold=True)
        text = f"{name}: {percent(float(values[course.at]))}"
        if side == "top":
            text += f"<br><span style='color:{theme.muted}'>{ALL}: {percent(course.whole)}</span>"
        fig.add_annotation(text=text, align=anchor, showarrow=False, font=font, **place, **shift)
    ends, whole = np.array([0.0, 1.02]), np.full((1, 2), course.whole)
    line = theme.line(theme.removed, 1.5, "dash")  # over the accuracy, which would hide it
    fig.add_trace(line_bundle(ends, whole, line, ALL, showlegend=False, **axes))
    return fig


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
