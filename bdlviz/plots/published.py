"""Published numbers beside ours, and what of the lectures can be seen here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.theme import LIGHT, Theme, figure, tint, upright
from bdlviz.plots.traces import scatter

ROW_HEIGHT, AROUND, LINE = 34, 90, 20  # px


@dataclass(frozen=True)
class Compared:
    """One published number: the mean of ours minus it, their spread, and the allowed distances below and above."""

    label: str
    difference: float
    spread: float
    below: float
    above: float
    is_accepted: bool


def differences(rows: Sequence[Compared], *, unit: str, theme: Theme = LIGHT, height: int | None = None) -> go.Figure:
    """Ours minus published, one row each: the tolerance as a band, our mean as a dot with its spread."""
    reach = 1.15 * max([abs(row.difference) + 2 * row.spread for row in rows] + [min(r.below, r.above) for r in rows])
    fig = figure(
        theme,
        x_label=f"Ours − published<br>({unit})",  # in two lines: beside long labels a phone has no room for one
        y_label="",
        x_range=(-reach, reach),
        y_range=(len(rows) - 0.4, -0.6),
        height=height or ROW_HEIGHT * len(rows) + AROUND + LINE,
    )
    for place, row in enumerate(rows):
        box = {"y0": place - 0.36, "y1": place + 0.36, "line_width": 0, "layer": "below"}
        low, high = max(-row.below, -2 * reach), min(row.above, 2 * reach)
        fig.add_shape(type="rect", x0=low, x1=high, fillcolor=tint(theme.truth, 0.16), **box)
        color = theme.mean if row.is_accepted else theme.warning
        bar = {
            "type": "data",
            "array": np.array([2 * row.spread], np.float32),
            "color": color,
            "thickness": 2 * theme.scale,
        }
        marker = {"size": 11 * theme.scale, "color": color, "symbol": "circle" if row.is_accepted else "x"}
        hover = f"{row.label}<br>%{{x:+.2f}} {unit}, sd {row.spread:.2f}<extra></extra>"
        look = {"mode": "markers", "marker": marker, "error_x": bar, "hovertemplate": hover, "showlegend": False}
        fig.add_trace(scatter([row.difference], [place], **look))
    fig.add_shape(**upright(0, theme.line(theme.truth, 2, "dash")))
    labels = [row.label for row in rows]
    return fig.update_yaxes(tickvals=list(range(len(rows))), ticktext=labels, showgrid=False)


def figure_counts(counts: Sequence[tuple[str, int]], *, theme: Theme = LIGHT, height: int | None = None) -> go.Figure:
    """How many figures each source has: (name, count)."""
    fig = figure(
        theme,
        x_label="Figures, tables and demos",
        y_label="",
        x_range=(0.0, max(count for _, count in counts) + 0.5),
        y_range=(len(counts) - 0.4, -0.6),
        height=height or 46 * len(counts) + AROUND,
    )
    fig.add_bar(
        x=np.array([count for _, count in counts], np.float32),
        y=np.arange(len(counts), dtype=np.float32),
        orientation="h",
        width=0.62,
        marker={"color": theme.mean, "line": {"width": 0}},
        name="figures",
        hovertemplate="%{x} figures<extra></extra>",
    )
    return fig.update_yaxes(tickvals=list(range(len(counts))), ticktext=[name for name, _ in counts], showgrid=False)
