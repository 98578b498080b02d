"""The bound of a VAE against log p(x): the identity, tighter bounds, and the variance of its gradient."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import nats
from bdlviz.plots.codes import ellipse_outlines
from bdlviz.plots.curves import log_ticks, power_of_ten
from bdlviz.plots.theme import LIGHT, Theme, figure, tint
from bdlviz.plots.traces import float32, line_bundle, scatter
from bdlviz.types import Array

HALF_STEP = 0.32  # half the width of a bar


def identity_bars(
    reconstruction: float, kl: float, gap: float, *, theme: Theme = LIGHT, height: int = 360
) -> go.Figure:
    """The identity log p(x) = reconstruction - KL + gap as a staircase: levels as lines, what lies between as bars."""
    elbo, evidence = reconstruction - kl, reconstruction - kl + gap
    levels = [(0, reconstruction, theme.ink), (2, elbo, theme.mean), (4, evidence, theme.ink)]
    steps = [(1, reconstruction, elbo, theme.prior), (3, elbo, evidence, theme.exact)]
    span = abs(reconstruction - min(elbo, evidence)) or 1.0
    names = ["recon-<br>struction", "− KL<br>term", "= ELBO", "+ gap", "= log<br>p(x)"]
    limits = (min(elbo, evidence) - 0.22 * span, max(reconstruction, evidence) + 0.22 * span)
    fig = figure(theme, x_label="", y_label="nats", x_range=(-0.6, 4.6), y_range=limits, height=height)
    for place, level, color in levels:
        ends = float32([place - HALF_STEP, min(place + 2 - HALF_STEP, 4 + HALF_STEP)])
        thin = {"hoverinfo": "skip", "showlegend": False, "mode": "lines"}
        fig.add_trace(scatter(ends, [level, level], line=theme.line(theme.muted, 1, "dot"), **thin))
        ends = float32([place - HALF_STEP, place + HALF_STEP])
        fig.add_trace(scatter(ends, [level, level], line=theme.line(color, 5), **thin))
        fig.add_annotation(x=place, y=level, yanchor="bottom", text=nats(level), yshift=4, **_plain(theme))
    for place, start, end, color in steps:
        bar = {"x": float32([place]), "y": float32([end - start]), "base": float32([start]), "width": 2 * HALF_STEP}
        look = {"marker": {"color": color, "line": {"width": 0}}, "hoverinfo": "skip", "showlegend": False}
        fig.add_bar(**bar, **look)
        change = f"{'+' if end >= start else ''}{nats(end - start)}"
        fig.add_annotation(x=place, y=min(start, end), yanchor="top", text=change, yshift=-2, **_plain(theme))
    return fig.update_xaxes(tickvals=list(range(len(names))), ticktext=names, tickangle=0, showgrid=False)


def _plain(theme: Theme) -> dict[str, Any]:
    return {"font": theme.font(), "showarrow": False}


def bounds_against_samples(
    num_samples: Array,
    importance: Array,
    elbo: float,
    plug_in: float,
    *,
    error: Array | None = None,
    truth: float | None = None,
    chosen: int | None = None,
    theme: Theme = LIGHT,
    height: int = 360,
) -> go.Figure:
    """Importance-weighted bounds against K (T,), above the ELBO, beside the plug-in value, which bounds nothing.

    Args:
        error: (T,) standard errors, drawn as bars of two of them.
        truth: log p(x), where it is known.
        chosen: the K whose bound is marked and read off, on the line between two where it is none of them.
    """
    decades = (-0.1, float(np.log10(num_samples.max())) + 0.1)
    ends = [elbo, plug_in, *map(float, importance), *([] if truth is None else [truth])]
    room = 0.15 * (max(ends) - min(ends) or 1.0)
    fig = figure(
        theme,
        x_label="Codes per image K",
        y_label="nats per image",
        x_range=decades,
        y_range=(min(ends) - room, max(ends) + 1.6 * room),
        height=height,
    )
    fig.update_layout(xaxis=log_ticks(decades, "{:g}".format))
    hover = "K = %{x}: %{y:.2f} nats<extra></extra>"
    look: dict[str, Any] = {"mode": "lines+markers", "marker": {"size": 8 * theme.scale, "color": theme.exact}}
    if error is not None:
        look["error_y"] = {
            "array": float32(2 * error),
            "color": theme.exact,
            "thickness": 1.5 * theme.scale,
            "width": 0,
        }
    name = "importance-weighted bound"
    line = theme.line(theme.exact, 3)
    fig.add_trace(scatter(num_samples, importance, line=line, name=name, hovertemplate=hover, **look))
    levels = [
        (elbo, "ELBO, Monte Carlo", theme.mean, "dash", 1),
        (plug_in, "plug-in at μ: no bound", theme.warning, "dash", 0),
        *([] if truth is None else [(truth, "log p(x)", theme.truth, "dash", 0)]),
    ]
    for value, text, color, dash, side in levels:
        fig.add_hline(y=value, line=theme.line(color, 2, dash))
        fig.add_annotation(
            x=decades[side],
            y=value,
            xanchor=("left", "right")[side],
            yanchor=("bottom", "top")[side],
            text=f"{text}: {nats(value)}",
            font=theme.font(color=theme.text(color)),
            showarrow=False,
        )
    if chosen is not None:
        _mark(fig, chosen, bound_at(num_samples, importance, chosen), theme)
    return fig.update_layout(legend_traceorder="normal")


def bound_at(num_samples: Array, importance: Array, chosen: int) -> float:
    """The bound at one K, read off the line through the bounds at others, straight in log K."""
    return float(np.interp(np.log(chosen), np.log(num_samples), importance))


def _mark(fig: go.Figure, chosen: int, value: float, theme: Theme) -> None:
    """A ring on the curve with its value below."""
    line = {"width": 3 * theme.scale, "color": theme.ink}
    ring = {"symbol": "circle-open", "size": 18 * theme.scale, "color": theme.ink, "line": line}
    fig.add_trace(scatter([chosen], [value], mode="markers", marker=ring, hoverinfo="skip", showlegend=False))
    fig.add_annotation(
        x=float(np.log10(chosen)),
        y=value,
        yanchor="top",
        xanchor="left" if chosen < 100 else "right",
        yshift=-12 * theme.scale,
        text=f"K = {chosen}: {nats(value)}",
        font=theme.font(bold=True),
        bgcolor=tint(theme.paper, 0.9),
        showarrow=False,
    )


def gradient_variances(
    num_samples: Array, variances: Mapping[str, Array], *, theme: Theme = LIGHT, height: int = 360
) -> go.Figure:
    """Variance of gradient estimators against the number of codes S, on logarithmic axes."""
    everything = np.concatenate(list(variances.values()))
    decades = (-0.1, float(np.log10(num_samples.max())) + 0.1)
    low, high = np.log10(everything.min()), np.log10(everything.max())
    limits = (float(np.floor(low)) - 0.1, float(np.ceil(high)) + 0.1)
    fig = figure(
        theme,
        x_label="Codes per image S",
        y_label="Variance of the gradient",
        x_range=decades,
        y_range=limits,
        height=height,
    )
    fig.update_layout(xaxis=log_ticks(decades, "{:g}".format), yaxis=log_ticks(limits, power_of_ten))
    styles = [(theme.mean, "solid"), (theme.warning, "solid"), (theme.warning, "dash")]
    for (name, values), (color, dash) in zip(variances.items(), styles, strict=False):
        marker = {"size": 8 * theme.scale, "color": color}
        hover = f"{name}<br>S = %{{x}}: %{{y:.3g}}<extra></extra>"
        line = theme.line(color, 2.5, dash)
        fig.add_trace(
            scatter(num_samples, values, mode="lines+markers", marker=marker, line=line, name=name, hovertemplate=hover)
        )
    return fig.update_layout(legend_traceorder="normal")


def posterior_contours(
    first: Array,
    second: Array,
    posterior: Array,
    mean: Array,
    std: Array,
    *,
    theme: Theme = LIGHT,
    height: int = 420,
) -> go.Figure:
    """The exact posterior of one image over a plane of codes (V, U), and the encoder's Gaussian as ellipses."""
    fig = figure(
        theme,
        x_label="z₁",
        y_label="z₂",
        x_range=(float(first[0]), float(first[-1])),
        y_range=(float(second[0]), float(second[-1])),
        height=height,
    )
    fig.add_contour(
        x=float32(first),
        y=float32(second),
        z=np.asarray(posterior, np.float32),
        colorscale=[[0.0, theme.paper], [1.0, theme.exact]],
        line={"width": theme.scale, "color": theme.exact},
        ncontours=8,
        showscale=False,
        hovertemplate="z = (%{x:.2f}, %{y:.2f}): p(z|x) = %{z:.2f}<extra></extra>",
        name="p(z|x), exact",
        showlegend=True,
    )
    for reach, shown in ((1.0, True), (2.0, False)):
        x, y = ellipse_outlines(mean[None], reach * std[None])
        look = {"showlegend": shown, "legendgroup": "q"}
        fig.add_trace(line_bundle(x, y[None], theme.line(theme.mean, 2.5, "dash"), "q(z|x), 1 and 2 sd", **look))
    return fig.update_layout(legend_traceorder="normal")
