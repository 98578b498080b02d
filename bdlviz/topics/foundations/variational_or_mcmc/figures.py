"""A posterior of two weights: a Gaussian fitted to it, Markov chains on it, and the error of both against work."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import THIN
from bdlviz.plots.curves import log_ticks, names_at_ends
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme, figure, tint
from bdlviz.plots.traces import Trace, cased_line, float32, line_bundle, scatter
from bdlviz.types import Array

DENSEST = 0.85  # share of colour where the posterior is highest
TURNS = np.linspace(0, 2 * np.pi, 91)
SMALLEST_KL = 1e-3  # nats, where the axis of divergences begins
LARGEST_KL = 100.0
CHAINS = (8, 5, 7, 4)  # of the theme's classes: colours of chains and samplers that no other meaning has
TITLES = ("Fit: a Gaussian q (1, 2 sd)", "Sampling: a chain of draws (dots)")
Spread = tuple[float, float]  # mean and sd of the first weight under the posterior
ERRORS: Range = (0.01, 4.0)  # of the axis, in standard deviations of the posterior


@dataclass(frozen=True, eq=False)
class Plane:
    """A posterior over two weights: ``across`` (G,), ``up`` (G,), ``density`` (G, G), and the names of the weights."""

    across: Array
    up: Array
    density: Array
    labels: tuple[str, str]


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of a method after ``evaluations`` (T,), for R seeds (T, R); a fit's last error is also its bias."""

    name: str
    evaluations: Array
    errors: Array
    is_fit: bool


