"""Functions of one input: data, mean, draws and the two kinds of uncertainty."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.data import Data, as_dataset
from bdlviz.data.gaps import at_the_data
from bdlviz.digits import significant
from bdlviz.errors import InvalidInput
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme, figure, tint
from bdlviz.plots.traces import TRAIL, Trace, band, cased_line, hover_number, line_bundle, points, ring
from bdlviz.types import Array, Dataset, Predictive

LAYERS = ("aleatoric", "epistemic", "draws", "mean", "truth", "held_out", "data")  # from back to front
SHOW = frozenset(LAYERS) - {"held_out"}
ONE_SD_OPACITY, TWO_SD_OPACITY, NOISE_OPACITY, HATCH_OPACITY = 0.22, 0.12, 0.22, 0.45
ALONE_OPACITY = 0.7  # of draws without other layers
TRUTH_POINTS = 400


@dataclass(frozen=True, eq=False)
class Reference:
    """A reference prediction, outlined over a picture; ``is_exact`` selects its colour."""

    predictive: Predictive
    name: str = "Exact"
    is_exact: bool = True


def function_draws(
    predictive: Predictive,
    data: Data,
    *,
    theme: Theme = LIGHT,
    num_draws: int = 50,
    highlighted: int | None = None,
    show: Collection[str] = SHOW,
    reference: Reference | None = None,
    height: int = 560,
) -> go.Figure:
    """The function picture: data, predictive mean, draws, and epistemic and aleatoric uncertainty.

    ``predictive.x`` must ascend. ``show`` names some of `LAYERS`, ``highlighted`` is the index of one draw shown on top
    of the others, and ``reference`` is a prediction to compare with. Axis ranges come from ``data`` alone, so they
    stay while sliders move; it is a `Dataset`, its name, or a pair (x, y).

    Raises:
        InvalidInput: several inputs or outputs, classes, an x that does not ascend, an unknown layer or draw.
    """
    data = _dataset(data)
    return figure(
        theme,
        x_label=data.x_label,
        y_label=data.y_label,
        x_range=data.x_range,
        y_range=data.y_range,
        height=height,
        traces=function_traces(predictive, data, theme, num_draws, highlighted, show, reference),
    )


def small_multiples(
    panels: Sequence[tuple[str, Predictive]],
    data: Data,
    *,
    theme: Theme = LIGHT,
    num_draws: int = 20,
    show: Collection[str] = SHOW,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """The function picture for several settings on the same axes, such as too small, good, too large.

    ``panels`` are (title, predictive); ``stacked`` puts them one under the other, for phones.
    """
    count, data = len(panels), _dataset(data)
    if not count:
        raise InvalidInput("There is no panel to draw: give pairs of a title and a prediction.")
    traces = [
        in_panel(trace, index, legend=index == 0)
        for index, (_, predictive) in enumerate(panels)
        for trace in function_traces(predictive, data, theme, num_draws, None, show, None)
    ]
    return panel_figure(
        theme,
        [title for title, _ in panels],
        x_label=data.x_label,
        y_labels=[data.y_label] * count,
        x_range=data.x_range,
        y_ranges=[data.y_range] * count,
        stacked=stacked,
        height=height or (280 * count if stacked else 420),
        traces=traces,
    )


def prior_and_posterior(
    x: Array,
    prior_draws: Array,
    posterior_draws: Array,
    data: Data,
    *,
    theme: Theme = LIGHT,
    num_draws: int = 50,
    prior_range: Range | None = None,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """Draws from the prior and from the posterior over functions.

    ``x`` is (N,) or (N, 1), the draws (S, N) in y's units. Functions from the prior are huge when the length-scale is
    small, so the prior has a separate y axis: ``prior_range``, or a range with most of the draws. An outlined box in
    the prior's panel shows the range of the posterior's panel.
    """
    data = _dataset(data)
    check_curves(data)
    prior_range = prior_range or _round_range(prior_draws, data.y_range)
    dotted, solid = theme.line(theme.prior, 1.2, "dot"), theme.line(theme.draws, 1.2)
    traces = (
        in_panel(line_bundle(x, prior_draws[:num_draws], dotted, "Prior draws", opacity=ALONE_OPACITY), 0),
        in_panel(line_bundle(x, posterior_draws[:num_draws], solid, "Posterior draws", opacity=ALONE_OPACITY), 1),
        in_panel(_box(data, theme), 0),
        in_panel(points(data.x, data.y, "Data", theme), 1),
    )
    return panel_figure(
        theme,
        ["Prior: before the data", "Posterior: after"],
        x_label=data.x_label,
        y_labels=[f"{data.y_label}, scale of the prior", data.y_label],
        x_range=data.x_range,
        y_ranges=[prior_range, data.y_range],
        stacked=stacked,
        height=height or (640 if stacked else 420),
        traces=traces,
    )


def describe_function_draws(predictive: Predictive, data: Data) -> str:
    """A description of the figure of `function_draws`, in two sentences with numbers, for screen readers."""
    data = _dataset(data)
    check_curves(data, predictive)
    x, sd = predictive.x[:, 0], predictive.epistemic_std[:, 0]
    low, high = float(data.x.min()), float(data.x.max())
    places = {"at the data": at_the_data(x, data.x[:, 0]), "below them": x < low, "above them": x > high}
    typical = ", ".join(f"{np.median(sd[where]):.2g} {place}" for place, where in places.items() if where.any())
    noise = float(np.median(predictive.aleatoric_std[:, 0]))
    digits = significant(*data.x_range)
    return (
        f"{data.y_label} over {data.x_label} from {x[0]:.{digits}g} to {x[-1]:.{digits}g}: predictive mean of "
        f"{predictive.num_samples} function draws, and {data.num_data} data points from {low:.{digits}g} to "
        f"{high:.{digits}g}. "
        f"Typical epistemic standard deviation {typical}; of the noise {noise:.2g}."
    )


def function_traces(
    predictive: Predictive,
    data: Dataset,
    theme: Theme,
    num_draws: int,
    highlighted: int | None,
    show: Collection[str],
    reference: Reference | None,
) -> Iterator[Trace]:
    """The layers from back to front: noise, bands, draws, the reference, mean, truth, data."""
    check_curves(data, predictive, *([] if reference is None else [reference.predictive]))
    if unknown := sorted(set(show) - set(LAYERS)):
        raise InvalidInput(f"There is no layer {unknown[0]!r} to show; there are {', '.join(LAYERS)}.")
    count = len(predictive.draws)
    if highlighted is not None and not -count <= highlighted < count:
        raise InvalidInput(f"There is no draw {highlighted} to highlight: the prediction has {count} draws.")
    x, mean = predictive.x[:, 0], predictive.mean[:, 0]
    epistemic, total = predictive.epistemic_std[:, 0], predictive.total_std[:, 0]
    draws = predictive.draws[:, :, 0]
    if "aleatoric" in show:
        inner, outer = (epistemic, total) if "epistemic" in show else (0 * epistemic, predictive.aleatoric_std[:, 0])
        yield ring(x, mean, 2 * inner, 2 * outer, tint(theme.aleatoric, NOISE_OPACITY), "Noise (aleatoric)")
    if "epistemic" in show:
        bands: dict[str, Any] = {"name": "Epistemic (1, 2 sd)", "legendgroup": "Epistemic (1, 2 sd)"}
        yield band(x, mean, 2 * epistemic, tint(theme.epistemic, TWO_SD_OPACITY), showlegend=False, meta=TRAIL, **bands)
        yield band(x, mean, epistemic, tint(theme.epistemic, ONE_SD_OPACITY), **bands)
    if "draws" in show and len(draws):
        yield from _draws(x, draws[:num_draws], theme)
    if highlighted is not None:
        yield from cased_line(x, draws[highlighted], theme.line(theme.draws, 2.5), "One draw", theme)
    if reference is not None:
        yield from _outlined(reference, theme, "aleatoric" in show)
    if "mean" in show:
        yield from _mean(predictive, theme)
    if "truth" in show:
        yield from truth_line(data, theme)
    if "held_out" in show and len(data.x_test):
        yield points(data.x_test, data.y_test, "Held-out data", theme, hollow=True)
    if "data" in show:
        yield points(data.x, data.y, "Data", theme)


def check_curves(data: Dataset, *predictives: Predictive) -> None:
    """Raise `InvalidInput` unless data and predictions are curves: one output over one input, whose values ascend.

    Of several columns a picture would show the first, or pair the points of one column with those of another.
    """
    if data.task == "classification" or any(predictive.is_classification for predictive in predictives):
        raise InvalidInput("This picture shows functions of a regression, not probabilities of classes.")
    for name, arrays in (
        ("input", [data.x, *(predictive.x for predictive in predictives)]),
        ("output", [data.y, *(predictive.mean for predictive in predictives)]),
    ):
        widest = max(array.shape[1] for array in arrays)
        if widest > 1:
            raise InvalidInput(f"This picture shows functions with one {name}, and there are {widest}.")
    if any((np.diff(predictive.x[:, 0]) < 0).any() for predictive in predictives):
        raise InvalidInput("The x of a prediction must ascend for this picture: sort it before predict.")


def truth_line(data: Dataset, theme: Theme) -> Iterator[Trace]:
    """The true function as a dashed line, where it is known."""
    if data.truth is not None:
        x = np.linspace(*data.x_range, TRUTH_POINTS)
        y = np.reshape(data.truth(x[:, None]), (1, -1))
        yield line_bundle(x, y, theme.line(theme.truth, 2, "dash"), "Truth")


def _dataset(data: Data) -> Dataset:
    return as_dataset(data, None if isinstance(data, str | Dataset) else "regression")


def in_panel(trace: Trace, index: int, *, legend: bool = True) -> Trace:
    """The trace in a panel; without ``legend`` it belongs to the legend entry of the same name in another panel."""
    shown = legend and trace.get("showlegend", True)
    return {**trace, "showlegend": shown, "legendgroup": trace["name"], **panel_axes(index)}


def _draws(x: Array, draws: Array, theme: Theme) -> Iterator[Trace]:
    """All draws as one faint trace, and an empty trace of full opacity for the legend."""
    name, look = "Function draws", {"legendgroup": "Function draws"}
    yield line_bundle(x[:1], np.full((1, 1), np.nan), theme.line(theme.draws, 1.5), name, **look)
    thin = theme.line(theme.draws, 1)
    yield line_bundle(x, draws, thin, name, opacity=theme.draws_opacity, showlegend=False, **look)


def _mean(predictive: Predictive, theme: Theme) -> Iterator[Trace]:
    numbers = np.stack([predictive.epistemic_std[:, 0], predictive.aleatoric_std[:, 0]], axis=1)
    mean = hover_number("y", predictive.mean)
    hover = f"mean {mean}<br>epistemic sd %{{customdata[0]:.2g}}<br>noise sd %{{customdata[1]:.2g}}<extra></extra>"
    yield from cased_line(
        predictive.x[:, 0],
        predictive.mean[:, 0],
        theme.line(theme.mean, 3),
        "Predictive mean",
        theme,
        customdata=np.asarray(numbers, np.float32),
        hovertemplate=hover,
        hoverinfo=None,
        meta=TRAIL,
    )


def _outlined(reference: Reference, theme: Theme, with_noise: bool) -> Iterator[Trace]:
    """Mean as a line, 2 sd (total, or epistemic alone, like the bands below) as a hatched and outlined band."""
    other, color = reference.predictive, theme.exact if reference.is_exact else theme.ink
    x, mean = other.x[:, 0], other.mean[:, 0]
    sd = (other.total_std if with_noise else other.epistemic_std)[:, 0]
    hatch = {"shape": "/", "fgcolor": tint(color, HATCH_OPACITY), "bgcolor": tint(color, 0), "size": 12}
    name = f"{reference.name}, 2 sd"
    hatched = band(x, mean, 2 * sd, tint(color, 0), name, fillpattern={**hatch, "solidity": 0.08})
    yield {**hatched, "line": theme.line(color, 1)}
    yield line_bundle(x, mean[None], theme.line(color, 2), f"{reference.name}, mean")


def _box(data: Dataset, theme: Theme) -> Trace:
    (left, right), (bottom, top) = data.x_range, data.y_range
    corners = np.array([left, right, right, left, left]), np.array([[bottom, bottom, top, top, bottom]])
    return line_bundle(*corners, theme.line(theme.ink, 1.5), "Range of the other panel")


def _round_range(values: Array, around: Range) -> Range:
    """A range centred like ``around`` with it and 98 % of the values; its half-width is 1, 2 or 5 times 10^k."""
    centre = (around[0] + around[1]) / 2
    reach = max(float(np.quantile(np.abs(values - centre), 0.98)), (around[1] - around[0]) / 2)
    power = 10.0 ** np.floor(np.log10(reach))
    reach = next(float(step * power) for step in (1, 2, 5, 10) if step * power >= reach)
    return centre - reach, centre + reach
