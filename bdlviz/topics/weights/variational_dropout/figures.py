"""Noise on weights: its densities, its divergence from the prior, and how much of it was learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.functions import small_multiples
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme, tint
from bdlviz.plots.traces import Trace, float32, line_bundle, scatter, with_gaps
from bdlviz.types import Array, Dataset, Predictive

NOISES, TALLEST = (-4.5, 8.0), 1.9  # what is shown of one input's noise, and of its density
SUMS, TALLEST_SUM = (-5.0, 5.0), 0.6  # standard deviations of a unit's sum, and its density
LOG_ALPHAS, DIVERGENCES = (-10.0, 8.0), (-2.0, 6.0)
ERRORS = (-0.06, 0.06)
CLIPPED = (-8.0, 8.0)  # where implementations usually clip log alpha
ROOM = 1.08  # above the tallest bar


def noise_pair(
    noises: Array,
    density: Array,
    atoms: tuple[Array, Array],
    *,
    num_inputs: int,
    dropout_rate: float,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Masks beside Gaussian noise: on one input, and in a unit's standardised sum of n inputs.

    ``noises`` and ``density`` (X,) are Gaussian noise on one input; ``atoms`` are the values of the masked sum and
    their probabilities, (n + 1,) each, drawn as probability over spacing so that they compare with a density.
    """
    fig = panel_figure(
        theme,
        ["Noise on one input", f"Sum of {num_inputs} input{'s' if num_inputs > 1 else ''}"],
        x_label="",
        y_labels=["Density (spikes: probability)", "Density"],
        x_range=NOISES,
        y_ranges=[(0.0, TALLEST), (0.0, TALLEST_SUM)],
        stacked=stacked,
        height=height or (660 if stacked else 460),
    )
    fig.update_layout(
        xaxis_title_text="" if stacked else "Noise ξ (1: none)",  # there the second title is in its place
        xaxis2={"title": {"text": "Sum − mean (sd)", "font": theme.font(), "standoff": 8}, "range": list(SUMS)},
    )
    values, mass = np.array([0.0, 1 / (1 - dropout_rate)]), np.array([dropout_rate, 1 - dropout_rate])
    fig.add_traces(_stems(values, mass, "Bernoulli mask", 0, theme))
    fig.add_trace(_bell(noises, density, 0, theme))
    for x, share, word, anchor in zip(values, mass, ("dropped", "kept"), ("right", "left"), strict=True):
        fig.add_annotation(
            x=x,
            y=min(float(share), TALLEST),
            xanchor=anchor,
            yanchor="bottom",
            xshift=-6 if anchor == "right" else 6,
            text=f"{word}: {share:.2f}",
            font=theme.font(color=theme.ink),
            showarrow=False,
        )
    sums = np.linspace(*SUMS, 201)
    at, probability = atoms
    fig.add_traces(_stems(at, probability / (at[1] - at[0]), "Bernoulli mask", 1, theme))
    fig.add_trace(_bell(sums, np.exp(-(sums**2) / 2) / np.sqrt(2 * np.pi), 1, theme))
    return fig.update_layout(legend_traceorder="normal")


def _stems(x: Array, heights: Array, name: str, panel: int, theme: Theme) -> list[Trace]:
    """Lines from 0 up to every value, thinner where there are many, with a point on top of few."""
    is_many = len(x) > 60
    xs, ys = (np.column_stack([x, x]), np.column_stack([np.zeros_like(heights), heights]))
    line = theme.line(theme.ink, 1.2 if is_many else 3)
    look = {"mode": "lines", "name": name, "hoverinfo": "skip", "legendgroup": name, "showlegend": panel == 0}
    gaps = np.full((len(x), 1), np.nan)
    stems = scatter(np.hstack([xs, gaps]), np.hstack([ys, gaps]), line=line, **look, **panel_axes(panel))
    tops = scatter(
        x,
        heights,
        mode="markers",
        marker={"size": (2 if is_many else 9) * theme.scale, "color": theme.ink},
        name=name,
        showlegend=False,
        legendgroup=name,
        hovertemplate="%{x:.3g}: %{y:.3g}<extra></extra>",
        **panel_axes(panel),
    )
    return [stems, tops]


def _bell(x: Array, density: Array, panel: int, theme: Theme) -> Trace:
    name = "Gaussian noise"
    look = {"legendgroup": name, "showlegend": panel == 0, **panel_axes(panel)}
    return line_bundle(x, density[None], theme.line(theme.mean, 3), name, **look)


