"""Noise by pixel: the learned alpha of every pixel, and a digit with that noise."""

from __future__ import annotations

import plotly.graph_objects as go

from bdlviz.plots.images import KEPT_SCALE, add_two_pictures, keep_probabilities
from bdlviz.plots.theme import LIGHT, Theme
from bdlviz.types import Array

LITTLE_TO_MUCH = [[0.0, KEPT_SCALE[-1][1]], [1.0, KEPT_SCALE[1][1]]]  # dark: little noise


def noise_of_pixels(
    alpha: Array,
    title: str,
    pictures: dict[str, Array],
    *,
    theme: Theme = LIGHT,
    height: int = 460,
    stacked: bool = False,
) -> go.Figure:
    """The mean alpha of the weights that leave every pixel (h, w), and beside it a digit without and with the noise.

    ``pictures`` are both digits by name, (h, w) from 0 to 1. ``stacked`` puts them below, for phones.
    """
    fig = keep_probabilities(alpha, theme=theme, height=height)
    fig.update_traces(
        colorscale=LITTLE_TO_MUCH,
        colorbar_title_text="Noise of a pixel's weights (variance α)",
        colorbar_ticktext=["0: none", "0.5", "1: the most"],
        hovertemplate="row %{y}, column %{x}<br>mean α %{z:.2f}<extra></extra>",
    )
    add_two_pictures(fig, title, pictures, theme=theme, stacked=stacked)
    return fig
