"""Pictures of a classifier's uncertainty: softmax samples of one image, its course, and the plane of all images."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.codes import WEBGL_FROM
from bdlviz.plots.images import image_grid
from bdlviz.plots.theme import LIGHT, Theme, axis, empty, figure, tint
from bdlviz.plots.traces import Trace, band, cased_line, float32, line_bundle, scatter
from bdlviz.types import Array

HALF = 0.42  # of the distance between two classes: how far dots may stray sideways
BINS = 40  # of the probability, for the width of the cloud of dots
GOLDEN = 0.6180339887  # multiples of it fill an interval evenly
MARK = 0.34  # half the length of the line at a mean
FROM, TOP = 0.05, 1.09  # mean from which a class gets a number, and where that stands
COURSE_DRAWS = 40  # of every step: more dots hide each other
MOST_CLASSES, SHOWN_FROM = 5, 0.15  # of a course: classes that reach this mean somewhere
MOST_PICTURES = 11
CAPTION = 0.32  # height of the words under a picture of a sheet, as a share of the picture's
EPISTEMIC, ALEATORIC = 0.45, 0.55  # opacity of the areas


def softmax_draws(
    draws: Array,
    mean: Array,
    *,
    expected_entropy: float,
    mutual_information: float,
    one_pass: Array | None = None,
    label: int | None = None,
    theme: Theme = LIGHT,
    height: int = 460,
) -> go.Figure:
    """Class probabilities of S draws (S, K) for one image, a dot for each draw and class, with their ``mean`` (K,).

    Means of at least a twentieth stand as numbers above their class. Dots stray sideways as far as there are others of
    about the same probability, so a cloud is as wide as it is dense. The bar below is the entropy of the mean in nats,
    split into the mean entropy of a draw and the mutual information.

    Args:
        one_pass: (K,) probabilities of one pass without dropout, drawn as diamonds.
        label: the image's true class, where it is known.
    """
    num_classes = len(mean)
    fig = _over_bar(theme, num_classes, height)
    fig.add_traces([_dots(draws, theme), *_means(mean, len(draws), theme)])
    if one_pass is not None:
        marker = {"symbol": "diamond-open", "size": 11 * theme.scale, "color": theme.ink, "line": {"width": 2}}
        hover = "One pass: %{y:.1%} for class %{x}<extra></extra>"
        name = "one pass without dropout"
        fig.add_trace(scatter(np.arange(num_classes), one_pass, mode="markers", marker=marker, name=name))
        fig.data[-1].hovertemplate = hover
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
    return fig


def describe_softmax_draws(draws: Array, mean: Array, label: int | None = None) -> str:
    """What `softmax_draws` shows, in two sentences with numbers, for people who do not see it."""
    order = np.argsort(-mean, kind="stable")[:3]
    spans = np.quantile(draws[:, order], [0.05, 0.95], axis=0).T
    parts = ", ".join(
        f"{index} with mean {mean[index]:.0%} (draws from {low:.0%} to {high:.0%})"
        for index, (low, high) in zip(order, spans, strict=True)
    )
    told = "" if label is None else f" The label is {label}."
    return f"Class probabilities of one image in {len(draws)} draws; the most probable classes are {parts}.{told}"


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
    """How the predictive distribution of one image changes while the image does.

    Top: class probabilities of some draws as dots and their means as lines, of the classes that matter somewhere.
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
    """What `shift_course` shows, in one sentence with numbers."""
    total = expected_entropy + mutual_information
    peak = int(total.argmax())
    return (
        f"Predictive entropy from {total[0]:.2f} nats at {stops[0]:g} to {total[-1]:.2f} at {stops[-1]:g}, largest at "
        f"{stops[peak]:g}: {expected_entropy[peak]:.2f} in every draw and {mutual_information[peak]:.2f} between draws."
    )


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


