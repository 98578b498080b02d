"""Pictures of Bayes' rule: maps of two parameters with their prediction, and four networks with their probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import percent
from bdlviz.plots.curves import names_at_ends
from bdlviz.plots.functions import NOISE_OPACITY, ONE_SD_OPACITY, TWO_SD_OPACITY
from bdlviz.plots.panels import panel_axes, panel_figure, room_for_titles
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, overlaid, tint
from bdlviz.plots.traces import TRAIL, Trace, band, cased_line, float32, line_bundle, points, ring, scatter
from bdlviz.types import Array, Predictive

Choice = Literal["mle", "map", "mean"]
CHOICES: dict[str, str] = {
    "mle": "MLE",
    "map": "MAP",
    "mean": "Mean parameters",
    "average": "Posterior average",
}
SYMBOLS = {"mle": "x-thin-open", "map": "diamond-open", "mean": "circle-open"}
GLYPHS = {"mle": "✕ ", "map": "◇ ", "mean": "○ ", "average": ""}  # before the names of curves
NAMES = {
    "mle": "best fit<br>(MLE)",
    "map": "peak<br>(MAP)",
    "mean": "mean<br>weights",
    "average": "average",
}  # beside the curves
SAME = 0.02  # of y: curves that are nearer have one name
DASHES = {"mle": "dash", "map": "dashdot", "mean": "dot"}
LEVELS = 255  # of a map's colours: a byte for each cell
MAX_CELLS = 162  # to a side that a map shows
OUTLINE_CELLS = 60  # to a side of what an outline encloses
CREDIBLE = 0.95
SPREAD = "Spread (1, 2 sd)"
POSTERIOR, PREDICTION = 2, 3  # panels, after prior and likelihood
NETWORKS = (8, 5, 7, 4)  # of the theme's classes: colours of the four networks that no other meaning has


@dataclass(frozen=True, eq=False)
class Map:
    """A density over two parameters (rows by the second, B; columns by the first, A) as a share of its largest value.

    ``level`` is the density of a contour to draw, 0 for none.
    """

    title: str
    first: Array
    second: Array
    density: Array
    level: float = 0.0

    @property
    def area(self) -> float:
        """The area of the region that the contour encloses."""
        cell = (self.first[1] - self.first[0]) * (self.second[1] - self.second[0])
        return float((self.density >= self.level).sum() * cell)


@dataclass(frozen=True, eq=False)
class Estimate:
    """One choice of parameters, (M, 2) where M are equally good, and the function (P,) that it gives."""

    which: Choice
    parameters: Array
    function: Array


def posterior_maps(
    maps: Sequence[Map],
    predictive: Predictive,
    x: Array,
    y: Array,
    *,
    names: tuple[str, str],
    estimates: Sequence[Estimate] = (),
    average: Array | None = None,
    truth: Array | None = None,
    drawn: Array | None = None,
    reach: float,
    x_range: Range,
    y_range: Range,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Prior and likelihood (small), the posterior (large), and what is predicted beside the data.

    The maps are squares over the same values of both parameters. Beside the outlines of prior and posterior stands the
    share of the prior's area that is left.

    Args:
        maps: of the prior, the likelihood and the posterior.
        predictive: whose bands and draws to show, its x (P, 1) ascending.
        x: of the data, (N,), as is ``y``.
        names: of the two parameters.
        estimates: single choices to mark in the posterior, each with its function.
        average: mean function (P,) of the posterior average.
        truth: noiseless function (P,), where it is known.
        drawn: parameters (S, 2) of the draws that ``predictive`` holds.
        reach: how far from 0 the maps go.
        stacked: for phones: maps above the prediction.
    """
    traces = [
        *_densities(maps, names, theme),
        *_marks(estimates, drawn, names, theme),
        *_prediction(predictive, estimates, average, truth, x, y, theme),
    ]
    if stacked:
        across = [(0.0, 0.42), (0.58, 1.0), (0.0, 1.0), (0.0, 0.78)]
        up = [(0.84, 1.0), (0.84, 1.0), (0.42, 0.76), (0.0, 0.32)]
    else:
        across = [(0.0, 0.2), (0.0, 0.2), (0.275, 0.63), (0.695, 0.905)]
        up = [(0.54, 1.0), (0.0, 0.46), (0.0, 1.0), (0.0, 1.0)]
    square = (-reach, reach)
    isotropic: dict[str, Any] = {}
    for index in range(POSTERIOR + 1):
        x_name, y_name = panel_axes(index).values()
        ticks = {"tickvals": [-reach / 2, reach / 2] if index < POSTERIOR else [-reach / 2, 0, reach / 2]}
        labelled = {"showticklabels": stacked or index > 0}  # the likelihood is below the prior
        isotropic[x_name.replace("x", "xaxis")] = {"scaleanchor": y_name, "constrain": "domain", **ticks, **labelled}
        isotropic[y_name.replace("y", "yaxis")] = {"constrain": "domain", "constraintoward": "top", **ticks}
    ends = _ends(estimates, average, truth, theme)
    fig = _panels(
        [*(each.title for each in maps), "Prediction" if drawn is None else "Prediction: a curve for each dot"],
        [("", ""), ("", ""), names, ("x", "y")],
        [(square, square)] * 3 + [(x_range, y_range)],
        across,
        up,
        theme,
        height or (1060 if stacked else 500),
        traces,
        [*names_at_ends(ends, PREDICTION, y_range, theme, is_beside=True), *_areas(maps, reach, theme)],
        **isotropic,
    )
    if stacked:  # a long legend above the maps would fill the first screen of a phone
        fig.update_layout(legend={"y": -0.07, "yanchor": "top"}, margin={"t": 34, "b": 110})
    return fig


