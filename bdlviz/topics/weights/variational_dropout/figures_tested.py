"""Accuracy against the noise on all weights of a finished network, beside the noise of one weight."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import percent
from bdlviz.plots.compare import log_axis
from bdlviz.plots.theme import LIGHT, Theme, axis, empty, tint, upright
from bdlviz.plots.traces import line_bundle, scatter
from bdlviz.types import Array

CURVE, BELL = ((0.41, 1.0), (0.0, 1.0)), ((0.0, 0.31), (0.0, 1.0))  # across and up, side by side
BELOW, FIRST = ((0.0, 1.0), (0.0, 0.56)), ((0.0, 1.0), (0.72, 1.0))  # the same on phones
ROOM = 0.8  # decades at the right of the curves, for labels
AT_THE_START, AT_THE_END = 4, 8  # stops before and from which labels stand at the right, and at the left
FACTORS, MORE = (-4.0, 6.0), 10  # values of one noise that are drawn; the noise of which the claim speaks


def accuracy_by_noise(
    noise: Array,
    accuracy: Mapping[str, Array],
    at: int,
    alpha: float,
    flipped: float,
    *,
    theme: Theme = LIGHT,
    height: int = 460,
    stacked: bool = False,
) -> go.Figure:
    """Shares of right digits (T,) of two networks by name, against multiples of a noise (T,), with dots at ``at``.

    The better network comes first; it was trained with that noise. Beside them are the values that a weight takes with
    noise of variance ``alpha``, of which the share ``flipped`` has the other sign.
    """
    curve, bell = (BELOW, FIRST) if stacked else (CURVE, BELL)
    low, high = np.log10(noise[[0, -1]])
    label, right = "Variance of the noise, test / training", "Held-out digits that are right"
    ticks = {"tickformat": ".0%", "tickvals": [0, 0.5, 1]}
    fig = empty(
        theme,
        height,
        xaxis=log_axis(theme, label, (low - 0.1, high + ROOM), domain=curve[0], anchor="y"),
        yaxis=axis(theme, right, (0.0, 1.12), domain=curve[1], anchor="x", **ticks),
        xaxis2=axis(theme, "Weight with noise / its value", FACTORS, domain=bell[0], anchor="y2"),
        yaxis2=axis(theme, "", (0.0, 1.3), domain=bell[1], anchor="x2", visible=False),
        shapes=[upright(1, theme.line(theme.truth, 2, "dash"))],
        showlegend=False,
        margin={"t": 1.8 * theme.font_size},
    )
    note = {"showarrow": False, "font": theme.font(small=True), "bgcolor": tint(theme.paper, 0.8)}
    values = np.linspace(*FACTORS, 201)
    density = np.exp(-((values - 1) ** 2) / (2 * alpha))
    for inside, color, name in ((values >= 0, theme.mean, "same sign"), (values <= 0, theme.warning, "other sign")):
        look = {"fill": "tozeroy", "fillcolor": tint(color, 0.3), "xaxis": "x2", "yaxis": "y2", "hoverinfo": "skip"}
        fig.add_trace(line_bundle(values[inside], density[None, inside], theme.line(color, 3), name, **look))
    fig.add_shape(type="line", x0=1, x1=1, y0=0, y1=1.05, xref="x2", yref="y2", line=theme.line(theme.ink, 1.5, "dash"))
    fig.add_annotation(
        text="without noise", x=1, y=1.05, xref="x2", yref="y2", xanchor="left", yanchor="bottom", **note
    )
    told = f"other sign:<br>{percent(flipped)} of draws"
    place = {
        "x": FACTORS[0],
        "y": 1.28,
        "yanchor": "top",
        "xref": "x2",
        "yref": "y2",
        "xanchor": "left",
        "align": "left",
    }
    fig.add_annotation(text=told, **place, **note | {"font": theme.font(small=True, color=theme.text(theme.warning))})
    title = {"xref": "x2 domain", "yref": "y2 domain", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    fig.add_annotation(text="One weight, many draws of noise", **title, **note | {"font": theme.font(bold=True)})
    fig.add_annotation(
        text="as in training", x=0, y=0, yref="y domain", xanchor="right", yanchor="bottom", xshift=-4, **note
    )
    more = [*noise].index(MORE)
    differences = np.subtract(*accuracy.values())
    for (name, shares), color, is_first in zip(accuracy.items(), (theme.mean, theme.ink), (True, False), strict=True):
        hover = f"{name}: %{{y:.1%}} right with noise %{{x}}<extra></extra>"
        look = {"hoverinfo": None, "hovertemplate": hover}
        fig.add_trace(line_bundle(noise, shares[None], theme.line(color, 3), name, **look))
        marker = {"size": 13 * theme.scale, "color": color, "line": {"width": 2 * theme.scale, "color": theme.paper}}
        dot = {"mode": "markers", "marker": marker, "hoverinfo": "skip", "name": f"{name}, chosen"}
        fig.add_trace(scatter([noise[at]], [shares[at]], **dot))
        font = theme.font(small=True, bold=True, color=theme.text(color))
        # A falling curve leaves room above at its right, below at its left.
        is_upper = is_first == (differences[at] >= 0)
        is_left = (is_upper or at < AT_THE_START) and at < AT_THE_END
        fig.add_annotation(
            text=f"{name}:<br>{percent(float(shares[at]))} right",
            x=np.log10(noise[at]),
            y=shares[at],
            xanchor="left" if is_left else "right",
            xshift=(10 if is_left else -10) * theme.scale,
            yanchor="bottom" if is_upper else "top",
            align="left" if is_left else "right",
            **note | {"font": font},
        )
        if is_first and abs(at - more) > 1:
            ring = marker | {"symbol": "circle-open", "line": {"width": 3 * theme.scale, "color": color}}
            fig.add_trace(scatter([MORE], [shares[more]], **dot | {"marker": ring, "name": "ten times"}))
            text = f"×{MORE}: {percent(float(shares[more]))}"
            beside = {"x": np.log10(MORE), "y": shares[more], "xanchor": "left", "yanchor": "bottom", "xshift": 8}
            fig.add_annotation(text=text, **beside, **note | {"font": font})
    return fig
