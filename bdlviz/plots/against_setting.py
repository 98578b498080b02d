"""Quantities against a setting: means over repeats, single repeats, and published values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.curves import log_ticks
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme
from bdlviz.plots.traces import Trace, line_bundle, scatter
from bdlviz.types import Array

Meaning = Literal["ink", "muted", "mean", "aleatoric", "epistemic", "warning"]


@dataclass(frozen=True, eq=False)
class Series:
    """One quantity at V settings over R repeats: ``values`` (R, V). ``meaning`` names a colour of the theme."""

    name: str
    values: Array
    meaning: Meaning = "ink"
    dash: str = "solid"


@dataclass(frozen=True, eq=False)
class Panel:
    """Series that share a pair of axes, and published values (V',) at some settings, drawn as rings."""

    title: str
    y_label: str
    y_range: Range
    series: Sequence[Series]
    published: Sequence[tuple[float, float]] = ()
    truth: float | None = None


def against_setting(
    settings: Array,
    panels: Sequence[Panel],
    *,
    x_label: str,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Quantities against a setting (V,) on a logarithmic axis, panel by panel: means, single repeats, published rings.

    ``stacked`` is for phones.
    """
    decades = (float(np.log10(settings.min())) - 0.15, float(np.log10(settings.max())) + 0.15)
    fig = panel_figure(
        theme,
        [panel.title for panel in panels],
        x_label=x_label,
        y_labels=[panel.y_label for panel in panels],
        x_range=decades,
        y_ranges=[panel.y_range for panel in panels],
        stacked=stacked,
        height=height or (250 * len(panels) if stacked else 400),
    )
    ticks = log_ticks(decades, "{:,g}".format) if decades[1] - decades[0] >= 3 else _own_ticks(settings)
    fig.update_xaxes(**ticks)
    seen: set[str] = set()
    for index, panel in enumerate(panels):
        for trace in _panel_traces(settings, panel, index, theme):
            name, is_shown = str(trace.get("name")), trace.get("showlegend", True)
            fig.add_trace(trace | {"showlegend": is_shown and name not in seen})
            seen |= {name} if is_shown else set()
    return fig.update_layout(legend_traceorder="normal")


def _panel_traces(settings: Array, panel: Panel, index: int, theme: Theme) -> Iterator[Trace]:
    axes = panel_axes(index)
    if panel.truth is not None:
        ends = np.array([settings.min() / 2, settings.max() * 2])
        line = theme.line(theme.truth, 2, "dash")
        yield line_bundle(ends, np.full((1, 2), panel.truth), line, "truth", **axes)
    for series in panel.series:
        color = getattr(theme, series.meaning)
        hover = f"{series.name}<br>%{{x:,}}: %{{y:.3f}}<extra></extra>"
        if len(series.values) > 1:
            thin = theme.line(color, 1, series.dash)
            look = {"opacity": theme.draws_opacity, "showlegend": False, **axes}
            yield line_bundle(settings, series.values, thin, series.name, **look)
        look = {"mode": "lines+markers", "marker": {"size": 8 * theme.scale, "color": color}, "hoverinfo": None}
        line = theme.line(color, 3, series.dash)
        look |= {"hovertemplate": hover, **axes}
        yield line_bundle(settings, np.mean(series.values, 0)[None], line, series.name, **look)
    if panel.published:
        x, y = zip(*panel.published, strict=True)
        ring = {"symbol": "circle-open", "size": 12 * theme.scale, "color": theme.ink, "line": {"width": 2}}
        hover = "published<br>%{x:,}: %{y:.3g}<extra></extra>"
        yield scatter(x, y, mode="markers", marker=ring, name="published", hovertemplate=hover, **axes)


def _own_ticks(settings: Array) -> dict[str, Any]:
    """A tick at every setting, where there are few decades."""
    values = [float(value) for value in settings]
    return {"type": "log", "tickvals": values, "ticktext": [f"{value:,g}" for value in values]}
