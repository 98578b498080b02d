"""Networks that remove their own weights: what is left of them, their noise, and the course of their training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.curves import log_ticks
from bdlviz.plots.panels import domains, panel_axes, room_for_titles
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, tint
from bdlviz.plots.traces import line_bundle, scatter
from bdlviz.types import Array

PRUNED = 3.0  # log alpha from which on a weight is usually removed
DASHES = ("solid", "dash", "dot", "dashdot")  # of the layers, the first first
LOG_MEANS, LOG_STDS = (-6.0, 1.0), (-3.5, 1.0)  # decades that `signal_and_noise` shows
CELLS = 90  # of its density, to a side
ABOVE, BELOW = 30, 66  # px above a panel for its title, and below for its axis


def grid_figure(
    theme: Theme,
    titles: Sequence[str],
    *,
    columns: int,
    x_labels: Sequence[str],
    y_labels: Sequence[str],
    x_ranges: Sequence[Range],
    y_ranges: Sequence[Range],
    height: int,
    spans: Sequence[Range] | None = None,
) -> go.Figure:
    """Empty panels in rows of so many ``columns``, each with axes and a title of its own. ``height`` in px, of all.

    Columns are equally wide, or cover the ``spans``.
    """
    rows = -(-len(titles) // columns)
    spans, gap = spans or domains(columns, 0.11), (ABOVE + BELOW) * theme.font_size / 16 / height
    levels = domains(rows, min(gap, 0.6 / max(rows - 1, 1)))[::-1]
    axes: dict[str, Any] = {}
    notes = []
    for index, title in enumerate(titles):
        x_name, y_name = panel_axes(index).values()
        across, up = spans[index % columns], levels[index // columns]
        axes[x_name.replace("x", "xaxis")] = axis(
            theme, x_labels[index], x_ranges[index], domain=across, anchor=y_name, nticks=6
        )
        axes[y_name.replace("y", "yaxis")] = axis(theme, y_labels[index], y_ranges[index], domain=up, anchor=x_name)
        look = {"font": theme.font(bold=True), "showarrow": False, "xanchor": "left", "yanchor": "bottom"}
        notes.append({"text": title, "x": across[0], "y": up[1], "xref": "paper", "yref": "paper", **look})
    return empty(theme, height, annotations=notes, **axes, **room_for_titles(theme, height))


# Noise ----------------------------------------------------------------------------------------------------------------


def noise_histograms(
    edges: Array,
    counts: Mapping[str, Array],
    *,
    threshold: float,
    thresholds: Array,
    accuracy: Array,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """How many weights of each layer have which log alpha, and how accurate the network is if pruned at a threshold.

    ``counts`` (B,) lie between the ``edges`` (B + 1,); ``accuracy`` (K,) belongs to ``thresholds`` (K,). What is above
    the ``threshold`` is removed.
    """
    decades = max(float(np.ceil(np.log10(max(np.max(c) for c in counts.values()) + 1))), 2.0)
    titles = [f"{name}: {_share_left(edges, c, threshold)} left" for name, c in counts.items()]
    num = len(counts)
    fig = grid_figure(
        theme,
        [*titles, "Accuracy, if pruned there"],
        columns=1 if stacked else 2,
        x_labels=["log α"] * (num + 1),
        y_labels=[*["Weights"] * num, "Held-out accuracy"],
        x_ranges=[(float(edges[0]), float(edges[-1]))] * (num + 1),
        y_ranges=[*[(-0.3, decades)] * num, (0.0, 1.08)],
        height=height or (230 * (num + 1) if stacked else 310 * -(-(num + 1) // 2)),
    )
    ticks, middle = log_ticks((0.0, decades), "{:,g}".format), (edges[1:] + edges[:-1]) / 2
    for index, values in enumerate(counts.values()):
        name = panel_axes(index)["yaxis"].replace("y", "yaxis")
        fig.update_layout({name: ticks | {"range": [-0.3, decades]}})
        for is_left, color, what in ((True, theme.mean, "left"), (False, theme.removed, "removed")):
            inside = (middle <= threshold) == is_left
            fig.add_bar(
                x=middle[inside].astype(np.float32),
                y=values[inside].astype(np.float32),
                width=float(edges[1] - edges[0]),
                marker={"color": color, "line": {"width": 0}},
                name=what,
                legendgroup=what,
                showlegend=index == 0,
                hovertemplate="log α near %{x:.1f}: %{y:,.0f} weights<extra></extra>",
                **panel_axes(index),
            )
    axes = panel_axes(num)
    hover = "log α = %{x:.1f}: %{y:.1%}<extra></extra>"
    line = line_bundle(thresholds, accuracy[None], theme.line(theme.ink, 3), "accuracy", hoverinfo=None, **axes)
    fig.add_trace(line | {"hovertemplate": hover, "showlegend": False})
    at = float(np.interp(threshold, thresholds, accuracy))
    ring = {"symbol": "circle-open", "size": 16 * theme.scale, "color": theme.ink, "line": {"width": 2 * theme.scale}}
    fig.add_trace(scatter([threshold], [at], mode="markers", marker=ring, showlegend=False, hoverinfo="skip", **axes))
    fig.update_layout({axes["yaxis"].replace("y", "yaxis"): {"tickformat": ".0%", "nticks": 5}})
    for index in range(num + 1):
        place = {"xref": panel_axes(index)["xaxis"], "yref": f"{panel_axes(index)['yaxis']} domain", "y0": 0, "y1": 1}
        fig.add_shape(type="line", x0=threshold, x1=threshold, line=theme.line(theme.ink, 1.5, "dot"), **place)
    return fig.update_layout(legend_traceorder="normal", bargap=0)


def signal_and_noise(
    log_means: Array,
    log_stds: Array,
    *,
    threshold: float,
    theme: Theme = LIGHT,
    height: int = 540,
) -> go.Figure:
    """How many weights have which size and which noise, with lines of equal log alpha; above the threshold they go.

    ``log_means`` and ``log_stds`` (W,) are logarithms to base 10 of \\|theta\\| and sigma; those outside the axes are
    counted at their border.
    """
    x_edges, y_edges = (np.linspace(*limits, CELLS + 1) for limits in (LOG_MEANS, LOG_STDS))
    x_inside, y_inside = np.clip(log_means, *LOG_MEANS), np.clip(log_stds, *LOG_STDS)
    is_left = 2 * np.log(10) * (log_stds - log_means) <= threshold
    fig = empty(
        theme,
        height,
        xaxis=axis(theme, "Signal: size of a weight |θ|", LOG_MEANS, **_powers(LOG_MEANS)),
        yaxis=axis(theme, "Noise σ", LOG_STDS, **_powers(LOG_STDS)),
    )

    def counted(chosen: Array) -> Array:
        return np.histogram2d(x_inside[chosen], y_inside[chosen], (x_edges, y_edges))[0].T

    parts = {"removed": (counted(~is_left), theme.removed), "left": (counted(is_left), theme.mean)}
    for name, (count, color) in parts.items():
        fig.add_heatmap(
            x=((x_edges[1:] + x_edges[:-1]) / 2).astype(np.float32),
            y=((y_edges[1:] + y_edges[:-1]) / 2).astype(np.float32),
            z=np.where(count > 0, np.log10(1 + count), np.nan).astype(np.float32),
            customdata=count.astype(np.int32),
            zmin=0,
            zmax=max(float(np.log10(1 + count.max())), 1e-9),
            colorscale=[[0.0, tint(color, 0.4)], [1.0, color]],
            showscale=False,
            hovertemplate=f"%{{customdata:,}} weights, {name}<extra></extra>",
        )
        marker = {"symbol": "square", "size": 12 * theme.scale, "color": color}
        legend = {"mode": "markers", "marker": marker, "name": f"{name}: {int(count.sum()):,}", "hoverinfo": "skip"}
        fig.add_trace(scatter([None], [None], **legend))
    x = np.array([LOG_MEANS[0] - 5, LOG_MEANS[1] + 5])
    lines = [(threshold, "solid", 2.0), *([(PRUNED, "dot", 1.5)] if threshold != PRUNED else [])]
    for value, dash, width in lines:
        half = value / 2 / np.log(10)
        fig.add_trace(line_bundle(x, (x + half)[None], theme.line(theme.ink, width, dash), f"log α = {value:g}"))
    return fig.update_layout(legend_traceorder="normal")


# Training -------------------------------------------------------------------------------------------------------------


def sparsity_course(
    steps: Array,
    sparsity: Array,
    *,
    accuracy: Array,
    compression: Array,
    misfit: Array,
    kl: Array,
    layers: Sequence[str],
    warm_up: float,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Accuracy, weights left in each layer, compression and the two parts of the objective over training.

    All are (T,), ``sparsity`` (T, L), the share removed; ``misfit`` and ``kl`` in nats per image. Up to step
    ``warm_up`` the KL term has not its full weight, which is shaded.
    """
    decades = (0.0, max(3.0, float(np.ceil(np.log10(np.nanmax(np.where(np.isfinite(compression), compression, 1)))))))
    fig = grid_figure(
        theme,
        ["Held-out accuracy, pruned", "Weights left", "Compression", "The objective"],
        columns=1 if stacked else 2,
        x_labels=["Optimisation steps"] * 4,
        y_labels=["Accuracy", "Share of a layer", "All weights / weights left", "nats per image"],
        x_ranges=[(0.0, float(steps[-1]))] * 4,
        y_ranges=[(0.0, 1.02), (0.0, 1.02), decades, (0.0, 2.6)],
        height=height or (960 if stacked else 600),
    )
    fig.update_layout(
        yaxis={"tickformat": ".0%"},
        yaxis2={"tickformat": ".0%"},
        yaxis3=log_ticks(decades, "×{:,g}".format) | {"range": list(decades)},
    )
    fig.update_xaxes(tickformat=",")
    bare = {"hoverinfo": None}

    def line(values: Array, look: dict[str, Any], name: str, index: int, hover: str, legend: bool = False) -> None:
        hover = f"step %{{x:,}}: {name} {hover}<extra></extra>"
        look = bare | {"hovertemplate": hover, "showlegend": legend, **panel_axes(index), "line_look": look}
        chosen = look.pop("line_look")
        fig.add_trace(line_bundle(steps, values.astype(np.float32)[None], chosen, name, **look))

    line(accuracy, theme.line(theme.ink, 3), "accuracy", 0, "%{y:.1%}")
    for layer, name in enumerate(layers):
        dash = DASHES[layer % len(DASHES)]
        line(1 - sparsity[:, layer], theme.line(theme.mean, 2.5, dash), name, 1, "%{y:.2%} left", legend=True)
    shown = np.where(np.isfinite(compression), compression, np.nan)
    line(shown, theme.line(theme.ink, 3), "compression", 2, "×%{y:,.0f}")
    line(misfit, theme.line(theme.ink, 3), "data term", 3, "%{y:.2f} nats", legend=True)
    line(kl, theme.line(theme.prior, 3), "KL", 3, "%{y:.2f} nats", legend=True)
    for index in range(4):
        axes = panel_axes(index)
        place = {"xref": axes["xaxis"], "yref": f"{axes['yaxis']} domain", "x0": 0, "x1": warm_up, "y0": 0, "y1": 1}
        if warm_up > 0:
            fig.add_shape(type="rect", fillcolor=tint(theme.prior, 0.12), line={"width": 0}, layer="below", **place)
    if warm_up > 0:
        marker = {"symbol": "square", "size": 12 * theme.scale, "color": tint(theme.prior, 0.3)}
        fig.add_trace(scatter([None], [None], mode="markers", marker=marker, name="KL term warms up"))
    return fig.update_layout(legend_traceorder="normal")


def describe_sparsity(names: Sequence[str], left: Sequence[float], accuracy: float) -> str:
    """Shares of weights that are left and the accuracy, in one sentence."""
    told = ", ".join(f"{name} {100 * share:.1f} %" for name, share in zip(names, left, strict=True))
    return f"Weights left: {told}; held-out accuracy {100 * accuracy:.1f} %."


def _share_left(edges: Array, counts: Array, threshold: float) -> str:
    left = counts[(edges[1:] + edges[:-1]) / 2 <= threshold].sum() / max(counts.sum(), 1)
    return f"{100 * left:.1f} %"


def _powers(limits: Range) -> dict[str, Any]:
    """Ticks at every power of ten of an axis of logarithms."""
    exponents = range(int(np.ceil(limits[0])), int(np.floor(limits[1])) + 1)
    return {"tickvals": list(exponents), "ticktext": [f"10<sup>{e}</sup>" for e in exponents]}
