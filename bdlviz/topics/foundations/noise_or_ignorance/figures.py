"""Figures of both uncertainties: over x with the true noise, in the loss of learned noise, and against N."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import number
from bdlviz.plots.curves import log_ticks
from bdlviz.plots.functions import SHOW, function_traces, in_panel
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, tint
from bdlviz.plots.traces import Trace, cased_line, line_bundle, points, scatter
from bdlviz.types import Array, Dataset, Predictive

NOISE_SHARE = 0.2  # the axis of standard deviations ends at this share of the range of the y axis
BARS = np.array([-4.0, -2.0, 0.0, 2.0, 4.0])  # where a given noise is drawn
LOSSES: Range = (-4.0, 8.0)
AMOUNTS: Range = (-2.7, 1.0)  # the axis of standard deviations against N, as powers of ten
NAMES = {
    "Epistemic (1, 2 sd)": "Ignorance (1, 2 sd)",
    "Noise (aleatoric)": "With the noise (2 sd)",
    "Predictive mean": "Mean",
}
IN_ORDER: dict[str, Any] = {"legend": {"traceorder": "normal"}}


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
    is_given: bool = False,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Mean with both bands, and at the right both standard deviations over x and the true noise (N,), if known.

    A noise that ``is_given`` has bars around the mean instead of a band. ``stacked`` is for phones.
    """
    traces = _function_panel(predictive, data, theme, {"aleatoric"} if is_given else ())
    if is_given:
        at = np.searchsorted(predictive.x[:, 0], BARS)
        mean, sd = predictive.mean[at, 0], predictive.aleatoric_std[at, 0]
        ends = np.stack([mean - sd, mean + sd, np.full(len(at), np.nan)], axis=1).ravel()
        look = {"mode": "lines", "line": theme.line(theme.aleatoric, 5), "hoverinfo": "skip"}
        bars = scatter(np.repeat(predictive.x[at, 0], 3), ends, name="Noise (± 1 sd)", **look)
        traces.insert(-1, bars)  # behind the points
    traces += [trace | {"showlegend": False} | panel_axes(1) for trace in _deviations(predictive, true_noise, theme)]
    dashed = "" if true_noise is None else ", dashed: the truth"
    epistemic, aleatoric = (
        f'<span style="color:{theme.text(color)}">{name}</span>'
        for color, name in ((theme.epistemic, "Ignorance"), (theme.aleatoric, "given noise" if is_given else "noise"))
    )
    return _two_panels(
        data,
        "The curve, and the noise around it" if is_given else "The curve, with both bands",
        f"{epistemic} and {aleatoric} over x{dashed}",
        theme,
        stacked,
        height,
        traces,
    )


def mark_place(fig: go.Figure, data: Dataset, x: float, sds: tuple[float, float], theme: Theme) -> None:
    """Mark where data are, and one x in both panels, with ignorance and noise there as dots with their numbers.

    ``fig`` is of `kinds_of_noise`.
    """
    fig.add_trace(points(data.x, 0 * data.y, "Data", theme) | {"showlegend": False} | panel_axes(1))
    look = {"xref": "x2", "yref": "y2", "showarrow": False}
    for index in ("", "2"):
        ends = {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 0.92, "xref": f"x{index}", "yref": f"y{index} domain"}
        fig.add_shape(line=theme.line(theme.ink, 1.5, "dot"), layer="below", **ends)
    sides = "left", "left" if sds[0] < sds[1] else "right"  # where the other line is not
    for sd, color, side in zip(sds, (theme.epistemic, theme.aleatoric), sides, strict=True):
        marker = {"size": 11 * theme.scale, "color": color, "line": {"width": 2, "color": theme.paper}}
        dot = {"mode": "markers", "marker": marker, "hoverinfo": "skip", "showlegend": False}
        fig.add_trace(scatter([x], [sd], **dot, **panel_axes(1)))
        font = theme.font(small=True, bold=True, color=theme.text(color))
        place = {"x": x, "y": sd, "xanchor": side, "xshift": 9 if side == "left" else -9, "yshift": 2}
        fig.add_annotation(text=number(sd, 2), font=font, yanchor="bottom", **place, **look)


def noise_axis(data: Dataset) -> Range:
    """The range of the axis of standard deviations for a data set."""
    return 0.0, NOISE_SHARE * (data.y_range[1] - data.y_range[0])


