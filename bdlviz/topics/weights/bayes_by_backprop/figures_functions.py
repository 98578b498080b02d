"""Functions of uncertain weights: their mean, and a band of one standard deviation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import number
from bdlviz.plots.functions import ONE_SD_OPACITY, TRUTH_POINTS, in_panel
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Theme, axis, tint
from bdlviz.plots.traces import TRAIL, Trace, band, cased_line, line_bundle, points, scatter
from bdlviz.types import Array, Dataset

NEAR = 0.1  # of the axis: points so close to a mark are below its words
ROOM = 0.45  # above and below the data, as a share of their range
WIDTHS = ((0.0, 0.68), (0.74, 1.0))  # of the functions, and of a few weights beside them
HILL = 0.64  # height of a density in its row
CURVE, BAND = "Mean", "± 1 standard deviation"


def draws_in_panels(
    panels: Sequence[tuple[str, Array]],
    x: Array,
    data: Dataset,
    *,
    num_draws: int = 20,
    marks: Sequence[tuple[float, float, float, str]] = (),
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Mean and standard deviation of function draws, beside those of other methods on the same axes.

    ``panels`` are (title, draws (S, N)) over x (N,), in y's units; of one draw there is only the line. ``num_draws``
    of them are drawn as lines behind. All panels but the first say that the prior does not change them. ``marks`` are
    bars in the first panel: x, mean, standard deviation, and words. ``stacked`` is for phones. After Blundell et al.
    2015, figure 5, whose band holds the middle half of the draws.
    """
    count, room = len(panels), ROOM * (data.y_range[1] - data.y_range[0])
    wide = data.y_range[0] - room, data.y_range[1] + room
    traces = [
        in_panel(trace, index, legend=index == 0)
        for index, (_, draws) in enumerate(panels)
        for trace in _layers(x, np.asarray(draws, float), data, num_draws, theme)
    ]
    fig = panel_figure(
        theme,
        [title if len(draws) > 1 else f"{title}: no uncertainty" for title, draws in panels],
        x_label=data.x_label,
        y_labels=[data.y_label] * count,
        x_range=data.x_range,
        y_ranges=[wide] * count,
        stacked=stacked,
        height=height or (330 * count if stacked else 520),
        traces=traces,
    )
    look = {"showarrow": False, "font": theme.font(small=True), "bgcolor": tint(theme.paper, 0.8), "yanchor": "bottom"}
    for index in range(1, count):
        axes = panel_axes(index)
        place = {"xref": f"{axes['xaxis']} domain", "yref": f"{axes['yaxis']} domain", "x": 0.98, "y": 0.03}
        fig.add_annotation(text="fixed: σ₁ and β do not change it", xanchor="right", **place, **look)
    for index, (at, middle, sd, text) in enumerate(sorted(marks)):
        near = data.y[np.abs(data.x[:, 0] - at) < NEAR * np.ptp(data.x_range)]
        top = min(float(np.max(near, initial=middle + sd)), wide[1] - 0.15 * (wide[1] - wide[0]))
        bar = {"type": "data", "array": [sd], "thickness": 2.5, "width": 7, "color": theme.ink}
        dot = {"mode": "markers", "marker_color": theme.ink, "hoverinfo": "skip", "showlegend": False}
        fig.add_trace(scatter([at], [middle], error_y=bar, **dot))
        ends = {"x0": at, "x1": at, "y0": wide[0], "y1": max(top, middle + sd), "xref": "x", "yref": "y"}
        fig.add_shape(type="line", line=theme.line(theme.ink, 1.5, "dot"), **ends)
        place = {"x": at, "y": top, "xref": "x", "yref": "y", "yshift": 8}
        place |= {"xanchor": "left", "xshift": -30} if index else {"xanchor": "right", "xshift": 30}
        fig.add_annotation(text=text, **look, **place)
    return fig


def add_weights(
    fig: Any,
    title: str,
    names: Sequence[str],
    mean: Array,
    std: Array,
    prior: Callable[[Array], Array],
    *,
    label: str,
    reach: float,
    theme: Theme = LIGHT,
) -> None:
    """Draw q(w) of K weights beside the functions of `draws_in_panels`, one row each, over the prior.

    ``mean`` and ``std`` are (K,); ``prior`` gives the density at weights (P,). Every density has the same height.
    The axis has a ``label`` and goes from -``reach`` to ``reach``.
    """
    w, rows = np.linspace(-reach, reach, 401), np.arange(len(names) - 1, -1, -1.0)
    fig.update_xaxes(domain=WIDTHS[0])
    ticks = {"tickvals": [], "showgrid": False, "zeroline": False}
    fig.update_layout(
        xaxis2=axis(theme, label, (-reach, reach), domain=WIDTHS[1], anchor="y2"),
        yaxis2=axis(theme, "", (-0.05, len(names)), anchor="x2", **ticks),
    )
    shape = prior(w)
    words = {"showarrow": False, "font": theme.font(small=True), "xref": "x2", "yref": "y2", "x": -reach}
    words |= {"xanchor": "left", "yanchor": "bottom"}
    look = {"hoverinfo": "skip"}
    for row, name, middle, sd in zip(rows, names, mean, std, strict=True):
        z = np.linspace(-4, 4, 81)
        hill = row + HILL * np.exp(-0.5 * z**2)
        fill = {"fill": "toself", "fillcolor": tint(theme.mean, 0.2), "name": "q(w)"}
        line = theme.line(theme.prior, 2, "dot")
        named = {"name": "Prior of a weight", "showlegend": bool(row == rows[0])}
        ground = scatter(w, row + HILL * shape / shape.max(), mode="lines", line=line, **named, **look)
        fill |= {"showlegend": False, "line": theme.line(theme.mean, 2)}
        own = scatter(middle + sd * z, hill, mode="lines", **fill, **look)
        fig.add_traces([each | panel_axes(1) for each in (ground, own)])
        mean_told = number(round(float(middle), 1 - math.floor(math.log10(sd))))  # to the digits of the sd
        fig.add_annotation(text=f"{name}: {mean_told} ± {number(float(sd), 2)}", y=row + HILL, **words)
    bold = {"font": theme.font(bold=True), "yref": "y2 domain"}
    fig.add_annotation(text=title, y=1, **words | bold)


def _layers(x: Array, draws: Array, data: Dataset, num_draws: int, theme: Theme) -> Iterator[Trace]:
    """From back to front: draws, band, data, mean, truth."""
    mean = draws.mean(0)
    if len(draws) > 1:
        thin = theme.line(theme.draws, 1)
        yield line_bundle(x, draws[:num_draws], thin, "Function draws", opacity=theme.draws_opacity)
        fill = tint(theme.epistemic, ONE_SD_OPACITY + 0.08)
        yield band(x, mean, draws.std(0), fill, BAND, meta=TRAIL)
    yield points(data.x, data.y, "Data", theme)  # below the mean, which many points would hide
    hover = "mean %{y:.3g}<extra></extra>"
    look = {"hoverinfo": None, "hovertemplate": hover, "meta": TRAIL}
    yield from cased_line(x, mean, theme.line(theme.mean, 3), CURVE, theme, **look)
    if data.truth is not None:
        x_truth = np.linspace(*data.x_range, TRUTH_POINTS)
        y_truth = np.reshape(data.truth(x_truth[:, None]), (1, -1))
        yield line_bundle(x_truth, y_truth, theme.line(theme.truth, 2, "dash"), "Truth")
