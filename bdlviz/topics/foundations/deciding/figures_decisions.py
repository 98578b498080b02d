"""Figures of the decision whom to treat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import percent
from bdlviz.plots.functions import SHOW, function_traces, in_panel
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Theme
from bdlviz.plots.traces import Trace, line_bundle
from bdlviz.types import Array, Dataset, Predictive


@dataclass(frozen=True, eq=False)
class Rule:
    """A decision rule at N inputs: the probability of need that it uses (N,), and the mask of who is treated (N,)."""

    name: str
    probability: Array
    is_treated: Array


def decisions_over_x(
    predictive: Predictive,
    data: Dataset,
    rules: Sequence[Rule],
    truth: Rule | None,
    *,
    limit: float,
    threshold: float,
    shares: Sequence[float],
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Three panels: predictive bands with the limit above which a person is ill, probabilities, and who is treated.

    ``truth`` is None where the best rule is not known. ``threshold`` is the probability above which treating costs
    less, ``shares`` of people are treated by the rules. ``stacked`` is for phones.
    """
    every = [*rules, *([truth] if truth else [])]
    names = [f"{rule.name}<br>{percent(share)} of people" for rule, share in zip(every, shares, strict=True)]
    fig = panel_figure(
        theme,
        ["Predictive distribution", "Probability of need", "Who is treated"],
        x_label=data.x_label,
        y_labels=[data.y_label, "probability", ""],
        x_range=data.x_range,
        y_ranges=[data.y_range, (-0.02, 1.02), (-0.6, len(every) - 0.4)],
        stacked=stacked,
        height=height or (1000 if stacked else 480),
        traces=_decided(predictive, data, every, limit, threshold, theme),
        yaxis3={"tickvals": list(range(len(every))), "ticktext": names, "showticklabels": True},
    )
    words = {"font": theme.font(small=True), "showarrow": False, "xanchor": "left", "yanchor": "bottom"}
    left = data.x_range[0]
    fig.add_annotation(text="ill above", x=left, y=limit, xref="x", yref="y", **words)
    fig.add_annotation(text="treat above", x=left, y=threshold, xref="x2", yref="y2", **words)
    return fig


def describe_decisions(rules: Sequence[Rule], truth: Rule | None) -> str:
    """The share of inputs that each rule treats, and the share where it differs from the best rule, in one sentence."""
    if truth is None:
        return (
            "; ".join(f"{rule.name} treats {100 * rule.is_treated.mean():.0f} % of the inputs" for rule in rules) + "."
        )
    sentences = [
        f"{rule.name} treats {100 * rule.is_treated.mean():.0f} % and differs from the best at "
        f"{100 * np.mean(rule.is_treated != truth.is_treated):.0f} %"
        for rule in rules
    ]
    return f"The best rule treats {100 * truth.is_treated.mean():.0f} % of the inputs shown; {'; '.join(sentences)}."


def _decided(
    predictive: Predictive, data: Dataset, every: Sequence[Rule], limit: float, threshold: float, theme: Theme
) -> Iterator[Trace]:
    """The traces of `decisions_over_x`, panel by panel."""
    for trace in function_traces(predictive, data, theme, 0, None, SHOW - {"draws"}, None):
        yield in_panel(trace, 0)
    ends, x = np.array(data.x_range), predictive.x[:, 0]
    line = theme.line(theme.ink, 1.5, "dot")
    yield line_bundle(ends, np.full((1, 2), limit), line, "limit", showlegend=False)
    yield in_panel(line_bundle(ends, np.full((1, 2), threshold), line, "threshold"), 1, legend=False)
    for rule, (color, dash) in zip(every, _looks(theme), strict=False):
        trace = line_bundle(x, rule.probability[None], theme.line(color, 2.5, dash), rule.name)
        yield trace | {"showlegend": False} | panel_axes(1)
    for row, (rule, (color, _)) in enumerate(zip(every, _looks(theme), strict=False)):
        treated = np.where(rule.is_treated, float(row), np.nan)[None]
        yield line_bundle(x, treated, theme.line(color, 12), rule.name, showlegend=False, **panel_axes(2))


def _looks(theme: Theme) -> tuple[tuple[str, str], ...]:
    """Colour and dash of the rules: mean only, epistemic only, both kinds, truth known."""
    return (
        (theme.muted, "dot"),
        (theme.epistemic, "solid"),
        (theme.ink, "solid"),
        (theme.truth, "dash"),
    )
