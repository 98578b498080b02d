"""A printed training log beside runs of our own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.functions import in_panel
from bdlviz.plots.panels import panel_figure
from bdlviz.plots.theme import LIGHT, Theme, tint
from bdlviz.plots.traces import Trace, band, line_bundle, scatter
from bdlviz.types import Array

ROOM = 0.06  # above and below all values, as a share of their range


def training_log(
    printed: Mapping[str, Sequence[float]],
    ours: Mapping[str, Array],
    *,
    theme: Theme = LIGHT,
    stacked: bool = False,
) -> go.Figure:
    """Quantities over T epochs, one panel each: a printed run as rings, the mean and the band of ours.

    ``printed`` are T values by title with unit; ``ours`` are mean, low and high, (3, T), by the same titles, or empty
    where nothing was measured. ``stacked`` is for phones.
    """
    epochs = np.arange(1.0, len(next(iter(printed.values()))) + 1)
    ring = {"symbol": "circle-open", "size": 10 * theme.scale, "color": theme.ink, "line": {"width": 2 * theme.scale}}
    look = {"hovertemplate": "epoch %{x}: %{y:.4g}<extra></extra>"}
    traces, ranges = list[Trace](), []
    for index, (title, log) in enumerate(printed.items()):
        panel = [scatter(epochs, log, mode="markers", marker=ring, name="printed log", **look)]
        values = np.array([log])
        if title in ours:
            mean, low, high = ours[title]
            line = theme.line(theme.mean, 2.5)
            panel = [
                band(epochs, (high + low) / 2, (high - low) / 2, tint(theme.mean, 0.2), "central 95 % of our runs"),
                line_bundle(epochs, mean[None], line, "mean of our runs", hoverinfo=None, **look),
                *panel,
            ]
            values = np.vstack([values, low, high])
        traces += [in_panel(trace, index, legend=index == 0) for trace in panel]
        room = ROOM * float(np.ptp(values))
        ranges.append((float(values.min()) - room, float(values.max()) + room))
    return panel_figure(
        theme,
        [*printed],
        x_label="Epoch",
        y_labels=[""] * len(printed),
        x_range=(0.5, len(epochs) + 0.5),
        y_ranges=ranges,
        stacked=stacked,
        height=230 * len(printed) if stacked else 380,
        traces=traces,
    )
