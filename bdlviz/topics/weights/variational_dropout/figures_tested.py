"""One weight with noise, the answers for one digit, and accuracy against the noise on all weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import percent
from bdlviz.plots.theme import LIGHT, Theme, axis, empty, tint, upright
from bdlviz.plots.traces import line_bundle, scatter
from bdlviz.types import Array

Place = tuple[tuple[float, float], tuple[float, float]]  # across and up
WIDE: Sequence[Place] = ((0.42, 1.0), (0.0, 1.0)), ((0.0, 0.31), (0.57, 1.0)), ((0.0, 0.12), (0.0, 0.21))
NARROW: Sequence[Place] = ((0.0, 1.0), (0.0, 0.54)), ((0.0, 0.46), (0.74, 0.93)), ((0.58, 0.78), (0.74, 0.87))
LOST = 3.0  # times the noise, with which most digits are wrong
FACTORS, NARROWEST = (-4.0, 6.0), 0.03  # multiples of its value in which a weight is drawn, and its narrowest hill


def accuracy_by_noise(
    noise: Array,
    with_noise: Array,
    plain: Array,
    at: int,
    *,
    learned: float,
    digit: Array,
    label: int,
    answers: Array,
    theme: Theme = LIGHT,
    height: int = 460,
    stacked: bool = False,
) -> go.Figure:
    """Shares of right digits (T,) of two networks against multiples of a noise (T,), the first one with a dot ``at``.

    It was trained with that noise (``learned``: its sd / value of a weight). Beside it are the values that a weight
    takes with the chosen noise, and a ``digit`` (h, w) of a ``label`` with the network's ``answers`` (S,).
    """
    (curve, bell, image), sd = NARROW if stacked else WIDE, noise[at] * learned
    ticks = {"tickformat": ".0%", "tickvals": [0, 0.5, 1]}
    stops = {"tickvals": [*range(5)], "ticktext": ["0", "1<br>as in training", "2", "3", "4"]}
    about = f"Noise on every weight (sd), 1 = ± {percent(learned, 3)}"
    look = {"constrain": "domain", "visible": False}
    fig = empty(
        theme,
        height,
        xaxis=axis(theme, about, (-0.1, noise[-1] + 0.1), domain=curve[0], **stops),
        yaxis=axis(theme, "Held-out digits that are right", (0.0, 1.12), domain=curve[1], **ticks),
        xaxis2=axis(theme, "" if stacked else "Weight with noise / its value", FACTORS, domain=bell[0], anchor="y2"),
        yaxis2=axis(theme, "", (0.0, 1.3), domain=bell[1], anchor="x2", visible=False),
        xaxis3=axis(theme, "", (-0.5, digit.shape[1] - 0.5), domain=image[0], anchor="y3", **look),
        yaxis3=axis(theme, "", (digit.shape[0] - 0.5, -0.5), domain=image[1], anchor="x3", scaleanchor="x3", **look),
        shapes=[upright(1, theme.line(theme.truth, 2, "dash"))],
        showlegend=False,
        margin={"t": 1.8 * theme.font_size},
    )
    note = {"showarrow": False, "font": theme.font(small=True), "bgcolor": tint(theme.paper, 0.8)}

    def write(text: str, suffix: str, x: float, y: float, xanchor: str, yanchor: str, **changed: object) -> None:
        place = {"xref": f"x{suffix}", "yref": f"y{suffix}", "x": x, "y": y, "xanchor": xanchor, "yanchor": yanchor}
        fig.add_annotation(text=text, align="left", **note | place | changed)

    values = np.linspace(*FACTORS, 401)
    density = np.exp(-(((values - 1) / max(sd, NARROWEST)) ** 2) / 2)
    hill = {"fill": "tozeroy", "fillcolor": tint(theme.mean, 0.3), "xaxis": "x2", "yaxis": "y2", "hoverinfo": "skip"}
    fig.add_trace(line_bundle(values, density[None], theme.line(theme.mean, 3), "weight with noise", **hill))
    width = {"x0": 1 - sd, "x1": 1 + sd, "y0": np.exp(-0.5), "y1": np.exp(-0.5), "xref": "x2", "yref": "y2"}
    fig.add_shape(type="line", line=theme.line(theme.ink, 2), **width)
    bold = {"font": theme.font(bold=True)}
    text = f"One weight with noise:{'<br>' if stacked else ' '}its value ± {percent(sd, 3)} (sd)"
    write(text, "2 domain", 0, 1, "left", "bottom", **bold)
    colors = [[0, theme.paper], [1, theme.ink]]
    fig.add_heatmap(z=digit, colorscale=colors, showscale=False, hoverinfo="skip", xaxis="x3", yaxis="y3")
    right = int((answers == label).sum())
    told = [
        f"<span style='color:{theme.text(theme.mean if each == label else theme.warning)}'>{each}</span>"
        for each in answers
    ]
    title, half = "One digit" if stacked else f"One digit, {len(told)} draws of noise", len(told) // 2
    write(title, "3 domain", 0, 1.08, "left", "bottom", **bold)
    text = f"<b>{' '.join(told[:half])}<br>{' '.join(told[half:])}</b><br>{right} of {len(told)} right"
    write(
        text, "3 domain", *((0, -0.08, "left", "top") if stacked else (1.12, 0.5, "left", "middle")), font=theme.font()
    )
    ends = {"bottom": {len(noise) - 2: "center", len(noise) - 1: "right"}, "top": {0: "left", 1: "center"}}
    for name, y, color, side in (("without", plain, theme.muted, "top"), ("with", with_noise, theme.mean, "bottom")):
        hover = f"trained {name} noise: %{{y:.1%}} right with noise %{{x}}<extra></extra>"
        line = theme.line(color, 3) if side == "bottom" else theme.line(color, 2, "dot")
        fig.add_trace(line_bundle(noise, y[None], line, name, hoverinfo=None) | {"hovertemplate": hover})
        marker = {"size": 13 * theme.scale, "color": color, "line": {"width": 2 * theme.scale, "color": theme.paper}}
        dot = {"mode": "markers", "marker": marker, "hoverinfo": "skip", "name": f"chosen {name}"}
        fig.add_trace(scatter([noise[at]], [y[at]], **dot))
        anchor = ends[side].get(at, "left" if side == "bottom" else "right")
        shift = {"xshift": {"left": 10, "right": -10}.get(anchor, 0)}
        shift |= {"yshift": (24 if side == "bottom" else -12) if at in ends[side] else 0}
        text = f"{name}: " if side == "bottom" or noise[at] > 1 else ""  # elsewhere phones have no room
        text = f"{text if stacked else f'trained {name} noise:<br>'}{percent(float(y[at]))}"
        font = theme.font(small=True, bold=True, color=theme.text(color))
        write(text, "", noise[at], y[at], anchor, side, font=font, **shift)
    if noise[at] < LOST:
        lost, font = float(with_noise[list(noise).index(LOST)]), theme.font(small=True, color=theme.text(theme.mean))
        fig.add_trace(
            scatter([LOST], [lost], mode="markers", marker={"size": 8, "color": theme.mean}, hoverinfo="skip")
        )
        write(percent(lost), "", LOST, lost, "left", "bottom", font=font)
    return fig
