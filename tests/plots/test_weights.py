"""Figures of weights as distributions: the right numbers at the right places."""

from typing import Any

import numpy as np
import pytest

from bdlviz import plots
from bdlviz.topics.weights.bayes_by_backprop import figures as bayes_by_backprop_figures
from bdlviz.topics.weights.bayes_by_backprop import figures_costs as bayes_by_backprop_figures_costs
from bdlviz.topics.weights.bayes_by_backprop import figures_functions as bayes_by_backprop_figures_functions
from bdlviz.topics.weights.bayes_by_backprop import figures_gradients as bayes_by_backprop_figures_gradients
from bdlviz.topics.weights.bayes_by_backprop.figures import LINEAR_DENSITIES, LOG_DENSITIES
from bdlviz.types import Dataset
from tests.plots.figure_properties import named
from tests.told import numbers_in

RNG = np.random.default_rng(0)
STEPS = np.array([10, 20, 30])
W = np.linspace(-1, 1, 21)


@pytest.mark.parametrize("stacked", [False, True])
def test_the_band_is_one_standard_deviation(data: Dataset, stacked: bool):
    x, draws = np.linspace(-3, 4, 50), RNG.normal(size=(400, 50))
    fig: Any = bayes_by_backprop_figures_functions.draws_in_panels(
        [("A", draws), ("B", draws[:1])], x, data, num_draws=7, stacked=stacked
    )
    [area] = named(fig, "± 1 standard deviation")  # one function has no band
    np.testing.assert_allclose([np.max(area.y), np.min(area.y)], [1, -1], atol=0.25)
    means = [trace for trace in named(fig, "Mean") if trace.line.color == plots.LIGHT.mean]
    np.testing.assert_allclose(means[0].y, draws.sum(0) / 400, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(means[1].y, draws[0], rtol=1e-5)
    [lines] = named(fig, "Function draws")
    assert np.isnan(lines.y).sum() == 6
    assert {tuple(fig.layout[name].range) for name in ("yaxis", "yaxis2")} == {(-3.8, 3.8)}
    assert [trace.showlegend for trace in named(fig, "Data")] == [True, False]


def test_zero_stays_on_the_axis():
    fig: Any = bayes_by_backprop_figures.prior_and_weights(
        W, np.zeros(21), np.empty((0, 21)), np.zeros(21), np.zeros(3), is_log=True
    )
    assert (np.array(named(fig, "prior p(w)")[0].y) > 0).all()


@pytest.mark.parametrize("is_log", [False, True])
def test_the_prior_and_the_weights(is_log: bool):
    prior, average, parts = np.full(21, 0.5), np.full(21, 0.7), RNG.random((2, 21))
    fig: Any = bayes_by_backprop_figures.prior_and_weights(
        W, prior, parts, average, np.array([0.01, 0.02, 0.03, -2.0]), is_log=is_log
    )
    [bars] = [trace for trace in fig.data if trace.type == "bar"]
    assert np.sum(np.multiply(bars.y, bars.width)) == pytest.approx(1)
    assert bars.x[np.argmax(bars.y)] == pytest.approx(0.025)
    np.testing.assert_allclose(named(fig, "prior p(w)")[0].y, prior)
    assert named(fig, "prior p(w)")[0].line.color == plots.LIGHT.prior
    assert tuple(fig.layout.yaxis.range) == (LOG_DENSITIES if is_log else LINEAR_DENSITIES)
    assert (fig.layout.yaxis.type == "log") is is_log
    alone: Any = bayes_by_backprop_figures.prior_and_weights(W, prior, parts[:0], average, np.zeros(3))
    assert not named(alone, "its two parts, × their shares")


@pytest.mark.parametrize("stacked", [False, True])
def test_the_chosen_snapshot_stands_out(stacked: bool):
    densities, mean, std = RNG.random((3, 21)), np.array([0.0, 0.1, 0.2]), np.array([0.3, 0.2, 0.1])
    fig: Any = bayes_by_backprop_figures.weight_over_training(
        W, densities, W, STEPS, mean, std, chosen=1, stacked=stacked
    )
    [bold] = named(fig, "q(w) after 20 steps")
    np.testing.assert_allclose(bold.y, densities[1], rtol=1e-6)
    faded = named(fig, "q(w), other steps")
    assert [trace.opacity for trace in faded] == sorted(trace.opacity for trace in faded) and len(faded) == 2
    assert sum(trace.showlegend is True for trace in faded) == 1
    one_sd = named(fig, "q: mean, 1 and 2 sd")[-1]
    np.testing.assert_allclose(np.array(one_sd.y)[:3], mean + std, rtol=1e-6)
    [dot] = named(fig, "chosen")
    assert (dot.x[0], dot.y[0]) == pytest.approx((20, 0.1))
    told = bayes_by_backprop_figures.describe_weight(STEPS, mean, std, 1)
    assert {0, 0.3, 10, 0.1, 0.2, 20} <= set(numbers_in(told))


@pytest.mark.parametrize("stacked", [False, True])
def test_costs_are_stacked_and_totals_are_written(stacked: bool):
    course, ends = np.array([[5.0, 9.0], [4.0, 2.0], [4.0, 1.5]]), np.array([[3.0, 40.0], [4.0, 1.5]])
    settings: dict[str, Any] = {"chosen": 1, "y_label": "bits", "y_range": (0.0, 15.0), "stacked": stacked}
    fig: Any = bayes_by_backprop_figures_costs.description_bars(STEPS, course, ["0", "1"], ends, 8.0, **settings)
    error, complexity = (named(fig, name) for name in ("error cost", "complexity cost"))
    np.testing.assert_allclose(error[0].y, course[:, 0])
    np.testing.assert_allclose(complexity[1].y, ends[:, 1])
    assert fig.layout.barmode == "stack"
    assert [note.text for note in fig.layout.annotations[2:]] == ["43.0", "5.5"]
    assert max(note.y for note in fig.layout.annotations[2:]) == 15  # one that is cut off says how much it is
    assert {float(trace.y[0]) for trace in named(fig, "without a network")} == {8.0}
    told = bayes_by_backprop_figures_costs.describe_costs(STEPS, course, 8.0, "bits")
    assert {4, 1.5, 5.5, 8} <= set(numbers_in(told))


@pytest.mark.parametrize("stacked", [False, True])
def test_parts_of_the_variance_add_up(stacked: bool):
    sizes, minibatch = np.array([1, 4, 20]), np.array([[8.0, 7, 9], [2, 1, 3], [0, 0, 0]])
    noise = {
        name: factor * np.array([[4.0, 3, 5], [1, 0.8, 1.2], [0.2, 0.1, 0.3]]) for factor, name in enumerate("abc", 1)
    }
    fig: Any = bayes_by_backprop_figures_gradients.gradient_noise(
        sizes, minibatch, noise, chosen=1, y_range=(-2.0, 2.0), stacked=stacked
    )
    [batch] = named(fig, "the same for all three")
    np.testing.assert_allclose(batch.x, [1, 4])  # nothing comes from a minibatch of all points
    alone, together = named(fig, "b")
    np.testing.assert_allclose(alone.y, noise["b"][:, 0], rtol=1e-6)
    np.testing.assert_allclose(together.y, (noise["b"] + minibatch)[:, 0], rtol=1e-6)
    np.testing.assert_allclose(alone.error_y.array, (noise["b"][:, 2] - noise["b"][:, 0]), rtol=1e-6)
    [guide] = named(fig, "1/B")
    np.testing.assert_allclose(guide.y, noise["c"][0, 0] / sizes, rtol=1e-6)
    assert fig.layout.xaxis.ticktext == ("1", "4", "20")
    told = numbers_in(bayes_by_backprop_figures_gradients.describe_gradient_noise(sizes, noise, 1))
    assert told[:5] == [4, 1, 0.8, 1.2, 2]
