"""The code of one image, dimension by dimension."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.theme import LIGHT, Theme, figure, tint
from bdlviz.plots.traces import scatter
from bdlviz.types import Array


def posterior_bars(mean: Array, std: Array, *, theme: Theme = LIGHT, height: int = 260) -> go.Figure:
    """The code of one image, dimension by dimension: mean and two standard deviations (Z,), on the prior's band.

    A dimension whose bar fills the band holds no information about the image.
    """
    top = max(3.0, float(np.abs(mean).max() + 2 * std.max()))
    places = np.arange(1, len(mean) + 1, dtype=np.float32)
    ticks = places if len(places) <= 20 else places[::4]
    bars = np.stack([places, places, np.full_like(places, np.nan)], axis=1)
    ends = np.stack([mean - 2 * std, mean + 2 * std, np.full_like(mean, np.nan)], axis=1)
    bar = {"mode": "lines", "line": theme.line(theme.mean, 5), "opacity": 0.5, "name": "q(z|x), ± 2 sd"}
    marker = {"color": theme.mean, "size": 8 * theme.scale}
    hover = "z%{x}: %{y:.2f}<extra></extra>"
    key = {"mode": "markers", "marker": {"symbol": "square", "size": 14, "color": tint(theme.prior, 0.25)}}
    shade = {"type": "rect", "fillcolor": tint(theme.prior, 0.1), "line": {"width": 0}, "layer": "below"}
    wide = {"x0": 0, "x1": 1, "xref": "x domain", "yref": "y"}
    return figure(
        theme,
        x_label="Code dimension j",
        y_label="z<sub>j</sub>",
        x_range=(0.4, len(mean) + 0.6),
        y_range=(-top, top),
        height=height,
        traces=[
            scatter(bars, ends, hoverinfo="skip", **bar),
            scatter(places, mean, mode="markers", marker=marker, name="mean", hovertemplate=hover),
            scatter([np.nan], [np.nan], name="prior N(0, 1), 1 and 2 sd", **key),
        ],
        shapes=[{**shade, **wide, "y0": -reach, "y1": reach} for reach in (2, 1)],
        xaxis={"tickvals": ticks.tolist()},
        legend={"traceorder": "normal"},
    )
