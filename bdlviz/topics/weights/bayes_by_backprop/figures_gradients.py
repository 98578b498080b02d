"""Variance of gradient estimators against the batch size, split by where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import number
from bdlviz.plots.curves import log_ticks, power_of_ten
from bdlviz.plots.diagrams import Arrow, Diagram, Node, diagram
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme, figure, tint, upright
from bdlviz.plots.traces import Trace, line_bundle, scatter
from bdlviz.types import Array

TITLES = ("From the minibatch", "From the draw of weights", "Together")
SYMBOLS = ("square", "diamond", "circle")
LABELLED = (1, 4, 16, 64)  # batch sizes with a tick of their own


def gradient_noise(
    batch_sizes: Array,
    minibatch: Array,
    noise: Mapping[str, Array],
    *,
    chosen: int,
    y_range: Range,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Three panels on the same logarithmic axes: the minibatch's part, the noise's part, and their sum.

    Args:
        batch_sizes: (T,).
        minibatch: (T, 3) estimate and ends of its interval; 0 where a minibatch holds all points.
        noise: up to three estimators by name, the best one last, (T, 3) each.
        chosen: the batch size that is marked, as its position.
        y_range: exponents of ten.
        stacked: panels one under the other, for phones.
    """
    decades = (-0.12, float(np.log10(batch_sizes[-1])) + 0.12)
    fig = panel_figure(
        theme,
        TITLES,
        x_label="Points in a minibatch B",
        y_labels=["Variance of the gradient"] * 3,
        x_range=decades,
        y_ranges=[y_range] * 3,
        stacked=stacked,
        height=height or (820 if stacked else 480),
    )
    sizes = [int(size) for size in batch_sizes]
    shown = [size for size in sizes if size in LABELLED or size == sizes[-1]]
    ticks = {"type": "log", "tickvals": shown, "ticktext": [str(size) for size in shown]}
    fig.update_xaxes(**ticks)
    powers = log_ticks(y_range, lambda value: f"10<sup>{round(np.log10(value))}</sup>".replace("-", "−"))
    fig.update_yaxes(**powers)
    for panel in range(3):
        at = np.full(2, float(batch_sizes[chosen]))
        ends = np.array([[10.0 ** (y_range[0] - 1), 10.0 ** (y_range[1] + 1)]])
        line = theme.line(theme.muted, 1.2, "dot")
        fig.add_trace(line_bundle(at, ends, line, "chosen", showlegend=False, **panel_axes(panel)))
    for trace in _guides(batch_sizes, noise, theme):
        fig.add_trace(trace | panel_axes(1))
    look = (theme.line(theme.muted, 2.5), "triangle-up")
    fig.add_trace(_curve(batch_sizes, minibatch, "the same for all three", theme, *look) | panel_axes(0))
    styles = _styles(theme)
    for position, (name, values) in enumerate(noise.items()):
        for panel, each in ((1, values), (2, values + minibatch)):
            line, symbol = styles[position], SYMBOLS[position]
            trace = _curve(batch_sizes, each, name, theme, line, symbol)
            fig.add_trace(trace | panel_axes(panel) | {"showlegend": panel == 1})
    return fig.update_layout(legend_traceorder="normal")


def describe_gradient_noise(batch_sizes: Array, noise: Mapping[str, Array], chosen: int) -> str:
    """What `gradient_noise` shows at one batch size, in one sentence with numbers, for people who do not see it."""
    told = ", ".join(
        f"{name} {values[chosen, 0]:.2g} ({values[chosen, 1]:.2g} to {values[chosen, 2]:.2g})"
        for name, values in noise.items()
    )
    return f"Variance of the gradient from the draw of weights, minibatches of {int(batch_sizes[chosen])}: {told}."


