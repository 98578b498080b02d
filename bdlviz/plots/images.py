"""Figures of digits, of a decoded plane of codes, and of the inputs that a network keeps."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import plotly.graph_objects as go
from PIL import Image

from bdlviz.plots.codes import class_colors
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, figure, mix, rgb, tint
from bdlviz.plots.traces import Trace, scatter
from bdlviz.types import Array

GAP = 255  # palette entry of the lines between pictures; 0 to 254 run from paper to ink
LARGE = 140  # px, minimum size of one large picture
SMALL = 56  # px, minimum size of one of many pictures
CAPTION = 0.32  # height of the words under a picture, relative to the picture
# Probability of being kept: pale at ½, where a coin decides, dark where it is near 1, sand where it is near 0. The
# same on light and dark pages, so that dark always means kept.
KEPT_SCALE = ((0.0, "#B98B5E"), (0.5, "#F6F2EA"), (1.0, "#08426F"))
UNDER_POINTS = 0.55  # opacity of pictures below points


def scale_of(shape: tuple[int, int], size: int = SMALL) -> int:
    """The number of screen pixels for one pixel of a digit, for pictures of about that size."""
    return max(2, round(size / shape[0]))


def image_grid(images: Array, columns: int, *, theme: Theme = LIGHT, gap: int = 1, scale: int = 2) -> bytes:
    """Pictures (n, h, w) with values 0 (paper) to 1 (ink) in rows of ``columns``, as the bytes of a PNG.

    ``gap`` pixels of grid colour separate neighbours; every pixel becomes a square of ``scale`` x ``scale``.
    """
    count, height, width = images.shape
    rows = -(-count // columns)
    cells = np.zeros((rows * columns, height + gap, width + gap), np.uint8)
    cells[:, height:] = GAP
    cells[:, :, width:] = GAP
    cells[:count, :height, :width] = np.rint(np.clip(np.nan_to_num(images), 0, 1) * (GAP - 1))
    sheet = cells.reshape(rows, columns, height + gap, width + gap).swapaxes(1, 2)
    sheet = sheet.reshape(rows * (height + gap), columns * (width + gap))[: -gap or None, : -gap or None]
    picture = Image.fromarray(sheet.repeat(scale, axis=0).repeat(scale, axis=1), mode="P")
    picture.putpalette(_palette(theme))
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG")
    return buffer.getvalue()


def manifold(
    images: Array,
    extent: tuple[float, float, float, float],
    *,
    columns: int | None = None,
    theme: Theme = LIGHT,
    chosen: int | None = None,
    labels: tuple[str, str] = ("z₁", "z₂"),
    overlay: tuple[Array, Array] | None = None,
    keep_proportions: bool = True,
    height: int = 560,
) -> go.Figure:
    """The decoded images of a grid of codes, each at its code.

    ``images`` is (rows * columns, h, w) in reading order: the first is at the smallest z₁ and the largest z₂; the grid
    is square unless ``columns`` says otherwise. ``extent`` holds the codes of the outermost pictures: smallest and
    largest z₁, smallest and largest z₂. ``chosen`` outlines one picture. Every picture has an invisible marker with
    its index in ``customdata``, which makes it possible to hover and click. ``overlay`` are codes (M, 2) and their
    classes (M,), drawn as points on the pictures; ``keep_proportions=False`` lets the pictures fill the width.
    """
    columns = columns or math.isqrt(len(images))
    z1, (left, right) = _tiles(extent[0], extent[1], columns)
    z2, (bottom, top) = _tiles(extent[2], extent[3], len(images) // columns)
    step1, step2 = (right - left) / len(z1), (top - bottom) / len(z2)
    fig = figure(
        theme, x_label=labels[0], y_label=labels[1], x_range=(left, right), y_range=(bottom, top), height=height
    )
    if keep_proportions:
        _keep_proportions(fig, step1 / step2 * images.shape[1] / images.shape[2])
    picture = base64.b64encode(image_grid(images, columns, theme=theme, gap=0)).decode()
    fig.add_layout_image(
        source=f"data:image/png;base64,{picture}",
        xref="x",
        yref="y",
        x=left,
        y=top,
        sizex=right - left,
        sizey=top - bottom,
        sizing="stretch",
        layer="above" if overlay is None else "below",
        opacity=1.0 if overlay is None else UNDER_POINTS,
    )
    if overlay is not None:
        fig.update_xaxes(showgrid=False).update_yaxes(showgrid=False)
        fig.add_traces(list(_points_on_top(*overlay, theme)))
        fig.update_layout(legend_traceorder="normal")
    codes = np.stack([grid.ravel() for grid in np.meshgrid(z1, z2[::-1])], axis=1)
    fig.add_trace(_lattice(codes, labels))
    if chosen is not None:
        x, y = codes[chosen] - (step1 / 2, step2 / 2)
        fig.add_shape(type="rect", x0=x, y0=y, x1=x + step1, y1=y + step2, line=theme.line(theme.mean, 3))
    return fig


def outline(inside: Array) -> tuple[Array, Array]:
    """The sides between pixels (h, w) in a set and others, as x and y of lines with gaps."""
    wide = np.pad(inside, 1)
    down, right = np.nonzero(wide[1:] != wide[:-1]), np.nonzero(wide[:, 1:] != wide[:, :-1])
    x = np.concatenate([down[1][:, None] + [-1.5, -0.5, np.nan], right[1][:, None] + [-0.5, -0.5, np.nan]])
    y = np.concatenate([down[0][:, None] + [-0.5, -0.5, np.nan], right[0][:, None] + [-1.5, -0.5, np.nan]])
    return x.ravel(), y.ravel()


def keep_probabilities(keep: Array, *, theme: Theme = LIGHT, height: int = 420) -> go.Figure:
    """The learned keep probability of every input pixel (h, w), as a picture; colours diverge from one half."""
    right, bottom = keep.shape[1] - 0.5, keep.shape[0] - 0.5
    fig = figure(theme, x_label="", y_label="", x_range=(-0.5, right), y_range=(bottom, -0.5), height=height)
    fig.update_xaxes(visible=False).update_yaxes(visible=False)
    _keep_proportions(fig, 1.0)
    bar = unit_bar("Probability of being kept", theme)
    hover = "row %{y}, column %{x}<br>kept with probability %{z:.2f}<extra></extra>"
    return fig.add_heatmap(
        z=np.asarray(keep, np.float32), zmin=0, zmax=1, colorscale=KEPT_SCALE, colorbar=bar, hovertemplate=hover
    )


def add_two_pictures(fig: go.Figure, title: str, pictures: dict[str, Array], *, theme: Theme, stacked: bool) -> None:
    """Put a small and a large picture by name, (h, w) from 0 to 1, beside a map of that shape; below it if ``stacked``.

    What is NaN in them has the colour of pixels that are never kept. The title stands above the map.
    """
    main, places = ((0.0, 0.4), (0.0, 1.0)), [((0.86, 1.0), (0.0, 1.0)), ((0.43, 0.83), (0.0, 1.0))]
    bar: dict[str, Any] = {"colorbar_x": sum(main[0]) / 2, "colorbar_xanchor": "center"}
    if stacked:
        main, places = ((0.0, 1.0), (0.44, 1.0)), [((0.0, 0.47), (0.0, 0.2)), ((0.53, 1.0), (0.0, 0.2))]
        bar = {"colorbar_y": 0.43}
    fig.update_traces(**bar)
    fig.update_layout(xaxis_domain=list(main[0]), yaxis_domain=list(main[1]), margin_t=1.6 * theme.font_size)
    above = {"xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "bottom", "showarrow": False}
    fig.add_annotation(text=title, x=sum(main[0]) / 2, y=1, font=theme.font(small=True, bold=True), **above)
    ground, ink = ([[0, theme.paper], [1, color]] for color in (tint(KEPT_SCALE[0][1], 0.6), theme.ink))
    for index, ((name, picture), (x_domain, y_domain)) in enumerate(zip(pictures.items(), places, strict=True), 2):
        rows, columns = picture.shape
        box = {"visible": False, "constrain": "domain", "fixedrange": True}
        x_axis = {**box, "domain": list(x_domain), "range": [-0.5, columns - 0.5], "anchor": f"y{index}"}
        y_axis = {**box, "domain": list(y_domain), "range": [rows - 0.5, -0.5], "scaleanchor": f"x{index}"}
        fig.update_layout({f"xaxis{index}": x_axis, f"yaxis{index}": {**y_axis, "constraintoward": "top"}})
        look: dict[str, Any] = {"showscale": False, "hoverinfo": "skip", "xaxis": f"x{index}", "yaxis": f"y{index}"}
        for values, scale in ((np.ones_like(picture), ground), (picture, ink)):
            z = np.asarray(values, np.float32)
            fig.add_heatmap(z=z, zmin=0, zmax=1, colorscale=scale, name=name, **look)
        fig.add_annotation(text=name, x=sum(x_domain) / 2, y=y_domain[1], font=theme.font(small=True), **above)


def unit_bar(label: str, theme: Theme) -> dict[str, Any]:
    """The colour bar below a picture whose values go from 0 to 1."""
    return {
        "title": {"text": label, "font": theme.font(small=True), "side": "top"},
        "orientation": "h",
        "y": -0.02,
        "yanchor": "top",
        "lenmode": "pixels",
        "len": 260,
        "thickness": 12 * theme.scale,
        "tickvals": [0, 0.5, 1],
        "tickfont": theme.font(small=True, color=theme.muted),
        "outlinecolor": theme.grid,
    }


def contact_sheet(
    images: Array,
    columns: int,
    *,
    names: Sequence[str],
    is_wrong: Array,
    rows: Array,
    chosen: int | None = None,
    hover: Sequence[str] | None = None,
    theme: Theme = LIGHT,
    size: int = 62,
) -> go.Figure:
    """Pictures (n, height, width) to choose from, ``columns`` side by side, with a short name under each.

    Names of wrongly classified images are in the colour of warnings. ``rows`` (n,) go into ``customdata``.

    Args:
        chosen: position among the pictures of the one to outline.
        hover: one text per picture.
        size: height of a picture in px, about.
    """
    count, side = len(images), images.shape[1]
    lines = -(-count // columns)
    words = round(CAPTION * side)
    sheet = np.pad(images, ((0, 0), (0, words), (0, 0)))
    tall = (side + words) / images.shape[2]  # of a cell, in widths
    scale = max(1, round(2 * size / side))
    picture = base64.b64encode(image_grid(sheet, columns, theme=theme, gap=0, scale=scale)).decode()
    height = round(lines * size * (1 + CAPTION)) + 8
    hidden = {"visible": False, "showgrid": False}
    fig = empty(
        theme,
        height,
        xaxis=axis(theme, "", (-0.02, columns + 0.02), constrain="domain", **hidden),
        yaxis=axis(
            theme, "", (lines * tall, -0.02), constrain="domain", scaleanchor="x", constraintoward="top", **hidden
        ),
        margin={"l": 2, "r": 2, "t": 2, "b": 2},
        showlegend=False,
    )
    place = {"x": 0, "y": 0, "sizex": columns, "sizey": lines * tall, "xref": "x", "yref": "y", "layer": "below"}
    fig.add_layout_image(source=f"data:image/png;base64,{picture}", sizing="stretch", **place)
    x, y = np.arange(count) % columns + 0.5, np.arange(count) // columns * tall
    pictures = {"mode": "markers", "marker": {"size": 0.8 * size, "opacity": 0, "symbol": "square"}}
    text = {"text": list(hover), "hovertemplate": "%{text}<extra></extra>"} if hover else {"hoverinfo": "none"}
    fig.add_trace(scatter(x, y + 0.5, customdata=np.asarray(rows, np.int32), name="pictures", **pictures, **text))
    for wrong, color in ((False, theme.muted), (True, theme.text(theme.warning))):
        among = np.flatnonzero(np.asarray(is_wrong, bool)[:count] == wrong)
        font = theme.font(small=True, color=color)
        told = {"mode": "text", "text": [names[int(index)] for index in among], "textfont": font, "hoverinfo": "skip"}
        fig.add_trace(scatter(x[among], y[among] + 1 + (tall - 1) / 2, name="wrong" if wrong else "right", **told))
    if chosen is not None:
        left, top = x[chosen] - 0.5, y[chosen]
        line = theme.line(theme.mean, 3)
        fig.add_shape(type="rect", x0=left, x1=left + 1, y0=top, y1=top + 1, line=line)
    return fig


@cache
def _palette(theme: Theme) -> tuple[int, ...]:
    """Red, green and blue of 256 entries: paper to ink, and the grid colour for the gaps."""
    shades = [mix(theme.paper, theme.ink, level / (GAP - 1)) for level in range(GAP)]
    return tuple(channel for shade in (*shades, theme.grid) for channel in rgb(shade))


def _tiles(low: float, high: float, count: int) -> tuple[Array, Range]:
    """Centres of ``count`` neighbouring tiles from ``low`` to ``high``, and the interval they cover."""
    half = (high - low) / max(count - 1, 1) / 2 or 0.5
    return np.linspace(low, high, count), (low - half, high + half)


def _keep_proportions(fig: go.Figure, ratio: float) -> None:
    """A layout in which one unit of y is ``ratio`` times as long as one of x, for any width of the page."""
    fig.update_xaxes(constrain="domain").update_yaxes(
        constrain="domain", constraintoward="top", scaleanchor="x", scaleratio=ratio
    )


def _points_on_top(codes: Array, classes: Array, theme: Theme) -> Iterator[Trace]:
    """Codes (M, 2) coloured by class, with an outline in the paper colour, so that they are visible on pictures."""
    classes = np.asarray(classes)
    for label, color in class_colors(classes, theme).items():
        members = classes == label
        marker = {"size": 6 * theme.scale, "color": color, "line": {"width": 0.7 * theme.scale, "color": theme.paper}}
        look = {"mode": "markers", "marker": marker, "name": f"{label}", "hoverinfo": "skip"}
        yield scatter(codes[members, 0], codes[members, 1], **look)


def _lattice(codes: Array, labels: tuple[str, str]) -> Trace:
    return scatter(
        codes[:, 0],
        codes[:, 1],
        mode="markers",
        marker={"size": 18, "opacity": 0},
        customdata=np.arange(len(codes), dtype=np.int16),
        hovertemplate=f"{labels[0]} = %{{x:.2f}}, {labels[1]} = %{{y:.2f}}<extra></extra>",
        showlegend=False,
    )
