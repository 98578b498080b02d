"""What a VAE learns, in nats: its bound over the epochs, the parts of it, and how tight it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.codes import ellipse_outlines
from bdlviz.plots.curves import log_ticks
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme, figure, tint
from bdlviz.plots.traces import Trace, float32, line_bundle, scatter
from bdlviz.types import Array

PARTS = ("elbo", "reconstruction", "kl")
TITLES = {"elbo": "ELBO", "reconstruction": "Reconstruction", "kl": "KL[q(z|x) ‖ p(z)]"}
UNSEEN_EPOCHS = 1  # the first, whose values would squeeze all others into a line
HALF_STEP = 0.32  # half the width of a bar
GREY_BIN = 0.05
COLLAPSED = 0.05  # nats, below which a dimension says nothing


@dataclass(frozen=True, eq=False)
class Course:
    """Values over epochs: ``epoch`` (T,), and by name ``elbo``, ``reconstruction``, ``kl``, (T,) each."""

    epoch: Array
    values: Mapping[str, Array]


def elbo_curves(
    train: Course,
    test: Course | None = None,
    *,
    published: Sequence[float] = (),
    num_epochs: int,
    chosen: int | None = None,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """The bound over the epochs and its two parts: training solid, held out dashed, a published log as rings.

    ``published`` are training ELBOs of epochs 1, 2, ...; ``chosen`` marks an epoch; ``stacked`` is for phones.
    """
    shown = [part for part in PARTS if part in train.values]
    courses = [train] if test is None else [train, test]
    fig = panel_figure(
        theme,
        [TITLES[part] for part in shown],
        x_label="Epoch",
        y_labels=["nats per image", *[""] * (len(shown) - 1)],
        x_range=(0.0, num_epochs + 0.5),
        y_ranges=[_settled_range(courses, part) for part in shown],
        stacked=stacked,
        height=height or (230 * len(shown) if stacked else 360),
    )
    for index, part in enumerate(shown):
        color = {"elbo": theme.mean, "reconstruction": theme.ink, "kl": theme.text(theme.prior)}[part]
        axes = panel_axes(index)
        for course, name, dash in zip(courses, ("training", "held out"), ("solid", "dash"), strict=False):
            hover = f"epoch %{{x}}: %{{y:.2f}} nats, {name}<extra></extra>"
            look = {"hoverinfo": None, "hovertemplate": hover, "showlegend": index == 0, "legendgroup": name, **axes}
            fig.add_trace(
                line_bundle(course.epoch, course.values[part][None], theme.line(color, 2.5, dash), name, **look)
            )
        if chosen is not None:
            line = theme.line(theme.muted, 1.2, "dot")
            fig.add_shape(type="line", x0=chosen, x1=chosen, y0=0, y1=1, line=line, **_domain(index))
    if len(published):
        fig.add_trace(_log(published, theme))
    return fig.update_layout(legend_traceorder="normal")


def kl_by_dimension(
    epochs: Array,
    kl: Array,
    *,
    theme: Theme = LIGHT,
    num_epochs: int,
    height: int = 340,
) -> go.Figure:
    """KL term of every code dimension (T, Z) over the epochs (T,): those in use green, those collapsed grey."""
    last = kl[-1]
    top = max(0.5, 1.08 * float(kl.max(initial=0.0)))
    fig = figure(
        theme,
        x_label="Epoch",
        y_label="KL of one dimension (nats per image)",
        x_range=(0.0, num_epochs + 0.5),
        y_range=(0.0, top),
        height=height,
    )
    groups = {
        "in use": (last >= COLLAPSED, theme.line(theme.prior, 2)),
        "collapsed: its posterior is the prior": (last < COLLAPSED, theme.line(theme.dropped, 2, "dot")),
    }
    for name, (members, line) in groups.items():
        if members.any():
            lines = kl[:, members].T
            fig.add_trace(line_bundle(epochs, lines, line, f"{int(members.sum())} {name}"))
    return fig.update_layout(legend_traceorder="normal")


def identity_bars(
    reconstruction: float, kl: float, gap: float, *, theme: Theme = LIGHT, height: int = 360
) -> go.Figure:
    """The identity log p(x) = reconstruction - KL + gap as a staircase: levels as lines, what lies between as bars."""
    elbo, evidence = reconstruction - kl, reconstruction - kl + gap
    levels = [(0, reconstruction, theme.ink), (2, elbo, theme.mean), (4, evidence, theme.ink)]
    steps = [(1, reconstruction, elbo, theme.prior), (3, elbo, evidence, theme.exact)]
    span = abs(reconstruction - min(elbo, evidence)) or 1.0
    names = [
        "E<sub>q</sub>[log p(x|z)]",
        "− KL[q(z|x) ‖ p(z)]",
        "= ELBO",
        "+ KL[q(z|x) ‖ p(z|x)]",
        "= log p(x)",
    ]
    limits = (min(elbo, evidence) - 0.22 * span, max(reconstruction, evidence) + 0.22 * span)
    fig = figure(theme, x_label="", y_label="nats", x_range=(-0.6, 4.6), y_range=limits, height=height)
    for place, level, color in levels:
        ends = float32([place - HALF_STEP, min(place + 2 - HALF_STEP, 4 + HALF_STEP)])
        thin = {"hoverinfo": "skip", "showlegend": False, "mode": "lines"}
        fig.add_trace(scatter(ends, [level, level], line=theme.line(theme.muted, 1, "dot"), **thin))
        ends = float32([place - HALF_STEP, place + HALF_STEP])
        fig.add_trace(scatter(ends, [level, level], line=theme.line(color, 5), **thin))
        fig.add_annotation(x=place, y=level, yanchor="bottom", text=f"{level:.1f}", yshift=4, **_plain(theme))
    for place, start, end, color in steps:
        bar = {"x": float32([place]), "y": float32([end - start]), "base": float32([start]), "width": 2 * HALF_STEP}
        look = {"marker": {"color": color, "line": {"width": 0}}, "hoverinfo": "skip", "showlegend": False}
        fig.add_bar(**bar, **look)
        fig.add_annotation(
            x=place, y=min(start, end), yanchor="top", text=f"{end - start:+.1f}", yshift=-2, **_plain(theme)
        )
    return fig.update_xaxes(tickvals=list(range(len(names))), ticktext=names, showgrid=False)


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
            text=f"{text}: {value:.1f}",
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
        text=f"K = {chosen}: {value:.1f}",
        font=theme.font(bold=True),
        bgcolor=tint(theme.paper, 0.9),
        showarrow=False,
    )


def bounds_by_class(values: Array, label: int, *, theme: Theme = LIGHT, height: int = 340) -> go.Figure:
    """The bound of one image given each class (C,), as rods; the image's own class is the strong one."""
    classes = np.arange(len(values))
    low, high = float(values.min()), float(values.max())
    room = 0.12 * (high - low or 1.0)
    fig = figure(
        theme,
        x_label="Class y",
        y_label="Bound on log p(x|y) (nats)",
        x_range=(-0.6, len(values) - 0.4),
        y_range=(low - room, high + 1.5 * room),
        height=height,
    )
    gaps = np.full(len(values), np.nan)
    rods = (
        np.stack([classes, classes, gaps], axis=1),
        np.stack([np.full_like(values, low - room), values, gaps], axis=1),
    )
    thin = {"hoverinfo": "skip", "showlegend": False}
    fig.add_trace(scatter(*rods, mode="lines", line=theme.line(theme.muted, 2), **thin))
    hover = "y = %{x}: %{y:.1f} nats<extra></extra>"
    for members, color, name in (
        (classes != label, theme.muted, "other classes"),
        (classes == label, theme.mean, "the image's own class"),
    ):
        marker = {"size": 12 * theme.scale, "color": color}
        points = {"mode": "markers", "marker": marker, "name": name, "hovertemplate": hover}
        fig.add_trace(scatter(classes[members], values[members], **points))
    best = int(values.argmax())
    text = f"{high:.1f}"
    fig.add_annotation(x=best, y=high, text=text, yanchor="bottom", yshift=8, font=theme.font(), showarrow=False)
    return fig.update_xaxes(tickvals=classes.tolist(), showgrid=False).update_layout(legend_traceorder="normal")


