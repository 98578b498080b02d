"""Figures of two-dimensional codes, coloured by class or by a number."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.theme import LIGHT, Range, Theme, figure
from bdlviz.plots.traces import Trace, float32, line_bundle, scatter
from bdlviz.types import Array

Extent = tuple[float, float, float, float]
Marks = Literal["points", "digits", "ellipses"]

WEBGL_FROM = 3000  # points; for fewer, SVG is as fast, sharper, and needs no WebGL context
NUM_ELLIPSES = 150  # of a figure; more would hide each other
ELLIPSE_POINTS = 40
POINT_OPACITY = 0.75
LABEL_DISTANCE = 0.07  # between the names of two classes, as a fraction of the axes
# For the densest places of a class: distances as such fractions, a share of the highest density, and a number of codes.
NEAR, FAR, ALSO_DENSE, MOST_COMPARED = 0.05, 0.25, 0.6, 500


def latent_scatter(
    codes: Array,
    labels: Array,
    *,
    theme: Theme = LIGHT,
    hover: Sequence[str] | None = None,
    extent: Extent | None = None,
    axis_labels: tuple[str, str] = ("z₁", "z₂"),
    marks: Marks = "points",
    std: Array | None = None,
    values: Array | None = None,
    values_label: str = "",
    classes: Collection[Any] | None = None,
    chosen: Sequence[int] = (),
    height: int = 560,
) -> go.Figure:
    """Codes (N, 2) coloured by their class (N,), a number or a word; each is named where its codes are densest.

    The index of every code is in ``customdata``.

    Args:
        hover: one text per code.
        extent: of the axes (z₁ from, to, z₂ from, to); by default all codes fit, those not shown too.
        marks: points, the classes' digits, or points with the ellipse of one standard deviation ``std`` (N, 2).
        values: (N,) numbers that colour the codes instead of their classes; ``values_label`` names them.
        classes: those to show; all by default.
        chosen: codes to mark by a ring.
    """
    codes, labels = np.asarray(codes), np.asarray(labels)
    extent = extent or (*fitting_range(codes[:, 0]), *fitting_range(codes[:, 1]))
    fig = figure(
        theme,
        x_label=axis_labels[0],
        y_label=axis_labels[1],
        x_range=extent[:2],
        y_range=extent[2:],
        height=height,
    )
    colors = class_colors(labels, theme)
    colors = {label: color for label, color in colors.items() if classes is None or label in classes}
    for label, color in colors.items():
        members = np.flatnonzero(labels == label)
        if std is not None and marks == "ellipses":
            fig.add_trace(_ellipses(codes, std, members[: NUM_ELLIPSES // len(colors)], label, color, theme))
        if values is None:
            fig.add_trace(_cluster(codes, members, label, color, hover, marks, theme))
    if values is not None:
        shown = np.flatnonzero(np.isin(labels, list(colors)))
        fig.add_trace(_by_value(codes, shown, labels, values, values_label, marks, theme))
    spans = (extent[1] - extent[0], extent[3] - extent[2])
    fig.update_layout(annotations=list(_names(codes, labels, colors, spans, theme)))
    if len(chosen):
        fig.add_trace(_rings(codes[list(chosen)], theme))
    return fig.update_layout(legend={"itemsizing": "constant", "traceorder": "normal"}, showlegend=False)


def describe_latent_scatter(codes: Array, labels: Array) -> str:
    """A description of the figure of `latent_scatter`, in two sentences with numbers, for screen readers."""
    codes, labels = np.asarray(codes), np.asarray(labels)
    classes = np.unique(labels)
    medians = (np.median(codes[labels == label], axis=0) for label in classes)
    places = ", ".join(f"{label} at ({x:.2g}, {y:.2g})" for label, (x, y) in zip(classes, medians, strict=True))
    return f"Two-dimensional codes coloured by class, {len(codes)} in all. Medians of the classes: {places}."


def class_colors(labels: Array, theme: Theme) -> dict[Any, str]:
    """The colour of every class among labels (N,), ascending: that of its number, or of a word its place in order."""
    found = np.unique(labels)
    numbers = found.astype(int) if found.dtype.kind in "iuf" else np.arange(len(found))
    return {
        label: theme.classes[number % len(theme.classes)]
        for label, number in zip(found.tolist(), numbers.tolist(), strict=True)
    }


def fitting_range(values: Array) -> Range:
    """The range of the values with a margin."""
    low, high = float(np.min(values)), float(np.max(values))
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room


def ellipse_outlines(mean: Array, std: Array) -> tuple[Array, Array]:
    """Ellipses of one standard deviation around codes (N, 2), as x and y with NaN between two ellipses."""
    angle = np.linspace(0, 2 * np.pi, ELLIPSE_POINTS)
    circle = np.concatenate([np.stack([np.cos(angle), np.sin(angle)], 1), [[np.nan, np.nan]]])
    outlines = mean[:, None] + std[:, None] * circle
    return float32(outlines[..., 0]), float32(outlines[..., 1])


def _names(
    codes: Array, labels: Array, classes: Mapping[Any, str], spans: tuple[float, float], theme: Theme
) -> Iterator[dict[str, Any]]:
    """The name of each class, in its colour, where its codes are densest; twice if there are two such places."""
    if not classes:
        return
    found = [(label, place) for label in classes for place in _densest(codes[labels == label], spans)]
    places = _apart(np.stack([place for _, place in found]), spans)
    for (label, _), (x, y) in zip(found, places, strict=True):
        color = classes[label]
        yield {
            "x": x,
            "y": y,
            "text": f"{label}",
            "font": theme.font(bold=True, color=theme.paper),
            "bgcolor": theme.text(color),
            "bordercolor": theme.paper,
            "borderwidth": 2 * theme.scale,
            "borderpad": 4,
            "showarrow": False,
        }


def _densest(codes: Array, spans: tuple[float, float]) -> list[Array]:
    """The code (2,) among codes (N, 2) of one class with the most others near it, of at most `MOST_COMPARED`.

    And the best one far from it, where codes are at least `ALSO_DENSE` as dense.
    """
    some = codes[:: -(-len(codes) // MOST_COMPARED)]
    distances = np.linalg.norm((some[:, None] - some[None]) / np.array(spans), axis=-1)
    density = np.exp(-np.square(distances / NEAR) / 2).sum(1) - 1  # of the others
    best = density.argmax()
    others = density * (distances[best] > FAR)
    return [some[best], *([some[others.argmax()]] if others.max() > ALSO_DENSE * density[best] else [])]


def _apart(places: Array, spans: tuple[float, float]) -> Array:
    """Positions (n, 2) moved apart until no two labels overlap."""
    places = places / spans
    for _ in range(100):
        offsets = places[:, None] - places[None]
        gaps = np.linalg.norm(offsets, axis=-1) + np.eye(len(places))
        push = np.clip(LABEL_DISTANCE - gaps, 0, None)[..., None] * offsets / np.maximum(gaps, 1e-9)[..., None]
        places = places + push.sum(axis=1) / 2
    return places * spans


def _cluster(
    codes: Array, members: Array, label: Any, color: str, hover: Sequence[str] | None, marks: Marks, theme: Theme
) -> Trace:
    """The codes of one class, as points or as their digit."""
    look: dict[str, Any] = {"mode": "markers", "marker": {"size": 6 * theme.scale, "color": color}}
    look["marker"]["opacity"] = POINT_OPACITY
    look["text"] = f"{label}" if hover is None else [hover[index] for index in members]
    template = "%{text}<br>(%{x:.2f}, %{y:.2f})<extra></extra>"
    if marks == "digits":
        look = {"mode": "text", "textfont": theme.font(small=True, color=color), "text": [f"{label}"] * len(members)}
        if hover is not None:
            look["hovertext"], template = [hover[index] for index in members], template.replace("text", "hovertext")
    points = scatter(
        codes[members, 0],
        codes[members, 1],
        customdata=np.asarray(members, np.int32),
        hovertemplate=template,
        name=f"{label}",
        **look,
    )
    return {**points, "type": "scattergl"} if len(codes) >= WEBGL_FROM else points


def _by_value(
    codes: Array, shown: Array, labels: Array, values: Array, title: str, marks: Marks, theme: Theme
) -> Trace:
    """The codes, coloured by a number from light to strong."""
    bar = {
        "title": {"text": title, "font": theme.font(small=True), "side": "right"},
        "tickfont": theme.font(small=True, color=theme.muted),
        "thickness": 12 * theme.scale,
        "outlinewidth": 0,
    }
    low, high = (float(np.quantile(values, share)) for share in (0.01, 0.99))
    marker = {
        "size": 7 * theme.scale,
        "color": float32(values[shown]),
        "cmin": low,
        "cmax": high,
        "colorscale": [[0.0, theme.grid], [1.0, theme.mean]],
        "line": {"width": 0.5, "color": theme.muted},
        "colorbar": bar,
    }
    return scatter(
        codes[shown, 0],
        codes[shown, 1],
        mode="markers",
        marker=marker,
        customdata=np.asarray(shown, np.int32),
        text=[f"{label}" for label in labels[shown]],
        hovertemplate="%{text}: %{marker.color:.3g}<br>(%{x:.2f}, %{y:.2f})<extra></extra>",
        showlegend=False,
    )


def _ellipses(codes: Array, std: Array, members: Array, label: Any, color: str, theme: Theme) -> Trace:
    """The posterior of some codes: one standard deviation around the mean."""
    x, y = ellipse_outlines(codes[members], std[members])
    line = theme.line(color, 1.2)
    return {**line_bundle(x, y[None], line, f"q(z|x) of {label}"), "opacity": 0.8}


def _rings(codes: Array, theme: Theme) -> Trace:
    line = {"width": 3 * theme.scale, "color": theme.ink}
    ring = {"symbol": "circle-open", "size": 20 * theme.scale, "color": theme.ink, "line": line}
    return scatter(codes[:, 0], codes[:, 1], mode="markers", marker=ring, hoverinfo="skip", name="chosen")
