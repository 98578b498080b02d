"""Pictures of a classifier's uncertainty: every number stands where it belongs."""

import math
from typing import Any

import numpy as np
import pytest

from bdlviz import plots
from bdlviz.errors import InvalidInput
from bdlviz.plots.softmax import CELL, HALF, sideways
from bdlviz.predictive.summaries import entropy
from bdlviz.types import Array
from tests.told import numbers_in


@pytest.fixture
def draws() -> Array:
    """Softmax samples (30, 10) that waver between 4 and 9."""
    logits = np.random.default_rng(0).normal(size=(30, 10)) * np.where(np.isin(np.arange(10), (4, 9)), 3, 0.1)
    probabilities = np.exp(logits + 4 * np.isin(np.arange(10), (4, 9)))
    return (probabilities / probabilities.sum(1, keepdims=True)).astype(np.float32)


def picture(draws: Array, **settings: Any) -> Any:
    expected, mean = float(entropy(draws).mean()), draws.mean(0)
    mutual = float(entropy(mean)) - expected
    return plots.softmax_draws(draws, mean, expected_entropy=expected, mutual_information=mutual, **settings)


def test_probabilities_that_are_no_numbers_are_refused(draws: Array) -> None:
    draws[3, 2] = np.nan
    with pytest.raises(InvalidInput, match="finite"):
        picture(draws)


def named(fig: Any, name: str) -> Any:
    return next(trace for trace in fig.data if trace.name == name)


def test_every_draw_is_a_dot_at_its_class(draws: Array) -> None:
    dots = named(picture(draws), "draws")
    assert len(dots.y) == draws.size
    np.testing.assert_array_equal(np.rint(dots.x), np.repeat(np.arange(10), 30))
    np.testing.assert_array_equal(dots.y, draws.T.ravel())
    one = np.full((1, 10), 0.1, np.float32)
    fig = picture(one)
    np.testing.assert_array_equal(named(fig, "draws").x, np.arange(10))
    assert named(picture(np.tile(draws, (40, 1))), "draws").type == "scatter", "It is drawn without WebGL, too."
    values = np.concatenate([np.full(90, 0.01), np.linspace(0.2, 0.99, 10)])
    moved = sideways(values)
    assert np.abs(moved).max() <= HALF
    assert np.ptp(moved[:90]) > 1.8 * HALF > 4 * np.abs(moved[90:]).max()
    np.testing.assert_array_equal(sideways(np.array([0.3])), [0])
    assert np.isfinite(sideways(np.array([0.0, 1.0]))).all()


def test_of_many_draws_only_dots_on_top_of_others_are_left_out(draws: Array) -> None:
    """Every dot that is left out lies within a cell of one that is shown."""
    many = np.random.default_rng(1).dirichlet(np.full(10, 0.05), size=1000)
    dots = named(picture(many), "draws")
    shown = np.stack([dots.x, dots.y], 1)
    every = np.concatenate([np.stack([index + sideways(many[:, index]), many[:, index]], 1) for index in range(10)])
    distances = np.abs(every[:, None] - shown) / CELL
    assert distances.max(-1).min(1).max() <= 1 + 1e-4
    assert len(shown) < len(every) / 3
    assert len(named(picture(many[:100]), "draws").y) == 1000


def test_means_and_entropy(draws: Array) -> None:
    fig = picture(draws, label=4)
    heights = np.unique(named(fig, "mean of the draws").y)
    np.testing.assert_allclose(heights[~np.isnan(heights)], np.sort(draws.mean(0)), rtol=1e-6)
    (label,) = fig.layout.shapes
    assert (label.x0, label.x1) == (4, 4) and fig.layout.xaxis.ticktext[4] == "<b>4</b><br>label"
    told = {int(note.x): note.text for note in fig.layout.annotations if note.text.endswith("%")}
    mean = draws.mean(0)
    assert told == {int(k): f"{mean[k]:.0%}" for k in np.flatnonzero(mean >= 0.02)}
    notes = [note.text for note in picture(draws, is_narrow=True).layout.annotations]
    assert {f"{100 * each:.0f}" for each in mean[mean >= 0.02]} <= {*notes}
    fig = picture(draws)
    bars = [trace for trace in fig.data if trace.type == "bar"]
    assert sum(float(bar.x[0]) for bar in bars) == pytest.approx(float(entropy(draws.mean(0))), rel=1e-5)
    assert fig.layout.xaxis2.range == (0, math.log(10))
    told = plots.describe_softmax_draws(draws, draws.mean(0), 9)
    assert 30 in numbers_in(told) and numbers_in(told)[-1] == 9
    assert {draws.mean(0).argmax(), round(100 * draws.mean(0).max())} <= set(numbers_in(told))


