"""Figures of compression: the right numbers at the right places."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from bdlviz import plots
from bdlviz.topics.weights.compression import figures as compression_figures
from bdlviz.topics.weights.compression import figures_results as compression_figures_results
from bdlviz.topics.weights.compression.figures import Curves
from bdlviz.topics.weights.compression.figures_results import Point
from tests.plots.figure_properties import named
from tests.told import numbers_in

X = np.linspace(-1, 1, 5)
ABOUT = Curves("x", "p", (-1.0, 1.0), (0.0, 2.0), diagonal="same")
ALIVE = [np.arange(16) < 6, np.array([True, False, True] * 7), np.ones(10, bool)]
WEIGHTS = [(40, 336), (70, 210)]


def test_the_chosen_prior_stands_out_and_masses_are_stems() -> None:
    curves = {"a": X**2, "b": np.full(5, np.nan)}
    fig: Any = compression_figures.prior_curves(
        X, curves, ABOUT, chosen="a", masses={"b": [(0.5, 0.25)], "a": [(1.0, 1.0)]}
    )
    look = plots.theme("light")
    assert [trace.line.color for trace in named(fig, "a") if trace.line.width == 4] == [look.prior]
    [stem] = named(fig, "b")  # its curve is nothing but gaps
    np.testing.assert_allclose(stem.x, 0.5)
    np.testing.assert_allclose(stem.y, [0, 0.25 * 0.9 * 2])
    assert [numbers_in(note.text) for note in fig.layout.annotations] == [[1, 1]]
    np.testing.assert_allclose(named(fig, "same")[0].y, [-1, 1])


@pytest.mark.parametrize("stacked", [False, True])
def test_every_unit_has_a_cell(stacked: bool) -> None:
    names = ["pixels", "hidden 1", "classes"]
    fig: Any = compression_figures.architecture(
        ALIVE, names, WEIGHTS, "title", (0.9, 0.8), image_shape=(4, 4), stacked=stacked
    )
    for cells, units in zip(fig.data, ALIVE, strict=True):
        shown = cells.z[np.isfinite(cells.z)]
        assert len(shown) == units.size and shown.sum() == units.sum()
    np.testing.assert_array_equal(fig.data[0].z[::-1].ravel(), ALIVE[0])  # the first row of an image is on top
    text = " ".join(note.text for note in fig.layout.annotations).replace("<br>", " ")
    for count in ("6 of 16", "14 of 21", "10 of 10", "40 of 336", "70 of 210"):
        assert count in text
    boxes = [(trace.x.min(), trace.x.max(), trace.y.min(), trace.y.max()) for trace in fig.data]
    axis = 2 if stacked else 0
    ordered = sorted(boxes, key=lambda box: box[axis])
    assert all(before[axis + 1] < after[axis] for before, after in pairwise(ordered))


def test_rounding_and_speeds() -> None:
    places = np.arange(4)
    fig: Any = compression_figures.rounding(
        places, np.array([0.1, 0.5, 0.9, 0.91]), by_layer=[3, 2, 1], after=0.88, full=0.92
    )
    [diamond] = [trace for trace in fig.data if trace.marker.symbol == "diamond"]
    assert (diamond.x[0], diamond.y[0]) == pytest.approx((2, 88))
    np.testing.assert_allclose(named(fig, "32 bits")[0].y, 92, rtol=1e-6)
    np.testing.assert_allclose(named(fig, "rounded")[0].y, [10, 50, 90, 91], rtol=1e-6)
    fig: Any = compression_figures.speeds({"a": np.full(9, 10.0), "b": np.full(9, 2.5), "c": np.linspace(10, 30, 9)})
    assert [numbers_in(note.text) for note in fig.layout.annotations] == [[], [4], [2]]
    assert fig.layout.xaxis.type == "log"
    line = next(trace for trace in named(fig, "c") if trace.mode == "lines")
    np.testing.assert_allclose(line.x, np.quantile(np.linspace(10, 30, 9), [0.05, 0.95]), rtol=1e-6)
    told = compression_figures.describe_architecture(ALIVE[:2], ["pixels", "hidden 1"])
    assert "6 of 16" in told and "14 of 21" in told


def test_no_name_covers_another_or_a_point() -> None:
    close = [Point("Alpha", 1.9, 56), Point("Beta", 1.95, 60), Point("Gamma", 1.0, 58, "convolutional")]
    fig: Any = compression_figures_results.error_against_compression(
        [*close, Point("gone", 90.0, float("inf"), "ours")]
    )
    assert len(fig.layout.annotations) == 3
    assert len({(note.xanchor, note.yanchor) for note in fig.layout.annotations}) > 1
    alone: Any = compression_figures_results.error_against_compression([Point("ours", 2.0, 10, "ours")])
    [note] = alone.layout.annotations
    assert note.x == pytest.approx(1) and note.yanchor == "bottom"
    assert {trace.name for trace in alone.data} == {"trained here"}
