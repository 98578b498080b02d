"""The bound of one image given each class."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.theme import LIGHT, Theme, figure
from bdlviz.plots.traces import scatter
from bdlviz.types import Array


def bounds_by_class(values: Array, label: int, *, theme: Theme = LIGHT, height: int = 340) -> go.Figure:
    """The bound of one image given each class (C,), as rods; the image's own class is the strong one."""
    classes = np.arange(len(values))
    low, high = float(values.min()), float(values.max())
    room = 0.12 * (high - low or 1.0)
    fig = figure(
        theme,
        x_label="Class y",
        y_label="Bound on log p(x|y) (nats)",
        x_range=(-0.6, len(values) - 0.4),
        y_range=(low - room, high + 1.5 * room),
        height=height,
    )
    gaps = np.full(len(values), np.nan)
    rods = (
        np.stack([classes, classes, gaps], axis=1),
        np.stack([np.full_like(values, low - room), values, gaps], axis=1),
    )
    thin = {"hoverinfo": "skip", "showlegend": False}
    fig.add_trace(scatter(*rods, mode="lines", line=theme.line(theme.muted, 2), **thin))
    hover = "y = %{x}: %{y:.1f} nats<extra></extra>"
    for members, color, name in (
        (classes != label, theme.muted, "other classes"),
        (classes == label, theme.mean, "the image's own class"),
    ):
        marker = {"size": 12 * theme.scale, "color": color}
        points = {"mode": "markers", "marker": marker, "name": name, "hovertemplate": hover}
        fig.add_trace(scatter(classes[members], values[members], **points))
    best = int(values.argmax())
    text = f"{high:.1f}".replace("-", "−")
    fig.add_annotation(x=best, y=high, text=text, yanchor="bottom", yshift=8, font=theme.font(), showarrow=False)
    return fig.update_xaxes(tickvals=classes.tolist(), showgrid=False).update_layout(legend_traceorder="normal")
