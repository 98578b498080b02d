"""Which noise of which weights: a small network whose weights with one common alpha stand out, and alphas by pixel."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.theme import LIGHT, Theme
from bdlviz.plots.traces import scatter
from bdlviz.topics.weights.variational_dropout.figures import alpha_picture
from bdlviz.types import Array

NUM_PIXELS, NUM_UNITS = 5, 4  # of the small network
CHOSEN = 1  # the pixel whose weights stand out, and the unit that one of them goes to
TITLES = {
    "layer": "One α for all weights of a layer",
    "neuron": "One α for all weights of a pixel",
    "weight": "One α for each weight",
}
NOISE = "weight = mean · ξ,  ξ ~ N(1, α)"
NETWORK, PICTURE = (0.0, 0.34), (0.42, 1.0)  # domains of both parts side by side
BELOW, ABOVE = (0.0, 0.24), (0.48, 1.0)  # and one above the other


def noise_of_pixels(
    alpha: Array, per: str, *, theme: Theme = LIGHT, height: int = 460, stacked: bool = False
) -> go.Figure:
    """The mean alpha of the weights that leave every pixel (h, w), and beside it which weights have one alpha.

    ``per`` is "layer", "neuron" or "weight". ``stacked`` puts the small network below the pixels, for phones.
    """
    fig = alpha_picture(alpha, theme=theme, height=height)
    fig.update_traces(colorbar_title_text="Mean α of a pixel's weights")
    hidden = {"visible": False, "fixedrange": True}
    across, up = ((0.0, 1.0), BELOW) if stacked else (NETWORK, (0.0, 0.92))
    fig.update_layout(
        xaxis_domain=[0.0, 1.0] if stacked else [*PICTURE],
        yaxis_domain=[*ABOVE] if stacked else [0.0, 1.0],
        xaxis2={**hidden, "domain": [*across], "range": [-0.25, 1.25], "anchor": "y2"},
        yaxis2={**hidden, "domain": [*up], "range": [-0.75, 0.62], "anchor": "x2"},
    )
    if stacked:
        fig.update_traces(colorbar_y=0.47)
    else:
        fig.update_traces(colorbar_x=sum(PICTURE) / 2, colorbar_xanchor="center")
    pixels, units = np.linspace(0.5, -0.5, NUM_PIXELS), np.linspace(0.4, -0.4, NUM_UNITS)
    pairs = [(pixel, unit) for pixel in range(NUM_PIXELS) for unit in range(NUM_UNITS)]
    shared = [_shares(per, *pair) for pair in pairs]
    for stands_out in (False, True):
        chosen = [pair for pair, is_shared in zip(pairs, shared, strict=True) if is_shared is stands_out]
        fig.add_trace(_weights(chosen, pixels, units, stands_out, theme))
    for x, y, name in ((0.0, pixels, "pixels"), (1.0, units, "hidden units")):
        marker = {"size": 15 * theme.scale, "color": theme.paper, "line": {"width": 2, "color": theme.ink}}
        look: dict[str, Any] = {"mode": "markers", "marker": marker, "hoverinfo": "skip", "showlegend": False}
        fig.add_trace(scatter(np.full(len(y), x), y, name=name, **look, **_axes()))
        fig.add_annotation(x=x, y=-0.75, text=name, yanchor="bottom", **_words(theme, is_small=True))
    top = {"x": 0.5, "y": 1.0, "yref": "y2 domain", "yanchor": "bottom", "xref": "x2"}
    fig.add_annotation(**top, text=f"<b>{TITLES[per]}</b><br>{NOISE}", showarrow=False, font=theme.font(small=True))
    return fig


def _shares(per: str, pixel: int, unit: int) -> bool:
    """True for the weights that have the same alpha as the weight between the chosen pixel and the chosen unit."""
    return per == "layer" or (pixel == CHOSEN and (per == "neuron" or unit == CHOSEN))


def _weights(pairs: list[tuple[int, int]], pixels: Array, units: Array, stands_out: bool, theme: Theme) -> Any:
    x = [each for _ in pairs for each in (0.0, 1.0, np.nan)]
    y = [each for pixel, unit in pairs for each in (pixels[pixel], units[unit], np.nan)]
    line = theme.line(theme.mean, 3) if stands_out else theme.line(theme.grid, 1.5)
    name = "weights with one alpha" if stands_out else "other weights"
    look: dict[str, Any] = {"mode": "lines", "line": line, "name": name, "hoverinfo": "skip", "showlegend": False}
    return scatter(np.array(x), np.array(y), **look, **_axes())


def _axes() -> dict[str, str]:
    return {"xaxis": "x2", "yaxis": "y2"}


def _words(theme: Theme, is_small: bool) -> dict[str, Any]:
    font = theme.font(small=is_small, color=theme.muted)
    return {"xref": "x2", "yref": "y2", "showarrow": False, "font": font}
