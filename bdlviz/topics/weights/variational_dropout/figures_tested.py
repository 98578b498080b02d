"""Accuracy against the noise on all weights of a finished network, beside a digit with that noise."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import percent
from bdlviz.plots.compare import log_axis
from bdlviz.plots.theme import LIGHT, Theme, axis, empty, tint, upright
from bdlviz.plots.traces import line_bundle, scatter
from bdlviz.types import Array

CURVE, DIGIT = ((0.0, 1.0), (0.0, 1.0)), ((0.01, 0.3), (0.02, 0.66))  # across and up: the digit is under the curves
BELOW, FIRST = ((0.0, 1.0), (0.42, 1.0)), ((0.25, 0.75), (0.0, 0.24))  # the same on phones
ROOM, NARROW_ROOM = 0.1, 0.8  # decades at the right of the curves; on phones with room for labels
AT_THE_START, AT_THE_END = 4, 8  # stops before and from which labels stand at the right, and at the left


def accuracy_by_noise(
    noise: Array,
    accuracy: Mapping[str, Array],
    at: int,
    digit: Array,
    *,
    theme: Theme = LIGHT,
    height: int = 460,
    stacked: bool = False,
) -> go.Figure:
    """Shares of right digits (T,) of two networks by name, against multiples of a noise (T,), with dots at ``at``.

    The better network comes first; it was trained with that noise. ``digit`` (h, w) is one with the noise at ``at``.
    """
    curve, picture = (BELOW, FIRST) if stacked else (CURVE, DIGIT)
    low, high = np.log10(noise[[0, -1]])
    rows, columns = digit.shape
    hidden = {"visible": False, "constrain": "domain"}
    label, right = "Noise in the test / noise in training", "Held-out digits that are right"
    fig = empty(
        theme,
        height,
        xaxis=log_axis(theme, label, (low - 0.1, high + (NARROW_ROOM if stacked else ROOM)), domain=curve[0]),
        yaxis=axis(theme, right, (0.0, 1.12), domain=curve[1], tickformat=".0%", tickvals=[0, 0.5, 1]),
        xaxis2=axis(theme, "", (-0.5, columns - 0.5), domain=picture[0], anchor="y2", **hidden),
        yaxis2=axis(
            theme,
            "",
            (rows - 0.5, -0.5),
            domain=picture[1],
            anchor="x2",
            scaleanchor="x2",
            constraintoward="top",
            **hidden,
        ),
        shapes=[upright(1, theme.line(theme.truth, 2, "dash"))],
        showlegend=False,
        margin={"t": 1.8 * theme.font_size},
    )
    note = {"showarrow": False, "font": theme.font(small=True, color=theme.muted), "yanchor": "bottom"}
    fig.add_annotation(text="as in training", x=0, y=1, yref="y domain", xanchor="left", xshift=5, **note)
    above = {"xref": "paper", "x": sum(picture[0]) / 2, "yref": "paper", "y": picture[1][1]}
    fig.add_annotation(text="a digit with this noise", xanchor="center", **above, **note)
    differences = np.subtract(*accuracy.values())
    for (name, values), color, is_first in zip(accuracy.items(), (theme.mean, theme.ink), (True, False), strict=True):
        hover = f"{name}: %{{y:.1%}} right with noise %{{x}}<extra></extra>"
        look = {"hoverinfo": None, "hovertemplate": hover}
        fig.add_trace(line_bundle(noise, values[None], theme.line(color, 3), name, **look))
        marker = {"size": 13 * theme.scale, "color": color, "line": {"width": 2 * theme.scale, "color": theme.paper}}
        dot = {"mode": "markers", "marker": marker, "hoverinfo": "skip", "name": f"{name}, chosen"}
        fig.add_trace(scatter([noise[at]], [values[at]], **dot))
        # A falling curve leaves room above at its right, below at its left.
        is_upper = is_first == (differences[at] >= 0)
        is_left = (is_upper or at < AT_THE_START) and (stacked or at < AT_THE_END)
        fig.add_annotation(
            text=f"{name}:<br>{percent(float(values[at]))} right",
            x=np.log10(noise[at]),
            y=values[at],
            xanchor="left" if is_left else "right",
            xshift=(10 if is_left else -10) * theme.scale,
            yanchor="bottom" if is_upper else "top",
            align="left" if is_left else "right",
            font=theme.font(small=True, bold=True, color=theme.text(color)),
            bgcolor=tint(theme.paper, 0.8),
            showarrow=False,
        )
    frame = {"x0": -0.5, "x1": columns - 0.5, "y0": -0.5, "y1": rows - 0.5, "xref": "x2", "yref": "y2"}
    fig.add_shape(type="rect", line=theme.line(theme.muted, 1), **frame)
    scale = [[0, theme.paper], [1, theme.ink]]
    fig.add_heatmap(
        z=digit.astype(np.float32), zmin=0, zmax=1, colorscale=scale, showscale=False, xaxis="x2", yaxis="y2",
        hoverinfo="skip",
    )  # fmt: skip
    return fig
