"""Figures of networks that remove their own weights: the right numbers, colours by meaning, lines where they belong."""

from typing import Any

import numpy as np
import pytest

from bdlviz.plots.theme import DARK, LIGHT, Theme, contrast, mix
from bdlviz.topics.weights.sparsity import figures as sparsity_figures
from bdlviz.topics.weights.sparsity import figures_one as sparsity_figures_one
from bdlviz.topics.weights.sparsity import figures_pixels as sparsity_figures_pixels
from bdlviz.topics.weights.sparsity.figures import LOG_MEANS, LOG_STDS
from bdlviz.topics.weights.sparsity.figures_one import STRENGTHS
from tests.plots.figure_properties import named
from tests.told import numbers_in

EDGES = np.linspace(-15, 15, 61)
THRESHOLDS = np.linspace(-8, 8, 33)
MIDDLE = (EDGES[1:] + EDGES[:-1]) / 2


@pytest.mark.parametrize("stacked", [False, True])
def test_a_pixel_without_weights_is_pale_and_the_moment_is_marked(stacked: bool) -> None:
    alive = np.array([[0, 5], [300, 1]])
    course = sparsity_figures_pixels.Course(
        np.array([0.0, 0.5, 1.0]), np.array([0.9, 0.2, 0.1]), np.array([0.5, 0.8, 0.9]), 0.95, at=1
    )
    fig: Any = sparsity_figures_pixels.weights_left(alive, course, num_units=300, stacked=stacked)
    counts, dead = [trace for trace in fig.data if trace.type == "heatmap"]
    np.testing.assert_array_equal(counts.customdata, alive)
    np.testing.assert_array_equal(np.isnan(counts.z), alive == 0)
    assert (counts.zmin, counts.zmax) == (0, pytest.approx(np.log10(300)))
    np.testing.assert_array_equal(np.isnan(dead.z), alive > 0)
    assert {color for _, color in dead.colorscale} == {LIGHT.removed}
    [whole] = named(fig, sparsity_figures_pixels.ALL)
    np.testing.assert_array_equal(whole.y, [0.95, 0.95])
    dots = [trace for trace in fig.data if trace.type == "scatter" and trace.mode == "markers"]
    assert {(float(dot.x[0]), round(float(dot.y[0]), 6)) for dot in dots if dot.name is None} == {
        (0.5, 0.8),
        (0.5, 0.2),
    }


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_what_is_kept_stands_out_more_than_what_is_removed(theme: Theme) -> None:
    fewest = mix(theme.paper, theme.mean, sparsity_figures_pixels.FEWEST)
    assert (
        contrast(theme.paper, theme.removed) < contrast(theme.paper, fewest) + 0.35 < contrast(theme.paper, theme.mean)
    )


def test_a_weight_is_removed_where_its_noise_is_above_the_line() -> None:
    course = sparsity_figures_pixels.Course(np.array([0.0, 1]), np.array([1.0, 0.5]), np.array([0.5, 0.9]), 0.95, at=1)
    log_alpha = np.array([-2.0, 2.9, 3.1, 30.0])
    fig: Any = sparsity_figures_pixels.noisy_weights(log_alpha, course, pruned=3.0)
    bars = [bar for name in ("left", "removed") for bar in named(fig, name)]
    assert [[*bar.x] for bar in bars] == [[0, 1], [2, 3]]
    [line] = fig.layout.shapes
    assert max(bars[0].y) < line.y0 < min(bars[1].y)
    heights = np.concatenate([bar.y for bar in bars])
    np.testing.assert_allclose(heights, [*np.exp(log_alpha[:3] / 2), sparsity_figures_pixels.MOST])
    [arrow] = [note for note in fig.layout.annotations if note.showarrow is not False]
    assert numbers_in(arrow.text) == [sparsity_figures_pixels.MOST] and arrow.x == 3, "The capped bars are named."
    fig = sparsity_figures_pixels.noisy_weights(log_alpha[:3], course, pruned=3.0)
    [arrow] = [note for note in fig.layout.annotations if note.showarrow is not False]
    assert numbers_in(arrow.text) == [pytest.approx(heights[arrow.x], rel=0.05)]
    shown = [note for note in fig.layout.annotations if note.xref == "x2" and "%" in note.text]
    assert len(shown) == 2 and {note.x for note in shown} == {1}, "Numbers stand at the dots."


@pytest.mark.parametrize("threshold", [-8.0, 3.0, 8.0])
def test_weights_above_the_threshold_are_removed(threshold: float) -> None:
    counts = {"Layer 1": np.arange(60), "Layer 2": np.ones(60, int)}
    accuracy = np.linspace(0, 1, 33)
    fig: Any = sparsity_figures.noise_histograms(
        EDGES, counts, threshold=threshold, thresholds=THRESHOLDS, accuracy=accuracy
    )
    left, removed = named(fig, "left"), named(fig, "removed")
    assert max(left[0].x) < threshold < min(removed[0].x)
    assert left[0].marker.color == LIGHT.mean and removed[0].marker.color == LIGHT.removed
    np.testing.assert_array_equal(np.concatenate([left[0].y, removed[0].y]), counts["Layer 1"])
    share = counts["Layer 1"][threshold >= MIDDLE].sum() / counts["Layer 1"].sum()
    assert f"Layer 1: {100 * share:.1f}\u2009% left" in [note.text for note in fig.layout.annotations]
    [ring] = [trace for trace in fig.data if trace.type == "scatter" and trace.marker.symbol == "circle-open"]
    assert (ring.x[0], ring.y[0]) == pytest.approx((threshold, np.interp(threshold, THRESHOLDS, accuracy)))
    assert [shape.x0 for shape in fig.layout.shapes] == [threshold] * 3


