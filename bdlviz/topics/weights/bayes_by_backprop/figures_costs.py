"""Description length as bars: bits for the errors, bits for the weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme
from bdlviz.plots.traces import Trace, float32, line_bundle
from bdlviz.types import Array

ERROR, COMPLEXITY = "error cost", "complexity cost"


def description_bars(
    steps: Array,
    course: Array,
    kl_weights: Sequence[str],
    ends: Array,
    without: float,
    *,
    chosen: int,
    y_label: str,
    y_range: Range,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Both costs over the training of one network, and at the end for every weight of the KL term.

    Args:
        steps: (T,), with ``course`` (T, 2): error and complexity cost in bits.
        kl_weights: as text, with ``ends`` (V, 2).
        without: the cost of the targets without any network, in bits.
        chosen: which of the KL weights the course is of.
        y_label: with the unit, such as "bits per point".
        stacked: one panel under the other, for phones.
    """
    fig = panel_figure(
        theme,
        [f"Over training, β = {kl_weights[chosen]}", "At the end"],
        x_label="Training step",
        y_labels=[y_label] * 2,
        x_range=(0.0, 1.03 * float(steps[-1])),
        y_ranges=[y_range] * 2,
        stacked=stacked,
        height=height or (720 if stacked else 480),
    )
    width = 0.8 * float(np.diff(steps, prepend=0.0).min())
    where = np.arange(len(kl_weights), dtype=np.float32)
    for index, name in enumerate((ERROR, COMPLEXITY)):
        fig.add_trace(_bars(steps, course[:, index], width, name, theme) | panel_axes(0))
        fig.add_trace(_bars(where, ends[:, index], 0.7, name, theme, legend=False) | panel_axes(1))
    for panel, span in enumerate(((0.0, 2 * float(steps[-1])), (-1.0, len(kl_weights) + 1.0))):
        line = theme.line(theme.truth, 2, "dash")
        look = {"showlegend": panel == 0, "legendgroup": "without", **panel_axes(panel)}
        fig.add_trace(line_bundle(np.array(span), np.full((1, 2), without), line, "without a network", **look))
    fig.update_layout(barmode="stack", legend_traceorder="normal", **_second_axis(kl_weights, where))
    if stacked:  # here the panels need an axis label each, and room for it
        fig.update_layout(xaxis_title_text="Training step", yaxis_domain=[0.6, 1.0], yaxis2_domain=[0.0, 0.36])
    totals = ends.sum(1)
    for position, total in enumerate(totals):
        fig.add_annotation(
            x=position,
            y=min(float(total), y_range[1]),
            yanchor="bottom" if total < 0.93 * y_range[1] else "top",
            text=f"{total:,.1f}" if total < 100 else f"{total:,.0f}",
            font=theme.font(small=True, bold=position == chosen),
            bgcolor=theme.paper,
            opacity=0.9,
            showarrow=False,
            xref="x2",
            yref="y2",
        )
    return fig


def describe_costs(steps: Array, course: Array, without: float, unit: str) -> str:
    """What `description_bars` shows of one network, in one sentence with numbers, for people who do not see it."""
    (error, complexity), first = course[-1], course[0].sum()
    return (
        f"Description length in {unit}: {first:.3g} after {int(steps[0]):,} steps; at the end {error:.3g} for the "
        f"errors and {complexity:.3g} for the weights, {error + complexity:.3g} together; {without:.3g} without a "
        "network."
    )


def _bars(x: Array, y: Array, width: float, name: str, theme: Theme, *, legend: bool = True) -> Trace:
    color = theme.muted if name == ERROR else theme.prior
    return {
        "type": "bar",
        "x": float32(x),
        "y": float32(y),
        "width": width,
        "marker": {"color": color, "line": {"width": 0}},
        "name": name,
        "legendgroup": name,
        "showlegend": legend,
        "hovertemplate": f"{name} %{{y:,.3g}}<extra></extra>",
    }


def _second_axis(kl_weights: Sequence[str], where: Array) -> dict[str, Any]:
    return {
        "xaxis2_title_text": "Weight of the KL term β",
        "xaxis2_range": [-0.6, len(kl_weights) - 0.4],
        "xaxis2_tickvals": where.tolist(),
        "xaxis2_ticktext": list(kl_weights),
    }
