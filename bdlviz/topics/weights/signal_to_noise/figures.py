"""Which weights matter: error against weights removed, signal-to-noise ratios, histograms, errors over training."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import compact, percent
from bdlviz.plots.curves import log_ticks
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, figure, tint, upright
from bdlviz.plots.traces import Trace, cased_line, line_bundle, scatter
from bdlviz.types import Array

Meaning = Literal["bayes", "draw", "dropout", "plain"]
NONE_LEFT = 3.6  # where the axis of weights removed shows "all", which no logarithm has
TICKS = (0.0, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0)
ERRORS = (-0.5, 2.2)  # decades of an error in % that are shown, with room for a number above 100 and words below
MAP_FOOT = 0.3  # height of the colour bar below a map, as a share of the figure
PLACES = ((0.0, 0.6), (0.0, 1.0)), ((0.68, 1.0), (0.0, 1.0))  # of curves and bars, across and up
# For each curve: x and y of its name, which weights go first, the side of the words at its rise, the look.
NAMED = (
    (2.05, 8.5, "<br>lowest signal / noise", "left", {"yanchor": "top", "align": "left"}),
    (1.75, 95, "smallest", "right", {"yanchor": "bottom"}),
)
WORDS = 0.15  # share of the height that these words take
RATIOS, NUM_BARS = (-3.1, 1.1), 42  # decades of the ratios that are drawn
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")  # of the layers
DB_BIN, LOWEST_DB = 2.0, -60.0
MOST_BINS = 110  # of a histogram of weights that are drawn


@dataclass(frozen=True, eq=False)
class Line:
    """One curve: ``x`` and ``y`` (T,), and what it is of, which decides its colour."""

    name: str
    x: Array
    y: Array
    of: Meaning


def style(of: Meaning, theme: Theme) -> dict[str, Any]:
    """The line of a network: Bayes by Backprop as the predictive mean, one draw of it as draws, others in ink."""
    return {
        "bayes": theme.line(theme.mean, 3),
        "draw": theme.line(theme.draws, 2, "dot"),
        "dropout": theme.line(theme.muted, 2, "dash"),
        "plain": theme.line(theme.ink, 2),
    }[of]


def removal_place(fraction: float) -> float:
    """Where a fraction of weights removed stands on its axis: by the logarithm of what is left."""
    return NONE_LEFT if fraction >= 1 else -math.log10(1 - fraction)


def removal_curves(
    lines: Sequence[Line],
    chosen: float,
    ratios: Array,
    stays: Array,
    rises: Sequence[float],
    *,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Held-out error against the fraction of weights removed, and the ratios by which weights are removed.

    Args:
        lines: of Bayes by Backprop and of a plain network; x is the fraction removed, 0 to 1, y the error in %.
        chosen: the fraction on show, one of the first line's.
        ratios: the signal-to-noise ratio of every weight, (J,).
        stays: whether a weight is left, (J,).
        rises: the fraction from which on the error of each line has risen.
        theme: colours and sizes.
        stacked: for phones.
        height: in px.
    """
    curve, bars = (((0.0, 1.0), (0.56, 1.0)), ((0.0, 1.0), (0.0, 0.36))) if stacked else PLACES
    limits, place = (-0.9 if stacked else -0.5, NONE_LEFT + 0.12), removal_place(chosen)
    named = TICKS[::2] if stacked else TICKS
    ticks = {
        "tickvals": [removal_place(each) for each in named],
        "ticktext": [f"{100 * each:g}" if each < 1 else "all" for each in named],
    }
    powers = {"tickvals": [-3, -2, -1, 0, 1], "ticktext": ["≤ 0.001", "0.01", "0.1", "1", "10"]}
    edges = np.linspace(*RATIOS, NUM_BARS + 1)
    decades = np.log10(np.clip(ratios, 10 ** (edges[0] + 1e-6), 10 ** edges[-1]))
    highest = 1.03 * float(np.histogram(decades, edges)[0].max())
    fig = empty(
        theme,
        height or (740 if stacked else 470),
        xaxis=axis(theme, "Weights removed (%), log scale", limits, domain=curve[0], **ticks),
        yaxis=axis(theme, "Held-out error (%), log scale", ERRORS, domain=curve[1], **log_ticks(ERRORS, "{:g}".format)),
        xaxis2=axis(theme, "Signal / noise: |mean| / sd", RATIOS, domain=bars[0], anchor="y2", **powers),
        yaxis2=axis(theme, "", (0.0, highest), domain=bars[1], anchor="x2", visible=False),
        shapes=[upright(place, theme.line(theme.truth, 2, "dash")) | {"y0": WORDS}],
        showlegend=False,
        barmode="stack",
        bargap=0.1,
        margin={"t": 1.8 * theme.font_size},
    )
    for line in lines:
        at = np.array([removal_place(float(each)) for each in line.x])
        hover = f"{line.name}<br>%{{text}} removed: %{{y:.2f}} % wrong<extra></extra>"
        told = [f"{100 * float(each):g} %" for each in line.x]
        look = {"mode": "lines+markers", "text": told, "hovertemplate": hover, "hoverinfo": None}
        marker = {"size": 6 * theme.scale, "color": style(line.of, theme)["color"]}
        fig.add_trace(scatter(at, line.y, line=style(line.of, theme), name=line.name, marker=marker, **look))
    note, lower = {"showarrow": False}, min(line.y[0] for line in lines)
    muted = {"font": theme.font(small=True, color=theme.muted), "align": "left", "xanchor": "left", "yanchor": "top"}
    muted |= {"text": "rises: above its<br>error at 0 % by more<br>than chance (95 %)", "bgcolor": theme.paper}
    fig.add_annotation(x=limits[0], xshift=6, y=1.85, **muted | note)
    for line, (x, y, first, side, look), rise in zip(lines, NAMED, rises, strict=True):
        color, at = theme.text(style(line.of, theme)["color"]), removal_place(rise)
        look = look | note | {"font": theme.font(bold=True, color=color), "xanchor": "left"}
        name = line.name.replace(" by ", "<br>by ") if stacked else f"{line.name}: {first} first"
        x = limits[0] if y > 50 and place >= 2 else x  # off the number at the dot
        fig.add_annotation(text=name, x=x, y=math.log10(y), bgcolor=theme.paper, **look)
        look |= {"xanchor": "right", "xshift": -8, "yshift": (-0.5 if line.y[0] == lower else 0.5) * theme.font_size}
        start = math.log10(max(float(line.y[0]), 10 ** ERRORS[0]))
        fig.add_annotation(text=percent(line.y[0] / 100), x=0, y=start, **look | {"yanchor": "middle"})
        ends = {"x0": at, "x1": at, "y0": 10 ** ERRORS[0], "y1": float(line.y[line.x == rise][0])}
        fig.add_shape(type="line", line=theme.line(color, 2, "dot"), **ends)
        look = note | {"xanchor": side, "align": side, "xshift": -6 if side == "right" else 6, "yanchor": "bottom"}
        look |= {"yref": "y domain", "font": theme.font(small=True, bold=True, color=color)}
        fig.add_annotation(text=f"rises<br>from {percent(rise)}", x=at, y=0, **look)
    values = [float(line.y[int(np.abs(np.asarray(line.x) - chosen).argmin())]) for line in lines]
    dots = {"size": 14 * theme.scale, "color": [style(line.of, theme)["color"] for line in lines]}
    dots["line"] = {"width": 2 * theme.scale, "color": theme.paper}
    fig.add_trace(scatter([place] * 2, values, mode="markers", marker=dots, name="on show", hoverinfo="skip"))
    for rank, at in enumerate(np.argsort(values) if chosen else ()):
        fig.add_annotation(**_value(place, values[at], style(lines[at].of, theme)["color"], rank == 1, theme))
    for mask, color, name in ((stays, theme.mean, "left"), (~stays, theme.removed, "removed")):
        counts = np.histogram(decades[mask], edges)[0]
        look = {"marker": {"color": color, "line": {"width": 0}}, "hoverinfo": "skip", "xaxis": "x2", "yaxis": "y2"}
        fig.add_bar(x=compact((edges[1:] + edges[:-1]) / 2), y=compact(counts), name=name, **look)
    blue = theme.text(theme.mean)
    told = f"Weights: {percent(chosen)} removed, <span style='color:{blue}'>{percent(1 - chosen)} left</span>"
    title = {"xref": "x2 domain", "yref": "y2 domain", "x": 0, "y": 1, "yanchor": "bottom", "showarrow": False}
    fig.add_annotation(text=told, font=theme.font(bold=True, color=theme.muted), **title)
    return fig