def fit_beside_chain(
    plane: Plane,
    spread: Spread,
    mean: Array,
    covariance: Array,
    places: Array,
    *,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """The posterior twice as a cloud: with the Gaussians of a fit, and with the ``places`` (T, 2) of a chain.

    ``mean`` (T, 2) and ``covariance`` (T, 2, 2) are of all steps. Ellipses are one and two standard deviations, those
    of the first step dotted. Two bars at the bottom are two standard deviations of the first weight on both sides of
    the mean: of the last q or of the places, and of the posterior.
    """
    fig = panel_figure(
        theme,
        TITLES,
        x_label=plane.labels[0],
        y_labels=[plane.labels[1]] * 2,
        x_range=_ends(plane.across),
        y_ranges=[_ends(plane.up)] * 2,
        stacked=stacked,
        height=height or (760 if stacked else 480),
    )
    for index, (dash, color, width) in {0: ("dot", theme.muted, 1.5), -1: ("solid", theme.mean, 3)}.items():
        x, y = _ellipses(mean[index], covariance[index])
        line = theme.line(color, width, dash)
        fig.add_trace(
            scatter(x, y, mode="lines", line=line, name="q at first" if index == 0 else "q", hoverinfo="skip")
        )
    path = theme.line(theme.mean, 1.5)
    fig.add_trace(scatter(*mean.T, mode="lines", line=path, name="Mean of q, step by step", hoverinfo="skip"))
    fig.add_traces([trace | panel_axes(1) for trace in _walk(places, 0, "Chain", theme)])
    ends = (mean[-1, 0], covariance[-1, 0, 0] ** 0.5), (places[:, 0].mean(), places[:, 0].std())
    looks = ("q", theme.mean), ("chain", chain_color(0, theme))
    for panel, (found, (name, color)) in enumerate(zip(ends, looks, strict=True)):
        axes = panel_axes(panel)
        fig.add_trace(_shades(plane, theme) | axes)
        for (center, std), share, ink in ((found, 0.07, color), (spread, 0.03, theme.exact)):
            x, y = [center - 2 * std, center + 2 * std], plane.up[0] + share * np.ptp(plane.up)
            look = {"line": theme.line(ink, 5), "name": "width", "showlegend": False, "hoverinfo": "skip"}
            fig.add_trace(scatter(x, [y, y], mode="lines", **look, **axes))
        text, font = width_text(name, found[1] / spread[1]), theme.font(small=True, bold=True, color=theme.text(color))
        fig.add_annotation(
            text=text,
            font=font,
            showarrow=False,
            **{"x": 0.5, "xref": f"{axes['xaxis']} domain", "y": 0.1, "yref": f"{axes['yaxis']} domain"},
            yanchor="bottom",
        )
    return fig


def width_text(name: str, share: float) -> str:
    """How wide something is, relative to the posterior."""
    return f"{name}: {100 * share:.0f}{THIN}% as wide as the posterior (pink bar)"


def posterior_with_chains(plane: Plane, places: Array, *, theme: Theme = LIGHT, height: int = 480) -> go.Figure:
    """The posterior as a cloud, and where chains have been, (T + 1, C, 2); a ring is where a chain has started."""
    walks = [_walk(places[:, chain], chain, f"Chain {chain + 1}", theme) for chain in range(places.shape[1])]
    return figure(
        theme,
        x_label=plane.labels[0],
        y_label=plane.labels[1],
        x_range=_ends(plane.across),
        y_range=_ends(plane.up),
        height=height,
        traces=[_shades(plane, theme), *itertools.chain(*walks)],
        annotations=[
            *names_at_ends([("exact posterior", float(plane.up[-1]), theme.exact)], 0, _ends(plane.up), theme)
        ],
    )


def chain_color(chain: int, theme: Theme) -> str:
    """The colour of a chain, counted from 0."""
    return theme.classes[CHAINS[chain % len(CHAINS)]]


def evidence_history(
    elbo: Array,
    reverse: Array,
    forward: Array,
    *,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """The bound under the evidence, and both divergences, over the steps of a fit; (T,) each, in nats."""
    steps, evidence = np.arange(len(elbo)), round(float(elbo[-1] + reverse[-1]), 6)
    level, decades = np.full(len(elbo), evidence), (np.log10(SMALLEST_KL), np.log10(LARGEST_KL))
    between = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    hover = "%{y:.3f} nats<extra></extra>"
    traces = [
        scatter(steps, level, showlegend=False, **between),
        scatter(steps, elbo, fill="tonexty", fillcolor=tint(theme.prior, 0.35), name="KL[q ‖ p]", **between),
        scatter(steps, elbo, mode="lines", line=theme.line(theme.mean, 3), name="ELBO", hovertemplate=hover),
        line_bundle(steps, level[None], theme.line(theme.ink, 2), "log p(D)"),
    ]
    for values, name, dash in ((reverse, "KL[q ‖ p]", "solid"), (forward, "KL[p ‖ q]", "dash")):
        look = {"line": theme.line(theme.prior, 2.5, dash), "name": name, "hovertemplate": hover, **panel_axes(1)}
        shown = dash == "dash"
        traces.append(scatter(steps, np.maximum(values, SMALLEST_KL / 10), mode="lines", showlegend=shown, **look))
    return panel_figure(
        theme,
        ["log p(D) = ELBO + KL", "What is left between q and p"],
        x_label="Step",
        y_labels=["nats", "nats"],
        x_range=(0.0, float(len(elbo) - 1)),
        y_ranges=[(evidence - 12, evidence + 1), decades],
        stacked=stacked,
        height=height or (560 if stacked else 300),
        traces=traces,
        yaxis2=log_ticks(decades, lambda value: f"{value:g}"),
    )


def chain_traces(
    places: Array,
    mean: Array,
    std: Array,
    limits: Sequence[Range],
    labels: Sequence[str],
    *,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Each weight over the steps of every chain (T + 1, C, 2), with the posterior's mean and two sd (2,) around it."""
    steps, traces = np.arange(len(places)), []
    for index in range(2):
        axes = panel_axes(index)
        for chain in range(places.shape[1]):
            line = theme.line(chain_color(chain, theme), 1.2)
            look = {"mode": "lines", "line": line, "name": f"Chain {chain + 1}", "hoverinfo": "skip"}
            traces.append(scatter(steps, places[:, chain, index], showlegend=index == 0, **look, **axes))
        for offset, dash in ((0, "dash"), (-2, "dot"), (2, "dot")):
            level = np.full(2, mean[index] + offset * std[index])
            look = {"mode": "lines", "line": theme.line(theme.exact, 2, dash), "hoverinfo": "skip"}
            name = "Posterior: mean, ± 2 sd"
            shown = index == 0 and offset == 0
            traces.append(scatter(steps[[0, -1]], level, name=name, showlegend=shown, **look, **axes))
    return panel_figure(
        theme,
        list(labels),
        x_label="Step",
        y_labels=["", ""],
        x_range=(0.0, float(steps[-1])),
        y_ranges=list(limits),
        stacked=stacked,
        height=height or (520 if stacked else 280),
        traces=traces,
    )


def error_against_work(
    runs: Sequence[Errors], *, label: str, last: int, theme: Theme = LIGHT, height: int = 500
) -> go.Figure:
    """Median error of every method over its seeds, and the middle 80 % of them, against evaluations; both axes log.

    A fit that has ended goes on as a dotted line to ``last`` evaluations: more work would not change it.
    """
    decades, ends = (np.log10(ERRORS[0]), np.log10(ERRORS[1])), (np.log10(50.0), np.log10(float(last)))
    looks = [*zip(runs, _looks(runs, theme), strict=True)]
    named = [(run.name, float(np.log10(np.median(run.errors[-1]))), look["color"]) for run, look in looks]
    return figure(
        theme,
        x_label="Evaluations of the gradient; for Metropolis, of the posterior",
        y_label=label,
        x_range=ends,
        y_range=decades,
        height=height,
        traces=[trace for run, look in looks for trace in _band_and_line(run, look, last, theme)],
        annotations=[*names_at_ends(named, 0, decades, theme)],
        xaxis=log_ticks(ends, lambda value: f"{value:,.0f}"),
        yaxis=log_ticks(decades, lambda value: f"{value:g}"),
    )


def describe_fit(elbo: Array, reverse: Array, forward: Array) -> str:
    """What `evidence_history` shows, in a sentence."""
    return (
        f"Over {len(elbo) - 1} steps the bound goes from {elbo[0]:.2f} to {elbo[-1]:.2f} nats and KL[q ‖ p] from "
        f"{reverse[0]:.2f} to {reverse[-1]:.3f}; their sum stays. KL[p ‖ q] ends at {forward[-1]:.3f}."
    )


def describe_errors(runs: Sequence[Errors]) -> str:
    """What `error_against_work` shows, in a sentence."""
    ends = ", ".join(f"{run.name} {np.median(run.errors[-1]):.3f} after {run.evaluations[-1]:,}" for run in runs)
    return f"Median errors at the end, in standard deviations: {ends} evaluations."


def _ends(values: Array) -> Range:
    return float(values[0]), float(values[-1])


def _shades(plane: Plane, theme: Theme) -> Trace:
    """The density of a posterior."""
    shades = [[0.0, tint(theme.exact, 0)], [1.0, tint(theme.exact, DENSEST)]]
    look = {"colorscale": shades, "showscale": False, "zsmooth": "fast", "hoverinfo": "skip"}
    density = np.asarray(np.sqrt(plane.density / plane.density.max()), np.float32)
    return {"type": "heatmap", "x": float32(plane.across), "y": float32(plane.up), "z": density, **look}


def _walk(places: Array, chain: int, name: str, theme: Theme) -> Iterator[Trace]:
    """The places (T, 2) of a chain, and a ring around the first."""
    color, (x, y) = chain_color(chain, theme), places.T
    marker = {"size": 4 * theme.scale, "color": color, "opacity": 0.6}
    yield scatter(x, y, mode="markers", marker=marker, name=name, hoverinfo="skip")
    ring = {"symbol": "circle-open", "size": 13 * theme.scale, "color": color, "line": {"width": 2.5 * theme.scale}}
    yield scatter(x[:1], y[:1], mode="markers", marker=ring, showlegend=False, hoverinfo="skip")


def _ellipses(mean: Array, covariance: Array) -> tuple[Array, Array]:
    """One and two standard deviations, as one line with a gap."""
    values, vectors = np.linalg.eigh(covariance)
    circle = np.stack([np.cos(TURNS), np.sin(TURNS)], axis=1) * np.sqrt(values) @ vectors.T
    gap = np.full((1, 2), np.nan)
    return tuple(np.concatenate([mean + circle, gap, mean + 2 * circle]).T)  # type: ignore[return-value]


def _looks(runs: Sequence[Errors], theme: Theme) -> Iterator[dict[str, Any]]:
    """Fits in the colour of approximate posteriors, the simpler one dashed; chains in colours of their own."""
    fits, chains = iter(("dash", "solid")), itertools.count()
    for run in runs:
        color, dash = (theme.mean, next(fits)) if run.is_fit else (chain_color(next(chains), theme), "solid")
        yield {"color": color, "dash": dash}


def _band_and_line(run: Errors, look: Mapping[str, Any], last: int, theme: Theme) -> Iterator[Trace]:
    low, median, high = np.quantile(run.errors, (0.1, 0.5, 0.9), axis=1)
    x = run.evaluations
    edges = np.concatenate([x, x[::-1]]), np.concatenate([high, low[::-1]])
    area = {"mode": "lines", "line": {"width": 0}, "fill": "toself", "fillcolor": tint(look["color"], 0.06)}
    yield scatter(*edges, name=run.name, showlegend=False, hoverinfo="skip", legendgroup=run.name, **area)
    line = theme.line(look["color"], 3, look["dash"])
    hover = {"hoverinfo": None, "hovertemplate": f"{run.name}: %{{x:,}} · %{{y:.3f}}<extra></extra>"}
    yield from cased_line(x, median, line, run.name, theme, showlegend=False, **hover)
    if run.is_fit and last > x[-1]:
        ends = float32([x[-1], last]), float32([median[-1], median[-1]])
        thin = {"line": theme.line(look["color"], 1.5, "dot"), "hoverinfo": "skip"}
        yield scatter(*ends, mode="lines", name=run.name, showlegend=False, legendgroup=run.name, **thin)