def collapse_by_weight(
    weights: Sequence[str], kl: Array, *, chosen: int | None = None, theme: Theme = LIGHT, height: int = 400
) -> go.Figure:
    """KL term of each code dimension (C, Z), the largest first, against the weight of the term (C,), as text.

    On a logarithmic axis: below the dotted line a dimension says nothing. ``chosen`` marks one weight.
    """
    places = np.arange(len(weights), dtype=np.float32)
    limits = (-3.0, float(np.log10(max(kl.max(), 1.0))) + 0.2)
    fig = figure(
        theme,
        x_label="Weight β of the KL term",
        y_label="KL of one dimension (nats per image)",
        x_range=(-0.4, len(weights) - 0.6),
        y_range=limits,
        height=height,
    )
    lines = np.maximum(-np.sort(-kl, axis=1), 10 ** limits[0]).T
    name = f"{kl.shape[1]} dimensions, the most telling above"
    fig.add_trace(line_bundle(places, lines, theme.line(theme.prior, 2), name))
    fig.add_hline(y=COLLAPSED, line=theme.line(theme.muted, 1.5, "dot"))
    note = {"x": len(weights) - 0.6, "y": float(np.log10(COLLAPSED)), "xanchor": "right", "yanchor": "bottom"}
    fig.add_annotation(text="collapsed below", font=theme.font(small=True, color=theme.muted), showarrow=False, **note)
    if chosen is not None:
        fig.add_vline(x=chosen, line=theme.line(theme.muted, 1.5, "dash"))
    fig.update_layout(yaxis=log_ticks(limits, _power), legend_traceorder="normal")
    return fig.update_xaxes(tickvals=places.tolist(), ticktext=list(weights))


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
    fig.update_layout(xaxis=log_ticks(decades, "{:g}".format), yaxis=log_ticks(limits, _power))
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


