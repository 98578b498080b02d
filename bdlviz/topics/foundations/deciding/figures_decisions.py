"""Figures of the decision whom to treat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import number, percent
from bdlviz.plots.functions import SHOW, function_traces, in_panel
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Theme, tint
from bdlviz.plots.traces import Trace, line_bundle, scatter
from bdlviz.topics.foundations.deciding.decisions import Costs
from bdlviz.types import Array, Dataset, Predictive

HIGH = 0.9  # of a threshold: above, its name stands below its line


@dataclass(frozen=True, eq=False)
class Rule:
    """A decision rule at N inputs: its probability of being ill (N,), and the mask of who is treated (N,)."""

    name: str
    probability: Array
    is_treated: Array


def decisions_over_x(
    predictive: Predictive,
    data: Dataset,
    every: Sequence[Rule],
    captions: Sequence[str],
    *,
    truth: Array | None,
    limit: float,
    costs: Costs,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Left, predictive bands with the limit above which a person is ill; right, probabilities, and who is treated.

    ``every`` are two rules, without and with uncertainty; ``captions`` say what each does. The two pictures at the
    right have one x axis. Where the second rule treats, they are shaded; its probability stands beside the true one
    (N,), and is marked where it crosses the threshold. ``stacked`` is for phones.
    """
    threshold = min(costs.threshold, 1.0)
    columns = {"xaxis": (0.0, 0.34), "xaxis2": (0.42, 1.0), "xaxis3": (0.42, 1.0), "yaxis2": (0.44, 1.0)}
    domains = {} if stacked else columns | {"yaxis3": (0.0, 0.34)}
    look: dict[str, dict[str, Any]] = {name: {"domain": list(domain)} for name, domain in domains.items()}
    for name, more in (("yaxis2", {"tickformat": ".0%"}), ("yaxis3", {"showticklabels": False, "showgrid": False})):
        look[name] = look.get(name, {}) | more
    if not stacked:
        look["xaxis2"] |= {"showticklabels": False, "title": None}
    fig = panel_figure(
        theme,
        ["What is predicted", "Probability of being ill", "Who is treated, of 100 people"],
        x_label=data.x_label,
        y_labels=[data.y_label, "", ""],
        x_range=data.x_range,
        y_ranges=[data.y_range, (-0.02, 1.02), (-0.3, len(every) - 0.2)],
        stacked=stacked,
        height=height or (1000 if stacked else 480),
        traces=_decided(predictive, data, every, truth, limit, threshold, theme),
        **look,
    )
    words = {"font": theme.font(small=True), "showarrow": False, "xanchor": "left"}
    low, at = {"x": data.x_range[0], "yanchor": "bottom"}, {"x": data.x_range[0]}
    fig.add_annotation(text=f"ill above {number(limit)}", y=limit, xref="x", yref="y", **low, **words)
    ratio = f"treat above {costs.treat:g}/{costs.miss:g} = {percent(costs.threshold)}"
    side = "bottom" if threshold < HIGH else "top"
    fig.add_annotation(text=ratio, y=threshold, yanchor=side, xref="x2", yref="y2", **at, **words)
    for row, caption in enumerate(captions):
        fig.add_annotation(text=caption, y=row + 0.18, xref="x3", yref="y3", **low, **words)
    ground = {"fillcolor": tint(theme.mean, 0.1), "line_width": 0, "layer": "below"}
    for start, end in _stretches(predictive.x[:, 0], every[1].is_treated):
        fig.add_shape(type="rect", x0=start, x1=end, xref="x2", y0=0, y1=1, yref="paper", **ground)
    return fig


def _stretches(x: Array, is_treated: Array) -> list[tuple[float, float]]:
    """The intervals of x, ascending (N,), that a mask (N,) covers."""
    ends = np.flatnonzero(np.diff([False, *is_treated, False]))
    return [(float(x[start]), float(x[stop - 1])) for start, stop in zip(ends[::2], ends[1::2], strict=True)]


def _decided(
    predictive: Predictive,
    data: Dataset,
    every: Sequence[Rule],
    truth: Array | None,
    limit: float,
    threshold: float,
    theme: Theme,
) -> Iterator[Trace]:
    """The traces of `decisions_over_x`, panel by panel."""
    for trace in function_traces(predictive, data, theme, 0, None, SHOW - {"draws"}, None):
        yield in_panel(trace, 0)
    ends, x = np.array(data.x_range), predictive.x[:, 0]
    line = theme.line(theme.ink, 1.5, "dot")
    yield line_bundle(ends, np.full((1, 2), limit), line, "limit", showlegend=False)
    yield line_bundle(ends, np.full((1, 2), threshold), line, "threshold", showlegend=False, **panel_axes(1))
    if truth is not None:
        line = theme.line(theme.truth, 2.5, "dash")
        yield line_bundle(x, truth[None], line, "truth", showlegend=False, **panel_axes(1))
    line = theme.line(theme.mean, 3)
    yield line_bundle(x, every[1].probability[None], line, every[1].name, showlegend=False, **panel_axes(1))
    inner = [end for stretch in _stretches(x, every[1].is_treated) for end in stretch if x[0] < end < x[-1]]
    marker = {"size": 9 * theme.scale, "color": theme.ink}
    at = np.full(len(inner), threshold)
    yield scatter(inner, at, mode="markers", marker=marker, name="crossing", showlegend=False) | panel_axes(1)
    for row, (rule, color) in enumerate(zip(every, (theme.ink, theme.mean), strict=True)):
        whole = line_bundle(ends, np.full((1, 2), row), theme.line(theme.dropped, 3), "not treated", showlegend=False)
        yield whole | panel_axes(2)
        treated = np.where(rule.is_treated, float(row), np.nan)[None]
        yield line_bundle(x, treated, theme.line(color, 12), rule.name, showlegend=False, **panel_axes(2))