def signal_to_noise(
    by_layer: Mapping[str, Array],
    threshold: float,
    pixels: Array,
    *,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """How the signal-to-noise ratios of the weights are spread: density, distribution function, and by pixel.

    Args:
        by_layer: decibels of every weight of a layer, (J,), by the layer's name.
        threshold: decibels below which three quarters of all weights are.
        pixels: decibels of each pixel's weights together, (h, w).
        theme: colours and sizes.
        stacked: for phones.
        height: in px.
    """
    height = height or (980 if stacked else 470)
    x_range = decibel_range(by_layer)
    edges = np.arange(x_range[0], x_range[1] + DB_BIN, DB_BIN)
    shares = {name: np.histogram(values, edges)[0] / values.size for name, values in by_layer.items()}
    below = {name: float(np.mean(values < edges[0])) for name, values in by_layer.items()}
    fig = _beside_map(theme, pixels.shape, stacked, height)
    spans = _spans(stacked)
    top = math.ceil(50 * 1.05 * max(float(each.max()) for each in shares.values()) / DB_BIN) / 50
    label = "Signal-to-noise ratio (dB)"
    fig.update_layout(
        xaxis=axis(theme, label, x_range, domain=spans[0][0], anchor="y"),
        yaxis=axis(theme, "Density (per dB)", (0.0, top), domain=spans[0][1], anchor="x"),
        xaxis3=axis(theme, label, x_range, domain=spans[1][0], anchor="y3"),
        yaxis3=axis(theme, "Share of weights below", (0.0, 1.02), domain=spans[1][1], anchor="x3", tickformat=".0%"),
    )
    middles = (edges[1:] + edges[:-1]) / 2
    for index, (name, share) in enumerate(shares.items()):
        line = theme.line(theme.mean, 3 if index == 0 else 2, DASHES[index % len(DASHES)])
        hover = f"{name}<br>%{{x:.0f}} dB: %{{y:.3f}}<extra></extra>"
        look = {"hoverinfo": None, "hovertemplate": hover, "legendgroup": name}
        fig.add_trace(line_bundle(middles, share[None] / DB_BIN, line, name, **look))
        look |= {"xaxis": "x3", "yaxis": "y3", "showlegend": False}
        fig.add_trace(line_bundle(edges, below[name] + np.cumsum([0.0, *share])[None], line, name, **look))
    for suffix in ("", "3"):
        line = theme.line(theme.warning, 2, "dash")
        at = {"x0": threshold, "x1": threshold, "xref": f"x{suffix}", "y0": 0, "y1": 1, "yref": f"y{suffix} domain"}
        fig.add_shape(type="line", line=line, **at)
    fig.add_annotation(
        x=threshold,
        xref="x3",
        y=0.04,
        yref="y3 domain",
        text="75 % below",
        font=theme.font(small=True, color=theme.text(theme.warning)),
        bgcolor=tint(theme.paper, 0.85),
        xanchor="right" if threshold > sum(x_range) / 2 else "left",
        xshift=-4 if threshold > sum(x_range) / 2 else 4,
        showarrow=False,
    )
    fig.add_trace(_decibels_of_pixels(pixels, theme, spans[2]))
    return fig.update_layout(legend_traceorder="normal")


def decibel_range(by_layer: Mapping[str, Array]) -> Range:
    """Tens of decibels around nearly all weights; what is far below 0 is not told apart."""
    pooled = np.concatenate([values.ravel() for values in by_layer.values()])
    low, high = np.quantile(pooled[np.isfinite(pooled)], [0.002, 1])
    return max(10.0 * math.floor(low / 10), LOWEST_DB), 10.0 * math.ceil(high / 10)


def weight_histograms(
    edges: Array, counts: Mapping[str, tuple[Array, Meaning]], *, theme: Theme = LIGHT, height: int = 470
) -> go.Figure:
    """Densities of the weights of several networks on a logarithmic axis.

    ``edges`` (E + 1,) are evenly spaced around 0, E a multiple of 20; ``counts`` (E,) by name, with what they are of.
    The outermost bins, which hold whatever lies beyond, are left out.
    """
    half = max(_reach(edges, count) for count, _ in counts.values())
    merged = next((each for each in (1, 2, 4, 5) if half * (len(edges) - 1) / edges[-1] / each <= MOST_BINS), 10)
    edges = edges[::merged]
    densities = {
        name: count.reshape(-1, merged).sum(1) / count.sum() / np.diff(edges) for name, (count, _) in counts.items()
    }
    pooled = np.concatenate([each[1:-1] for each in densities.values()])
    lowest, highest = float(pooled[pooled > 0].min()), float(pooled.max())
    decades = (math.floor(10 * math.log10(lowest)) / 10 - 0.1, math.ceil(10 * math.log10(1.2 * highest)) / 10)
    fig = figure(theme, x_label="Weight", y_label="Density", x_range=(-half, half), y_range=decades, height=height)
    fig.update_layout(yaxis=log_ticks(decades, "{:g}".format), legend_traceorder="normal")
    middles = (edges[1:] + edges[:-1]) / 2
    for name, (_, of) in counts.items():
        shown = np.where(densities[name] > 0, densities[name], np.nan)  # a logarithm has no zero
        shown[[0, -1]] = np.nan  # these hold all that lies outside
        hover = f"{name}<br>%{{x:.3f}}: %{{y:.3g}}<extra></extra>"
        look = {"hoverinfo": None, "hovertemplate": hover}
        fig.add_trace(line_bundle(middles, shown[None], style(of, theme) | {"shape": "hvh"}, name, **look))
    return fig


def errors_over_training(lines: Sequence[Line], *, x_label: str, theme: Theme = LIGHT, height: int = 470) -> go.Figure:
    """Held-out error in % over the training of several networks, each with its last value at its end."""
    last = max(float(line.x[-1]) for line in lines)
    low = min(float(np.min(line.y)) for line in lines)
    decades = (math.floor(10 * math.log10(0.8 * max(low, 0.1))) / 10, 2.0)
    fig = figure(
        theme, x_label=x_label, y_label="Held-out error (%)", x_range=(0.0, 1.14 * last), y_range=decades, height=height
    )
    fig.update_layout(yaxis=log_ticks(decades, "{:g}".format), legend_traceorder="normal")
    for line in lines:
        hover = f"{line.name}<br>%{{x:,}}: %{{y:.2f}} %<extra></extra>"
        look = {"hoverinfo": None, "hovertemplate": hover}
        fig.add_traces(list(cased_line(line.x, line.y, style(line.of, theme), line.name, theme, **look)))
    fig.update_layout(annotations=[*_last_values(lines, decades, height, theme)])
    return fig


def describe_lines(lines: Sequence[Line]) -> str:
    """First and last error of every line, in one sentence with numbers."""
    told = "; ".join(f"{line.name} from {line.y[0]:.1f} % to {line.y[-1]:.1f} %" for line in lines)
    return f"Held-out error: {told}."


def _reach(edges: Array, count: Array) -> float:
    """A tenth beyond which hardly any of the weights lie."""
    centre = np.abs(edges[1:] + edges[:-1]) / 2
    order = np.argsort(centre)
    share = np.cumsum(count[order]) / count.sum()
    reach = float(centre[order][int(np.searchsorted(share, 0.9995).clip(max=len(order) - 1))])
    return min(math.ceil(10 * reach) / 10, float(edges[-1]))


def _last_values(lines: Sequence[Line], decades: Range, height: int, theme: Theme) -> Iterator[dict[str, Any]]:
    """The last value beside the end of each line; of two that would collide the lower one moves down.

    Where there is no room below, the others move up.
    """
    room = 24 * theme.scale / (height - 110) * (decades[1] - decades[0])
    ranked = sorted(lines, key=lambda line: -float(line.y[-1]))
    places: list[float] = []
    for line in ranked:
        y = math.log10(max(float(line.y[-1]), 1e-3))
        places.append(min([y, *(other - room for other in places[-1:])]))
    floors = [decades[0] + room * rank for rank in reversed(range(len(ranked)))]
    for line, place in zip(ranked, map(max, places, floors), strict=True):
        yield {
            "x": float(line.x[-1]),
            "y": place,
            "xanchor": "left",
            "xshift": 6,
            "text": f"{line.y[-1]:.2f}",
            "font": theme.font(small=True, bold=True, color=theme.text(style(line.of, theme)["color"])),
            "showarrow": False,
        }


# A map of the pixels beside curves ------------------------------------------------------------------------------------


def _spans(stacked: bool) -> list[tuple[Range, Range]]:
    """The places (x, y) of both panels and of the map, which comes last."""
    if stacked:
        return [((0.0, 1.0), row) for row in ((0.76, 1.0), (0.43, 0.66), (0.07, 0.34))]
    return [((0.0, 0.2875), (0.0, 1.0)), ((0.3725, 0.66), (0.0, 1.0)), ((0.71, 1.0), (MAP_FOOT, 1.0))]


def _beside_map(theme: Theme, shape: tuple[int, ...], stacked: bool, height: int) -> go.Figure:
    """An empty figure with the axes of the map, x2 and y2, pixels square and framed."""
    right, bottom = shape[1] - 0.5, shape[0] - 0.5
    column, row = _spans(stacked)[-1]
    square = {"constrain": "domain", "visible": False}
    fig = empty(
        theme,
        height,
        xaxis2=axis(theme, "", (-0.5, right), domain=column, anchor="y2", **square),
        yaxis2=axis(
            theme, "", (bottom, -0.5), domain=row, anchor="x2", scaleanchor="x2", constraintoward="top", **square
        ),
    )
    frame = {"x0": -0.5, "x1": right, "y0": -0.5, "y1": bottom, "xref": "x2", "yref": "y2"}
    return fig.add_shape(type="rect", line=theme.line(theme.muted, 1), **frame)


def _colorbar(theme: Theme, title: str, span: tuple[Range, Range], **ticks: Any) -> dict[str, Any]:
    return {
        "title": {"text": title, "font": theme.font(small=True), "side": "top"},
        "orientation": "h",
        "x": sum(span[0]) / 2,
        "xanchor": "center",
        "y": span[1][0] - 0.01,
        "yanchor": "top",
        "lenmode": "pixels",
        "len": 220,
        "thickness": 12 * theme.scale,
        "tickfont": theme.font(small=True, color=theme.muted),
        "outlinecolor": theme.grid,
        "tickangle": 0,
        **ticks,
    }


def _map(values: Array, theme: Theme, limits: Range, bar: dict[str, Any], hover: str, told: Array) -> Trace:
    return {
        "type": "heatmap",
        "z": np.asarray(values, np.float32),
        "customdata": np.asarray(told, np.float32),
        "zmin": limits[0],
        "zmax": limits[1],
        "colorscale": theme.colorscale,
        "colorbar": bar,
        "hovertemplate": f"row %{{y}}, column %{{x}}<br>{hover}<extra></extra>",
        "name": "pixels",
        "xaxis": "x2",
        "yaxis": "y2",
    }


def _decibels_of_pixels(pixels: Array, theme: Theme, span: tuple[Range, Range]) -> Trace:
    known = pixels[np.isfinite(pixels)]
    limits = (max(10.0 * math.floor(float(known.min()) / 10), LOWEST_DB), 10.0 * math.ceil(float(known.max()) / 10))
    bar = _colorbar(theme, "Pixel's weights (dB)", span, nticks=5)
    return _map(np.maximum(pixels, limits[0]), theme, limits, bar, "%{customdata:.1f} dB", pixels)


def _value(x: float, y: float, color: str, is_higher: bool, theme: Theme) -> dict[str, Any]:
    """The label of a marked error. The curves rise, so the higher one has room at its left, the lower at its right."""
    left = x > (removal_place(0.6) if is_higher else removal_place(0.999))
    return {
        "x": x,
        "y": math.log10(max(y, 10 ** ERRORS[0])),
        "text": percent(y / 100),
        "font": theme.font(bold=True, color=theme.text(color)),
        "bgcolor": tint(theme.paper, 0.85),
        "showarrow": False,
        "xanchor": "right" if left else "left",
        "xshift": -9 if left else 9,
        "yshift": 18 if is_higher else -18,
    }