def test_lines_of_equal_noise_for_a_size() -> None:
    log_means, log_stds = np.array([-9.0, 0.0, 0.0]), np.array([-2.0, 0.0, -1.0])
    fig: Any = sparsity_figures.signal_and_noise(log_means, log_stds, threshold=-1.0)
    assert named(fig, "removed: 2") and named(fig, "left: 1")
    counts = [trace for trace in fig.data if trace.type == "heatmap"]
    assert [int(np.sum(trace.customdata)) for trace in counts] == [2, 1]
    assert np.asarray(counts[0].customdata)[:, 0].sum() == 1  # the one left of the axes is counted at their border
    for value in (3.0, -1.0):
        [line] = named(fig, f"log α = {value:g}")
        np.testing.assert_allclose(2 * np.log(10) * (np.asarray(line.y) - np.asarray(line.x)), value, rtol=1e-4)
    at_three: Any = sparsity_figures.signal_and_noise(log_means, log_stds, threshold=3.0)
    assert len(named(at_three, "log α = 3")) == 1
    assert tuple(fig.layout.xaxis.range) == LOG_MEANS and tuple(fig.layout.yaxis.range) == LOG_STDS
    fig: Any = sparsity_figures.noise_histograms(
        EDGES, {"Layer 1": np.zeros(60, int)}, threshold=3.0, thresholds=THRESHOLDS, accuracy=np.zeros(33)
    )
    assert "0.0\u2009%" in fig.layout.annotations[0].text


@pytest.mark.parametrize("warm_up", [0.0, 10.0])
def test_the_curves_have_every_layer_and_the_warm_up_is_shaded(warm_up: float) -> None:
    steps, share = np.array([1.0, 50, 100]), np.array([[0.0, 0.1], [0.5, 0.6], [1.0, 1.0]])
    fig: Any = sparsity_figures.sparsity_course(
        steps,
        share,
        accuracy=np.array([0.1, 0.8, 0.9]),
        compression=np.array([1.0, 2.2, np.inf]),
        misfit=np.array([2.3, 0.5, 0.2]),
        kl=np.array([10.0, 1.0, 0.3]),
        layers=["layer 1", "layer 2"],
        warm_up=warm_up,
    )
    for layer, name in enumerate(("layer 1", "layer 2")):
        np.testing.assert_allclose(named(fig, name)[0].y, 1 - share[:, layer], atol=1e-6)
    assert np.isnan(named(fig, "compression")[0].y[-1])  # nothing is left: no number
    assert fig.layout.yaxis3.type == "log"
    assert [shape.x1 for shape in fig.layout.shapes] == ([warm_up] * 4 if warm_up else [])
    ranges = {tuple(fig.layout[f"xaxis{suffix}"].range) for suffix in ("", "2", "3", "4")}
    assert ranges == {(0.0, 100.0)}


@pytest.mark.parametrize(("best", "strength"), [(-1.0, 10.0), (np.inf, 0.0)])
@pytest.mark.parametrize("stacked", [False, True])
def test_the_minimum_of_one_weight_is_marked(best: float, strength: float, stacked: bool) -> None:
    log_alpha = np.linspace(-9, 9, 19)
    misfit, kl = np.full(19, strength / 2), -log_alpha
    fig: Any = sparsity_figures_one.trade_off(
        log_alpha,
        misfit,
        kl,
        best=best,
        others=np.zeros((2, 19)),
        course=(log_alpha, np.exp(-log_alpha)),
        strength=strength,
        pruned=3.0,
        stacked=stacked,
    )
    np.testing.assert_allclose(named(fig, "both")[-1].y, kl, atol=1e-6)
    dots = [trace for trace in fig.data if trace.mode == "markers"]
    if np.isfinite(best):
        assert (dots[0].x[0], dots[0].y[0]) == pytest.approx((best, 1.0))
        assert (dots[1].x[0], dots[1].y[0]) == pytest.approx((strength, best))
    else:
        [dot] = dots
        assert dot.marker.symbol == "triangle-up" and dot.y[0] == 9
        assert dot.x[0] == pytest.approx(10 ** STRENGTHS[0])


def test_bars_add_up_to_the_total_cost() -> None:
    paid = [
        sparsity_figures_one.Paid("N = 100", 0.5, 1.0, "accuracy 70%"),
        sparsity_figures_one.Paid("N = 1", 2.3, 0.0, is_chosen=True),
    ]
    fig: Any = sparsity_figures_one.budget(paid, nothing=2.3)
    np.testing.assert_allclose(named(fig, "data term")[0].x, [0.5, 2.3], rtol=1e-6)
    np.testing.assert_allclose(named(fig, "KL")[0].x, [1, 0])
    assert fig.layout.barmode == "stack"
    assert [note.text for note in fig.layout.annotations] == ["N = 100 · accuracy 70%", "N = 1"]
    assert [note.font.weight for note in fig.layout.annotations] == [400, 600]
    assert set(named(fig, "no weights: 2.30")[0].x) == {2.3}
    told = sparsity_figures.describe_sparsity(["layer 1", "layer 2"], [0.01, 0.3], 0.98)
    assert {1, 2, 30, 98} <= set(numbers_in(told))
