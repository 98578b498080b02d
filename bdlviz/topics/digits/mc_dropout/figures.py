"""The plane of noise and ignorance: expected entropy against mutual information."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.theme import LIGHT, Theme, figure
from bdlviz.plots.traces import Trace, scatter
from bdlviz.types import Array


def uncertainty_plane(
    expected_entropy: Array,
    mutual_information: Array,
    is_wrong: Array,
    *,
    num_classes: int = 10,
    hover: Sequence[str] | None = None,
    chosen: Sequence[int] = (),
    course: tuple[Array, Array, str] | None = None,
    theme: Theme = LIGHT,
    height: int = 520,
) -> go.Figure:
    """Images as points: the mean entropy of a draw against the mutual information, both (N,) in nats.

    Dotted lines join points of equal predictive entropy, which is the sum of the two. Wrongly classified images
    (``is_wrong``, (N,)) are crosses. The index of every image is in ``customdata``.

    Args:
        hover: one text per image.
        chosen: images to single out by a ring.
        course: the path of one image that changes, as both coordinates (T,) and its name.
    """
    path = (np.empty(0), np.empty(0)) if course is None else course[:2]
    every = zip((expected_entropy, mutual_information), path, strict=True)
    right, top = (_ceiling(np.concatenate(values), math.log(num_classes)) for values in every)
    fig = figure(
        theme,
        x_label="Expected entropy of a draw (nats): noise",
        y_label="Mutual information (nats): ignorance",
        x_range=(-0.02 * right, right),
        y_range=(-0.02 * top, top),
        height=height,
    )
    fig.add_traces(list(_sums(right, top, theme)))
    for wrong, name in ((False, "right"), (True, "wrong")):
        rows = np.flatnonzero(np.asarray(is_wrong, bool) == wrong)
        fig.add_trace(_images_as_points(rows, expected_entropy, mutual_information, name, hover, theme))
    if course is not None:
        fig.add_traces(list(_course_on_plane(*course, theme)))
    if len(chosen):
        line = {"width": 3 * theme.scale, "color": theme.ink}
        ring = {"symbol": "circle-open", "size": 18 * theme.scale, "color": theme.ink, "line": line}
        x, y = expected_entropy[list(chosen)], mutual_information[list(chosen)]
        fig.add_trace(scatter(x, y, mode="markers", marker=ring, hoverinfo="skip", name="chosen"))
    return fig.update_layout(legend_traceorder="normal")


def describe_uncertainty_plane(expected_entropy: Array, mutual_information: Array, is_wrong: Array) -> str:
    """What `uncertainty_plane` shows, in two sentences with numbers."""
    total = expected_entropy + mutual_information
    by_answer = [
        f"{name} {values.mean():.2f}"
        for name, values in (("right", total[~is_wrong]), ("wrong", total[is_wrong]))
        if len(values)
    ]
    return (
        f"{len(total)} images by the mean entropy of a draw, up to {expected_entropy.max():.2f} nats, and the mutual "
        f"information, up to {mutual_information.max():.2f}. Mean of their sum: {', '.join(by_answer)}."
    )


def _muted(theme: Theme) -> dict[str, Any]:
    return theme.font(small=True, color=theme.muted)


def _ceiling(values: Array, most: float) -> float:
    """The end of an axis that holds all values: a multiple of a quarter, and at least one half."""
    return min(max(0.5, math.ceil(4.2 * float(np.max(values, initial=0.0))) / 4), 1.05 * most)


def _sums(right: float, top: float, theme: Theme) -> Iterator[Trace]:
    """Lines of equal predictive entropy, named where they leave the picture at the left or at the top."""
    totals = np.arange(0.5, right + top, 0.5)
    x = np.concatenate([[min(total, right), max(total - top, 0), np.nan] for total in totals])
    y = np.concatenate([[total - min(total, right), total - max(total - top, 0), np.nan] for total in totals])
    look = {"line": theme.line(theme.truth, 1, "dot"), "hoverinfo": "skip", "showlegend": False}
    yield scatter(x, y, mode="lines", name="equal predictive entropy", **look)
    ends = np.stack([x[1::3], y[1::3]], 1)
    told = {"mode": "text", "text": [f" sum {total:g}" for total in totals], "textposition": "bottom right"}
    yield scatter(
        ends[:, 0], ends[:, 1], name="sums", textfont=_muted(theme), hoverinfo="skip", showlegend=False, **told
    )


def _images_as_points(
    rows: Array, expected: Array, mutual: Array, name: str, hover: Sequence[str] | None, theme: Theme
) -> Trace:
    wrong = name == "wrong"
    marker: dict[str, Any] = {
        "symbol": "x" if wrong else "circle",
        "size": (8 if wrong else 7) * theme.scale,
        "color": theme.warning if wrong else theme.data,
        "opacity": 0.9 if wrong else 0.4,
    }
    text = {"text": [hover[int(row)] for row in rows]} if hover else {}
    template = ("%{text}<br>" if hover else "") + "within draws %{x:.2f}, between %{y:.2f}<extra></extra>"
    return scatter(
        expected[rows],
        mutual[rows],
        mode="markers",
        marker=marker,
        name=name,
        customdata=np.asarray(rows, np.int32),
        hovertemplate=template,
        **text,
    )


def _course_on_plane(x: Array, y: Array, name: str, theme: Theme) -> Iterator[Trace]:
    marker = {"size": np.linspace(4, 10, len(x)).round(1).tolist(), "color": theme.mean}
    line = theme.line(theme.mean, 2)
    yield scatter(x, y, mode="lines+markers", line=line, marker=marker, name=name, hoverinfo="skip")
