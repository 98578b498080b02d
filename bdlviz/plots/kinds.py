"""Two kinds of uncertainty as pictures: both beside the true noise, what a loss pays for noise, and both against N."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.curves import log_ticks
from bdlviz.plots.functions import SHOW, add_to_panel, function_traces
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme, tint
from bdlviz.plots.traces import Trace, cased_line, line_bundle, scatter
from bdlviz.types import Array, Dataset, Predictive

NOISE_SHARE = 0.2  # of the height of the functions' picture: the top of the axis of standard deviations
LOSSES: Range = (-4.0, 8.0)
AMOUNTS: Range = (-2.7, 1.0)  # decades of a standard deviation


@dataclass(frozen=True, eq=False)
class Against:
    """One quantity at V settings over R repeats, (R, V); NaN leaves a gap."""

    name: str
    values: Array
    dash: str = "solid"
    is_chosen: bool = True


def kinds_of_noise(
    predictive: Predictive,
    data: Dataset,
    true_noise: Array | None,
    *,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Functions with both bands, and beside them both standard deviations over x with the true noise (N,), if known.

    ``stacked`` is for phones.
    """
    fig = _two_panels(data, "Both bands", "Both standard deviations", theme, stacked, height)
    for trace in function_traces(predictive, data, theme, 0, None, SHOW - {"draws"}, None):
        add_to_panel(fig, trace, 0)
    for trace in _deviations(predictive, true_noise, theme):
        fig.add_trace(trace | panel_axes(1))
    return fig


def noise_axis(data: Dataset) -> Range:
    """The axis of standard deviations that goes with a data set's own."""
    return 0.0, NOISE_SHARE * (data.y_range[1] - data.y_range[0])


def describe_kinds(predictive: Predictive, data: Dataset, true_noise: Array | None) -> str:
    """What `kinds_of_noise` shows, in a few sentences with numbers, for people who do not see it."""
    x = predictive.x[:, 0]
    inside = (x >= data.x.min()) & (x <= data.x.max())
    inside = inside if inside.any() else np.ones_like(inside)
    both = [std[inside, 0].mean() for std in (predictive.aleatoric_std, predictive.epistemic_std)]
    truth = "unknown" if true_noise is None else f"{np.mean(np.ravel(true_noise)[inside]):.2g}"
    outside = f", outside them {predictive.epistemic_std[~inside, 0].mean():.2g}" if (~inside).any() else ""
    return (
        f"{data.y_label} over {data.x_label}, {data.num_data} points. Between the first and the last of them the mean "
        f"aleatoric standard deviation is {both[0]:.2g}, the true noise {truth}; the epistemic one {both[1]:.2g}"
        f"{outside}."
    )


