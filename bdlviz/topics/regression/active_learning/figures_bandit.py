"""A bandit round by round: the posterior of the arms, which one is tried, and how often each was."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.functions import ONE_SD_OPACITY, TWO_SD_OPACITY
from bdlviz.plots.panels import panel_axes
from bdlviz.plots.theme import LIGHT, Range, Theme, tint
from bdlviz.plots.traces import band, cased_line, line_bundle, scatter
from bdlviz.topics.regression.active_learning.figures import NEXT, few_words, upper_and_lower
from bdlviz.types import Array

BINS = 20
SHARE_RANGE = (0.0, 1.0)


def bandit_round(
    arms: Array,
    truth: Array,
    mean: Array,
    std: Array,
    looked_at: Array,
    *,
    chosen: int,
    tried: Array,
    rewards: Array,
    looked_at_name: str = "Draw",
    y_range: Range = (-2.0, 2.0),
    theme: Theme = LIGHT,
    height: int = 560,
) -> go.Figure:
    """The belief before a choice, the function whose best arm is taken, and below it how often arms were tried so far.

    Args:
        arms: (K,) on a line, ascending.
        truth: expected rewards (K,).
        mean, std: of the belief, (K,).
        looked_at: (K,) what the policy maximises: a draw, the mean, an upper bound.
        chosen: position of the arm that is tried now.
        tried: positions of the arms before it, (t,).
        rewards: theirs, (t,).
        looked_at_name: of that function; the mean itself is not drawn twice.
    """
    fig = upper_and_lower(
        theme,
        ("", ""),
        x_label="Arm a",
        y_labels=("Reward", "Tried so far"),
        x_range=(float(arms[0]) - 0.02, float(arms[-1]) + 0.02),
        y_ranges=(y_range, SHARE_RANGE),
        height=height,
    )
    upper, lower = panel_axes(0), panel_axes(1)
    name = "Belief"
    for width, opacity, legend in ((2, TWO_SD_OPACITY, False), (1, ONE_SD_OPACITY, True)):
        fill = tint(theme.epistemic, opacity)
        fig.add_trace(band(arms, mean, width * std, fill, name, legendgroup=name, showlegend=legend) | upper)
    fig.add_trace(line_bundle(arms, truth[None], theme.line(theme.truth, 2, "dash"), "Truth") | upper)
    if looked_at_name != "Mean":
        for trace in cased_line(arms, looked_at, theme.line(theme.draws, 2.5), looked_at_name, theme):
            fig.add_trace(trace | upper)
    for trace in cased_line(arms, mean, theme.line(theme.mean, 3), "Mean", theme):
        fig.add_trace(trace | upper)
    marker = {"size": 7 * theme.scale, "color": theme.data, "line": {"width": theme.scale, "color": theme.paper}}
    hover = "arm %{x:.2f} gave %{y:.2f}<extra></extra>"
    fig.add_trace(
        scatter(arms[tried], rewards, mode="markers", marker=marker, name="Rewards", hovertemplate=hover) | upper
    )
    counts, edges = np.histogram(arms[tried], BINS, (float(arms[0]), float(arms[-1])))
    fig.add_bar(
        x=np.asarray((edges[1:] + edges[:-1]) / 2, np.float32),
        y=np.asarray(counts / max(len(tried), 1), np.float32),
        width=0.9 * float(edges[1] - edges[0]),
        marker={"color": theme.ink, "opacity": 0.55, "line": {"width": 0}},
        name="Tried",
        showlegend=False,
        customdata=counts.astype(np.int16),
        hovertemplate="about %{x:.2f}: %{customdata} times<extra></extra>",
        **lower,
    )
    at, line = np.full(2, arms[chosen]), theme.line(theme.ink, 1.2, "dot")
    for axes, ends in ((upper, y_range), (lower, SHARE_RANGE)):
        fig.add_trace(line_bundle(at, np.array([ends]), line, NEXT, showlegend=False) | axes)
    triangle = {"size": 14 * theme.scale, "symbol": "triangle-down", "color": theme.ink}
    triangle |= {"line": {"width": 1, "color": theme.paper}}
    look = {"mode": "markers", "marker": triangle, "name": "Tried now", "showlegend": False, "hoverinfo": "skip"}
    fig.add_trace(scatter(arms[chosen], looked_at[chosen], **look) | upper)
    side = "right" if 2 * chosen > len(arms) else "left"
    words = {"text": "tried now", "x": float(arms[chosen]), "y": y_range[1], "xanchor": side, "yanchor": "top"}
    fig.add_annotation(**words, xshift=6 if side == "left" else -6, **few_words(theme))
    return fig.update_layout(yaxis2_tickformat=".0%")


def describe_bandit_round(arms: Array, truth: Array, mean: Array, chosen: int, tried: Array) -> str:
    """What `bandit_round` shows, in one sentence with numbers, for people who do not see it."""
    return (
        f"Round {len(tried) + 1}: arm {arms[chosen]:.2f} is tried, whose expected reward is {truth[chosen]:.2f} and "
        f"was believed to be {mean[chosen]:.2f}; the best arm is {arms[truth.argmax()]:.2f} with {truth.max():.2f}."
    )
