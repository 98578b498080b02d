"""The effect of a dropout mask on the network of one draw, and on the distribution of one weight."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.theme import LIGHT, Theme, axis, empty, figure, tint
from bdlviz.plots.traces import Trace, line_bundle, scatter, with_gaps
from bdlviz.types import Array

UNITS_SHOWN = 16  # per layer
LABEL_LINES = 3  # under a column: its name, "16 of 64 shown", "31 dropped"
EDGE_OPACITY = 0.4


def network(
    sizes: Sequence[int],
    masks: Sequence[Array],
    *,
    input_mask: Array | None = None,
    theme: Theme = LIGHT,
    height: int = 380,
) -> go.Figure:
    """The network of one draw: its layers as columns, dropped units crossed out, their edges gone.

    ``sizes`` counts the units of every layer from input to output; ``masks`` holds one (H,) array for every hidden
    layer, 0 where a unit is dropped. Of a wide layer 16 evenly spaced units are shown, the same ones for every draw.
    """
    kept = [np.ones(sizes[0]) if input_mask is None else input_mask, *masks, np.ones(sizes[-1])]
    shown = [_shown_units(size) for size in sizes]
    step = 1 / max(max(len(units) for units in shown) - 1, 1)
    places = [_column(len(units), step) for units in shown]
    alive = [np.asarray(mask)[units] != 0 for mask, units in zip(kept, shown, strict=True)]
    labels_height = LABEL_LINES * 1.35 * theme.small_size
    diameter = min(13 * theme.scale, 0.8 * step * (height - labels_height) / 1.1)
    fig = empty(
        theme,
        height,
        xaxis=axis(theme, limits=(-0.4, len(sizes) - 0.6), visible=False),
        yaxis=axis(theme, limits=(-0.55, 0.55), visible=False),
        margin={"l": 4, "r": 4, "t": 4, "b": labels_height},
        showlegend=False,
    )
    fig.add_trace(_edges(places, alive, theme))
    fig.add_traces(_units(places, alive, diameter, theme))
    for layer, (size, mask) in enumerate(zip(sizes, kept, strict=True)):
        name = {0: "input", len(sizes) - 1: "output"}.get(layer, f"hidden {layer}")
        text = _layer_label(name, size, int(np.count_nonzero(mask)))
        fig.add_annotation(
            x=layer, y=0, yref="paper", yanchor="top", text=text, showarrow=False, font=theme.font(small=True)
        )
    return fig


def two_spikes(
    weights: Array, dropout_rate: float, *, chosen: int = 0, theme: Theme = LIGHT, height: int = 300
) -> go.Figure:
    r"""q(w) of one weight under dropout: a spike of mass dropout_rate at 0, the rest at the learned value m.

    $$ q(w) = p \, \delta(w) + (1 - p) \, \delta(w - m) $$

    ``weights`` (n,) are learned values m; ``chosen`` is the index of the one shown, the others are ticks on the axis.
    """
    reach = 1.9 * float(np.max(np.abs(weights))) or 1.0  # leaves space for a label outside the largest
    value = float(weights[chosen])
    fig = figure(
        theme, x_label="Weight w", y_label="Mass of q(w)", x_range=(-reach, reach), y_range=(0.0, 1.1), height=height
    )
    fig.update_layout(showlegend=False).update_yaxes(tickvals=[0, 0.5, 1])
    fig.add_trace(_rug(weights, theme))
    side, other = ("right", "left") if value >= 0 else ("left", "right")
    kept = f"kept<br>m = {value:.2g}".replace("-", "−")
    fig.add_traces(_spike(0.0, dropout_rate, "dropped", other, theme.dropped, theme))
    return fig.add_traces(_spike(value, 1 - dropout_rate, kept, side, theme.mean, theme))


def describe_network(sizes: Sequence[int], masks: Sequence[Array]) -> str:
    """A description of the figure of `network`, in one sentence, for screen readers."""
    counts = ", ".join(f"{int(np.count_nonzero(mask))} of {len(mask)}" for mask in masks)
    return f"The network of one draw, {'-'.join(map(str, sizes))}: units kept in its hidden layers: {counts}."


def _shown_units(size: int) -> Array:
    return np.unique(np.linspace(0, size - 1, min(size, UNITS_SHOWN)).round().astype(int))


def _column(count: int, step: float) -> Array:
    """Heights of the units of one layer from top to bottom, ``step`` apart and centred on 0."""
    return ((count - 1) / 2 - np.arange(count)) * step


def _edges(places: Sequence[Array], alive: Sequence[Array], theme: Theme) -> Trace:
    """All edges between kept units of neighbouring layers, as one trace."""
    pairs = []
    for layer in range(len(places) - 1):
        start, end = np.meshgrid(places[layer][alive[layer]], places[layer + 1][alive[layer + 1]])
        pairs.append(with_gaps(np.array([layer, layer + 1]), np.stack([start.ravel(), end.ravel()], axis=1)))
    gap = np.array([np.nan], np.float32)
    xs, ys = (np.concatenate([part for pair in pairs for part in (pair[i], gap)]) for i in (0, 1))
    return scatter(xs, ys, mode="lines", line=theme.line(tint(theme.draws, EDGE_OPACITY), 1), hoverinfo="skip")


def _units(places: Sequence[Array], alive: Sequence[Array], diameter: float, theme: Theme) -> list[Trace]:
    """Kept units filled, dropped ones hollow and grey with a cross."""
    layers = np.repeat(np.arange(len(places)), [len(column) for column in places])
    heights, kept = np.concatenate(places), np.concatenate(alive)
    line = {"width": 1.5 * theme.scale, "color": theme.dropped}
    filled = {"size": diameter, "color": theme.mean, "line": {"width": 1, "color": theme.paper}}
    hollow = {"size": diameter - 1, "color": theme.paper, "symbol": "circle-x", "line": line}
    return [
        scatter(layers[which], heights[which], mode="markers", marker=marker, hoverinfo="skip")
        for which, marker in ((~kept, hollow), (kept, filled))
    ]


def _layer_label(name: str, size: int, num_kept: int) -> str:
    shown = f"<br>{UNITS_SHOWN} of {size} shown" if size > UNITS_SHOWN else ""
    dropped = f"<br>{size - num_kept} dropped" if num_kept < size else ""
    return f"<b>{name}</b>{shown}{dropped}"


def _rug(weights: Array, theme: Theme) -> Trace:
    """One tick per weight on the axis, half of it clipped away."""
    marker = {"symbol": "line-ns", "size": 22 * theme.scale, "line": {"width": theme.scale, "color": theme.muted}}
    return scatter(weights, np.zeros(len(weights)), mode="markers", marker=marker, opacity=0.6, hoverinfo="skip")


def _spike(at: float, mass: float, label: str, side: str, color: str, theme: Theme) -> list[Trace]:
    """A stem of height ``mass`` at ``at``, with its label on one side."""
    stem = line_bundle(np.array([at, at]), np.array([[0, mass]]), theme.line(color, 5), label)
    head = scatter(
        at,
        mass,
        mode="markers+text",
        marker={"size": 13 * theme.scale, "color": color},
        text=[f" {label}<br> mass {mass:.2g} "],
        textposition=f"middle {side}",
        textfont=theme.font(color=theme.text(color)),
        cliponaxis=False,
        hoverinfo="skip",
    )
    return [stem, head]
