"""Softmax samples of one image, and the two parts of their entropy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import percent
from bdlviz.errors import InvalidInput
from bdlviz.plots.theme import LIGHT, Theme, axis, empty, tint
from bdlviz.plots.traces import Trace, cased_line, float32, line_bundle, scatter
from bdlviz.types import Array

BAR, LINE, GAPS = 18, 1.35, 18  # of the bar of entropy and the words above it: px, lines of text, px between them
ROOM = 0.8  # share of the height of a figure that legend and axes leave
HALF = 0.42  # largest horizontal offset of dots, relative to the distance between two classes
BINS = 40  # of the probability, for the density of dots
CELL = (0.02, 0.004)  # width in classes and height of about a pixel
MANY = 100  # draws, from which on dots are small
GOLDEN = 0.6180339887  # multiples of it fill an interval evenly
MARK = 0.34  # half the length of the line at a mean
FROM, TOP = 0.02, 1.09  # smallest mean that is shown as a number, and the height of that number
LABELS = (0.92, 0.76, 0.56, 0.36)  # heights of the labels of two draws, a dot and a mean
ASIDE = 0.75  # how far these stand from a class
DOUBTS = {  # ticks of the axis of entropy
    "tickangle": 0,
    "tickvals": [0, math.log(2), math.log(4)],
    "ticktext": ["0: certain", f"{math.log(2):.2f}: two equal", f"{math.log(4):.2f}: four equal"],
}
SURE = 0.1  # nats of entropy below which there is nothing to explain
EPISTEMIC, ALEATORIC = 0.45, 0.55  # opacity of the areas


def softmax_draws(
    draws: Array,
    mean: Array,
    *,
    expected_entropy: float,
    mutual_information: float,
    label: int | None = None,
    theme: Theme = LIGHT,
    height: int = 460,
    is_narrow: bool = False,
) -> go.Figure:
    """Class probabilities of S draws (S, K) for one image, a dot for each draw and class, with their ``mean`` (K,).

    Lines link the dots of two `typical` draws, so that one sees whether single draws are sure. Means of at least 2 %
    are shown as numbers above their class. Dots are moved horizontally, more where many have about the same
    probability, so that the width of a cloud shows its density. The bar below is the entropy of the mean in nats, split
    into the mean entropy of a draw and the mutual information.

    Args:
        label: the image's true class, if it is known.
        is_narrow: for phones, with shorter words.

    Raises:
        InvalidInput: a probability that is not finite.
    """
    num_classes = len(mean)
    if not (np.isfinite(draws).all() and np.isfinite(mean).all()):
        raise InvalidInput("Probabilities must be finite numbers; one of these is not.")
    fig = _over_bar(theme, num_classes, height)
    fig.add_traces([_dots(draws, theme), *_means(mean, len(draws), theme)])
    _add_typical(fig, draws, mean, theme)
    if label is not None:
        line = theme.line(theme.truth, 2, "dash")
        fig.add_shape(type="line", x0=label, x1=label, y0=0, y1=1.03, line=line, layer="below")
        fig.update_layout(xaxis_ticktext=[f"<b>{i}</b><br>label" if i == label else f"{i}" for i in range(num_classes)])
    for index in np.flatnonzero(mean >= FROM):
        font = theme.font(small=True, bold=True, color=theme.text(theme.mean))
        place = {"x": int(index), "y": TOP, "yanchor": "middle", "showarrow": False}
        fig.add_annotation(text=f"{mean[index]:.0%}", font=font, **place)
    fig.add_traces(list(_entropy_bar(expected_entropy, mutual_information, theme)))
    fig.add_annotation(**_entropy_words(expected_entropy, mutual_information, theme))
    if is_narrow:
        fig.for_each_annotation(lambda each: each.update(text=each.text.removesuffix("%").split(": ")[-1]))
    return fig


def describe_softmax_draws(draws: Array, mean: Array, label: int | None = None) -> str:
    """A description of the figure of `softmax_draws`, in two sentences with numbers, for screen readers."""
    order = np.argsort(-mean, kind="stable")[:3]
    spans = np.quantile(draws[:, order], [0.05, 0.95], axis=0).T
    parts = ", ".join(
        f"{index} with mean {mean[index]:.0%} (draws from {low:.0%} to {high:.0%})"
        for index, (low, high) in zip(order, spans, strict=True)
    )
    told = "" if label is None else f" The label is {label}."
    return f"Class probabilities of one image in {len(draws)} draws; the most probable classes are {parts}.{told}"


def _over_bar(theme: Theme, num_classes: int, height: int) -> go.Figure:
    """The axes of the probabilities over classes, and below them those of the bar of entropy."""
    bar = BAR * theme.scale
    between = 3 * LINE * theme.small_size + GAPS * theme.scale  # classes and label, and the words above the bar
    ticks = {"tickformat": ".0%", "tickvals": [0, 0.5, 1]}
    low = (between + bar) / (ROOM * height)
    classes = {
        "tickvals": list(range(num_classes)),
        "ticktext": [f"{i}" for i in range(num_classes)],
        "anchor": "y",
        "showgrid": False,
    }
    label = {"text": "class", "font": theme.font(small=True), "showarrow": False, "xref": "paper", "x": 0, "y": 0}
    return empty(
        theme,
        height,
        annotations=[label | {"yref": "y domain", "xanchor": "right", "yanchor": "top", "xshift": -4, "yshift": -4}],
        xaxis=axis(theme, "", (-0.6, num_classes - 0.4), **classes),
        yaxis=axis(theme, "Probability", (-0.03, 1.15), domain=(low, 1.0), **ticks),
        xaxis2=axis(theme, "", (0.0, math.log(num_classes)), anchor="y2", **DOUBTS),
        yaxis2=axis(theme, "", (-0.5, 0.5), domain=(0.0, bar / (ROOM * height)), visible=False, anchor="x2"),
        barmode="stack",
        showlegend=False,
    )


def sideways(values: Array) -> Array:
    """Horizontal offsets (S,) of dots at these heights from 0 to 1, -`HALF` to `HALF`: larger where they are dense.

    The width grows with the square root of the fraction of dots within 1/40, so that small groups are visible. It is
    largest for a fraction of 1/4.
    """
    bins = np.minimum((np.asarray(values) * BINS).astype(int), BINS - 1)
    share = np.bincount(bins, minlength=BINS)[bins] / len(bins)
    even = (np.arange(len(bins)) + 1) * GOLDEN % 1
    return (2 * even - 1) * HALF * np.sqrt(np.minimum(4 * share, 1)) * (len(bins) > 1)


def typical(draws: Array) -> list[int]:
    """Two of the draws (S, K): for each of the two classes with the most votes, one that votes for it as usual.

    The lower class is the first. A draw is as sure as the median of those that vote for its class. Both are the same
    where all vote for one class.
    """
    votes = draws.argmax(1)
    first, second = np.argsort(-np.bincount(votes, minlength=draws.shape[1]), kind="stable")[:2]
    voters = [np.flatnonzero(votes == each) for each in sorted((first, second if second in votes else first))]
    return [int(rows[draws[rows].max(1).argsort(kind="stable")[len(rows) // 2]]) for rows in voters]


def _add_typical(fig: go.Figure, draws: Array, mean: Array, theme: Theme) -> None:
    """Two typical draws as lines, with how sure they are, and what dots and bars are, where classes leave most room."""
    rows, num_classes = typical(draws), draws.shape[1]
    voted = [int(draws[row].argmax()) for row in rows]
    low, high = min(voted), max(voted)
    left, between, right = (low, low, -1), (high - low - 1, low, 1), (num_classes - 1 - high, high, 1)
    _, beside, side = max(left, between, right)
    near = int(np.abs(draws[:, beside] - LABELS[2]).argmin())
    dot = (beside + sideways(draws[:, beside])[near], draws[near, beside], "each dot: one draw")
    bar = (beside + side * MARK, mean[beside], "blue bar: mean of the draws")
    told = [
        (each, draws[row, each], f"{name}: {each}, {percent(round(float(draws[row, each]), 2))} sure")
        for name, row, each in zip(("one draw", "another draw"), rows, voted, strict=True)
    ]
    for row, dash in zip(rows, ("solid", "dash"), strict=True):
        line = theme.line(theme.ink, 2, dash)
        fig.add_trace(line_bundle(np.arange(num_classes), draws[[row]], line, "linked draw", showlegend=False))
    arrow = {"axref": "x", "ayref": "y", "ax": beside + side * ASIDE, "arrowhead": 0, "arrowwidth": 1}
    look = arrow | {"arrowcolor": theme.muted, "font": theme.font(), "bgcolor": tint(theme.paper, 0.8)}
    look["xanchor"] = "left" if side > 0 else "right"
    for (x, y, text), height, is_shown in zip(
        (*told, dot, bar), LABELS, (True, rows[0] != rows[1], True, True), strict=True
    ):
        fig.add_annotation(text=text, x=float(x), y=float(y), ay=height, visible=is_shown, **look)


def _dots(draws: Array, theme: Theme) -> Trace:
    """A dot for every draw's probability of every class; of many draws, without dots that cover each other."""
    count, num_classes = draws.shape
    x = np.concatenate([index + sideways(draws[:, index]) for index in range(num_classes)])
    y = draws.T.ravel()
    shown = _first_of_each(x, y) if count > MANY else slice(None)
    marker = {"size": (4 if count > MANY else 6) * theme.scale, "color": theme.draws, "opacity": _opacity(count)}
    return scatter(
        x[shown], y[shown], mode="markers", marker=marker, name="draws", hovertemplate="%{y:.1%}<extra></extra>"
    )