def accuracy_by_samples(
    num_samples: Array, accuracy: Array, spread: Array, one_pass: Array, *, theme: Theme = LIGHT, height: int = 380
) -> go.Figure:
    """Held-out accuracy of the mean of S draws, for R seeds (R, T), beside one pass without dropout (R,).

    ``spread`` (R, T) is the standard deviation over sets of draws of one network, NaN where there is one set. Thin
    lines are seeds, the band is their standard deviation.
    """
    keep = np.isfinite(accuracy).all(0)
    counts, accuracy, spread = float32(num_samples)[keep], accuracy[:, keep], spread[:, keep]
    mean, over_seeds = accuracy.mean(0), accuracy.std(0, ddof=1) if len(accuracy) > 1 else np.zeros(keep.sum())
    low = math.floor(50 * float(min(accuracy.min(), one_pass.min()))) / 50 - 0.01
    high = min(1.0, math.ceil(50 * float(max(accuracy.max(), one_pass.max()))) / 50 + 0.01)
    fig = figure(theme, x_label="Draws S that are averaged", y_label="Held-out accuracy", height=height)
    ticks = [int(count) for count in counts]
    fig.update_xaxes(type="log", range=[-0.08, math.log10(max(ticks)) + 0.08], tickvals=ticks)
    fig.update_yaxes(range=[low, high], tickformat=".0%")
    if len(accuracy) > 1:
        fig.add_trace(band(counts, mean, over_seeds, tint(theme.mean, 0.2), "± 1 sd over seeds"))
        line = theme.line(theme.draws, 1)
        fig.add_trace(line_bundle(counts, accuracy, line, "seeds", opacity=theme.draws_opacity))
    error = {"array": float32(np.nan_to_num(spread).mean(0)), "thickness": 1.5, "width": 4}
    look = {"mode": "lines+markers", "line": theme.line(theme.mean, 3), "marker": {"size": 8, "color": theme.mean}}
    hover = "S = %{x}: %{y:.2%}<extra></extra>"
    name = "mean of S draws (bars: sd over sets of masks)"
    fig.add_trace(scatter(counts, mean, name=name, hovertemplate=hover, error_y=error | {"color": theme.mean}, **look))
    flat = np.full(2, one_pass.mean())
    line = theme.line(theme.ink, 2, "dash")
    ends = np.array([counts.min(), counts.max()])
    fig.add_trace(scatter(ends, flat, mode="lines", line=line, name="one pass without dropout"))
    fig.data[-1].hovertemplate = "One pass: %{y:.2%}<extra></extra>"
    return fig.update_layout(legend_traceorder="normal")


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


def _over_bar(theme: Theme, num_classes: int, height: int) -> go.Figure:
    """Probabilities over classes, and under them the place of a bar of entropy."""
    low = 148 / height  # the bar, its words and its axis keep their size in px
    classes = {
        "tickvals": list(range(num_classes)),
        "ticktext": [f"{i}" for i in range(num_classes)],
        "anchor": "y",
        "showgrid": False,
    }
    return empty(
        theme,
        height,
        xaxis=axis(theme, "Class", (-0.6, num_classes - 0.4), **classes),
        yaxis=axis(theme, "Probability", (-0.03, 1.15), domain=(low, 1.0), tickformat=".0%", tickvals=[0, 0.5, 1]),
        xaxis2=axis(theme, "Predictive entropy (nats)", (0.0, math.log(num_classes)), anchor="y2"),
        yaxis2=axis(theme, "", (-0.5, 0.5), domain=(0.0, 18 / height), visible=False, anchor="x2"),
        barmode="stack",
    ).update_layout(legend={"traceorder": "normal", "itemsizing": "constant"})


def _muted(theme: Theme) -> dict[str, Any]:
    return theme.font(small=True, color=theme.muted)


def sideways(values: Array) -> Array:
    """How far dots (S,) at these heights from 0 to 1 are moved sideways, -`HALF` to `HALF`: more where they are dense.

    The width grows with the square root of the share of dots within a fortieth, so that a few are not lost beside many,
    and is full where that is a quarter.
    """
    bins = np.minimum((np.asarray(values) * BINS).astype(int), BINS - 1)
    share = np.bincount(bins, minlength=BINS)[bins] / len(bins)
    even = (np.arange(len(bins)) + 1) * GOLDEN % 1
    return (2 * even - 1) * HALF * np.sqrt(np.minimum(4 * share, 1)) * (len(bins) > 1)


def _dots(draws: Array, theme: Theme) -> Trace:
    """Every draw's probability of every class."""
    count, num_classes = draws.shape
    x = np.concatenate([index + sideways(draws[:, index]) for index in range(num_classes)])
    marker = {"size": (4 if count > 100 else 6) * theme.scale, "color": theme.draws, "opacity": _opacity(count)}
    dots = scatter(x, draws.T, mode="markers", marker=marker, name="draws", hovertemplate="%{y:.1%}<extra></extra>")
    return {**dots, "type": "scattergl"} if draws.size >= WEBGL_FROM else dots


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
    """What the two parts of the bar are, above it."""
    parts = ((theme.aleatoric, "within draws", expected), (theme.epistemic, "between draws", mutual))
    told = [f"<span style='color:{color}'>■</span> {name} {value:.2f}" for color, name, value in parts]
    place = {"xref": "x2", "yref": "y2 domain", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    return {"text": " &nbsp; ".join(told), "font": theme.font(small=True), "showarrow": False, **place}


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
    """The name of each class where it leads the others most."""
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
    look = {"mode": "lines", "line": theme.line(theme.ink, 2), "name": "predictive entropy", "yaxis": "y2"}
    yield scatter(stops, expected + mutual, hovertemplate=hover, **look)


def _ticks(stops: Array) -> list[float]:
    """At most seven of the steps, evenly spaced, the first and last among them where that can be."""
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
