"""The predictive distribution of an image that changes step by step."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.images import image_grid
from bdlviz.plots.softmax import ALEATORIC, EPISTEMIC, GOLDEN
from bdlviz.plots.theme import LIGHT, Theme, axis, empty, tint
from bdlviz.plots.traces import Trace, band, scatter
from bdlviz.types import Array

COURSE_DRAWS = 40  # of every step; more dots would hide each other
MOST_CLASSES, SHOWN_FROM = 5, 0.15  # of the steps together: classes whose mean reaches this value somewhere
MOST_PICTURES = 11


def shift_course(
    stops: Array,
    draws: Array,
    expected_entropy: Array,
    mutual_information: Array,
    images: Array,
    *,
    label: str,
    chosen: int = 0,
    theme: Theme = LIGHT,
    height: int = 540,
) -> go.Figure:
    """The predictive distribution of one image as the image changes.

    Top: class probabilities of some draws as dots and their means as lines, of the most probable classes.
    Middle: the entropy of the mean in nats, as the mean entropy of a draw and the mutual information on top of it.
    Bottom: the image itself. The index of a step is in the ``customdata`` of its picture.

    Args:
        stops: (T,) ascending, what the axis shows; ``label`` names it with its unit.
        draws: (T, S, K).
        expected_entropy: (T,), as is the mutual information.
        images: (T, height, width) from 0 to 1.
        chosen: the step to mark.
    """
    half = (stops[1] - stops[0]) / 2 if len(stops) > 1 else 0.5
    step = max(1, math.ceil(len(stops) / MOST_PICTURES))
    limits = (float(stops[0] - half * step), float(stops[-1] + half * step))
    most = math.log(draws.shape[-1])
    mean = draws.mean(1)
    matter = np.argsort(-mean.max(0), kind="stable")[:MOST_CLASSES]
    shown = np.sort(matter[mean.max(0)[matter] >= SHOWN_FROM])
    traces = [*_entropy_areas(stops, expected_entropy, mutual_information, theme), _steps(stops, label)]
    for index in shown:
        traces += _course_of_class(stops, draws[:, :COURSE_DRAWS, index], mean[:, index], int(index), theme)
    at = float(stops[chosen])
    line = theme.line(theme.ink, 2)
    width = 2 * half * step
    return empty(
        theme,
        height,
        traces=traces,
        xaxis=axis(theme, label, limits, anchor="y3", tickvals=_ticks(stops)),
        yaxis=axis(theme, "Probability", (-0.03, 1.03), domain=(0.61, 1.0), tickformat=".0%", tickvals=[0, 0.5, 1]),
        yaxis2=axis(theme, "Entropy (nats)", (0.0, most), domain=(0.23, 0.56), nticks=4),
        yaxis3=axis(theme, "", (0.0, 1.0), domain=(0.0, 0.19), visible=False),
        barmode="overlay",
        annotations=list(_class_names(stops, mean, shown, theme)),
        images=[_picture_at(images[i], float(stops[i]), width, theme) for i in range(0, len(stops), step)],
        shapes=[{"type": "line", "x0": at, "x1": at, "y0": 0.2, "y1": 1, "yref": "paper", "line": line}],
        legend={"traceorder": "normal"},
    )


def describe_shift_course(stops: Array, expected_entropy: Array, mutual_information: Array) -> str:
    """A description of the figure of `shift_course`, in one sentence with numbers."""
    total = expected_entropy + mutual_information
    peak = int(total.argmax())
    return (
        f"Predictive entropy from {total[0]:.2f} nats at {stops[0]:g} to {total[-1]:.2f} at {stops[-1]:g}, largest at "
        f"{stops[peak]:g}: {expected_entropy[peak]:.2f} in every draw and {mutual_information[peak]:.2f} between draws."
    )


def _course_of_class(stops: Array, draws: Array, mean: Array, label: int, theme: Theme) -> Iterator[Trace]:
    """Dots of the draws (T, S) and the line of their mean (T,)."""
    color = theme.classes[label % len(theme.classes)]
    gap = stops[1] - stops[0] if len(stops) > 1 else 1
    even = (np.arange(draws.shape[1]) + 1) * GOLDEN % 1 - 0.5
    x = stops[:, None] + 0.6 * gap * even * (draws.shape[1] > 1)
    marker = {"size": 4 * theme.scale, "color": color, "opacity": 0.25}
    shared = {"legendgroup": f"{label}", "showlegend": False}
    yield scatter(x, draws, mode="markers", marker=marker, name=f"draws of {label}", hoverinfo="skip", **shared)
    hover = f"class {label}: %{{y:.0%}} on average<extra></extra>"
    line = theme.line(color, 3)
    yield scatter(stops, mean, mode="lines", line=line, name=f"class {label}", hovertemplate=hover, **shared)


def _class_names(stops: Array, mean: Array, shown: Array, theme: Theme) -> Iterator[dict[str, Any]]:
    """The name of each class where its lead over the others is largest."""
    for index in shown:
        others = np.delete(mean, index, axis=1).max(1)
        at = int((mean[:, index] - others).argmax())
        color = theme.classes[int(index) % len(theme.classes)]
        yield {
            "x": float(stops[at]),
            "y": float(mean[at, index]),
            "text": f"{index}",
            "font": theme.font(bold=True, color=theme.text(color)),
            "bgcolor": tint(theme.paper, 0.9),
            "bordercolor": color,
            "borderwidth": 2 * theme.scale,
            "borderpad": 2,
            "showarrow": False,
        }


def _entropy_areas(stops: Array, expected: Array, mutual: Array, theme: Theme) -> Iterator[Trace]:
    """The two parts of the predictive entropy on top of each other, and their sum as a line."""
    parts = (
        ("expected entropy (noise)", np.zeros_like(expected), expected, theme.aleatoric, ALEATORIC),
        ("mutual information (ignorance)", expected, expected + mutual, theme.epistemic, EPISTEMIC),
    )
    for name, low, high, color, opacity in parts:
        middle, half = (low + high) / 2, (high - low) / 2
        yield {**band(stops, middle, half, tint(color, opacity), name), "yaxis": "y2"}
    hover = "predictive entropy %{y:.2f} nats<extra></extra>"
    look = {"mode": "lines", "line": theme.line(theme.ink, 2), "name": "predictive entropy", "showlegend": False}
    yield scatter(stops, expected + mutual, hovertemplate=hover, yaxis="y2", **look)


def _ticks(stops: Array) -> list[float]:
    """At most seven of the steps, evenly spaced, with the first and the last if possible."""
    gaps = max(1, len(stops) - 1)
    every = next(size for size in range(1, gaps + 1) if gaps % size == 0 and gaps // size <= 6)
    return [float(stop) for stop in stops[::every]]


def _picture_at(image: Array, x: float, width: float, theme: Theme) -> dict[str, Any]:
    scale = max(1, round(84 / image.shape[0]))
    picture = base64.b64encode(image_grid(image[None], 1, theme=theme, gap=0, scale=scale)).decode()
    return {
        "source": f"data:image/png;base64,{picture}",
        "xref": "x",
        "yref": "y3",
        "x": x,
        "y": 0.5,
        "sizex": 0.96 * width,
        "sizey": 1,
        "xanchor": "center",
        "yanchor": "middle",
        "sizing": "contain",
        "layer": "above",
    }


def _steps(stops: Array, label: str) -> Trace:
    """An invisible marker over every step's picture, to hover and click."""
    return scatter(
        stops,
        np.full(len(stops), 0.5),
        mode="markers",
        marker={"size": 30, "opacity": 0, "symbol": "square"},
        customdata=np.arange(len(stops), dtype=np.int32),
        hovertemplate=f"{label}: %{{x:g}}<extra></extra>",
        name="steps",
        showlegend=False,
        yaxis="y3",
    )
