"""Exercises of the section on regression: their answers by other ways, their goals, and what their scenes show."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from bdlviz.data import load
from bdlviz.fitted import shelf
from bdlviz.lectures.exercise import Choice, Setting
from bdlviz.topics.regression.active_learning import bandit
from bdlviz.topics.regression.compare import exercises as compare_exercises
from bdlviz.topics.regression.effect_of_lambda import exercises as effect_of_lambda_exercises
from bdlviz.topics.regression.effect_of_lambda import study as effect_of_lambda_study
from bdlviz.topics.regression.function_draws import exercises as function_draws_exercises
from bdlviz.topics.shared.compare_choice import title
from bdlviz.types import Array
from tests.exercises.answers import number_of, shown
from tests.ui.harness import figures, numbers, open_page, scenes, trace

DECAY, DRAWS, COMPARE, BETWEEN = "effect_of_lambda", "function_draws", "compare", "in_between"


# The effect of weight decay -------------------------------------------------------------------------------------------


def means(page_values: dict[str, str]) -> list[tuple[Array, Array]]:
    """The predictive mean of the three panels, x and y."""
    found = {
        each.get("xaxis", "x"): (numbers(each["x"]), numbers(each["y"]))
        for each in figures(open_page(DECAY, page_values))[0]["data"]
        if each.get("name") == "Mean"
    }
    return [found[axis] for axis in ("x", "x2", "x3")]


def test_length_scales_are_those_of_the_shipped_networks():
    fit, _ = shelf.shipped("effect_of_lambda")

    def scale(weight_decay: float, rate: float) -> float:
        nearest = min(effect_of_lambda_study.LAMBDA_DECAYS, key=lambda each: abs(each - weight_decay))
        return fit.cell(seed=fit.config.seeds[0], dropout_rate=rate, weight_decay=nearest).length_scale

    expected = scale(0.000178, 0.05) / scale(0.00178, 0.0)
    assert number_of(effect_of_lambda_exercises.EFFECT_OF_LAMBDA[1]) == pytest.approx(expected, rel=0.01)
    assert expected == pytest.approx(math.sqrt(0.1 * 0.95), rel=0.01)


def test_the_smallest_weight_decay_fits_the_points_best():
    points = load("x_sin_x", noise_std=0.9)
    misfits = [float(np.square(np.interp(points.x[:, 0], x, y) - points.y[:, 0]).mean()) for x, y in means({})]
    assert misfits == sorted(misfits) and misfits[0] < 0.5 * misfits[1]
    choice = effect_of_lambda_exercises.EFFECT_OF_LAMBDA[2]
    assert isinstance(choice, Choice) and choice.right == 0


def test_too_large_a_weight_decay_gives_a_constant():
    usual, chosen, largest = (y for _, y in (means({})[1], *means(dict(scenes(DECAY)["too-large-lambda"].values))[1:]))
    assert np.ptp(usual) > 1 and np.ptp(chosen) < 0.01 and np.ptp(largest) < 0.01


# Function draws -------------------------------------------------------------------------------------------------------


def test_the_page_says_the_same_precision():
    exercise = function_draws_exercises.FUNCTION_DRAWS[0]
    assert isinstance(exercise, Setting)
    said = " ".join(each.value for each in open_page(DRAWS, exercise.solution_options).caption)
    assert rf"\tau = {2**2 / (2 * 20 * 0.03 * 0.8):.3g}" in said


def test_what_dropout_and_activations_do_to_the_draws():
    at, outside = "at the data", "outside"
    usual = shown(DRAWS, {})
    none, high, tanh = (shown(DRAWS, scenes(DRAWS)[name].values) for name in ("no-dropout", "high-dropout", "tanh"))
    assert none[at] == none[outside] == 0 and 1.8 < high[at] / usual[at] < 2.6
    assert usual[outside] > 3 * usual[at] and tanh[outside] < 1.1 * tanh[at]


# Compare --------------------------------------------------------------------------------------------------------------


def test_chance_on_fifty_points():
    rng = np.random.default_rng(0)
    shares = rng.binomial(50, 0.9, 200_000) / 50
    answer = number_of(compare_exercises.COMPARE[0])
    # The sd of an sd of so many numbers is a share 1 / sqrt(2 n) of it.
    assert answer / 196 == pytest.approx(shares.std(), rel=4 / math.sqrt(2 * len(shares)))


def test_coverage_is_blind_to_the_gap_and_the_distance_is_not():
    table = open_page(COMPARE, scenes(COMPARE)["gap"].values).dataframe[0].value
    distance, inside = (table[name].to_numpy(float) for name in ("Distance", "Inside 90% (%)"))
    is_compared = np.isfinite(distance)
    assert inside[is_compared].min() >= 85 and inside[is_compared].max() <= 90
    assert 2.5 < np.nanmax(distance) / np.nanmin(distance) < 3


def test_methods_differ_away_from_the_points():
    figure = figures(open_page(COMPARE, scenes(COMPARE)["where"].values))[0]
    points, _ = trace(figure, "Data")
    spacing = np.median(np.diff(np.sort(points)))
    for method in ("mc_dropout", "deep_ensemble", "bayes_by_backprop", "laplace"):
        x, distance = trace(figure, title(method))
        assert np.abs(x[distance.argmax()] - points).min() > spacing
        assert distance.max() > 2 * np.interp(points, x, distance).mean()


# In between -----------------------------------------------------------------------------------------------------------


def test_two_layers_hardly_open_the_gap():
    figure = figures(open_page(BETWEEN, scenes(BETWEEN)["two-layers"].values))[0]
    (x, exact), (_, fitted) = (trace(figure, name) for name in ("Exact (HMC)", "Bayes by Backprop"))
    middle = np.abs(x).argmin()
    assert fitted[middle] / exact[middle] == pytest.approx(1 / 8, abs=0.03)


# Active learning ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("widened", "is_same"), [(0.0, True), (1.0, False)])
def test_thompson_sampling_without_width_is_greedy(widened: float, is_same: bool):
    arms = np.linspace(0, 1, 21)
    games = []
    for policy in ("thompson", "greedy"):
        model = bandit.GaussianModel(bandit.prior_covariance(arms, 0.1, 0.7), 0.3, 3, widened)
        options: dict[str, Any] = {"num_rounds": 20, "noise_std": 0.3, "seeds": (0, 1, 2)}
        games.append(bandit.play(model, np.sin(5 * arms), policy, **options).arms)
    assert np.array_equal(*games) is is_same
