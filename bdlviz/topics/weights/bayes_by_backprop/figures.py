"""Weights as distributions: the prior and what was learned under it, and one weight's q on its way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.curves import log_ticks
from bdlviz.plots.panels import domains, panel_axes
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, figure, tint
from bdlviz.plots.traces import Trace, band, float32, line_bundle, scatter
from bdlviz.types import Array

WEIGHTS = (-2.5, 2.5)  # that a picture of the prior shows
LINEAR_DENSITIES, LOG_DENSITIES = (0.0, 4.0), (-3.0, 3.0)  # the latter are exponents of ten
SMALL_DENSITY = 1e-12  # drawn far below a logarithmic axis instead of nowhere
FADED = 0.25  # opacity of the first of all snapshots


def prior_and_weights(
    w: Array,
    prior: Array,
    parts: Array,
    average: Array,
    means: Array,
    *,
    is_log: bool = False,
    theme: Theme = LIGHT,
    height: int = 520,
) -> go.Figure:
    """The prior of one weight, and over it what all weights of a network were learned to be.

    Args:
        w: (P,) ascending.
        prior: its density there, (P,).
        parts: (2, P) those of its wide and narrow Gaussian, each times its share; (0, P) where there is one Gaussian.
        average: (P,) the mean of all weights' densities q(w).
        means: (W,) of all weights, shown as a histogram.
        is_log: a logarithmic axis of densities.
    """
    fig = figure(
        theme,
        x_label="Weight w (standardised units)",
        y_label="Density",
        x_range=WEIGHTS,
        y_range=LOG_DENSITIES if is_log else LINEAR_DENSITIES,
        height=height,
    )
    if is_log:
        fig.update_layout(yaxis={**log_ticks(LOG_DENSITIES, "{:g}".format), "range": list(LOG_DENSITIES)})
    fig.add_trace(_histogram(means, theme))
    shown = np.maximum(np.vstack([average, prior, parts]), SMALL_DENSITY)
    hover = "w = %{x:.3g}: %{y:.3g}<extra></extra>"
    look = {"hoverinfo": None, "hovertemplate": hover}
    fig.add_trace(line_bundle(w, shown[:1], theme.line(theme.mean, 3), "q(w), mean over all weights", **look))
    fig.add_trace(line_bundle(w, shown[1:2], theme.line(theme.prior, 3, "dot"), "prior p(w)", **look))
    if len(parts):
        line = theme.line(theme.prior, 1.2)
        fig.add_trace(line_bundle(w, shown[2:], line, "its two parts, × their shares"))
    return fig.update_layout(legend_traceorder="normal", bargap=0)


def weight_over_training(
    w: Array,
    densities: Array,
    prior: Array,
    steps: Array,
    mean: Array,
    std: Array,
    *,
    chosen: int,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """One weight's q(w) at T moments of the training, one of them chosen, and the course of its mean and sd.

    Args:
        w: (P,) ascending.
        densities: (T, P) of q(w), ``prior`` (P,) of p(w).
        steps: (T,), with ``mean`` and ``std`` (T,) of q.
        chosen: the moment that stands out, as its position.
        stacked: one panel under the other, for phones.
    """
    reach = (float(w[0]), float(w[-1]))
    fig = _two_panels(theme, reach, (0.0, 1.04 * float(steps[-1])), _top(densities), stacked, height)
    later = [t for t in range(len(steps)) if t != chosen]
    for position, t in enumerate(later):
        share = FADED + (1 - FADED) * (t + 1) / len(steps)
        look = {"opacity": share, "showlegend": position == len(later) - 1, "legendgroup": "others"}
        fig.add_trace(line_bundle(w, densities[t][None], theme.line(theme.draws, 1.2), "q(w), other steps", **look))
    fig.add_trace(line_bundle(w, prior[None], theme.line(theme.prior, 2.5, "dot"), "prior p(w)"))
    name = f"q(w) after {int(steps[chosen]):,} steps"
    fill = {"fill": "tozeroy", "fillcolor": tint(theme.mean, 0.2)}
    hover = "w = %{x:.3g}: %{y:.3g}<extra></extra>"
    look = {"hoverinfo": None, "hovertemplate": hover, **fill}
    fig.add_trace(line_bundle(w, densities[chosen][None], theme.line(theme.mean, 3), name, **look))
    for trace in _path(steps, mean, std, chosen, theme):
        fig.add_trace({**trace, **panel_axes(1)})
    return fig.update_layout(legend_traceorder="normal")


def numbers_and_densities(
    names: Sequence[str], mean: Array, std: Array, values: Array, other: str, *, theme: Theme = LIGHT, height: int = 460
) -> go.Figure:
    """A few weights, one row each: q(w) as a hill over its mean, and the number that a plain network has there.

    Args:
        names: of the K weights, from the top.
        mean: (K,) of q, with ``std`` (K,). Every hill has the same height, so that all can be seen.
        values: (M, K) of the M networks without distributions, called ``other``.
    """
    count, edge = len(names), 1.05 * float(max((np.abs(mean) + 2.5 * std).max(), np.abs(values).max()))
    rows = np.arange(count - 1, -1, -1.0)
    fig = figure(
        theme, x_label="Weight w (standardised units)", y_label="", x_range=(-edge, edge), y_range=(-0.3, count)
    )
    fig.update_layout(height=height, legend_traceorder="normal")
    fig.update_yaxes(tickvals=rows, ticktext=[*names])
    z = np.linspace(-4, 4, 161)
    for row, middle, sd in zip(rows, mean, std, strict=True):
        hill = row + 0.8 * np.exp(-0.5 * z**2)
        look = {"fill": "toself", "fillcolor": tint(theme.mean, 0.2), "showlegend": bool(row == rows[0])}
        fig.add_trace(line_bundle(middle + sd * z, hill[None], theme.line(theme.mean, 2), "q(w)", **look))
    stem = {"symbol": "line-ns", "size": 16 * theme.scale, "line": {"width": 3 * theme.scale, "color": theme.mean}}
    diamond = {
        "symbol": "diamond",
        "size": 11 * theme.scale,
        "color": theme.ink,
        "line": {"width": 1, "color": theme.paper},
    }
    for name, places, marker in (("mean of q", mean[None], stem), (other, values, diamond)):
        look = {"mode": "markers", "marker": marker, "hovertemplate": "%{x:.3g}<extra></extra>"}
        fig.add_trace(scatter(places, np.broadcast_to(rows, places.shape), name=name, **look))
    return fig


def describe_weight(steps: Array, mean: Array, std: Array, chosen: int) -> str:
    """What `weight_over_training` shows, in one sentence with numbers, for people who do not see it."""
    first, now, last = (f"{mean[t]:.3g} ± {std[t]:.2g}" for t in (0, chosen, -1))
    return (
        f"q(w) of one weight as mean ± standard deviation: {first} after {int(steps[0]):,} steps, {now} after "
        f"{int(steps[chosen]):,}, {last} at the end."
    )


def _histogram(means: Array, theme: Theme) -> Trace:
    edges = np.linspace(*WEIGHTS, 101)
    width = float(edges[1] - edges[0])
    counts = np.histogram(means, edges)[0] / (max(1, means.size) * width)
    return {
        "type": "bar",
        "x": float32((edges[1:] + edges[:-1]) / 2),
        "y": float32(counts),
        "width": width,
        "marker": {"color": tint(theme.draws, 0.55), "line": {"width": 0}},
        "name": "means μ of all weights",
        "hovertemplate": "μ near %{x:.2f}: density %{y:.3g}<extra></extra>",
    }


def _top(densities: Array) -> float:
    """Where the axis of densities ends: above the last one, since first ones may be spikes."""
    peaks = densities.max(1)
    return 1.25 * float(min(peaks.max(), 3 * peaks[-1]))


def _two_panels(theme: Theme, weights: Range, steps: Range, top: float, stacked: bool, height: int | None) -> go.Figure:
    """Densities over w, and w over the steps: two panels without a common axis."""
    spans = domains(2, 0.24) if stacked else domains(2, 0.12)
    places = [((0.0, 1.0), spans[1]), ((0.0, 1.0), spans[0])] if stacked else [(span, (0.0, 1.0)) for span in spans]
    axes: dict[str, Any] = {
        "xaxis": axis(theme, "Weight w (standardised units)", weights, domain=places[0][0], anchor="y"),
        "yaxis": axis(theme, "Density", (0.0, top), domain=places[0][1], anchor="x"),
        "xaxis2": axis(theme, "Training step", steps, domain=places[1][0], anchor="y2"),
        "yaxis2": axis(theme, "Weight w", weights, domain=places[1][1], anchor="x2"),
    }
    return empty(theme, height or (760 if stacked else 480), **axes)


def _path(steps: Array, mean: Array, std: Array, chosen: int, theme: Theme) -> Iterator[Trace]:
    for reach, opacity, shown in ((2, 0.12, False), (1, 0.22, True)):
        name = "q: mean, 1 and 2 sd"
        look = {"showlegend": shown, "legendgroup": name}
        yield band(steps, mean, reach * std, tint(theme.epistemic, opacity), name, **look)
    hover = "step %{x:,}: mean %{y:.3g}<extra></extra>"
    yield line_bundle(
        steps, mean[None], theme.line(theme.mean, 2.5), "mean", showlegend=False, hoverinfo=None, hovertemplate=hover
    )
    marker = {"size": 12 * theme.scale, "color": theme.mean, "line": {"width": 2, "color": theme.paper}}
    look = {"mode": "markers", "marker": marker, "showlegend": False, "hoverinfo": "skip"}
    yield scatter([steps[chosen]], [mean[chosen]], name="chosen", **look)