def pixel_densities(
    curves: Mapping[str, Array], x: Array, *, theme: Theme = LIGHT, height: int = 340, top: float = 3.4
) -> go.Figure:
    """What a likelihood says of one grey pixel x (X,) at one parameter: the Bernoulli term, and the density."""
    fig = figure(
        theme,
        x_label="Grey value x of a pixel (0 to 1)",
        y_label="Density, per unit of grey value",
        x_range=(0.0, 1.0),
        y_range=(0.0, top),
        height=height,
    )
    styles = [theme.line(theme.warning, 3), theme.line(theme.mean, 3), theme.line(theme.exact, 3, "dash")]
    for (name, values), line in zip(curves.items(), styles, strict=False):
        fig.add_trace(line_bundle(x, values[None], line, name))
    return fig.update_layout(legend_traceorder="normal")


def grey_values(
    pictures: Mapping[str, Array], images: Array | None = None, *, theme: Theme = LIGHT, height: int = 320
) -> go.Figure:
    """How often each grey value occurs in pictures, up to four sets of them by name, and in the images of the data.

    Shares of pixels in bins of `GREY_BIN`, on a logarithmic axis, since most pixels are paper.
    """
    edges = np.arange(-0.5, 1.5 + GREY_BIN / 2, GREY_BIN) - GREY_BIN / 2  # 0 and 1 stand in the middle of a bin
    limits = (-4.0, 0.3)
    fig = figure(
        theme,
        x_label="Grey value of a pixel (0 paper, 1 ink)",
        y_label="Share of pixels",
        x_range=(-0.5, 1.5),
        y_range=limits,
        height=height,
    )
    styles = [
        theme.line(theme.warning, 2.5),
        theme.line(theme.muted, 2.5, "dash"),
        theme.line(theme.mean, 2.5),
        theme.line(theme.aleatoric, 2.5),
    ]
    sets = [*zip(pictures.items(), styles, strict=False)]
    if images is not None:
        sets.insert(0, (("images", images), theme.line(theme.ink, 3, "dot")))
    for (name, values), line in sets:
        counts, _ = np.histogram(values, edges)
        share = np.maximum(counts / max(1, values.size), 10 ** (limits[0] - 1))  # none: below the axis
        line = {**line, "shape": "hvh"}
        fig.add_trace(scatter(edges[:-1] + GREY_BIN / 2, share, mode="lines", line=line, name=name, hoverinfo="skip"))
    return fig.update_layout(yaxis=log_ticks(limits, _power), legend_traceorder="normal")


def _settled_range(courses: Sequence[Course], part: str) -> Range:
    """Limits that hold every value but those of the first epoch."""
    parts = [course.values[part][course.epoch > UNSEEN_EPOCHS] for course in courses]
    values = np.concatenate([*parts, *(course.values[part][-1:] for course in courses)])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    room = 0.08 * (high - low) or 0.05 * max(abs(high), 1.0)
    return low - room, high + room


def _log(published: Sequence[float], theme: Theme) -> Trace:
    """A published log as rings on the curve."""
    epochs = np.arange(1, len(published) + 1)
    ring = {"symbol": "circle-open", "size": 10 * theme.scale, "color": theme.ink, "line": {"width": 2 * theme.scale}}
    hover = "the lecture's epoch %{x}: %{y:.2f} nats<extra></extra>"
    return scatter(epochs, published, mode="markers", marker=ring, name="the lecture's log", hovertemplate=hover)


def _domain(index: int) -> dict[str, Any]:
    """The axes of a panel, as a shape names them."""
    names = panel_axes(index)
    return {"xref": names["xaxis"], "yref": f"{names['yaxis']} domain"}


def _power(value: float) -> str:
    return f"10<sup>{int(np.rint(np.log10(value)))}</sup>".replace("-", "−")
