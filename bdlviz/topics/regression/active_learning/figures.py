"""Active learning: the posterior, the score of each point, and the error over several runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import number
from bdlviz.plots.curves import log_ticks, names_at_ends
from bdlviz.plots.functions import function_traces, in_panel
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme, figure, tint
from bdlviz.plots.traces import Trace, band, line_bundle, scatter
from bdlviz.types import Array, Dataset, Predictive

DECADES = 1.0  # of a score that are shown below the highest one of a round
UPPER_SHARE = 0.66  # of the height, for the function
BAND_OPACITY = {True: 0.2, False: 0.09}
DASHES = ("solid", "dash", "dot", "dashdot")
SPLIT = (0.45, 0.64)  # of the x axis: from there on, a low or a high name stands left of its position
LETTER = 0.036  # width of a letter of a name, as a share of the x axis
NEXT, NOW = "next", "this round"
NOISE, VISIBLE = "Noise (aleatoric)", 0.02  # the name of its band, and its sd that can be seen, as a share of the axis


def active_round(
    predictive: Predictive,
    pool: Dataset,
    labelled: Array,
    *,
    num_given: int,
    scores: Array | None = None,
    score: str = "score",
    score_range: Range = (-2.0, 1.0),
    theme: Theme = LIGHT,
    height: int = 560,
) -> go.Figure:
    """The posterior with these labels, and below it the score of each other point of the pool.

    Args:
        predictive: over an ascending grid (G, 1); its draws are not shown.
        pool: all points; of those that have no label yet the inputs are marked. Outside of them no label can be asked.
        labelled: positions in the pool, in the order in which they were asked for.
        num_given: how many of them there were from the beginning.
        scores: (P,) of the pool; None where nothing is asked for any more.
        score: what it is called.
        score_range: decimal logarithms, the ends of its axis.
    """
    known = replace(pool, x=pool.x[labelled], y=pool.y[labelled])
    is_noisy = bool(predictive.aleatoric_std.max() > VISIBLE * np.ptp(pool.y_range))
    shown = {"epistemic", "mean", "truth", *(("aleatoric",) if is_noisy else ())}
    functions = [
        {**each, "showlegend": each["name"] == NOISE}
        for each in function_traces(predictive, known, theme, 0, None, shown, None)
    ]
    upper = [*functions, _inputs(pool, labelled, theme), *_known(pool, labelled, num_given, theme)]
    fig = upper_and_lower(
        theme,
        ("One run: mean, ±1 and 2 sd", f"{score.capitalize()} (log scale)"),
        x_label=pool.x_label,
        y_labels=(pool.y_label, ""),
        x_range=pool.x_range,
        y_ranges=(pool.y_range, score_range),
        height=height,
        traces=[in_panel(trace, 0) for trace in upper],
    )
    ends = (10.0 ** score_range[0], 10.0 ** score_range[1])
    ticks = {name: each if name == "type" else each[::2] for name, each in log_ticks(score_range, number).items()}
    fig.update_layout(shapes=_outside(pool, theme), yaxis2=ticks | {"range": list(score_range)})
    for shade in fig.layout.shapes[::2]:  # type: ignore[attr-defined]
        at = {"x": (shade.x0 + shade.x1) / 2, "xref": "x2", "y": 0.05, "yref": "y2 domain", "yanchor": "bottom"}
        fig.add_annotation(text="cannot be<br>measured", font=theme.font(small=True), showarrow=False, **at)
    if pool.truth is not None:  # named where it is far from the curve, and not at an end
        inner = slice(len(predictive.x) // 10, -(len(predictive.x) // 10))
        x, mean = predictive.x[inner], predictive.mean[inner, 0]
        y = np.ravel(pool.truth(x))
        at = int(np.abs(y - mean).argmax())
        look = few_words(theme) | {"font": theme.font(small=True, bold=True, color=theme.text(theme.truth))}
        side = {"yanchor": "top", "yshift": -6} if y[at] > mean[at] else {"yanchor": "bottom", "yshift": 6}
        fig.add_annotation(text="truth", x=float(x[at, 0]), y=float(y[at]), **side, **look)
    if len(labelled) > num_given:
        newest = labelled[-1]
        at = {"x": float(pool.x[newest, 0]), "y": float(pool.y[newest, 0]), "ax": 0, "ay": -32, "standoff": 6}
        line = {"showarrow": True, "arrowhead": 0, "arrowwidth": theme.scale, "arrowcolor": theme.ink}
        fig.add_annotation(text="newest", **at, **few_words(theme) | line)
    if scores is None:
        _say_nothing_more(fig, theme)
    else:
        fig.add_traces([in_panel(trace, 1) for trace in _wanted(pool, labelled, np.maximum(scores, ends[0]), theme)])
        next_x = float(pool.x[best_free(labelled, scores), 0])
        at_next = int(np.abs(predictive.x[:, 0] - next_x).argmin())
        mean, std = (float(each[at_next, 0]) for each in (predictive.mean, predictive.epistemic_std))
        _mark(fig, next_x, ((mean - 2 * std, mean + 2 * std), ends), theme)
        is_right = next_x > sum(pool.x_range) / 2
        side = {"xanchor": "right", "xshift": -10} if is_right else {"xanchor": "left", "xshift": 10}
        at = {"x": next_x, "y": 1, "yanchor": "top", "xref": "x2", "yref": "y2 domain"}
        fig.add_annotation(text="highest: measure next", **at, **side, **few_words(theme))
    return fig


def best_free(labelled: Array, scores: Array) -> int:
    """The position of the highest score among the points that have no label."""
    free = np.ones(len(scores), bool)
    free[labelled] = False
    return int(np.flatnonzero(free)[scores[free].argmax()])


def range_of_scores(highest: Array) -> Range:
    """The ends of an axis, as decimal logarithms, that shows the highest score of every round, (T,)."""
    powers = np.log10(np.maximum(highest, np.finfo(float).tiny)) if len(highest) else np.zeros(1)
    return float(powers.min()) - DECADES, float(powers.max()) + 0.3


def describe_active_round(pool: Dataset, labelled: Array, scores: Array | None) -> str:
    """What `active_round` shows, in two sentences with numbers, for people who do not see it."""
    told = f"{pool.title}: a function learned from {len(labelled)} labels of a pool of {len(pool.x)} points."
    if scores is None:
        return f"{told} Nothing more is asked for."
    chosen = best_free(labelled, scores)
    return (
        f"{told} The next label is asked for at {pool.x_label} = {pool.x[chosen, 0]:.3g}, where the score is highest."
    )


def runs_against(
    x: Array,
    runs: Mapping[str, Array],
    *,
    x_label: str,
    y_label: str,
    x_range: Range,
    y_range: Range,
    interval: Mapping[str, tuple[Array, Array, Array]],
    chosen: str = "",
    marked: float | None = None,
    levels: Mapping[str, float] | None = None,
    live: tuple[Array, Array] | None = None,
    told: Sequence[str] = (),
    written: Callable[[float], str] = number,
    is_free_above: bool = True,
    theme: Theme = LIGHT,
    height: int = 560,
) -> go.Figure:
    """Several ways of choosing against the number of labels, or rounds: the mean over runs and its interval.

    Args:
        x: (T,).
        runs: by name, values (R, T); up to four. A single run has no interval.
        interval: by name, the mean and the ends of its interval, (T,) each.
        chosen: the name that stands out, drawn last.
        marked: where a vertical line shows the present round.
        levels: by label, values to reach, as thin lines.
        live: numbers and values (t,) of one run on top.
        told: names whose means at the present round stand beside its line, as they are ``written``.
        is_free_above: there is room above the curves: there stand their names, with these means, at the present
            round, or else at the right ends; otherwise the means stand below them, and the names in a legend. If
            only two curves are told, their means stand above the higher one and below the lower one.
    """
    fig = figure(theme, x_label=x_label, y_label=y_label, x_range=x_range, y_range=y_range, height=height)
    for label, value in (levels or {}).items():
        ends = np.array(x_range)
        fig.add_trace(
            line_bundle(ends, np.full((1, 2), value), theme.line(theme.muted, 1, "dot"), label, showlegend=False)
        )
        place = {"x": x_range[0], "xanchor": "left", "y": value, "yanchor": "bottom"}
        fig.add_annotation(text=label, font=theme.font(small=True, color=theme.muted), showarrow=False, **place)
    if marked is not None:
        fig.add_trace(
            line_bundle(
                np.full(2, marked), np.array([y_range]), theme.line(theme.muted, 1.2, "dot"), NEXT, showlegend=False
            )
        )
    names = [name for name in runs if name != chosen] + [name for name in runs if name == chosen]
    colors = {name: theme.mean if name == chosen else theme.ink for name in names}
    for name in names:
        is_chosen, color = name == chosen, colors[name]
        dash = "solid" if is_chosen else DASHES[1 + [each for each in names if each != chosen].index(name) % 3]
        mean, low, high = interval[name]
        if len(runs[name]) > 1:
            fill = tint(color, BAND_OPACITY[is_chosen])
            fig.add_trace(band(x, (low + high) / 2, (high - low) / 2, fill, name, legendgroup=name, showlegend=False))
        line = theme.line(color, 3 if is_chosen else 1.8, dash)
        hover = f"{name}<br>%{{x}}: %{{y:.3g}}<extra></extra>"
        fig.add_trace(line_bundle(x, mean[None], line, name, legendgroup=name, hoverinfo=None, hovertemplate=hover))
    if live is not None:
        dots = {
            "mode": "lines+markers",
            "line": theme.line(theme.draws, 1.5),
            "marker": {"size": 6, "color": theme.draws},
        }
        fig.add_trace(scatter(*live, name="this run", hoverinfo="skip", **dots))
    at = -1 if marked is None else int(np.abs(np.asarray(x) - marked).argmin())
    means = {name: float(interval[name][0][at]) for name in names}
    said = {name: f"{name} {written(means[name])}" if name in told and marked is not None else name for name in names}
    is_right = marked is not None and marked < sum(x_range) / 2
    if marked is not None and told:
        for name in told:
            dot = {"size": 9 * theme.scale, "color": colors[name], "line": {"width": 1, "color": theme.paper}}
            fig.add_trace(scatter([marked], [means[name]], mode="markers", marker=dot, name=NOW, showlegend=False))
    if marked is not None and told and not is_free_above:
        lines = [(said[name], theme.text(colors[name])) for name in told]
        fig.add_annotation(**_means_told(lines, marked, is_right, theme))
    if marked is not None and is_free_above and len(names) == len(told) == 2:
        both = [(said[name], interval[name][0], colors[name]) for name in told]
        for note in _on_both_sides(both, np.asarray(x), at, x_range, theme):
            fig.add_annotation(**note)
        if live is not None:
            corner = {"x": 1, "xref": "x domain", "xanchor": "right", "y": 1, "yref": "y domain", "yanchor": "top"}
            fig.add_annotation(text="thin blue: this run", **few_words(theme) | corner)
    elif is_free_above:
        ends = [(said[name], means[name], colors[name]) for name in names]
        ends += [] if live is None else [("this run", float(live[1][min(at, len(live[1]) - 1)]), theme.draws)]
        side = {"xanchor": "left", "xshift": 8} if is_right else {"xanchor": "right", "xshift": -8}
        place = {} if marked is None else {"x": marked, "xref": "x", **side}
        for note in names_at_ends(ends, 0, y_range, theme):
            fig.add_annotation(**note | place)
    return fig.update_layout(legend_traceorder="normal", showlegend=not is_free_above)


def mark_as_good(fig: go.Figure, ends: Sequence[float], level: float, text: str, last: float, theme: Theme) -> None:
    """A level line from the present round to where another way to choose reaches the same, and its label there."""
    line = theme.line(theme.warning, 2, "dot")
    fig.add_trace(line_bundle(np.array(ends, float), np.full((1, 2), level), line, "As good", showlegend=False))
    color, side = theme.text(theme.warning), "left" if ends[1] < 0.6 * last else "right"
    is_higher = ends[1] > ends[0]  # above the higher end stands the other name
    place = {"yanchor": "bottom", "yshift": 4} if is_higher else {"yanchor": "top", "yshift": -4}
    if ends[1] == last:  # above the name of the other curve
        level = max((note.y for note in fig.layout.annotations), default=level)  # type: ignore[attr-defined]
        place = {"yanchor": "bottom", "yshift": 24 * theme.scale}
    look = few_words(theme) | {"font": theme.font(small=True, bold=True, color=color)} | place
    fig.add_annotation(text=text, x=ends[1], xanchor=side, y=level, **look)


def _on_both_sides(
    curves: Sequence[tuple[str, Array, str]], x: Array, at: int, x_range: Range, theme: Theme
) -> Iterator[dict[str, Any]]:
    """Names of two curves at one position: (name, heights, colour) each, above the higher and below both."""
    marked = float(x[at])
    for is_high, (name, heights, color) in enumerate(sorted(curves, key=lambda each: each[1][at])):
        width = LETTER * len(name) * x_range[1]
        is_middle = is_high and marked + width / 2 < x_range[1]
        anchor = "left" if marked < SPLIT[is_high] * x_range[1] else "center" if is_middle else "right"
        start = marked - {"left": 0, "center": 0.5, "right": 1}[anchor] * width
        beside = (x >= start) & (x <= start + width)
        place = {"y": float(heights[beside].max()), "yshift": 2} if is_high else {"y": 0, "yref": "y domain"}
        place |= {"x": marked, "xanchor": anchor, "xshift": {"left": 8, "center": 0, "right": -6}[anchor]}
        font = theme.font(bold=True, small=True, color=theme.text(color))
        yield {"text": name, "yanchor": "bottom", "showarrow": False, "font": font, **place}


def _means_told(means: Sequence[tuple[str, str]], marked: float, is_right: bool, theme: Theme) -> dict[str, Any]:
    """Lines of text in their colours beside the line of the present round, at its lower end."""
    side = "left" if is_right else "right"
    return {
        "text": "<br>".join(f'<span style="color:{color}">{text}</span>' for text, color in means),
        "x": marked,
        "xanchor": side,
        "align": side,
        "xshift": 6 if is_right else -6,
        "y": 0,
        "yref": "y domain",
        "yanchor": "bottom",
        **few_words(theme),
    }


def describe_runs(
    x: Array, interval: Mapping[str, tuple[Array, Array, Array]], *, what: str, where: str, at: int = -1
) -> str:
    """What `runs_against` shows at one position, in one sentence with numbers, for people who do not see it."""
    told = []
    for name, (mean, low, high) in interval.items():
        ends = f" ({low[at]:.3g} to {high[at]:.3g})" if np.isfinite(low[at]) else ""
        told.append(f"{name} {mean[at]:.3g}{ends}")
    return f"{what} after {x[at]:.0f} {where}, mean and 95 % interval: {', '.join(told)}."


def upper_and_lower(
    theme: Theme,
    titles: tuple[str, str],
    *,
    x_label: str,
    y_labels: tuple[str, str],
    x_range: Range,
    y_ranges: tuple[Range, Range],
    height: int,
    traces: Iterable[Trace] = (),
) -> go.Figure:
    """Two panels over the same x, the upper one taller."""
    axes: dict[str, Any] = {
        "xaxis": {"showticklabels": False},
        "yaxis": {"domain": [1 - UPPER_SHARE, 1]},
        "yaxis2": {"domain": [0, 0.9 - UPPER_SHARE], "nticks": 4},
    }
    return panel_figure(
        theme,
        titles,
        x_label=x_label,
        y_labels=y_labels,
        x_range=x_range,
        y_ranges=y_ranges,
        stacked=True,
        height=height,
        traces=traces,
        **axes,
    )


def _inputs(pool: Dataset, labelled: Array, theme: Theme) -> Trace:
    """A mark at the bottom for every input that may be measured next."""
    low, high = pool.y_range
    marker = {"symbol": "line-ns-open", "size": 9 * theme.scale, "color": theme.muted, "line": {"width": 1.5}}
    x = np.delete(pool.x[:, 0], labelled)
    y = np.full(len(x), low + 0.04 * (high - low))
    return scatter(x, y, mode="markers", marker=marker, name="Pool of inputs", hoverinfo="skip")


def _outside(pool: Dataset, theme: Theme) -> list[dict[str, Any]]:
    """Shades over what lies outside the pool, in both panels."""
    ends = ((pool.x_range[0], float(pool.x.min())), (float(pool.x.max()), pool.x_range[1]))
    look = {"type": "rect", "fillcolor": tint(theme.muted, 0.18), "line": {"width": 0}, "y0": 0, "y1": 1}
    return [
        {**look, "x0": low, "x1": high, "xref": "x", "yref": f"{y} domain"} for low, high in ends for y in ("y", "y2")
    ]


def _known(pool: Dataset, labelled: Array, num_given: int, theme: Theme) -> Iterator[Trace]:
    """Labelled points, hollow where they were given at first; hover tells when the others were asked for."""
    line = {"width": 2 * theme.scale, "color": theme.data}
    given = {"size": 8 * theme.scale, "color": theme.paper, "line": line}
    asked = {"size": 9 * theme.scale, "color": theme.data, "line": {"width": theme.scale, "color": theme.paper}}
    hover = "label %{customdata}: (%{x:.3g}, %{y:.3g})<extra></extra>"
    for name, marker, part in (
        ("Given at first", given, slice(num_given)),
        ("Chosen", asked, slice(num_given, None)),
    ):
        order = np.arange(1, len(labelled) + 1, dtype=np.int16)[part]
        look: dict[str, Any] = {"mode": "markers", "marker": marker, "name": name, "hovertemplate": hover}
        yield scatter(pool.x[labelled[part]], pool.y[labelled[part]], customdata=order, **look)


def few_words(theme: Theme) -> dict[str, Any]:
    """The look of a few words at a point."""
    return {"font": theme.font(small=True, bold=True), "bgcolor": tint(theme.paper, 0.75), "showarrow": False}


def _wanted(pool: Dataset, labelled: Array, scores: Array, theme: Theme) -> Iterator[Trace]:
    """Scores of the points without a label, and the highest one."""
    free = np.ones(len(scores), bool)
    free[labelled] = False
    x = pool.x[:, 0]
    order = np.flatnonzero(free)[np.argsort(x[free])]
    look = {"line": theme.line(theme.epistemic, 1.5), "marker": {"size": 5 * theme.scale, "color": theme.epistemic}}
    hover = "x = %{x:.3g}: %{y:.2g}<extra></extra>"
    look |= {"mode": "lines+markers", "name": "Pool without labels", "showlegend": False}
    yield scatter(x[order], scores[order], hovertemplate=hover, **look)
    chosen = best_free(labelled, scores)
    marker = {
        "size": 15 * theme.scale,
        "color": theme.ink,
        "symbol": "triangle-down",
        "line": {"width": 1, "color": theme.paper},
    }
    look = {"mode": "markers", "marker": marker, "name": "Asked for next", "showlegend": False, "hoverinfo": "skip"}
    yield scatter(x[chosen], scores[chosen], **look)


def _say_nothing_more(fig: go.Figure, theme: Theme) -> None:
    """The lower panel stays, with a word in it."""
    unseen = scatter((np.nan, np.nan), (np.nan, np.nan), mode="lines", name=NEXT, showlegend=False)
    fig.add_trace(unseen | panel_axes(1))
    middle = {"x": 0.5, "y": 0.5, "xref": "x2 domain", "yref": "y2 domain"}
    fig.add_annotation(text="Nothing more is asked for.", font=theme.font(small=True), showarrow=False, **middle)


def _mark(fig: go.Figure, x: float, y_ranges: tuple[Range, Range], theme: Theme) -> None:
    """Where the next label is asked for: a line over the band, and one over the axis of the scores."""
    line = theme.line(theme.ink, 2.5)
    for index, ends in enumerate(y_ranges):
        fig.add_trace(line_bundle(np.full(2, x), np.array([ends]), line, NEXT, showlegend=False) | panel_axes(index))