def share_left(maps: Sequence[Map]) -> str:
    """The area inside the outline of the posterior as a share of the area inside that of the prior."""
    return percent(maps[POSTERIOR].area / maps[0].area)


def describe_posterior_maps(maps: Sequence[Map], estimates: Sequence[Estimate], num_data: int) -> str:
    """What `posterior_maps` shows, in words with numbers, for people who do not see it."""
    _, _, posterior = maps
    inside = posterior.density >= posterior.level
    first, second = posterior.first[inside.any(0)], posterior.second[inside.any(1)]
    said = "; ".join(
        f"{CHOICES[each.which]} at ({each.parameters[0, 0]:.2f}, {each.parameters[0, 1]:.2f})" for each in estimates
    )
    return (
        f"Maps of prior, likelihood and posterior of two parameters after {num_data} points. "
        f"{100 * CREDIBLE:.0f} % of the posterior lies within {first.min():.2f} to {first.max():.2f} and "
        f"{second.min():.2f} to {second.max():.2f}. {said}{'.' if said else ''} At the right: data and prediction."
    )


def four_posteriors(
    prior: Array,
    likelihood: Array,
    posterior: Array,
    predictive: Predictive,
    x: Array,
    y: Array,
    *,
    names: Sequence[str],
    picks: tuple[int, int],
    at: float | None = None,
    x_range: Range,
    y_range: Range,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Bars and a table of Bayes' rule for a few networks (H,), and their functions beside the data.

    Args:
        prior: probabilities (H,), as are ``posterior`` and ``likelihood``, which is drawn as a share of its sum.
        predictive: of the posterior average, its draws the functions (H, P, 1) themselves.
        x: of the data, (N,), as is ``y``.
        names: of the networks.
        picks: the networks of maximum likelihood and of MAP, from 0.
        at: where a prediction is read off.
        stacked: for phones: bars above the functions.
    """
    across = [(0.28, 1.0), (0.0, 1.0)] if stacked else [(0.13, 0.58), (0.66, 1.0)]
    up = [(0.72, 1.0), (0.0, 0.4)] if stacked else [(0.42 if theme.scale == 1 else 0.56, 1.0), (0.0, 1.0)]
    titles = ["Likelihoods divided by their sum", "What they predict"]
    labels = [("", ""), ("x", "y")]
    ranges = [((-0.6, len(names) + 0.5), (0.0, 1.18)), (x_range, y_range)]
    scaled = likelihood / likelihood.sum()
    ends = [("average", float(predictive.mean[-1, 0]), theme.exact)]
    for index, name in enumerate(names):
        ends.append((name, float(predictive.draws[index, -1, 0]), _network_color(index, theme)))
    predicted = (*_bands(predictive, theme), *_functions(predictive, posterior, x, y, theme))
    functions = [trace | panel_axes(1) for trace in predicted]
    tops = np.maximum(np.maximum(prior, scaled), posterior)
    reading = {"x0": at, "x1": at, "y0": 0, "y1": 1, "xref": "x2", "yref": "y2 domain"}
    line = {"type": "line", "line": theme.line(theme.muted, 1.5, "dot")}
    return _panels(
        titles,
        labels,
        ranges,
        across,
        up,
        theme,
        height or (820 if stacked else 470),
        [*_bars(prior, scaled, posterior, theme), *functions],
        [
            *_names_of_picks(picks, tops, theme),
            *_table(prior, scaled, posterior, names, up[0][0] - (0.03 if stacked else 0.05), theme, stacked),
            *names_at_ends(ends, 1, y_range, theme),
        ],
        xaxis={"tickvals": [], "showgrid": False},
        yaxis={"tickvals": [0, 0.5, 1]},
        shapes=[] if at is None else [line | reading],
        barmode="overlay",
    )


def describe_four_posteriors(posterior: Array, names: Sequence[str], picks: tuple[int, int], num_data: int) -> str:
    """What `four_posteriors` shows, in words with numbers."""
    said = ", ".join(f"network {name} {share:.2f}" for name, share in zip(names, posterior, strict=True))
    return (
        f"Posterior after {num_data} points: {said}. Maximum likelihood picks network {names[picks[0]]}, MAP network "
        f"{names[picks[1]]}. Under the bars Bayes' rule in numbers, beside them functions, data and posterior average."
    )


def average_of_networks(
    posterior: Array,
    predictive: Predictive,
    x: Array,
    y: Array,
    *,
    names: Sequence[str],
    most: Array,
    gaps: Array,
    x_range: Range,
    y_range: Range,
    theme: Theme = LIGHT,
    stacked: bool = False,
) -> go.Figure:
    """The functions of a few networks with their masses and their average, and what the average is off the best ones.

    Args:
        posterior: masses (H,) of the networks; ``names`` are theirs.
        predictive: of the posterior average, its draws the functions (H, P, 1) themselves.
        x: of the data, (N,), as is ``y``.
        most: the most probable networks, (M,), from 0.
        gaps: the average minus the functions of these, (M, P).
        stacked: for phones: one panel above the other.
    """
    inputs = predictive.x[:, 0]
    zero = line_bundle(inputs, np.zeros((1, len(inputs))), theme.line(theme.muted, 1.5, "dot"), "0", showlegend=False)
    traces = [*_functions(predictive, posterior, x, y, theme), zero | panel_axes(1)]
    ends = [("average", float(predictive.mean[-1, 0]), theme.exact)]
    for index, (name, mass) in enumerate(zip(names, posterior, strict=True)):
        color = _network_color(index, theme)
        ends.append((f"{name}: {percent(mass)}", float(predictive.draws[index, -1, 0]), color))
    away = []
    for index, gap in zip(most, gaps, strict=True):
        color, name = _network_color(index, theme), f"average − {names[index]}"
        traces.append(line_bundle(inputs, gap[None], theme.line(color, 3), name, showlegend=False) | panel_axes(1))
        away.append((name, float(gap[-1]), color))
    fig = panel_figure(
        theme,
        ["Functions and their posterior", "Average minus the most probable"],
        x_label="x",
        y_labels=["y", "Difference in y"],
        x_range=x_range,
        y_ranges=[y_range, y_range],
        stacked=stacked,
        height=760 if stacked else 470,
        traces=traces,
    )
    for note in (*names_at_ends(ends, 0, y_range, theme), *names_at_ends(away, 1, y_range, theme)):
        fig.add_annotation(**note)
    return fig


# The parts of both ----------------------------------------------------------------------------------------------------


def _panels(
    titles: Sequence[str],
    labels: Sequence[tuple[str, str]],
    ranges: Sequence[tuple[Range, Range]],
    across: Sequence[Range],
    up: Sequence[Range],
    theme: Theme,
    height: int,
    traces: Iterable[Trace],
    notes: Iterable[dict[str, Any]] = (),
    **layout: Any,
) -> go.Figure:
    """Panels at any places of the paper, each with a title above its left corner; ``layout`` is laid over them."""
    axes: dict[str, Any] = {}
    said = []
    look = {"font": theme.font(bold=True), "showarrow": False, "xanchor": "left", "yanchor": "bottom"}
    for index, title in enumerate(titles):
        x_name, y_name = panel_axes(index).values()
        (x_label, y_label), (x_limits, y_limits) = labels[index], ranges[index]
        axes[x_name.replace("x", "xaxis")] = axis(theme, x_label, x_limits, domain=across[index], anchor=y_name)
        axes[y_name.replace("y", "yaxis")] = axis(theme, y_label, y_limits, domain=up[index], anchor=x_name)
        said.append({"text": title, "x": 0, "y": 1, "xref": f"{x_name} domain", "yref": f"{y_name} domain"} | look)
    around = overlaid(room_for_titles(theme, height), {"legend": {"traceorder": "normal"}})
    return empty(theme, height, traces=traces, annotations=[*said, *notes], **around, **overlaid(axes, layout))


def _densities(maps: Sequence[Map], names: tuple[str, str], theme: Theme) -> Iterator[Trace]:
    """Every map in its panel with its outline; that of the prior is in the panel of the posterior, too."""
    for index, (shown, color) in enumerate(zip(maps, (theme.prior, theme.ink, theme.exact), strict=True)):
        yield _heat(shown, color, theme, names) | panel_axes(index)
        if shown.level:
            yield _contour(shown, theme.line(color, 1.5)) | panel_axes(index)
    if maps[0].level:
        yield _contour(maps[0], theme.line(theme.prior, 1.5, "dot")) | panel_axes(POSTERIOR)


def _areas(maps: Sequence[Map], reach: float, theme: Theme) -> Iterator[dict[str, Any]]:
    """What is left of the prior's area: below the outline of the posterior, and 100 % above that of the prior."""
    said = (
        (maps[0], f"prior: area {percent(1)}", theme.prior, 1),
        (maps[POSTERIOR], f"area {share_left(maps)}", theme.exact, -1),
    )
    x_name, y_name = panel_axes(POSTERIOR).values()
    for shown, text, color, side in said:
        rows = np.flatnonzero((shown.density >= shown.level).any(1))
        row = rows[-1] if side > 0 else rows[0]
        place = shown.first[shown.density[row] >= shown.level].mean(), shown.second[row]
        if not shown.level or (side > 0 and place[1] > reach):  # the outline is not on the map
            continue
        x, y = (float(np.clip(at, -share * reach, share * reach)) for at, share in zip(place, (0.2, 0.9), strict=True))
        look = {"font": theme.font(small=True, bold=True, color=theme.text(color)), "showarrow": False}
        look |= {"bgcolor": tint(theme.paper, 0.7), "borderpad": 0, "yanchor": "bottom" if side > 0 else "top"}
        yield {"text": text, "x": x, "y": y, "xref": x_name, "yref": y_name, **look}


def _heat(shown: Map, color: str, theme: Theme, names: tuple[str, str]) -> Trace:
    """A map's colours, as bytes."""
    step = -(-max(shown.density.shape) // MAX_CELLS)
    return {
        "type": "heatmap",
        "x": float32(shown.first[step // 2 :: step]),
        "y": float32(shown.second[step // 2 :: step]),
        "z": np.rint(LEVELS * shown.density[step // 2 :: step, step // 2 :: step]).astype(np.uint8),
        "zmin": 0,
        "zmax": LEVELS,
        "zsmooth": "fast",  # "best" computes every pixel again in each frame of a drag
        "colorscale": [[0.0, tint(color, 0)], [1.0, color]],
        "showscale": False,
        "hovertemplate": f"{names[0]} %{{x:.2f}}<br>{names[1]} %{{y:.2f}}<extra></extra>",
    }


def _contour(shown: Map, line: dict[str, Any]) -> Trace:
    """The outline of the most probable parameters, from the cells around them: the browser follows it in each frame.

    The root of the density keeps its bytes from being all near 0.
    """
    level = LEVELS * float(np.sqrt(shown.level))
    inside = shown.density >= shown.level
    places = [np.flatnonzero(inside.any(axis)) for axis in (0, 1)]
    step = -(-max(np.ptp(along) for along in places) // OUTLINE_CELLS) or 1
    sizes = shown.density.shape[::-1]
    ends = [
        (max(along[0] - step, 0), min(along[-1] + step, size - 1)) for along, size in zip(places, sizes, strict=True)
    ]
    columns, rows = (np.unique([*range(first, last, step), last]) for first, last in ends)
    return {
        "type": "contour",
        "x": float32(shown.first[columns]),
        "y": float32(shown.second[rows]),
        "z": np.rint(LEVELS * np.sqrt(shown.density[np.ix_(rows, columns)])).astype(np.uint8),
        "autocontour": False,
        "contours": {"start": level, "end": level, "size": 1, "coloring": "none"},
        "line": line,
        "showscale": False,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _color(which: str, theme: Theme) -> str:
    return {"mle": theme.ink, "map": theme.mean, "mean": theme.warning}[which]


def _marks(estimates: Sequence[Estimate], drawn: Array | None, names: tuple[str, str], theme: Theme) -> Iterator[Trace]:
    """Draws as dots and single choices as symbols in the map of the posterior."""
    rim = {"width": 1.5 * theme.scale, "color": theme.paper}
    if drawn is not None and len(drawn):
        marker = {"size": 5 * theme.scale, "color": theme.exact, "line": rim | {"width": 0.7 * theme.scale}}
        look = {"mode": "markers", "marker": marker, "hoverinfo": "skip", "showlegend": False}
        yield scatter(*drawn.T, name="Draws of the posterior", legendgroup="draws", **look) | panel_axes(POSTERIOR)
    for each in estimates:
        color, name = _color(each.which, theme), CHOICES[each.which]
        width = {"width": 2 * theme.scale, "color": color}
        marker = {"symbol": SYMBOLS[each.which], "size": 11 * theme.scale, "color": color, "line": width}
        hover = f"{name}<br>{names[0]} %{{x:.3f}}<br>{names[1]} %{{y:.3f}}<extra></extra>"
        look = {"mode": "markers", "marker": marker, "name": name, "hovertemplate": hover}
        yield scatter(*each.parameters.T, legendgroup=each.which, showlegend=False, **look) | panel_axes(POSTERIOR)


def _prediction(
    predictive: Predictive,
    estimates: Sequence[Estimate],
    average: Array | None,
    truth: Array | None,
    x: Array,
    y: Array,
    theme: Theme,
) -> Iterator[Trace]:
    """Bands and draws of the choice that is shown, then every choice as a line, then the data."""
    axes, inputs = panel_axes(PREDICTION), predictive.x[:, 0]
    for trace in _bands(predictive, theme):
        yield trace | axes
    if len(predictive.draws) > 1:
        look = {"opacity": theme.draws_opacity, "name": "Draws of the posterior", "legendgroup": "draws"}
        yield line_bundle(inputs, predictive.draws[..., 0], theme.line(theme.exact, 1.2), **look) | axes
    if average is not None:
        line = theme.line(theme.exact, 3)
        for trace in cased_line(inputs, average, line, CHOICES["average"], theme, showlegend=False):
            yield trace | axes
    for each in estimates:
        line = theme.line(_color(each.which, theme), 2.5, DASHES[each.which])
        look = {"legendgroup": each.which, "hoverinfo": "skip", "name": CHOICES[each.which]}
        yield scatter(inputs, each.function, mode="lines", line=line, showlegend=False, **look) | axes
    if truth is not None:
        yield line_bundle(inputs, truth[None], theme.line(theme.truth, 2, "dash"), "Truth", showlegend=False) | axes
    yield points(x, y, "Data", theme) | axes


def _ends(
    estimates: Sequence[Estimate], average: Array | None, truth: Array | None, theme: Theme
) -> list[tuple[str, float, str]]:
    """Name, right end and colour of every curve of the prediction; equal curves have one name."""
    curves: list[tuple[str, Array, str]] = [] if average is None else [("average", average, theme.exact)]
    curves += [(each.which, each.function, _color(each.which, theme)) for each in estimates]
    found: list[tuple[str, Array, str]] = [] if truth is None else [("truth", truth, theme.truth)]
    for which, function, color in curves:
        name = GLYPHS[which] + NAMES[which]
        same = next((at for at, (_, other, _) in enumerate(found) if np.allclose(function, other, atol=SAME)), None)
        if same is None:
            found.append((name, function, color))
        else:
            found[same] = (f"{found[same][0]}<br>= {name}", *found[same][1:])
    return [(name, float(function[-1]), color) for name, function, color in found]


def _bands(predictive: Predictive, theme: Theme) -> Iterator[Trace]:
    """Two standard deviations of noise around one and two of epistemic uncertainty."""
    x, mean = predictive.x[:, 0], predictive.mean[:, 0]
    epistemic, total = predictive.epistemic_std[:, 0], predictive.total_std[:, 0]
    yield ring(x, mean, 2 * epistemic, 2 * total, tint(theme.aleatoric, NOISE_OPACITY), "Noise of the points")
    if epistemic.any():
        bands: dict[str, Any] = {"name": SPREAD, "legendgroup": SPREAD}
        yield band(x, mean, 2 * epistemic, tint(theme.exact, TWO_SD_OPACITY), showlegend=False, meta=TRAIL, **bands)
        yield band(x, mean, epistemic, tint(theme.exact, ONE_SD_OPACITY), **bands)


def _functions(predictive: Predictive, posterior: Array, x: Array, y: Array, theme: Theme) -> Iterator[Trace]:
    """Each network's function, the wider the more probable it is, the posterior average, and the data."""
    inputs = predictive.x[:, 0]
    for index, (function, share) in enumerate(zip(predictive.draws[..., 0], posterior, strict=True)):
        line = theme.line(_network_color(index, theme), 1 + 4 * float(share), "dash")
        yield line_bundle(inputs, function[None], line, f"network {index + 1}", showlegend=False)
    line = theme.line(theme.exact, 3)
    yield from cased_line(inputs, predictive.mean[:, 0], line, CHOICES["average"], theme, showlegend=False)
    yield points(x, y, "Data", theme)


def _bars(prior: Array, likelihood: Array, posterior: Array, theme: Theme) -> Iterator[Trace]:
    """Three bars for each network."""
    places = float32(np.arange(len(prior)))
    parts = (("Prior", prior, theme.prior), ("Likelihood (scaled)", likelihood, theme.muted))
    for shift, (name, values, color) in enumerate((*parts, ("Posterior", posterior, theme.exact))):
        yield {
            "type": "bar",
            "x": places + float32((shift - 1) * 0.27),
            "y": float32(values),
            "width": 0.25,
            "name": name,
            "showlegend": False,  # the table below has the name in this colour
            "marker": {"color": color, "line": {"width": 0}},
            "hovertemplate": f"{name}: %{{y:.3g}}<extra></extra>",
        }


def _table(
    prior: Array, likelihood: Array, posterior: Array, names: Sequence[str], top: float, theme: Theme, stacked: bool
) -> Iterator[dict[str, Any]]:
    """Bayes' rule in numbers under the bars: a column for each network, and their sum; ``top`` is on the paper."""
    product = prior * likelihood
    rows: list[tuple[str, Sequence[str], str]] = [("Network", [*names, "sum"], theme.muted)]
    for name, values, color in (
        ("Prior", prior, theme.prior),
        ("× Likelihood", likelihood, theme.muted),
        ("= Product", product, theme.ink),
        ("Posterior", posterior, theme.exact),
    ):
        rows.append((name, [f"{value:.3f}" for value in (*values, values.sum())], color))
    step = 0.04 if stacked else (top + 0.08) / len(rows)
    look = {"showarrow": False, "yref": "paper", "yanchor": "top"}
    for row, (name, cells, color) in enumerate(rows):
        place = look | {"y": top - step * row, "font": theme.font(small=True, bold=True, color=theme.text(color))}
        yield place | {"text": name, "x": 0, "xref": "x domain", "xanchor": "right", "xshift": -8}
        for column, cell in enumerate(cells):
            yield place | {"text": cell, "x": column, "xref": "x", "xanchor": "center"}


def _network_color(index: int, theme: Theme) -> str:
    return theme.classes[NETWORKS[index % len(NETWORKS)]]


def _names_of_picks(picks: tuple[int, int], tops: Array, theme: Theme) -> Iterator[dict[str, Any]]:
    """MLE and MAP above the bars of what they pick."""
    said: dict[int, str] = {}
    for name, pick in zip(("MLE", "MAP"), picks, strict=True):
        said[pick] = f"{said[pick]}, {name}" if pick in said else name
    for pick, text in said.items():
        place = {"x": pick, "y": float(tops[pick]), "xref": "x", "yref": "y", "yanchor": "bottom"}
        yield {"text": text, "font": theme.font(bold=True), "showarrow": False, **place}
