"""Figures of both kinds of uncertainty in classification, and in the decision whom to treat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.functions import SHOW, function_traces, in_panel
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Theme, tint
from bdlviz.plots.traces import Trace, cased_line, line_bundle, scatter
from bdlviz.types import Array, Dataset, Predictive

MOST_ENTROPY = 0.72  # nats, the end of the axis; the entropy of two classes is at most log 2 = 0.693
AREA_OPACITY = 0.55
NUM_DRAWS = 40


@dataclass(frozen=True, eq=False)
class Rule:
    """A decision rule at N inputs: the probability of need that it uses (N,), and the mask of who is treated (N,)."""

    name: str
    probability: Array
    is_treated: Array


def entropies_over_x(
    predictive: Predictive,
    data: Dataset,
    true_probability: Array,
    true_entropy: Array,
    *,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Probability of the second of two classes; areas of expected entropy and, on top of it, mutual information.

    ``true_probability`` and ``true_entropy`` (N,) are at ``predictive.x``. ``stacked`` is for phones.
    """
    x, dashed = predictive.x[:, 0], theme.line(theme.truth, 2.5, "dash")
    thin = theme.line(theme.draws, 1)
    look = {"opacity": theme.draws_opacity}
    traces = [
        line_bundle(x, predictive.draws[:NUM_DRAWS, :, 1], thin, "Function draws", **look),
        *cased_line(x, predictive.mean[:, 1], theme.line(theme.mean, 3), "Predictive mean", theme),
        line_bundle(x, true_probability[None], dashed, "Truth"),
        _data_points(data, theme),
        *(trace | panel_axes(1) for trace in _areas(predictive, theme)),
        line_bundle(x, true_entropy[None], dashed, "Truth", showlegend=False, **panel_axes(1)),
    ]
    return panel_figure(
        theme,
        ["Probability of class 1", "Entropy: aleatoric below, epistemic on top"],
        x_label=data.x_label,
        y_labels=["probability", "nats"],
        x_range=data.x_range,
        y_ranges=[data.y_range, (0.0, MOST_ENTROPY)],
        stacked=stacked,
        height=height or (720 if stacked else 500),
        traces=traces,
        legend={"traceorder": "normal"},
    )


def describe_entropies(predictive: Predictive, places: Sequence[tuple[str, Array]]) -> str:
    """Mean expected entropy and mutual information in some regions (masks of x), in one sentence."""
    aleatoric, epistemic = predictive.expected_entropy, predictive.mutual_information
    assert aleatoric is not None and epistemic is not None
    sentences = [
        f"{name}: expected entropy {aleatoric[where].mean():.2f}, mutual information {epistemic[where].mean():.2f} nats"
        for name, where in places
    ]
    return "; ".join(sentences) + "."


def decisions_over_x(
    predictive: Predictive,
    data: Dataset,
    rules: Sequence[Rule],
    truth: Rule,
    *,
    limit: float,
    threshold: float,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Three panels: predictive bands with the limit above which a person is ill, probabilities, and who is treated.

    ``threshold`` is the probability above which treating costs less. ``stacked`` is for phones.
    """
    every = [*rules, truth]
    names = [rule.name for rule in every]
    return panel_figure(
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


def describe_decisions(rules: Sequence[Rule], truth: Rule) -> str:
    """The share of inputs that each rule treats, and the share where it differs from the best rule, in one sentence."""
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
    yield line_bundle(ends, np.full((1, 2), limit), line, "limit, threshold")
    yield in_panel(line_bundle(ends, np.full((1, 2), threshold), line, "limit, threshold"), 1, legend=False)
    for rule, (color, dash) in zip(every, _looks(theme), strict=True):
        trace = line_bundle(x, rule.probability[None], theme.line(color, 2.5, dash), rule.name)
        yield trace | {"showlegend": False} | panel_axes(1)
    for row, (rule, (color, _)) in enumerate(zip(every, _looks(theme), strict=True)):
        treated = np.where(rule.is_treated, float(row), np.nan)[None]
        yield line_bundle(x, treated, theme.line(color, 12), rule.name, showlegend=False, **panel_axes(2))


def _looks(theme: Theme) -> tuple[tuple[str, str], ...]:
    """Colour and dash of the rules: mean only, epistemic only, both kinds, truth known."""
    return (
        (theme.muted, "dot"),
        (theme.epistemic, "solid"),
        (theme.aleatoric, "solid"),
        (theme.truth, "dash"),
    )


def _data_points(data: Dataset, theme: Theme) -> Trace:
    """The data as points whose height is their class, 0 or 1."""
    marker = {"size": 7 * theme.scale, "color": theme.data, "opacity": 0.5}
    hover = "x = %{x:.3g}, class %{y}<extra></extra>"
    return scatter(data.x[:, 0], data.y, mode="markers", marker=marker, name="Data", hovertemplate=hover)


def _areas(predictive: Predictive, theme: Theme) -> Iterator[Trace]:
    """Areas of the expected entropy and, on top of it, of the mutual information; a line for their sum."""
    expected, total = predictive.expected_entropy, predictive.predictive_entropy
    assert expected is not None and total is not None
    x = predictive.x[:, 0]
    areas = (
        (np.zeros_like(expected), expected, theme.aleatoric, "Aleatoric"),
        (expected, total, theme.epistemic, "Epistemic"),
    )
    for low, high, color, name in areas:
        outline = np.concatenate([high, low[::-1]])[None]
        line = {"width": 0}
        fill = {"fill": "toself", "fillcolor": tint(color, AREA_OPACITY)}
        yield line_bundle(np.concatenate([x, x[::-1]]), outline, line, name, **fill)
    hover = "x = %{x:.3g}: %{y:.2f} nats<extra></extra>"
    look = {"hoverinfo": None, "hovertemplate": hover}
    yield line_bundle(x, total[None], theme.line(theme.ink, 2), "Total", **look)
