"""Learned dropout rates: their values during training, a relaxed mask, and a score against the rate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import percent
from bdlviz.plots.curves import log_ticks
from bdlviz.plots.images import KEPT_SCALE, keep_probabilities, outline
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, figure, tint
from bdlviz.plots.traces import Trace, band, cased_line, float32, line_bundle, scatter
from bdlviz.types import Array

LEFT_AND_RIGHT = ((0.0, 0.48), (0.0, 1.0)), ((0.6, 1.0), (0.0, 1.0))  # the pixels and their means: x, y of the figure
MEANS, MEAN_TICKS = (0.4, 1.0), (0.4, 0.6, 0.8, 1.0)  # the axis of mean keep probabilities
BETWEEN = 0.08  # of that axis, that words between two dots need
HALF_TO_ALWAYS = [[0.0, KEPT_SCALE[1][1]], [1.0, KEPT_SCALE[2][1]]]
BINS = 20  # of a histogram of keep probabilities
DENSITIES = (-3.0, 2.0)  # decades of the density that are shown

LABEL_HEIGHT, AROUND = 1.3, 100  # heights of the font a label takes; px of a figure that are not its axes

OUTER, INNER, MEDIAN = (0, 4), (1, 3), 2  # columns of the quantiles 5, 25, 50, 75 and 95 %


def kept_pixels(
    keep: Array,
    title: str,
    about_line: str,
    is_blank: Array,
    counts: Array,
    means: Array,
    *,
    chosen: int,
    ends: Range,
    theme: Theme = LIGHT,
    height: int = 480,
    stacked: bool = False,
) -> go.Figure:
    """Keep probabilities of the pixels (h, w), those that may have ink outlined, and beside them the means against N.

    Args:
        keep: (h, w), from one half to 1.
        title: of the pixels.
        about_line: what the outline is.
        is_blank: (h, w), the pixels that never have ink.
        counts: (C,) numbers of images.
        means: (2, C), of pixels with ink and of blank ones.
        chosen: position of the marked number of images.
        ends: the smallest and the largest number of images on the axis.
        theme: colours and sizes.
        height: in px.
        stacked: the means below the pixels, for phones.
    """
    left, right = (((0.0, 1.0), (0.53, 1.0)), ((0.0, 1.0), (0.0, 0.27))) if stacked else LEFT_AND_RIGHT
    fig = keep_probabilities(keep, theme=theme, height=height)
    ticks = {"tickvals": [0.5, 1], "ticktext": [percent(0.5), percent(1)]}
    bar: dict[str, Any] = {"title_text": about_line, **ticks}
    bar |= {"y": 0.52, "len": 200} if stacked else {"x": sum(left[0]) / 2, "xanchor": "center"}
    fig.update_traces(zmin=0.5, colorscale=HALF_TO_ALWAYS, colorbar=bar, hoverinfo="none", hovertemplate=None)
    edges = {"mode": "lines", "line": theme.line(KEPT_SCALE[-1][1], 1.5), "hoverinfo": "skip"}
    fig.add_trace(scatter(*outline(~is_blank), name="may have ink", **edges))
    reach = [math.log10(end) + room for end, room in zip(ends, (-0.12, 0.12), strict=True)]
    told = {"tickvals": [int(count) for count in counts], "ticktext": [f"{int(count):,}" for count in counts]}
    count_axis = axis(theme, "Training images N", type="log", range=reach, domain=right[0], anchor="y2", **told)
    told = {"tickvals": MEAN_TICKS, "ticktext": [percent(each) for each in MEAN_TICKS]}
    share_axis = axis(theme, "", MEANS, domain=right[1], anchor="x2", **told)
    fig.update_layout(xaxis2=count_axis, yaxis2=share_axis, margin_t=1.6 * theme.font_size, showlegend=False)
    fig.update_layout(xaxis={"domain": left[0], "range": (-0.7, is_blank.shape[1] - 0.3)})  # room for the outline
    fig.update_layout(yaxis={"domain": left[1], "range": (is_blank.shape[0] - 0.3, -0.7)})
    names, colors = ("with ink (inside the line)", "blank (outside)"), (theme.mean, theme.ink)
    for name, values, color in zip(names, means, colors, strict=True):
        look = {"mode": "lines+markers", "marker": {"size": 6 * theme.scale, "color": color}, **panel_axes(1)}
        fig.add_trace(line_bundle(counts, values[None], theme.line(color, 3), name, **look))
    dots = {"size": 14 * theme.scale, "color": [*colors], "line": {"width": 2, "color": theme.paper}}
    at = np.full(2, counts[chosen])
    fig.add_trace(scatter(at, means[:, chosen], mode="markers", marker=dots, name="chosen N", **panel_axes(1)))
    above = {"xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "bottom", "showarrow": False}
    for text, (x_domain, y_domain) in ((title, left), ("Mean over the pixels", right)):
        font = theme.font(small=True, bold=True)
        fig.add_annotation(text=text, x=sum(x_domain) / 2, y=y_domain[1], font=font, **above)
    side = "left" if chosen < len(counts) / 2 else "right"
    side = "center" if stacked and 0 < chosen < len(counts) - 1 else side
    labels = [(f"{name} ", row, chosen, side) for row, name in enumerate(names)]
    for name, row, place, anchor in [*labels, *([("", 0, 0, "left")] if chosen else [])]:
        look = {"font": theme.font(small=True, bold=bool(name), color=theme.text(colors[row])), "showarrow": False}
        is_under = row or (anchor == "left" and np.ptp(means[:, place]) > BETWEEN)  # the line rises to the right
        look |= {"yanchor": "top", "yshift": -10} if is_under else {"yanchor": "bottom", "yshift": 10}
        where = {"x": math.log10(counts[place]), "y": means[row, place], "xref": "x2", "yref": "y2", "xanchor": anchor}
        fig.add_annotation(text=f"{name}{percent(means[row, place])}", **look, **where)
    return fig


def rate_paths(
    steps: Array,
    quantiles: Array,
    *,
    names: Sequence[str],
    other: tuple[Array, Array, str] | None = None,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Keep probabilities of the units of every layer over training: median, and where half and 90 % of them are.

    ``steps`` is (T,), ``quantiles`` (T, L, 5) for 5, 25, 50, 75 and 95 %. ``other`` is another run to compare with:
    its steps (T',), its quantiles and what it is called; its medians are dashed. ``stacked`` is for phones.
    """
    fig = panel_figure(
        theme,
        list(names),
        x_label="Optimisation steps",
        y_labels=["Keep probability"] * len(names),
        x_range=(0.0, float(steps[-1])),
        y_ranges=[(0.0, 1.02)] * len(names),
        stacked=stacked,
        height=height or (230 * len(names) if stacked else 420),
    )
    fig.update_xaxes(tickvals=[0, 0.4 * float(steps[-1]), 0.8 * float(steps[-1])])  # of neighbours none collide
    for layer in range(len(names)):
        shown = {"showlegend": layer == 0, **panel_axes(layer)}
        for (low, high), name, opacity in ((OUTER, "90 % of units", 0.12), (INNER, "half of the units", 0.22)):
            lower, upper = quantiles[:, layer, low].astype(float), quantiles[:, layer, high].astype(float)
            middle, half = (upper + lower) / 2, (upper - lower) / 2
            fig.add_trace(band(steps, middle, half, tint(theme.ink, opacity), name, **shown))
        hover = "step %{x}: half are kept more often than %{y:.2f}<extra></extra>"
        look = {"hoverinfo": None, "hovertemplate": hover, **shown}
        median = quantiles[:, layer, MEDIAN].astype(float)[None]
        fig.add_trace(line_bundle(steps, median, theme.line(theme.ink, 3), "median unit", **look))
        if other is not None:
            beside = other[1][:, layer, MEDIAN].astype(float)[None]
            fig.add_trace(line_bundle(other[0], beside, theme.line(theme.mean, 2.5, "dash"), other[2], **shown))
    return fig.update_layout(legend_traceorder="normal")


