"""Grey values of images from four likelihoods, and the collapse of code dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz import plots
from bdlviz.plots.curves import log_ticks, power_of_ten
from bdlviz.plots.theme import LIGHT, Theme, figure
from bdlviz.plots.traces import line_bundle, scatter
from bdlviz.predictive.latent import COLLAPSED
from bdlviz.types import Array

GREY_BIN = 0.05


def rows_of_images(
    rows: Mapping[str, Array], *, num_columns: int = 10, theme: Theme = LIGHT, height: int = 460
) -> go.Figure:
    """Images (M, D) in one row for each name, the first ``num_columns`` of each: equal columns belong together."""
    side = int(np.sqrt(next(iter(rows.values())).shape[1]))
    images = np.concatenate([each[:num_columns] for each in rows.values()]).reshape(-1, side, side)
    extent = (1, num_columns, 1, len(rows))
    fig: Any = plots.manifold(images, extent, columns=num_columns, theme=theme, labels=("", ""), height=height)
    fig.update_traces(hoverinfo="skip", hovertemplate=None).update_xaxes(visible=False, constraintoward="left")
    look = {"showgrid": False, "ticks": "", "showline": False, "tickfont": theme.font(small=True)}
    return fig.update_yaxes(tickvals=[*range(len(rows), 0, -1)], ticktext=list(rows), **look)


def grey_values(
    pictures: Mapping[str, Array], images: Array | None = None, *, theme: Theme = LIGHT, height: int = 320
) -> go.Figure:
    """How often each grey value occurs in pictures, up to four sets of them by name, and in the images of the data.

    Shares of pixels in bins of `GREY_BIN`, on a logarithmic axis, since most pixels are paper.
    """
    edges = np.arange(-0.5, 1.5 + GREY_BIN / 2, GREY_BIN) - GREY_BIN / 2  # 0 and 1 stand in the middle of a bin
    limits = (-4.0, 0.3)
    fig = figure(
        theme,
        x_label="Grey value (0 paper, 1 ink)",
        y_label="Share of pixels",
        x_range=(-0.5, 1.5),
        y_range=limits,
        height=height,
    )
    styles = [
        theme.line(theme.warning, 2.5),
        theme.line(theme.muted, 2.5, "dash"),
        theme.line(theme.mean, 2.5),
        theme.line(theme.aleatoric, 2.5),
    ]
    sets = [*zip(pictures.items(), styles, strict=False)]
    if images is not None:
        sets.insert(0, (("images", images), theme.line(theme.ink, 3, "dot")))
    for (name, values), line in sets:
        counts, _ = np.histogram(values, edges)
        share = np.maximum(counts / max(1, values.size), 10 ** (limits[0] - 1))  # none: below the axis
        line = {**line, "shape": "hvh"}
        fig.add_trace(scatter(edges[:-1] + GREY_BIN / 2, share, mode="lines", line=line, name=name, hoverinfo="skip"))
    return fig.update_layout(yaxis=log_ticks(limits, power_of_ten), legend_traceorder="normal")


def collapse_by_weight(
    weights: Sequence[str], kl: Array, *, chosen: int | None = None, theme: Theme = LIGHT, height: int = 400
) -> go.Figure:
    """KL term of each code dimension (C, Z), the largest first, against the weight of the term (C,), as text.

    On a logarithmic axis; dimensions below the dotted line have collapsed. ``chosen`` marks one weight.
    """
    places = np.arange(len(weights), dtype=np.float32)
    limits = (-3.0, float(np.log10(max(kl.max(), 1.0))) + 0.2)
    fig = figure(
        theme,
        x_label="Weight β of the KL term",
        y_label="KL of one dimension (nats per image)",
        x_range=(-0.4, len(weights) - 0.6),
        y_range=limits,
        height=height,
    )
    lines = np.maximum(-np.sort(-kl, axis=1), 10 ** limits[0]).T
    name = f"{kl.shape[1]} dimensions, sorted by their KL"
    fig.add_trace(line_bundle(places, lines, theme.line(theme.prior, 2), name))
    fig.add_hline(y=COLLAPSED, line=theme.line(theme.muted, 1.5, "dot"))
    note = {"x": len(weights) - 0.6, "y": float(np.log10(COLLAPSED)), "xanchor": "right", "yanchor": "bottom"}
    fig.add_annotation(text="collapsed below", font=theme.font(small=True, color=theme.muted), showarrow=False, **note)
    if chosen is not None:
        fig.add_vline(x=chosen, line=theme.line(theme.muted, 1.5, "dash"))
    fig.update_layout(yaxis=log_ticks(limits, power_of_ten), legend_traceorder="normal")
    return fig.update_xaxes(tickvals=places.tolist(), ticktext=list(weights))
