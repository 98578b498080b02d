"""The figure of likelihoods of one grey pixel."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from bdlviz.plots.theme import LIGHT, Theme, figure
from bdlviz.plots.traces import line_bundle
from bdlviz.types import Array


def pixel_densities(
    curves: Mapping[str, Array], x: Array, *, theme: Theme = LIGHT, height: int = 340, top: float = 3.4
) -> go.Figure:
    """Likelihoods (name -> (X,)) of one grey pixel x (X,) at one parameter."""
    fig = figure(
        theme,
        x_label="Grey value x of a pixel (0 to 1)",
        y_label="Density, per unit of grey value",
        x_range=(0.0, 1.0),
        y_range=(0.0, top),
        height=height,
    )
    styles = [theme.line(theme.warning, 3), theme.line(theme.mean, 3), theme.line(theme.exact, 3, "dash")]
    for (name, values), line in zip(curves.items(), styles, strict=False):
        fig.add_trace(line_bundle(x, values[None], line, name))
    return fig.update_layout(legend_traceorder="normal")
