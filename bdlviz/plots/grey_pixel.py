"""The distribution of one grey pixel: curves over its grey value, and patches of draws beside them."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import number
from bdlviz.plots.images import image_grid
from bdlviz.plots.theme import LIGHT, Theme, figure, tint
from bdlviz.plots.traces import line_bundle
from bdlviz.types import Array

HIGHEST = 4.2  # of the axis of densities; the largest one of the slider is at its ends


def pixel_densities(
    curves: Mapping[str, Array],
    greys: Array,
    patches: Mapping[str, Array] | None = None,
    *,
    others: Array | None = None,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int = 460,
) -> go.Figure:
    """Two curves (X,) over the grey value of a pixel (X,), and perhaps a patch of draws (S, S) of each.

    The area under the first is shaded. ``others`` (P, X) are the second curve at other parameters, drawn thin. The
    patches stand beside the curves; ``stacked`` puts them below, for phones.
    """
    fig = figure(
        theme,
        x_label="Grey value x of a pixel (0 paper, 1 ink)",
        y_label="Density, per unit of grey value",
        x_range=(0.0, 1.0),
        y_range=(0.0, HIGHEST),
        height=height,
    )
    if patches:
        widths = ((0.0, 1.0), (0.42, 1.0)) if stacked else ((0.0, 0.66), (0.0, 1.0))
        fig.update_xaxes(domain=list(widths[0])).update_yaxes(domain=list(widths[1]))
    if others is not None:
        fig.add_trace(
            line_bundle(greys, others, theme.line(theme.muted, 1), "continuous Bernoulli, other λ", opacity=0.5)
        )
    colors, first = (theme.warning, theme.mean), next(iter(curves.values()))
    for (name, values), color in zip(curves.items(), colors, strict=True):
        shade = {"fill": "tozeroy", "fillcolor": tint(color, 0.25)} if values is first else {}
        fig.add_trace(line_bundle(greys, values[None], theme.line(color, 3), name, **shade))
    end, side = (0, "left") if first[0] >= first[-1] else (-1, "right")  # where there is more of the area
    area = float(((first[1:] + first[:-1]) / 2 * np.diff(greys)).sum())
    font = theme.font(bold=True, color=theme.text(theme.warning))
    note = {"xanchor": side, "yanchor": "bottom", "showarrow": False, "font": font}
    fig.add_annotation(x=greys[end], y=0, text=f"area {number(area, 2)}", **note)
    places = ((0.0, 0.26), (0.52, 0.26)) if stacked else ((0.72, 1.0), (0.72, 0.47))
    for (name, patch), (x, y), color in zip((patches or {}).items(), places, colors, strict=False):
        sheet = image_grid(patch[None], 1, theme=theme, gap=0, scale=12)
        source = f"data:image/png;base64,{base64.b64encode(sheet).decode()}"
        place = {"xref": "paper", "yref": "paper", "x": x, "sizex": 0.28 if not stacked else 0.46}
        height_of = 0.4 if not stacked else 0.24
        under = y - 0.065 * theme.small_size / LIGHT.small_size  # the name is as high as its font
        fig.add_layout_image(source=source, **place, y=under, sizey=height_of, sizing="contain", xanchor="left")
        note = {"text": name, "font": theme.font(small=True, color=theme.text(color)), "showarrow": False}
        fig.add_annotation(x=x, y=y, xref="paper", yref="paper", xanchor="left", yanchor="top", **note)
    return fig.update_layout(legend_traceorder="normal")