def describe_kinds(predictive: Predictive, data: Dataset, true_noise: Array | None) -> str:
    """A text alternative to `kinds_of_noise`: its content in a few sentences with numbers."""
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
    """The two terms of a Gaussian negative log-likelihood against noise (T,) for one residual, and the learned noise.

    The right panel shows the residuals at the data (N,), from which the noise is learned. ``predictive`` is on a grid
    of inputs. ``stacked`` is for phones.
    """
    dashed, dotted = (theme.line(theme.ink, 2, dash) for dash in ("dash", "dot"))
    hover = "σ = %{x:.3g}: %{y:.3g} nats<extra></extra>"
    look = {"hoverinfo": None, "hovertemplate": hover}
    traces = [
        line_bundle(noise_std, terms[0][None], dashed, "squared term (y − f)²/2σ²"),
        line_bundle(noise_std, terms[1][None], dotted, "log σ"),
        line_bundle(noise_std, (terms[0] + terms[1])[None], theme.line(theme.ink, 3.5), "their sum", **look),
        *(_lowest(residual, theme) if residual > 0 else ()),
    ]
    left = np.abs(data.y[:, 0] - np.interp(data.x[:, 0], predictive.x[:, 0], predictive.mean[:, 0]))
    marker = {"size": 5 * theme.scale, "color": theme.data, "opacity": 0.55}
    hover = "x = %{x:.3g}: |y − f| = %{y:.3g}<extra></extra>"
    points = scatter(data.x[:, 0], left, mode="markers", marker=marker, name="|y − f| at the data", hovertemplate=hover)
    learned = [points, *_deviations(predictive, true_noise, theme, with_epistemic=False)]
    traces += [trace | panel_axes(1) for trace in learned]
    titles = ("One residual", "All residuals, and the noise learned from them")
    return _two_panels(data, *titles, theme, stacked, height, traces, **_loss_axes(theme, noise_std), **IN_ORDER)


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
    """Mean and bands at one N, and both standard deviations of several methods against N, (V,), on logarithmic axes.

    ``chosen`` is the index of the one N. ``stacked`` is for phones.
    """
    titles = [f"N = {num_data[chosen]:,}", "Aleatoric sd", "Epistemic sd"]
    ticks = log_ticks(AMOUNTS, "{:g}".format)
    numbers = {"type": "log", "tickvals": [1, 10, 100, 1000, 10_000], "ticktext": ["1", "10", "100", "1,000", "10⁴"]}
    inputs = {"range": [*data.x_range], "title": axis(theme, data.x_label)["title"]}
    ends = np.array([num_data.min() / 2, num_data.max() * 2])
    line = line_bundle(ends, np.full((1, 2), truth), theme.line(theme.truth, 2, "dash"), "Truth")
    traces = [*_function_panel(predictive, data, theme), in_panel(line, 1, legend=False)]
    for index, (group, color) in enumerate(((aleatoric, theme.aleatoric), (epistemic, theme.epistemic)), 1):
        both = [*_group(num_data, group, color, theme), _here(float(num_data[chosen]), theme)]
        traces += [trace | panel_axes(index) for trace in both]
    traces += [_entry(each, theme) | panel_axes(1) for each in aleatoric]
    return panel_figure(
        theme,
        titles,
        x_label="Data points N",
        y_labels=[data.y_label, f"units of {data.y_label}", f"units of {data.y_label}"],
        x_range=(float(np.log10(num_data.min())) - 0.15, float(np.log10(num_data.max())) + 0.15),
        y_ranges=[data.y_range, AMOUNTS, AMOUNTS],
        stacked=stacked,
        height=height or (1000 if stacked else 470),
        traces=traces,
        xaxis=inputs,
        xaxis2=numbers,
        xaxis3=numbers,
        yaxis2=ticks,
        yaxis3=ticks,
        **IN_ORDER,
    )


