"""When a weight is worth keeping: the objective of one weight, and what all weights together pay and gain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.curves import log_ticks
from bdlviz.plots.panels import panel_axes
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty
from bdlviz.plots.traces import cased_line, line_bundle, scatter
from bdlviz.topics.weights.sparsity.figures import grid_figure
from bdlviz.types import Array

STRENGTHS = (-0.5, 3.0)  # decades of how much the data care
GAINS = (-3.5, 5.0)  # nats that one weight contributes
BARS = (0.0, 2.75)  # nats per image


@dataclass(frozen=True)
class Paid:
    """What one network pays: ``misfit`` and ``kl`` in nats per image, and what is said of it."""

    name: str
    misfit: float
    kl: float
    says: str = ""
    is_chosen: bool = False


def trade_off(
    log_alpha: Array,
    misfit: Array,
    kl: Array,
    *,
    best: float,
    others: Array,
    course: tuple[Array, Array],
    strength: float,
    pruned: float,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """The objective of one weight against log alpha (A,) with its two parts, and its best noise at every strength.

    Args:
        misfit: of the data in nats, (A,), as is ``kl``.
        best: log alpha where their sum is smallest; infinite where it falls for ever.
        others: sums (S, A) of weights of other strengths, drawn thin, each from its value at the right end.
        course: log alpha (V,) and the strength (V,) at which it is the best.
        strength: how much the data care for this weight.
        pruned: log alpha from which on a weight is removed.
    """
    limits = (float(log_alpha[0]), float(log_alpha[-1]))
    fig = grid_figure(
        theme,
        ["What the weight contributes", "Where it is smallest"],
        columns=1 if stacked else 2,
        x_labels=["Noise log α", "How much the data care, c"],
        y_labels=["nats, against removing it", "Best log α"],
        x_ranges=[limits, STRENGTHS],
        y_ranges=[GAINS, limits],
        height=height or (760 if stacked else 480),
    )
    fig.update_layout(xaxis2=log_ticks(STRENGTHS, "{:g}".format) | {"range": list(STRENGTHS)})
    total, gone = misfit + kl, strength / 2
    thin = theme.line(theme.muted, 1)
    fig.add_trace(line_bundle(log_alpha, others, thin, "other weights", opacity=0.6))
    fig.add_trace(line_bundle(log_alpha, (misfit - gone)[None], theme.line(theme.ink, 2), "data"))
    fig.add_trace(line_bundle(log_alpha, kl[None], theme.line(theme.prior, 2), "KL"))
    fig.add_traces(list(cased_line(log_alpha, total - gone, theme.line(theme.mean, 3.5), "both", theme)))
    axes = panel_axes(1)
    fig.add_trace(
        line_bundle(course[1], course[0][None], theme.line(theme.mean, 3), "best log α", showlegend=False, **axes)
    )
    dot = {"size": 12 * theme.scale, "color": theme.mean, "line": {"width": 2 * theme.scale, "color": theme.paper}}
    is_kept = math.isfinite(best)
    if is_kept:
        smallest = float(np.interp(best, log_alpha, total - gone))
        fig.add_trace(scatter([best], [smallest], mode="markers", marker=dot, showlegend=False, hoverinfo="skip"))
    shown = min(best, limits[1]), max(strength, 10 ** STRENGTHS[0])
    look = {"mode": "markers", "marker": dot if is_kept else dot | {"symbol": "triangle-up"}, "showlegend": False}
    fig.add_trace(scatter([shown[1]], [shown[0]], **look, hoverinfo="skip", cliponaxis=False, **axes))
    _mark_removed(fig, pruned, limits, theme)
    return fig.update_layout(legend_traceorder="normal")


def _mark_removed(fig: go.Figure, pruned: float, limits: Range, theme: Theme) -> None:
    """Where a weight counts as removed, in both panels, and the strength below which every weight is."""
    line = theme.line(theme.dropped, 2, "dot")
    place = {"yref": "y domain", "y0": 0, "y1": 1}
    fig.add_shape(type="line", x0=pruned, x1=pruned, xref="x", line=line, **place)
    fig.add_shape(type="line", x0=0, x1=1, xref="x2 domain", y0=pruned, y1=pruned, yref="y2", line=line)
    fig.add_shape(type="line", x0=1, x1=1, xref="x2", y0=0, y1=1, yref="y2 domain", line=theme.line(theme.grid, 2))
    note = {"showarrow": False, "font": theme.font(small=True, color=theme.muted)}
    fig.add_annotation(
        x=pruned, y=0, xref="x", yref="y domain", text="removed", xshift=4, xanchor="left", yanchor="bottom", **note
    )
    fig.add_annotation(
        x=1, y=pruned, xref="x2 domain", yref="y2", text="removed", xanchor="right", yanchor="bottom", **note
    )
    fig.add_annotation(
        x=0,
        y=0,
        xref="x2",
        yref="y2 domain",
        text="c = 1: half a nat",
        xanchor="left",
        xshift=6,
        yanchor="bottom",
        **note,
    )


def budget(paid: Sequence[Paid], *, nothing: float, theme: Theme = LIGHT, height: int | None = None) -> go.Figure:
    """What networks pay in nats per image, as bars of two parts, and what a network without weights would pay.

    ``nothing`` is the misfit of a network without weights, which has no KL: ln 10 for ten classes.
    """
    count = len(paid)
    fig = empty(
        theme,
        height or 110 + 84 * count,
        xaxis=axis(theme, "nats per training image", BARS),
        yaxis=axis(theme, "", (count - 0.45, -0.75), visible=False),
        barmode="stack",
        bargap=0.5,
    )
    rows = np.arange(count, dtype=np.float32)
    for name, values, color in (
        ("data term", [each.misfit for each in paid], theme.ink),
        ("KL", [each.kl for each in paid], theme.prior),
    ):
        fig.add_bar(
            x=np.array(values, np.float32),
            y=rows,
            orientation="h",
            width=0.34,
            marker={"color": color, "line": {"width": 0}},
            name=name,
            hovertemplate=f"{name}: %{{x:.3f}} nats<extra></extra>",
        )
    ends = np.array([-1.0, count])
    fig.add_trace(
        line_bundle(np.full(2, nothing), ends[None], theme.line(theme.truth, 2, "dash"), f"no weights: {nothing:.2f}")
    )
    for row, each in enumerate(paid):
        text = f"{each.name} · {each.says}" if each.says else each.name
        note = {"x": 0, "y": row - 0.22, "xref": "x", "yref": "y", "xanchor": "left", "yanchor": "bottom"}
        fig.add_annotation(text=text, font=theme.font(bold=each.is_chosen, small=True), showarrow=False, **note)
    return fig.update_layout(legend_traceorder="normal")
