"""Figures of both kinds of uncertainty in classification."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Theme, tint
from bdlviz.plots.traces import Trace, cased_line, line_bundle, scatter
from bdlviz.types import Array, Dataset, Predictive

MOST_ENTROPY = 0.72  # nats, the end of the axis; the entropy of two classes is at most log 2 = 0.693
AREA_OPACITY = 0.55
NUM_DRAWS = 40


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