def divergence_curves(
    log_alpha: Array,
    curves: Mapping[str, Array],
    *,
    chosen: float,
    readings: Mapping[str, float],
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """The divergence of a weight's noise, exactly and by approximations, and the errors of those of the same prior.

    ``curves`` are "exact", "cubic", "sigmoidal" and "ard" over ``log_alpha`` (X,), in nats; ``readings`` the same at
    the ``chosen`` log alpha. The cubic is drawn as a warning where it does not hold.
    """
    fig = panel_figure(
        theme,
        ["Divergence from the prior", "Error of the approximations"],
        x_label="log α",
        y_labels=["KL (nats)", "Approximation − exact (nats)"],
        x_range=LOG_ALPHAS,
        y_ranges=[DIVERGENCES, ERRORS],
        stacked=stacked,
        height=height or (700 if stacked else 480),
    )
    holds = log_alpha <= 0
    names = {"exact": "exact KL", "sigmoidal": "Molchanov et al.", "ard": "ARD (another prior)"}
    lines = {
        "exact": theme.line(theme.exact, 5),
        "sigmoidal": theme.line(theme.ink, 2, "dash"),
        "ard": theme.line(theme.prior, 2.5, "dot"),
    }
    for key, name in names.items():
        fig.add_trace(line_bundle(log_alpha, curves[key][None], lines[key], name, legendgroup=name))
    fig.add_traces(_cubic(log_alpha, curves["cubic"], holds, 0, theme))
    errors = {key: curves[key] - curves["exact"] for key in ("sigmoidal", "cubic")}
    look = {"showlegend": False, **panel_axes(1)}
    zero = np.zeros((1, 2))
    fig.add_trace(line_bundle(np.array(LOG_ALPHAS), zero, lines["exact"], names["exact"], **look))
    one = names["sigmoidal"]
    fig.add_trace(line_bundle(log_alpha, errors["sigmoidal"][None], lines["sigmoidal"], one, legendgroup=one, **look))
    fig.add_traces(_cubic(log_alpha, errors["cubic"], holds, 1, theme))
    fig.add_trace(_readings(chosen, readings, names, theme))
    for panel in (0, 1):
        _mark_ranges(fig, chosen, panel, theme)
    fig.add_annotation(
        x=1.0,
        y=DIVERGENCES[0],
        xanchor="left",
        yanchor="bottom",
        align="left",
        text="past α = 1<br>the cubic falls",
        font=theme.font(small=True, color=theme.text(theme.warning)),
        showarrow=False,
    )
    return fig.update_layout(legend_traceorder="normal")


def _cubic(log_alpha: Array, values: Array, holds: Array, panel: int, theme: Theme) -> list[Trace]:
    """The cubic where it holds, and beyond."""
    name = "Kingma et al., α ≤ 1"
    look = {"legendgroup": name, **panel_axes(panel)}
    beyond = ~holds
    beyond[np.flatnonzero(holds)[-1]] = True  # joined to the part that holds
    return [
        line_bundle(
            log_alpha[holds], values[holds][None], theme.line(theme.mean, 2.5), name, showlegend=panel == 0, **look
        ),
        line_bundle(
            log_alpha[beyond],
            values[beyond][None],
            theme.line(theme.warning, 2.5, "dot"),
            "the same past its range",
            showlegend=False,  # a label at the curve says it
            **panel_axes(panel),
        ),
    ]


def _readings(chosen: float, readings: Mapping[str, float], names: Mapping[str, str], theme: Theme) -> Trace:
    """The four curves at the chosen log alpha."""
    shown = {**names, "cubic": "Kingma et al."}
    marker = {"size": 10 * theme.scale, "color": theme.ink, "line": {"width": 2, "color": theme.paper}}
    keys = [key for key in shown if DIVERGENCES[0] <= readings[key] <= DIVERGENCES[1]]
    return scatter(
        [chosen] * len(keys),
        [readings[key] for key in keys],
        mode="markers",
        marker=marker,
        text=[shown[key] for key in keys],
        hovertemplate="%{text}<br>log α = %{x:g}: %{y:.5f} nats<extra></extra>",
        name=f"log α = {chosen:g}",
        showlegend=False,
    )


def _mark_ranges(fig: go.Figure, chosen: float, panel: int, theme: Theme) -> None:
    """Where the cubic holds, the usual clip points, and the chosen log alpha."""
    x, y = panel_axes(panel).values()
    span: dict[str, Any] = {"xref": x, "yref": f"{y} domain", "y0": 0, "y1": 1}
    shade = tint(theme.mean, 0.07)
    fig.add_shape(type="rect", x0=LOG_ALPHAS[0], x1=0, fillcolor=shade, line={"width": 0}, layer="below", **span)
    for at in CLIPPED:
        fig.add_shape(type="line", x0=at, x1=at, line=theme.line(theme.muted, 1, "dot"), layer="below", **span)
    fig.add_shape(type="line", x0=chosen, x1=chosen, line=theme.line(theme.ink, 1.2), layer="below", **span)
    if panel > 0:
        return
    words = {"showarrow": False, "font": theme.font(small=True, color=theme.muted), "bgcolor": tint(theme.paper, 0.8)}
    words |= {"xref": x, "yref": f"{y} domain"}
    fig.add_annotation(x=-9.8, y=0.1, xanchor="left", yanchor="bottom", text="cubic holds", **words)
    for at, side in zip(CLIPPED, ("left", "right"), strict=True):
        shift = {"xshift": 3 if side == "left" else -3, "yanchor": "bottom" if side == "left" else "top"}
        fig.add_annotation(x=at, y=0.01 if side == "left" else 0.99, xanchor=side, text="clip", **shift, **words)


def functions_in_a_row(
    panels: Sequence[tuple[str, Predictive]],
    data: Dataset,
    *,
    theme: Theme = LIGHT,
    num_draws: int = 20,
    stacked: bool = False,
) -> go.Figure:
    """Functions of many methods on the same axes, with few ticks: a row of five leaves little room."""
    height = 240 * len(panels) if stacked else 400
    fig = small_multiples(panels, data, theme=theme, num_draws=num_draws, stacked=stacked, height=height)
    return fig if stacked else fig.update_xaxes(tickvals=_inner_ticks(data.x_range))


def _inner_ticks(limits: Range) -> list[float]:
    """At least two round numbers, all away from both ends."""
    low, high = limits
    span = high - low
    power = np.floor(np.log10(span))
    for step in (5 * 10**power, 2 * 10**power, 10**power, 5 * 10 ** (power - 1), 2 * 10 ** (power - 1)):
        ticks = step * np.arange(np.ceil((low + 0.1 * span) / step), np.floor((high - 0.1 * span) / step) + 1)
        if len(ticks) > 1:  # the last step fits at least three times into four fifths of the span
            break
    return ticks.tolist()


def layer_names(per_layer: Sequence[Any] | Array) -> list[str]:
    """The names of layers, of each of which there is one value."""
    return [f"Layer {layer + 1}" for layer in range(len(per_layer))]


def alpha_histograms(
    shares: Array,
    edges: Array,
    *,
    names: Sequence[str],
    capped: Array,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """The distribution of the learned alphas of every layer on a logarithmic axis, with the cap at 1.

    ``shares`` (L, BINS), from 0 to 1; ``edges`` (BINS + 1,) are decimal logarithms of alpha; ``capped`` (L,) the share
    of alphas at the cap, which the title of a panel says.
    """
    decades: Range = (float(edges[0]), float(edges[-1]) + 0.08)
    fig = panel_figure(
        theme,
        [f"{name}: {100 * share:.0f} % at the cap" for name, share in zip(names, capped, strict=True)],
        x_label="Learned α",
        y_labels=["Share of alphas"] * len(names),
        x_range=decades,
        y_ranges=[(0.0, ROOM)] * len(names),
        stacked=stacked,
        height=height or (190 * len(names) + 60 if stacked else 340),
    )
    powers = np.arange(round(edges[0]) + 1, 1)  # the outermost labels of neighbours would collide
    fig.update_xaxes(tickvals=powers.tolist(), ticktext=[f"{10.0**power:g}" for power in powers])
    fig.update_yaxes(tickformat=".0%", tickvals=[0, 0.5, 1])
    centres, width = (edges[1:] + edges[:-1]) / 2, float(edges[1] - edges[0])
    for index, share in enumerate(shares):
        axes = panel_axes(index)
        fig.add_bar(
            x=float32(centres),
            y=float32(share),
            width=0.9 * width,
            marker={"color": theme.mean, "line": {"width": 0}},
            customdata=np.round(10**centres, 4).tolist(),
            hovertemplate="α about %{customdata:.3g}: %{y:.1%}<extra></extra>",
            showlegend=False,
            **axes,
        )
        cap = theme.line(theme.warning, 2, "dash")
        x, y = with_gaps(np.zeros(2), np.array([[0.0, ROOM]]))
        fig.add_trace(scatter(x, y, mode="lines", line=cap, name="cap: α = 1", showlegend=index == 0, **axes))
    return fig


def describe_alphas(names: Sequence[str], mean: Array, capped: Array) -> str:
    """Mean alphas of every layer and how many are at the cap, in one sentence."""
    told = ", ".join(
        f"{name} {average:.2f} ({100 * share:.0f} % at the cap)"
        for name, average, share in zip(names, mean, capped, strict=True)
    )
    return f"Mean learned alpha: {told}."
