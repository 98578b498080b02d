"""The main picture and its relatives, number by number."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from bdlviz import plots
from bdlviz.errors import InvalidInput
from bdlviz.plots.theme import DARK, LIGHT, rgb
from bdlviz.plots.traces import band, ring, with_gaps
from bdlviz.types import Dataset, Predictive
from tests.told import numbers_in

EVERYTHING = plots.SHOW | {"held_out"}


def named(fig: go.Figure, name: str) -> list[Any]:
    """The traces with a name, casings left out."""
    return [trace for trace in fig.data if trace.name == name and trace.opacity != 0.8]  # type: ignore[union-attr]


def test_gaps_bands_and_rings() -> None:
    xs, ys = with_gaps(np.array([0.0, 1.0]), np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    np.testing.assert_array_equal(xs, [0, 1, np.nan, 0, 1, np.nan, 0, 1])
    np.testing.assert_array_equal(ys, [1, 2, np.nan, 3, 4, np.nan, 5, 6])
    assert xs.dtype == ys.dtype == np.float32
    assert not np.isnan(with_gaps(np.arange(3), np.ones((1, 3)))[1]).any()
    assert with_gaps(np.arange(3), np.empty((0, 3)))[0].size == 0
    x, mean, sd = np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.array([0.25, 0.5])
    trace = band(x, mean, 2 * sd, "rgba(0,0,0,0.1)", "Band")
    np.testing.assert_array_equal(trace["x"], [0, 1, 1, 0])
    np.testing.assert_array_equal(trace["y"], [1.5, 3, 1, 0.5])
    x, mean = np.array([0.0, 1.0]), np.array([1.0, 2.0])
    trace = ring(x, mean, np.array([0.5, 0.5]), np.array([1.0, 1.0]), "rgba(0,0,0,0.1)", "Noise")
    np.testing.assert_array_equal(trace["y"], [2, 3, 2.5, 1.5, np.nan, 0.5, 1.5, 1, 0])


def test_bands_are_mean_plus_and_minus_standard_deviations(predictive: Predictive, data: Dataset) -> None:
    fig = plots.function_draws(predictive, data)
    mean, epistemic = predictive.mean[:, 0], predictive.epistemic_std[:, 0]
    total = predictive.total_std[:, 0]
    n = len(mean)
    for trace, width in zip(named(fig, "Epistemic (1, 2 sd)"), (2, 1), strict=True):
        np.testing.assert_allclose(trace.y[:n], mean + width * epistemic, rtol=1e-6)
        np.testing.assert_allclose(trace.y[n:][::-1], mean - width * epistemic, rtol=1e-6, atol=1e-6)
    noise = named(fig, "Noise (aleatoric)")[0].y
    np.testing.assert_allclose(noise[:n], mean + 2 * total, rtol=1e-6)
    np.testing.assert_allclose(noise[n : 2 * n][::-1], mean + 2 * epistemic, rtol=1e-6)
    np.testing.assert_allclose(noise[-n:][::-1], mean - 2 * total, rtol=1e-6, atol=1e-6)
    noise = named(plots.function_draws(predictive, data, show={"aleatoric"}), "Noise (aleatoric)")[0].y
    expected = predictive.mean[:, 0] + 2 * predictive.aleatoric_std[:, 0]
    np.testing.assert_allclose(noise[: len(expected)], expected, rtol=1e-6)
    text = plots.describe_function_draws(predictive, data)
    assert data.x_label in text and data.y_label in text and {-3, 4, 50, 12, 0.2} <= set(numbers_in(text))


def test_every_layer_has_the_colour_of_its_meaning(predictive: Predictive, data: Dataset) -> None:
    for look in (LIGHT, DARK):
        fig = plots.function_draws(predictive, data, theme=look)
        for name, color in (("Epistemic (1, 2 sd)", look.epistemic), ("Noise (aleatoric)", look.aleatoric)):
            red, green, blue = rgb(color)
            fills = [trace.fillcolor for trace in named(fig, name)]
            assert fills and all(fill.startswith(f"rgba({red},{green},{blue},") for fill in fills), name
        for name, color in (("Function draws", look.draws), ("Predictive mean", look.mean)):
            assert {trace.line.color for trace in named(fig, name)} == {color}, name


def test_references_and_ranges(
    make_predictive: Callable[..., Predictive], data: Dataset, predictive: Predictive
) -> None:
    for epistemic in (0.0, 0.1, 100.0):
        layout = plots.function_draws(make_predictive(epistemic=epistemic), data).to_dict()["layout"]
        assert tuple(layout["xaxis"]["range"]) == data.x_range
        assert tuple(layout["yaxis"]["range"]) == data.y_range
    for show, std in [(plots.SHOW, "total_std"), ({"mean", "epistemic"}, "epistemic_std")]:
        reference = plots.Reference(predictive)
        (trace,) = named(plots.function_draws(predictive, data, show=show, reference=reference), "Exact, 2 sd")
        expected = (predictive.mean + 2 * getattr(predictive, std))[:, 0]
        np.testing.assert_allclose(trace.y[: len(expected)], expected, rtol=1e-6)


def test_all_draws_are_one_trace_and_data_lie_on_top(predictive: Predictive, data: Dataset) -> None:
    key, trace = named(plots.function_draws(predictive, data, num_draws=7), "Function draws")
    assert np.isnan(key.y).all() and key.opacity is None  # what the legend shows
    assert np.isnan(trace.y).sum() == 6
    assert trace.y.dtype == np.float32
    np.testing.assert_allclose(trace.y[:200], predictive.draws[0, :, 0], rtol=1e-6)
    (trace,) = named(plots.function_draws(predictive, data, highlighted=4), "One draw")
    np.testing.assert_allclose(trace.y, predictive.draws[4, :, 0], rtol=1e-6)
    fig = plots.function_draws(predictive, data, show=EVERYTHING, highlighted=3, reference=plots.Reference(predictive))
    names = [trace.name for trace in fig.data]  # type: ignore[union-attr]
    assert names[-2:] == ["Held-out data", "Data"]
    assert names.index("Function draws") < names.index("One draw") < names.index("Predictive mean")
    assert named(fig, "Held-out data")[0].marker.symbol == "circle-open"
    assert named(fig, "Data")[0].marker.size == 7
    assert predictive.draws.shape == (50, 200, 1)
    reference = plots.Reference(predictive)
    picture = plots.function_draws(predictive, data, show=EVERYTHING, highlighted=3, reference=reference).to_json()
    assert picture is not None and len(picture) < 200_000
    fig = plots.function_draws(predictive, data, show={"data", "mean"})
    assert {trace.name for trace in fig.data} == {"Predictive mean", "Data"}  # type: ignore[union-attr]
    assert named(plots.function_draws(predictive, data), "Truth")
    assert not named(plots.function_draws(predictive, replace(data, truth=None)), "Truth")


@pytest.mark.parametrize("num_draws", [0, 1])
@pytest.mark.parametrize("num_points", [1, 2])
def test_degenerate_inputs(
    num_draws: int, num_points: int, make_predictive: Callable[..., Predictive], data: Dataset
) -> None:
    tiny = make_predictive(num_draws, num_points, epistemic=0.0, aleatoric=0.0)
    one = replace(data, x=data.x[:1], y=data.y[:1], x_test=data.x[:0], y_test=data.y[:0], truth=None)
    fig = plots.function_draws(tiny, one, show=EVERYTHING)
    assert named(fig, "Data")[0].x.shape == (1,)
    assert "nan" not in plots.describe_function_draws(tiny, one)


DRAWN: list[Callable[..., Any]] = [
    plots.function_draws,
    plots.describe_function_draws,
    lambda shown, points: plots.small_multiples([("One", shown)], points),
    lambda shown, points: plots.method_panels([plots.MethodPanel("One", shown)], points),
    lambda shown, points: plots.over_reference(shown, None, points, title="One"),
    lambda shown, points: plots.over_reference(None, plots.Reference(shown), points, title="One"),
]


def test_what_is_no_curve_is_refused(predictive: Predictive, data: Dataset) -> None:
    # Of two outputs, the points would pair x with values of the other one; of two inputs, only the first was shown.
    two_y = replace(data, y=np.hstack([data.y, data.y]), y_test=np.hstack([data.y_test, data.y_test]))
    two_x = replace(data, x=np.hstack([data.x, data.x]), x_test=np.hstack([data.x_test, data.x_test]))
    falling = replace(predictive, x=predictive.x[::-1])
    classes = replace(predictive, predictive_entropy=np.zeros(len(predictive.x)))
    wide = replace(predictive, mean=np.hstack([predictive.mean, predictive.mean]))
    for shown, points, sentence in [
        (predictive, two_y, "one output, and there are 2"),
        (wide, data, "one output, and there are 2"),
        (predictive, two_x, "one input, and there are 2"),
        (replace(predictive, x=np.hstack([predictive.x, predictive.x])), data, "one input, and there are 2"),
        (falling, data, "must ascend"),
        (classes, data, "not probabilities of classes"),
    ]:
        for draw in DRAWN:
            with pytest.raises(InvalidInput, match=sentence):
                draw(shown, points)
    with pytest.raises(InvalidInput, match="one output, and there are 2"):
        plots.prior_and_posterior(predictive.x, predictive.draws[:, :, 0], predictive.draws[:, :, 0], two_y)
    with pytest.raises(InvalidInput, match="must ascend"):
        plots.function_draws(predictive, data, reference=plots.Reference(falling))


def test_a_layer_a_draw_or_a_panel_that_does_not_exist_is_refused(predictive: Predictive, data: Dataset) -> None:
    with pytest.raises(InvalidInput, match="'meen'"):
        plots.function_draws(predictive, data, show=["meen", "data"])
    count = len(predictive.draws)
    for wrong in (count, -count - 1):
        with pytest.raises(InvalidInput, match=f"no draw {wrong} .* {count} draws"):
            plots.function_draws(predictive, data, highlighted=wrong)
    plots.function_draws(predictive, data, highlighted=count - 1)
    with pytest.raises(InvalidInput, match="no panel"):
        plots.small_multiples([], data)


def test_small_multiples_share_their_axes(predictive: Predictive, data: Dataset) -> None:
    settings = [("Too small", predictive), ("Good", predictive), ("Too large", predictive)]
    for stacked in (False, True):
        fig = plots.small_multiples(settings, data, stacked=stacked).to_dict()
        layout = fig["layout"]
        assert [note["text"] for note in layout["annotations"]] == [title for title, _ in settings]
        for suffix in ("", "2", "3"):
            assert tuple(layout[f"xaxis{suffix}"]["range"]) == data.x_range
            assert tuple(layout[f"yaxis{suffix}"]["range"]) == data.y_range
        domains = [tuple(layout[f"{'y' if stacked else 'x'}axis{suffix}"]["domain"]) for suffix in ("", "2", "3")]
        assert sorted(domains, reverse=stacked) == domains
        shown = [trace["name"] for trace in fig["data"] if trace["showlegend"]]
        assert len(shown) == len(set(shown)) == 6


def test_the_prior_has_a_labelled_axis_of_its_own(predictive: Predictive, data: Dataset) -> None:
    prior = 40 * predictive.draws[:, :, 0]
    fig = plots.prior_and_posterior(predictive.x, prior, predictive.draws[:, :, 0], data)
    layout = fig.to_dict()["layout"]
    low, high = layout["yaxis"]["range"]
    assert low == -high and high in (100, 200, 500)
    assert "prior" in layout["yaxis"]["title"]["text"]
    assert tuple(layout["yaxis2"]["range"]) == data.y_range
    box = named(fig, "Range of the other panel")[0]
    assert (box.y.min(), box.y.max()) == data.y_range
    draws = predictive.draws[:, :, 0]
    shifted = replace(data, y_range=(320.0, 420.0))
    layout = plots.prior_and_posterior(predictive.x, draws * 0 + 370, draws, shifted).to_dict()["layout"]
    assert tuple(layout["yaxis"]["range"]) == (320, 420)
    layout = plots.prior_and_posterior(predictive.x, draws, draws, data, prior_range=(-9, 9)).to_dict()["layout"]
    assert tuple(layout["yaxis"]["range"]) == (-9, 9)
