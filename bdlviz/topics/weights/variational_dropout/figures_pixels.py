"""Noise by pixel: the learned alpha of every pixel, and a digit with that noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.images import KEPT_SCALE, keep_probabilities
from bdlviz.plots.theme import LIGHT, Theme
from bdlviz.types import Array

NAMES = ("a digit", "as one hidden unit gets it")
LITTLE_TO_MUCH = [[0.0, KEPT_SCALE[-1][1]], [1.0, KEPT_SCALE[1][1]]]  # dark: little noise


def noise_of_pixels(
    alpha: Array, image: Array, noisy: Array, *, theme: Theme = LIGHT, height: int = 460, stacked: bool = False
) -> go.Figure:
    """The mean alpha of the weights that leave every pixel (h, w), and beside it a digit without and with the noise.

    ``image`` and ``noisy`` are (h, w) from 0 to 1. ``stacked`` puts both below, for phones.
    """
    fig = keep_probabilities(alpha, theme=theme, height=height)
    fig.update_traces(
        colorscale=LITTLE_TO_MUCH,
        colorbar_title_text="Mean α of a pixel's weights: dark is little noise",
        hovertemplate="row %{y}, column %{x}<br>mean α %{z:.2f}<extra></extra>",
    )
    main, places = ((0.0, 0.62), (0.0, 1.0)), [((0.7, 1.0), (0.55, 0.95)), ((0.7, 1.0), (0.0, 0.42))]
    if stacked:
        main, places = ((0.0, 1.0), (0.44, 1.0)), [((0.0, 0.47), (0.0, 0.2)), ((0.53, 1.0), (0.0, 0.2))]
        fig.update_traces(colorbar_y=0.43)
    else:
        fig.update_traces(colorbar_x=sum(main[0]) / 2, colorbar_xanchor="center")
    fig.update_layout(xaxis_domain=list(main[0]), yaxis_domain=list(main[1]))
    rows, columns = alpha.shape
    ink = [[0, theme.paper], [1, theme.ink]]
    for index, (name, picture, (x_domain, y_domain)) in enumerate(zip(NAMES, (image, noisy), places, strict=True), 2):
        box: dict[str, Any] = {"visible": False, "constrain": "domain", "fixedrange": True}
        x_axis = {**box, "domain": list(x_domain), "range": [-0.5, columns - 0.5], "anchor": f"y{index}"}
        y_axis = {**box, "domain": list(y_domain), "range": [rows - 0.5, -0.5], "scaleanchor": f"x{index}"}
        fig.update_layout({f"xaxis{index}": x_axis, f"yaxis{index}": {**y_axis, "constraintoward": "top"}})
        look: dict[str, Any] = {"showscale": False, "hoverinfo": "skip", "xaxis": f"x{index}", "yaxis": f"y{index}"}
        fig.add_heatmap(z=np.asarray(picture, np.float32), zmin=0, zmax=1, colorscale=ink, name=name, **look)
        words = {"xref": "paper", "yref": "paper", "x": sum(x_domain) / 2, "y": y_domain[1], "yanchor": "bottom"}
        fig.add_annotation(text=name, font=theme.font(small=True), showarrow=False, **words)
    return fig