def loss_of_noise(
    noise_std: Array,
    terms: tuple[Array, Array],
    residual: float,
    predictive: Predictive,
    data: Dataset,
    true_noise: Array | None,
    *,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """The two terms of a Gaussian's loss against the noise (T,) for one residual, and the noise a network settled on.

    At the right the residuals at the data (N,), which are all that teaches the noise: ``predictive`` is at the points
    of a grid. ``stacked`` is for phones.
    """
    fig = _two_panels(data, "One residual", "All residuals, and the noise learned from them", theme, stacked, height)
    _loss_axes(fig, theme, noise_std)
    shift, total = theme.line(theme.ink, 2, "dash"), terms[0] + terms[1]
    fig.add_trace(line_bundle(noise_std, terms[0][None], shift, "misfit (y − f)²/2σ²"))
    fig.add_trace(line_bundle(noise_std, terms[1][None], theme.line(theme.ink, 2, "dot"), "price log σ"))
    hover = "σ = %{x:.3g}: %{y:.3g} nats<extra></extra>"
    look = {"hoverinfo": None, "hovertemplate": hover}
    fig.add_trace(line_bundle(noise_std, total[None], theme.line(theme.ink, 3.5), "their sum", **look))
    if residual > 0:
        fig.add_traces(list(_lowest(residual, theme)))
    left = np.abs(data.y[:, 0] - np.interp(data.x[:, 0], predictive.x[:, 0], predictive.mean[:, 0]))
    marker = {"size": 5 * theme.scale, "color": theme.data, "opacity": 0.55}
    hover = "x = %{x:.3g}: |y − f| = %{y:.3g}<extra></extra>"
    points = scatter(data.x[:, 0], left, mode="markers", marker=marker, name="|y − f| at the data", hovertemplate=hover)
    fig.add_trace(points | panel_axes(1))
    for trace in _deviations(predictive, true_noise, theme, with_epistemic=False):
        fig.add_trace(trace | panel_axes(1))
    return fig.update_layout(legend_traceorder="normal")


def against_number(
    num_data: Array,
    aleatoric: Sequence[Against],
    epistemic: Sequence[Against],
    *,
    truth: float,
    chosen: int,
    predictive: Predictive,
    data: Dataset,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """The functions at one N, and both standard deviations against N, (V,), on logarithmic axes, for several methods.

    ``chosen`` is the position of that N. ``stacked`` is for phones.
    """
    titles = [f"N = {num_data[chosen]:,}", "Aleatoric sd", "Epistemic sd"]
    fig = panel_figure(
        theme,
        titles,
        x_label="Data points N",
        y_labels=[data.y_label, f"units of {data.y_label}", f"units of {data.y_label}"],
        x_range=(float(np.log10(num_data.min())) - 0.15, float(np.log10(num_data.max())) + 0.15),
        y_ranges=[data.y_range, AMOUNTS, AMOUNTS],
        stacked=stacked,
        height=height or (1000 if stacked else 470),
    )
    ticks = log_ticks(AMOUNTS, "{:g}".format)
    amounts = {"type": "log", "tickvals": [1, 10, 100, 1000, 10_000], "ticktext": ["1", "10", "100", "1,000", "10⁴"]}
    fig.update_layout(xaxis_range=data.x_range, yaxis2=ticks, yaxis3=ticks, xaxis2=amounts, xaxis3=amounts)
    fig.update_layout(yaxis2_range=AMOUNTS, yaxis3_range=AMOUNTS, xaxis_title_text=data.x_label)
    for trace in function_traces(predictive, data, theme, 0, None, SHOW - {"draws"}, None):
        add_to_panel(fig, trace, 0)
    ends = np.array([num_data.min() / 2, num_data.max() * 2])
    line = line_bundle(ends, np.full((1, 2), truth), theme.line(theme.truth, 2, "dash"), "Truth")
    add_to_panel(fig, line, 1, legend=False)
    for index, (group, color) in enumerate(((aleatoric, theme.aleatoric), (epistemic, theme.epistemic)), 1):
        fig.add_traces([trace | panel_axes(index) for trace in _group(num_data, group, color, theme)])
        fig.add_trace(_here(float(num_data[chosen]), theme) | panel_axes(index))
    fig.add_traces([_entry(each, theme) | panel_axes(1) for each in aleatoric])
    return fig.update_layout(legend_traceorder="normal")


def learned_noise(
    features: tuple[Sequence[str], Sequence[Against], Array],
    tasks: tuple[Array, Sequence[Against], float],
    *,
    y_ranges: tuple[Range, Range],
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Learned noise against how well a second feature is measured, and the first task's with and without a second.

    ``features`` are the names of E settings, learned noise (R, E) and the truth (E,); ``tasks`` the numbers of data
    (V,), the learned noise of the first task (R, V) and its truth.
    """
    names, of_features, truth = features
    num_data, of_tasks, task_truth = tasks
    fig = panel_figure(
        theme,
        ["A second feature", "A second task"],
        x_label="Data points N",
        y_labels=["learned sd of y", "learned sd of the first task"],
        x_range=(float(np.log10(num_data.min())) - 0.2, float(np.log10(num_data.max())) + 0.2),
        y_ranges=list(y_ranges),
        stacked=stacked,
        height=height or (760 if stacked else 470),
    )
    places = np.arange(len(names))
    fig.update_layout(
        xaxis={"range": [-0.4, len(names) - 0.6], "tickvals": places.tolist(), "ticktext": list(names)},
        xaxis_title_text="Error of the second feature",
        xaxis2={"type": "log", "tickvals": num_data.tolist(), "ticktext": [f"{count:,}" for count in num_data]},
    )
    if stacked:  # the upper panel has a label of its own below it
        low, high = fig.layout.yaxis2.domain  # pyright: ignore[reportAttributeAccessIssue]
        fig.update_layout(yaxis2_domain=(low, high - 2 * theme.font_size / fig.layout.height))  # pyright: ignore
    dashed = theme.line(theme.truth, 2, "dash")
    fig.add_trace(line_bundle(places, np.asarray(truth)[None], dashed, "true noise", legendgroup="truth"))
    fig.add_traces([trace | panel_axes(0) for trace in _group(places, of_features, theme.aleatoric, theme)])
    ends = np.array([num_data.min() / 2, num_data.max() * 2])
    look = {"showlegend": False, "legendgroup": "truth", **panel_axes(1)}
    fig.add_trace(line_bundle(ends, np.full((1, 2), task_truth), dashed, "true noise", **look))
    fig.add_traces([trace | panel_axes(1) for trace in _group(num_data, of_tasks, theme.aleatoric, theme)])
    fig.add_traces([_entry(each, theme) for each in of_features])
    fig.add_traces([_entry(each, theme) | panel_axes(1) for each in of_tasks])
    return fig.update_layout(legend_traceorder="normal")


def describe_against(group: Mapping[str, Array], settings: Sequence[str], what: str) -> str:
    """Means over repeats of every line, first and last setting it was run at, in one sentence."""
    told = []
    for name, values in group.items():
        seen = np.flatnonzero(np.isfinite(values).any(0))
        first, last = (np.nanmean(values[:, place]) for place in (seen[0], seen[-1]))
        told.append(f"{name} from {first:.2g} to {last:.2g}")
        if seen[-1] < len(settings) - 1 and len(settings) == values.shape[1]:
            told[-1] += f" at {settings[seen[-1]]}"
    return f"{what} from {settings[0]} to {settings[-1]}: {'; '.join(told)}."


def _two_panels(data: Dataset, first: str, second: str, theme: Theme, stacked: bool, height: int | None) -> go.Figure:
    return panel_figure(
        theme,
        [first, second],
        x_label=data.x_label,
        y_labels=[data.y_label, f"standard deviation, units of {data.y_label}"],
        x_range=data.x_range,
        y_ranges=[data.y_range, noise_axis(data)],
        stacked=stacked,
        height=height or (760 if stacked else 500),
    )


def _deviations(
    predictive: Predictive, true_noise: Array | None, theme: Theme, with_epistemic: bool = True
) -> Iterator[Trace]:
    """Standard deviations over x as lines."""
    x = predictive.x[:, 0]
    hover = "x = %{x:.3g}: %{y:.3g}<extra></extra>"
    look = {"hoverinfo": None, "hovertemplate": hover}
    if true_noise is not None:
        yield line_bundle(x, np.reshape(true_noise, (1, -1)), theme.line(theme.truth, 2.5, "dash"), "True noise")
    if with_epistemic:
        line = theme.line(theme.epistemic, 3)
        yield from cased_line(x, predictive.epistemic_std[:, 0], line, "Epistemic sd", theme, **look)
    line = theme.line(theme.aleatoric, 3)
    yield from cased_line(x, predictive.aleatoric_std[:, 0], line, "Aleatoric sd", theme, **look)


def _loss_axes(fig: go.Figure, theme: Theme, noise_std: Array) -> None:
    """The left panel's own axes: the noise on a logarithmic one, the loss in nats."""
    decades = (float(np.log10(noise_std.min())), float(np.log10(noise_std.max())))
    fig.update_layout(
        xaxis={
            **log_ticks(decades, "{:g}".format),
            "range": decades,
            "title": {"text": "noise σ", "font": theme.font()},
        },
        yaxis={"range": LOSSES, "title": {"text": "loss (nats)", "font": theme.font()}},
    )


def _lowest(residual: float, theme: Theme) -> Iterator[Trace]:
    """The minimum of the sum, at the residual."""
    low = 0.5 + np.log(residual)
    yield line_bundle(
        np.full(2, residual),
        np.array([[LOSSES[0], low]]),
        theme.line(theme.aleatoric, 1.5, "dot"),
        "lowest at σ = |y − f|",
        showlegend=False,
    )
    marker = {"size": 13 * theme.scale, "color": theme.aleatoric, "line": {"width": 2, "color": theme.paper}}
    hover = f"lowest at σ = {residual:g}<extra></extra>"
    yield scatter([residual], [low], mode="markers", marker=marker, name="lowest at σ = |y − f|", hovertemplate=hover)


def _group(settings: Array, group: Sequence[Against], color: str, theme: Theme) -> Iterator[Trace]:
    """Repeats as thin lines and their means as thick ones; what is not chosen stays thin."""
    for each in group:
        name, width = each.name, 3.5 if each.is_chosen else 1.8
        if len(each.values) > 1 and each.is_chosen:
            line = theme.line(tint(color, 0.4), 1)
            yield line_bundle(settings, each.values, line, name, showlegend=False)
        hover = f"{name}<br>%{{x:,}}: %{{y:.3g}}<extra></extra>"
        marker = {"size": (8 if each.is_chosen else 5) * theme.scale, "color": color}
        look = {"mode": "lines+markers", "marker": marker, "hoverinfo": None, "hovertemplate": hover}
        mean = each.values.mean(0)[None]
        yield line_bundle(settings, mean, theme.line(color, width, each.dash), name, showlegend=False, **look)


def _entry(each: Against, theme: Theme) -> Trace:
    """A line's entry in the legend: its dash in ink, since colours mean the kind of uncertainty."""
    line = theme.line(theme.ink, 2.5, each.dash)
    return line_bundle(np.full(1, np.nan), np.full((1, 1), np.nan), line, each.name)


def _here(setting: float, theme: Theme) -> Trace:
    line: Any = theme.line(theme.ink, 1.5, "dot")
    return line_bundle(np.full(2, setting), 10.0 ** np.array([AMOUNTS]), line, "this N", showlegend=False)
