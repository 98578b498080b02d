"""How many figures of each lecture can be seen here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.theme import LIGHT, Theme, figure

ROW_HEIGHT, AROUND = 46, 90  # px


def figure_counts(counts: Sequence[tuple[str, int]], *, theme: Theme = LIGHT, height: int | None = None) -> go.Figure:
    """How many figures each source has: (name, count)."""
    fig = figure(
        theme,
        x_label="Figures, tables and demos",
        y_label="",
        x_range=(0.0, max(count for _, count in counts) + 0.5),
        y_range=(len(counts) - 0.4, -0.6),
        height=height or ROW_HEIGHT * len(counts) + AROUND,
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