def learned_noise(
    features: tuple[Sequence[str], Sequence[Against], Array],
    tasks: tuple[Array, Sequence[Against], float],
    *,
    y_ranges: tuple[Range, Range],
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Learned noise against the error of a second feature, and that of the first task with and without a second task.

    ``features`` are the names of E errors, the learned noise (R, E) and the true noise (E,). ``tasks`` are the numbers
    of data (V,), the learned noise of the first task (R, V) and its true noise.
    """
    names, of_features, truth = features
    num_data, of_tasks, task_truth = tasks
    places, dashed = np.arange(len(names)), theme.line(theme.truth, 2, "dash")
    ends = np.array([num_data.min() / 2, num_data.max() * 2])
    look = {"showlegend": False, "legendgroup": "truth", **panel_axes(1)}
    traces = [
        line_bundle(places, np.asarray(truth)[None], dashed, "true noise", legendgroup="truth"),
        *(trace | panel_axes(0) for trace in _group(places, of_features, theme.aleatoric, theme)),
        line_bundle(ends, np.full((1, 2), task_truth), dashed, "true noise", **look),
        *(trace | panel_axes(1) for trace in _group(num_data, of_tasks, theme.aleatoric, theme)),
        *(_entry(each, theme) for each in of_features),
        *(_entry(each, theme) | panel_axes(1) for each in of_tasks),
    ]
    fig = panel_figure(
        theme,
        ["A second feature", "A second task"],
        x_label="Data points N",
        y_labels=["learned sd of y", "learned sd of the first task"],
        x_range=(float(np.log10(num_data.min())) - 0.2, float(np.log10(num_data.max())) + 0.2),
        y_ranges=list(y_ranges),
        stacked=stacked,
        height=height or (760 if stacked else 470),
        traces=traces,
        xaxis={
            "range": [-0.4, len(names) - 0.6],
            "tickvals": places.tolist(),
            "ticktext": list(names),
            "title": axis(theme, "Error of the second feature")["title"],
        },
        xaxis2={"type": "log", "tickvals": num_data.tolist(), "ticktext": [f"{count:,}" for count in num_data]},
        **IN_ORDER,
    )
    if stacked:  # the upper panel has a label of its own below it
        low, high = fig.layout.yaxis2.domain  # pyright: ignore[reportAttributeAccessIssue]
        fig.update_layout(yaxis2_domain=(low, high - 2 * theme.font_size / fig.layout.height))  # pyright: ignore
    return fig


def describe_against(group: Mapping[str, Array], settings: Sequence[str], what: str) -> str:
    """One sentence with the mean over repeats of every line at its first and its last setting that is not NaN."""
    lines = []
    for name, values in group.items():
        finite = np.flatnonzero(np.isfinite(values).any(0))
        first, last = (np.nanmean(values[:, column]) for column in (finite[0], finite[-1]))
        lines.append(f"{name} from {first:.2g} to {last:.2g}")
        if finite[-1] < len(settings) - 1 and len(settings) == values.shape[1]:
            lines[-1] += f" at {settings[finite[-1]]}"
    return f"{what} from {settings[0]} to {settings[-1]}: {'; '.join(lines)}."


def _two_panels(
    data: Dataset,
    first: str,
    second: str,
    theme: Theme,
    stacked: bool,
    height: int | None,
    traces: Iterable[Trace],
    **layout: Any,
) -> go.Figure:
    return panel_figure(
        theme,
        [first, second],
        x_label=data.x_label,
        y_labels=[data.y_label, f"standard deviation (units of {data.y_label})"],
        x_range=data.x_range,
        y_ranges=[data.y_range, noise_axis(data)],
        stacked=stacked,
        height=height or (760 if stacked else 500),
        traces=traces,
        **layout,
    )


def _function_panel(predictive: Predictive, data: Dataset, theme: Theme, hidden: Collection[str] = ()) -> list[Trace]:
    """Mean, bands and data in the first panel."""
    traces = function_traces(predictive, data, theme, 0, None, SHOW - {"draws", *hidden}, None)
    return [in_panel({**trace, "name": NAMES.get(trace["name"], trace["name"])}, 0) for trace in traces]


def _deviations(
    predictive: Predictive, true_noise: Array | None, theme: Theme, with_epistemic: bool = True
) -> Iterator[Trace]:
    """Lines over x: the true noise, if known, and the standard deviations."""
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


def _loss_axes(theme: Theme, noise_std: Array) -> dict[str, Any]:
    """The axes of the left panel: the noise on a logarithmic axis, the loss in nats."""
    decades = (float(np.log10(noise_std.min())), float(np.log10(noise_std.max())))
    return {
        "xaxis": {
            **log_ticks(decades, "{:g}".format),
            "range": [*decades],
            "title": axis(theme, "noise σ")["title"],
        },
        "yaxis": {"range": [*LOSSES], "title": axis(theme, "loss (nats)")["title"]},
    }


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
    """The mean over repeats as a line; if the line is chosen, it is thick and the repeats are thin lines."""
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
    """An entry in the legend with the dash of a line, in ink: the colours stand for the kinds of uncertainty."""
    line = theme.line(theme.ink, 2.5, each.dash)
    return line_bundle(np.full(1, np.nan), np.full((1, 1), np.nan), line, each.name)


def _here(setting: float, theme: Theme) -> Trace:
    line: Any = theme.line(theme.ink, 1.5, "dot")
    return line_bundle(np.full(2, setting), 10.0 ** np.array([AMOUNTS]), line, "this N", showlegend=False)
