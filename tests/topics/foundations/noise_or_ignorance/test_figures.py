"""Figures of the kinds of uncertainty: the right numbers at the right places, on axes that stay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bdlviz import plots
from bdlviz.predictive.kinds import loss_terms
from bdlviz.topics.foundations.noise_or_ignorance import figures, figures_classes
from bdlviz.topics.foundations.noise_or_ignorance.figures import AMOUNTS, LOSSES, Against, noise_axis
from bdlviz.types import Dataset, Predictive
from tests.told import numbers_in
from tests.topics.shared.page_results import named

STD = np.geomspace(0.01, 10, 40)


@pytest.mark.parametrize("stacked", [False, True])
def test_both_deviations_stand_beside_the_true_noise(predictive: Predictive, data: Dataset, stacked: bool):
    truth = np.linspace(0, 1, len(predictive.x))
    fig: Any = figures.kinds_of_noise(predictive, data, truth, stacked=stacked)
    for name, values, color in (
        ("Aleatoric sd", predictive.aleatoric_std, plots.LIGHT.aleatoric),
        ("Epistemic sd", predictive.epistemic_std, plots.LIGHT.epistemic),
    ):
        [line] = [trace for trace in named(fig, name) if trace.line.color == color]
        np.testing.assert_allclose(line.y, values[:, 0], rtol=1e-6)
        assert line.yaxis == "y2"
    np.testing.assert_allclose(named(fig, "True noise")[0].y, truth, rtol=1e-6)
    assert tuple(fig.layout.yaxis2.range) == noise_axis(data)
    assert not named(figures.kinds_of_noise(predictive, data, None), "True noise")


@pytest.mark.parametrize("residual", [0.0, 0.5])
def test_the_loss_has_its_lowest_point_at_the_residual(predictive: Predictive, data: Dataset, residual: float):
    terms = loss_terms(np.asarray(residual), STD)
    fig: Any = figures.loss_of_noise(STD, terms, residual, predictive, data, None)
    np.testing.assert_allclose(named(fig, "their sum")[0].y, terms[0] + terms[1], rtol=1e-5, atol=1e-6)
    marks = [trace for trace in named(fig, "lowest at σ = |y − f|") if trace.mode == "markers"]
    assert len(marks) == (residual > 0)
    for mark in marks:
        assert (mark.x[0], mark.y[0]) == pytest.approx((0.5, 0.5 + np.log(0.5)))
    assert tuple(fig.layout.yaxis.range) == LOSSES
    [left] = named(fig, "|y − f| at the data")
    expected = np.abs(data.y[:, 0] - np.interp(data.x[:, 0], predictive.x[:, 0], predictive.mean[:, 0]))
    np.testing.assert_allclose(left.y, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("stacked", [False, True])
def test_means_over_seeds_against_the_number(predictive: Predictive, data: Dataset, stacked: bool):
    counts, values = np.array([10, 100, 1000]), np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    group = [Against("A", values, "dot", False), Against("B", values + 1)]
    fig: Any = figures.against_number(
        counts, group, group, truth=0.3, chosen=1, predictive=predictive, data=data, stacked=stacked
    )
    for axis in ("y2", "y3"):
        lines = [trace for trace in named(fig, "A") if trace.yaxis == axis and trace.mode == "lines+markers"]
        np.testing.assert_allclose(lines[0].y, [0.2, 0.2, 0.2], rtol=1e-6)
        assert not [trace for trace in named(fig, "A") if trace.yaxis == axis and len(trace.y) > 3]
        assert [trace for trace in named(fig, "B") if trace.yaxis == axis and len(trace.y) == 7]  # two seeds, a gap
    assert {tuple(fig.layout[name].range) for name in ("yaxis2", "yaxis3")} == {AMOUNTS}
    assert tuple(fig.layout.xaxis.range) == data.x_range
    assert fig.layout.annotations[0].text == "N = 100"
    assert sum(trace.showlegend is not False for trace in named(fig, "A")) == 1


def test_learned_noise_has_its_truth_in_both_panels():
    features = (["missing", "0"], [Against("A", np.ones((2, 2)))], np.array([0.4, 0.1]))
    tasks = (np.array([30, 300]), [Against("alone", np.ones((3, 2)))], 0.3)
    fig: Any = figures.learned_noise(features, tasks, y_ranges=((0, 1), (0, 2)))
    truths = named(fig, "true noise")
    np.testing.assert_allclose(truths[0].y, [0.4, 0.1], rtol=1e-6)
    np.testing.assert_allclose(truths[1].y, [0.3, 0.3], rtol=1e-6)
    assert list(fig.layout.xaxis.ticktext) == ["missing", "0"]


def test_the_areas_are_the_two_parts_of_the_entropy(predictive: Predictive, data: Dataset):
    x = predictive.x[:, 0]
    draws, noise, whole = np.random.default_rng(0).dirichlet(np.ones(2), (5, len(x))), 0 * x + 0.3, 0 * x + 0.5
    entropies = {"expected_entropy": noise, "predictive_entropy": whole, "mutual_information": whole - noise}
    given = replace(predictive, draws=draws, mean=draws.mean(0), **entropies)
    fig: Any = figures_classes.entropies_over_x(given, data, 0 * x, 0 * x)
    [noise], [rest] = named(fig, "Aleatoric"), named(fig, "Epistemic")
    assert (noise.y.min(), noise.y.max()) == pytest.approx((0, 0.3))
    assert (rest.y.min(), rest.y.max()) == pytest.approx((0.3, 0.5))
    told = figures_classes.describe_entropies(given, [("all", np.ones(len(x), bool))])
    assert {0.3, 0.2} <= set(numbers_in(told))


def test_descriptions(predictive: Predictive, data: Dataset):
    aleatoric, epistemic = (np.full_like(predictive.mean, value) for value in (0.3, 0.2))
    flat = replace(predictive, aleatoric_std=aleatoric, epistemic_std=epistemic)
    told = figures.describe_kinds(flat, data, np.full(len(flat.x), 0.25))
    assert set(numbers_in(told)) >= {0.3, 0.25, 0.2}
    assert 0.25 not in numbers_in(figures.describe_kinds(flat, data, None))
    told = figures.describe_against({"A": np.array([[1.0, 2.0], [3.0, 4.0]])}, ["a", "b"], "Noise")
    assert {2, 3} <= set(numbers_in(told))
    ends_early = np.array([[1.0, 0.5, np.nan], [3.0, 0.7, np.nan]])
    told = figures.describe_against({"HMC": ends_early, "A": np.ones((2, 3))}, ["N = 1", "N = 10", "N = 100"], "Sd")
    assert {1, 100, 2, 0.6, 10} <= set(numbers_in(told))