def relaxed_bernoulli(
    z: Array,
    density: Array,
    distribution: Array,
    *,
    dropout_rate: float,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """A relaxed mask: its density on a logarithmic axis, its distribution function, and the hard mask as the limit.

    All of ``z``, ``density`` and ``distribution`` are (Z,), z ascending between 0 (dropped) and 1 (kept).
    """
    fig = panel_figure(
        theme,
        ["Density", "Probability of at most z̃"],
        x_label="Relaxed mask z̃: 0 dropped, 1 kept",
        y_labels=["density", "probability"],
        x_range=(-0.02, 1.02),
        y_ranges=[DENSITIES, (0.0, 1.02)],
        stacked=stacked,
        height=height or (560 if stacked else 420),
    )
    ticks = log_ticks(DENSITIES, "{:g}".format)
    fig.update_layout(yaxis={**ticks, "range": list(DENSITIES)})
    shown = np.clip(density, 10 ** DENSITIES[0] / 10, 10 ** DENSITIES[1] * 10)
    fig.add_traces(list(cased_line(z, shown, theme.line(theme.mean, 3), "relaxed mask", theme)))
    axes = panel_axes(1)
    limit = np.array([0.0, dropout_rate, dropout_rate, 1.0])
    line = theme.line(theme.truth, 2, "dash")
    fig.add_trace(line_bundle(np.array([0.0, 0.0, 1.0, 1.0]), limit[None], line, "hard mask, t → 0", **axes))
    look = {"showlegend": False, **axes}
    hover = "at most %{x:.3f}: probability %{y:.2f}<extra></extra>"
    fig.add_trace(
        line_bundle(
            np.concatenate([[0.0], z, [1.0]]),
            np.concatenate([[0.0], distribution, [1.0]])[None],
            theme.line(theme.mean, 3),
            "relaxed mask",
            hoverinfo=None,
            hovertemplate=hover,
            **look,
        )
    )
    for x, mass, anchor in ((0.0, dropout_rate, "left"), (1.0, 1 - dropout_rate, "right")):
        fig.add_annotation(
            x=x,
            y=1,
            xref="x",
            yref="y domain",
            xanchor=anchor,
            yanchor="top",
            xshift=18 if anchor == "left" else -18,
            text=f"hard: {mass:.2f} at {x:g}",
            font=theme.font(color=theme.text(theme.truth)),
            bgcolor=tint(theme.paper, 0.85),
            showarrow=False,
        )
    return fig.update_layout(legend_traceorder="normal")


def score_against_rate(
    rates: Array,
    scores: Array,
    widths: Sequence[int],
    *,
    chosen: int,
    concrete: tuple[Array, Array],
    label: str,
    y_range: Range,
    lower_is_better: bool = True,
    theme: Theme = LIGHT,
    height: int = 440,
) -> go.Figure:
    """A held-out score of MC dropout against its rate, one line for each width, and where concrete dropout ends.

    Args:
        rates: (P,).
        scores: (R, W, P) over R seeds; NaN where there is none.
        chosen: the width that stands out, as its position among ``widths``.
        concrete: learned rates of hidden units and their scores, (R, W) each.
        label: of the score, with its unit.
    """
    x_range = (-0.03, float(rates[-1]) + 0.1)
    fig = figure(theme, x_label="Dropout rate p of hidden units", y_label=label, x_range=x_range, height=height)
    fig.update_yaxes(range=list(y_range))
    mean, spread = np.nanmean(scores, 0), np.nanstd(scores, 0)
    for index in range(len(widths)):
        if index != chosen:
            line = theme.line(theme.muted, 1.2)
            name = "other widths"
            first = index == min(set(range(len(widths))) - {chosen})
            fig.add_trace(line_bundle(rates, mean[index][None], line, name, showlegend=first, legendgroup=name))
    room = LABEL_HEIGHT * theme.font_size / (height - AROUND) * (y_range[1] - y_range[0])
    fig.update_layout(annotations=_width_labels(widths, mean, chosen, rates, y_range, theme, room))
    fig.add_trace(band(rates, mean[chosen], spread[chosen], tint(theme.mean, 0.18), "± 1 sd over seeds"))
    hover = "p = %{x:.1f}: %{y:.3f}<extra></extra>"
    look = {"mode": "lines+markers", "marker": {"size": 7 * theme.scale, "color": theme.mean}, "hoverinfo": None}
    name = f"MC dropout, {widths[chosen]} hidden units"
    fig.add_trace(
        line_bundle(rates, mean[chosen][None], theme.line(theme.mean, 3), name, **look | {"hovertemplate": hover})
    )
    best = int(np.argmin(mean[chosen]) if lower_is_better else np.argmax(mean[chosen]))
    fig.add_trace(_ring(float(rates[best]), float(mean[chosen, best]), f"best of the grid: p = {rates[best]:g}", theme))
    fig.add_trace(_learned(concrete, chosen, theme))
    return fig.update_layout(legend_traceorder="normal")


def keep_histograms(keep: Mapping[str, Array], *, theme: Theme = LIGHT, height: int | None = None) -> go.Figure:
    """How the keep probabilities (H,) of every layer are distributed: share of its units in 20 bins from 0 to 1."""
    edges = np.linspace(0, 1, BINS + 1)
    shares = [np.histogram(values, edges)[0] / len(values) for values in keep.values()]
    top = math.ceil(10 * max(float(share.max()) for share in shares)) / 10  # steady while the shares move a little
    fig = panel_figure(
        theme,
        [f"{name}: mean {np.mean(values):.2f} of {len(values)} units" for name, values in keep.items()],
        x_label="Probability of being kept",
        y_labels=["Share"] * len(keep),
        x_range=(0.0, 1.0),
        y_ranges=[(0.0, top)] * len(keep),
        stacked=True,
        height=height or 170 * len(keep) + 40,
    )
    centres = float32((edges[1:] + edges[:-1]) / 2)
    for index, share in enumerate(shares):
        fig.add_bar(
            x=centres,
            y=float32(share),
            width=0.9 / BINS,
            marker={"color": theme.mean, "line": {"width": 0}},
            hovertemplate="%{x:.2f}: %{y:.0%}<extra></extra>",
            showlegend=False,
            **panel_axes(index),
        )
    return fig.update_yaxes(tickformat=".0%", nticks=4)


def describe_rates(names: Sequence[str], rates: Sequence[Array]) -> str:
    """Means of keep probabilities of every layer, in one sentence."""
    told = ", ".join(f"{name} {np.mean(value):.2f}" for name, value in zip(names, rates, strict=True))
    return f"Mean probability of being kept: {told}."


def _width_labels(
    widths: Sequence[int], mean: Array, chosen: int, rates: Array, y_range: Range, theme: Theme, room: float
) -> list[dict[str, Any]]:
    """Labels of the lines (W, P), the chosen one first; of two that would collide the later goes down its line.

    ``room`` is the height of a label in units of the score. A label without a free place is left out.
    """
    kept: list[dict[str, Any]] = []
    for index in sorted(range(len(widths)), key=lambda index: index != chosen):
        for down in (1, 2, 3):
            label = _width_label(widths[index], mean[index], index == chosen, rates, y_range, theme, down * room)
            if all(abs(label["y"] - other["y"]) > 0.99 * room or abs(label["x"] - other["x"]) > 0.1 for other in kept):
                kept.append(label)
                break
    return kept


def _width_label(
    width: int, scores: Array, is_chosen: bool, rates: Array, y_range: Range, theme: Theme, below: float
) -> dict[str, Any]:
    """The width at the end of its line (P,): at the right, or ``below`` where the line leaves the axes at the top."""
    color = theme.text(theme.mean) if is_chosen else theme.muted
    look = {"text": f"{width:,}", "font": theme.font(color=color, bold=is_chosen, small=not is_chosen)}
    level = y_range[1] - below
    above = np.flatnonzero(scores > level)
    if len(above) and above[0] > 0 and (scores > y_range[1]).any():
        last, first = above[0] - 1, above[0]
        share = (level - scores[last]) / (scores[first] - scores[last])
        x = rates[last] + share * (rates[first] - rates[last])
        # Upwards and to the left of a point of a line that rises there is no line.
        place = {"x": float(x), "y": level, "xanchor": "right", "yanchor": "bottom", "xshift": -6 * theme.scale}
    else:
        y = float(np.clip(scores[-1], *y_range))
        place = {"x": float(rates[-1]) + 0.012, "y": y, "xanchor": "left"}
    return {**look, **place, "showarrow": False}


def _ring(x: float, y: float, name: str, theme: Theme) -> Trace:
    ring = {"symbol": "circle-open", "size": 18 * theme.scale, "color": theme.ink, "line": {"width": 2 * theme.scale}}
    return scatter([x], [y], mode="markers", marker=ring, name=name, hoverinfo="skip")


def _learned(concrete: tuple[Array, Array], chosen: int, theme: Theme) -> Trace:
    """Where concrete dropout ends at the chosen width, with its spread over seeds."""
    rate, score = (each[:, chosen] for each in concrete)
    marker = {"symbol": "diamond", "size": 14 * theme.scale, "color": theme.ink}
    error = {"thickness": 1.5, "width": 4, "color": theme.ink}
    hover = "learned p = %{x:.2f}: %{y:.3f}<extra></extra>"
    return scatter(
        [rate.mean()],
        [score.mean()],
        mode="markers",
        marker={**marker, "line": {"width": 2, "color": theme.paper}},
        error_x=error | {"array": np.array([rate.std()], np.float32)},
        error_y=error | {"array": np.array([score.std()], np.float32)},
        name=f"concrete dropout: learned p = {rate.mean():.2f}",
        hovertemplate=hover,
    )