def kl_noise(
    ratio: Array, kinds: Mapping[str, Array], limit: float, *, theme: Theme = LIGHT, height: int = 440
) -> go.Figure:
    """One dot for each of W weights: the variance of its KL gradient over its sd, both logarithmic.

    Args:
        ratio: standard deviations of q over the prior's, (W,).
        kinds: two estimators by name, (W,) each; what is 0 is not on a logarithmic axis.
        limit: the ratio above which the second estimator is the better one.
    """
    shown = np.concatenate(list(kinds.values()))
    decades, powers = (_decades(each) for each in (ratio, shown[shown > 0]))
    traces = []
    for (name, values), color in zip(kinds.items(), (theme.ink, theme.mean), strict=True):
        known = values > 0
        marker = {"size": 5 * theme.scale, "color": tint(color, 0.5)}
        hover = f"{name}<br>σ / σ₁ = %{{x:.3g}}: %{{y:.3g}}<extra></extra>"
        traces.append(
            scatter(ratio[known], values[known], mode="markers", marker=marker, name=name, hovertemplate=hover)
        )
    return figure(
        theme,
        x_label="Standard deviation of q over that of the prior, σ / σ₁",
        y_label="Variance of the KL gradient",
        x_range=decades,
        y_range=powers,
        height=height,
        traces=traces,
        xaxis=log_ticks(decades, number),
        yaxis=log_ticks(powers, power_of_ten),
        legend={"traceorder": "normal"},
        shapes=[upright(limit, theme.line(theme.muted, 1.5, "dot"))],
    )


def _decades(values: Array) -> Range:
    """Exponents of ten between which all values lie."""
    exponents = np.log10(values)
    return float(exponents.min()) - 0.1, float(exponents.max()) + 0.1


def _styles(theme: Theme) -> list[dict[str, Any]]:
    return [theme.line(theme.ink, 2.5), theme.line(theme.ink, 2.5, "dash"), theme.line(theme.mean, 3)]


def _guides(batch_sizes: Array, noise: Mapping[str, Array], theme: Theme) -> Iterator[Trace]:
    """What a fall like 1/B would be, from where the last estimator starts."""
    start = float(list(noise.values())[-1][0, 0])
    line = theme.line(theme.truth, 1.5, "dot")
    yield line_bundle(batch_sizes, (start / batch_sizes)[None], line, "1/B", showlegend=True)


def _curve(x: Array, values: Array, name: str, theme: Theme, line: dict[str, Any], symbol: str) -> Trace:
    """Estimates (T, 3) with their intervals; what is 0 is not on a logarithmic axis."""
    known = values[:, 0] > 0
    middle, low, high = values[known].T
    whisker = {"type": "data", "symmetric": False, "thickness": 1.2 * theme.scale, "width": 4, "color": line["color"]}
    arrays = {"array": np.asarray(high - middle, np.float32), "arrayminus": np.asarray(middle - low, np.float32)}
    return scatter(
        x[known],
        middle,
        mode="lines+markers",
        line=line,
        marker={"size": 9 * theme.scale, "color": line["color"], "symbol": symbol},
        error_y=whisker | arrays,
        name=name,
        legendgroup=name,
        hovertemplate=f"{name}<br>B = %{{x}}: %{{y:.3g}}<extra></extra>",
    )


def path_of_gradient(
    points: str, from_points: str, from_noise: str, *, theme: Theme = LIGHT, stacked: bool = False
) -> go.Figure:
    """From parameters of q over drawn weights to the data term, and back; ``points`` says what a minibatch holds.

    The two sources of noise stand beside it with their shares of the gradient's variance, as text.
    """
    along = [(2.8, y) for y in (10.2, 6.4, 2.0)] if stacked else [(x, 1.6) for x in (2.4, 9.0, 15.8)]
    beside = [(7.7, 6.4), (7.7, 2.0)] if stacked else [(9.0, 5.0), (15.8, 5.0)]
    texts = {
        "q": "parameters of q<br>μ, ρ",
        "w": "drawn weights<br>w = μ + σ ε",
        "data": "data term<br>N/B Σ log p(y<sub>i</sub> | x<sub>i</sub>, w)",
    }
    nodes = [
        Node(text, *place, size=(4.6, 1.8), color="mean" if name == "q" else "ink", name=name)
        for (name, text), place in zip(texts.items(), along, strict=True)
    ]
    shares = (("noise", f"noise ε<br>{from_noise}"), ("batch", f"{points}<br>{from_points}"))
    nodes += [
        Node(text, *place, size=(3.8, 1.8), is_observed=True, name=name)
        for (name, text), place in zip(shares, beside, strict=True)
    ]
    arrows = [Arrow("noise", "w"), Arrow("batch", "data")]
    for start, end in (("q", "w"), ("w", "data")):
        arrows += [Arrow(start, end, aside=0.35), Arrow(end, start, "mean", aside=-0.35)]
    ranges = ((0.0, 10.0), (0.8, 11.4)) if stacked else ((0.0, 18.2), (0.4, 6.2))
    return diagram(Diagram(nodes, arrows), *ranges, theme=theme, height=520 if stacked else 300)