@pytest.fixture
def course() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    draws = rng.dirichlet(np.ones(10), size=(19, 50)).astype(np.float32)
    draws[:, :, 3] += np.linspace(0, 20, 19)[:, None]
    draws /= draws.sum(-1, keepdims=True)
    expected = entropy(draws).mean(1)
    return {
        "stops": np.arange(0.0, 181, 10),
        "draws": draws,
        "expected_entropy": expected,
        "mutual_information": entropy(draws.mean(1)) - expected,
        "images": rng.random((19, 28, 28)),
    }


def test_the_curves_of_a_shift_show_probability_entropy_and_pictures(course: dict[str, Any]) -> None:
    fig: Any = plots.shift_course(**course, label="Angle (degrees)", chosen=6)
    np.testing.assert_allclose(named(fig, "class 3").y, course["draws"].mean(1)[:, 3], rtol=1e-6)
    total = course["expected_entropy"] + course["mutual_information"]
    np.testing.assert_allclose(named(fig, "predictive entropy").y, total, rtol=1e-6)
    noise = named(fig, "expected entropy (noise)")
    np.testing.assert_allclose(noise.y[:19], course["expected_entropy"], rtol=1e-6)
    np.testing.assert_array_equal(named(fig, "steps").customdata, range(19))
    assert [picture.x for picture in fig.layout.images] == [0, 20, 40, 60, 80, 100, 120, 140, 160, 180]
    assert (fig.layout.shapes[0].x0, fig.layout.xaxis.tickvals) == (60, (0, 30, 60, 90, 120, 150, 180))
    told = plots.describe_shift_course(course["stops"], course["expected_entropy"], course["mutual_information"])
    assert {round(float(total.min()), 2), round(float(total.max()), 2)} <= set(numbers_in(told))
    fig: Any = plots.shift_course(**{name: values[:1] for name, values in course.items()}, label="Angle")
    assert fig.layout.xaxis.range == (-0.5, 0.5) and len(fig.layout.images) == 1


def test_accuracy_omits_missing_sample_counts() -> None:
    accuracy = np.array([[0.88, 0.90, np.nan], [0.89, 0.91, np.nan]])
    spread = np.array([[0.01, np.nan, np.nan], [0.03, np.nan, np.nan]])
    fig: Any = plots.accuracy_by_samples(np.array([1, 10, 100]), accuracy, spread, np.array([0.9, 0.92]))
    [line] = [trace for trace in fig.data if trace.error_y.array is not None]
    np.testing.assert_allclose(line.y, [0.885, 0.905], rtol=1e-6)
    np.testing.assert_allclose(line.error_y.array, [0.02, 0.0], atol=1e-7)
    np.testing.assert_allclose(named(fig, "one pass without dropout").y, 0.91, rtol=1e-6)
    low, high = fig.layout.yaxis.range
    assert low < 0.88 and high > 0.92
    one = np.array([[0.88, 0.9]])
    fig: Any = plots.accuracy_by_samples(np.array([1, 10]), one, 0 * one, np.array([0.9]))
    np.testing.assert_allclose(fig.data[0].y, one[0])


def test_the_sheet_holds_every_picture_with_its_row() -> None:
    images = np.random.default_rng(0).random((14, 28, 28))
    rows = np.arange(100, 114)
    fig: Any = plots.contact_sheet(
        images, 6, names=[str(i % 10) for i in range(14)], is_wrong=rows % 7 == 0, rows=rows, chosen=7, hover=["x"] * 14
    )
    pictures = named(fig, "pictures")
    np.testing.assert_array_equal(pictures.customdata, rows)
    assert (pictures.x[7], fig.layout.shapes[0].x0) == (1.5, 1)
    assert pictures.y[6] > pictures.y[5]  # the next line of the sheet
    assert tuple(named(fig, "wrong").text) == ("5", "2")
    assert fig.layout.yaxis.range[0] > fig.layout.yaxis.range[1]


def test_two_typical_draws_are_linked_and_named() -> None:
    """Three draws vote for 2 and two for 7; the medians of how sure they are are 0.8 and 0.6."""
    sure = [(2, 0.9), (7, 0.6), (2, 0.7), (2, 0.8), (7, 0.5)]
    draws = np.array([np.where(np.arange(10) == each, share, (1 - share) / 9) for each, share in sure])
    fig = picture(draws)
    lines = [trace.y for trace in fig.data if trace.name == "linked draw"]
    np.testing.assert_allclose(lines, draws[[3, 1]], rtol=1e-6)
    told = [numbers_in(note.text) for note in fig.layout.annotations if "sure" in note.text]
    assert told == [[2, 80], [7, 60]]
    same = picture(draws[[0, 2, 3]])
    assert [note.visible for note in same.layout.annotations if "sure" in note.text] == [True, False]