def _first_of_each(x: Array, y: Array) -> Array:
    """The index of the first dot in every `CELL` of the plane; the others would cover it, and are slow to draw."""
    cells = np.rint(x / CELL[0]) + 1j * np.rint(y / CELL[1])
    return np.sort(np.unique(cells, return_index=True)[1])


def _opacity(count: int) -> float:
    return float(np.clip(8 / math.sqrt(count), 0.35, 0.9))


def _means(mean: Array, count: int, theme: Theme) -> Iterator[Trace]:
    places = np.arange(len(mean))[:, None] + np.array([-MARK, MARK, np.nan])
    heights = np.repeat(mean, 3).reshape(-1, 3)
    name = "mean of the draws" if count > 1 else "mean"
    yield from cased_line(places.ravel(), heights.ravel(), theme.line(theme.mean, 3), name, theme)


def _entropy_bar(expected: float, mutual: float, theme: Theme) -> Iterator[Trace]:
    parts = (
        ("expected entropy of a draw", expected, theme.aleatoric, ALEATORIC),
        ("mutual information", mutual, theme.epistemic, EPISTEMIC),
    )
    for name, value, color, opacity in parts:
        yield {
            "type": "bar",
            "orientation": "h",
            "x": float32([value]),
            "y": float32([0]),
            "width": 1,
            "marker": {"color": tint(color, opacity), "line": {"width": 0}},
            "name": name,
            "hovertemplate": f"{name}: %{{x:.2f}} nats<extra></extra>",
            "showlegend": False,
            "xaxis": "x2",
            "yaxis": "y2",
        }


def _entropy_words(expected: float, mutual: float, theme: Theme) -> dict[str, Any]:
    """The entropy, and its two parts in the bar, above it."""
    parts = ((theme.aleatoric, "noise", expected), (theme.epistemic, "ignorance", mutual))
    total = expected + mutual
    told = [f"Doubt (entropy) {total:.2f}:"]
    for color, name, value in parts:
        share = f" ({percent(value / total)})" if total >= SURE else ""
        told.append(f"<span style='color:{color}'>■</span> {name} {value:.2f}{share}")
    place = {"xref": "x2", "yref": "y2 domain", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    return {"text": " ".join(told), "font": theme.font(small=True), "showarrow": False, **place}
