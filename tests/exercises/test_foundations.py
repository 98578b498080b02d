"""Exercises of the section on foundations: their answers by other ways, their goals, and what their scenes show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from bdlviz import plots
from bdlviz.data import load
from bdlviz.data.noisy_curves import noise_and_gap_noise_std
from bdlviz.lectures.exercise import Number, Prediction
from bdlviz.models import targets
from bdlviz.topics.foundations.bayes_rule import exercises as bayes_rule_exercises
from bdlviz.topics.foundations.bayes_rule import two_parameters, views_maps, views_networks
from bdlviz.topics.foundations.depth_and_edges import dense_source, study_dense
from bdlviz.topics.foundations.depth_and_edges import exercises as depth_and_edges_exercises
from bdlviz.topics.foundations.noise_or_ignorance import exercises as noise_or_ignorance_exercises
from bdlviz.topics.foundations.variational_or_mcmc import exercises as variational_or_mcmc_exercises
from bdlviz.ui.model import Draw, Screen, Setting, Table
from tests.exercises.answers import metrics, number_of, shown
from tests.ui.harness import controls, scenes

BAYES, KINDS, DEPTH, CHAINS = "bayes_rule", "noise_or_ignorance", "depth_and_edges", "variational_or_mcmc"
SCREEN = Screen(plots.theme("light"))


def table_of(view: Draw, values: Mapping[str, str]) -> Sequence[Sequence[str]]:
    """The rows of the table that a view shows."""
    [found] = [part for part in view(Setting(values), SCREEN, None).parts if isinstance(part, Table)]
    return found.rows


# Bayes' rule ----------------------------------------------------------------------------------------------------------


def test_one_ridge_weight_has_one_map_and_several_posteriors():
    x, y = np.array([-1.0, 0.5, 2.0]), np.array([0.3, -0.4, 1.7])
    design = np.column_stack([x, np.ones(3)])
    wide, narrow = (
        np.linalg.inv(design.T @ design / noise**2 + np.eye(2) / std**2) for noise, std in ((2, 1), (1, 0.5))
    )
    best = two_parameters.most_likely(two_parameters.LINE, x, y, ridge_weight=4.0)
    np.testing.assert_allclose(wide @ design.T @ y / 4, best, atol=1e-9)
    np.testing.assert_allclose(narrow @ design.T @ y, best, atol=1e-9)
    np.testing.assert_allclose(wide, 4 * narrow, atol=1e-12)


def test_a_new_point_varies_with_the_function_and_the_noise():
    second = 2.2 * math.tanh(0.45 * 3.5)
    third = 1.5 * math.tanh(1.1 * 3.5) - 1.3 * math.tanh(2 * 3.5 - 5) - 1.3
    expected = math.sqrt(0.75 * 0.25 * (second - third) ** 2 + 0.5**2)
    assert number_of(bayes_rule_exercises.BAYES_RULE[2]) == pytest.approx(expected, rel=1e-9)
    values = {"four_points": "0", "odds_1": "0", "odds_2": "3", "odds_3": "1", "odds_4": "0"}
    told = float(table_of(views_networks.networks, values)[-1][-1].split("±")[1])
    assert math.hypot(told, 0.5) == pytest.approx(expected, abs=0.01)


def test_one_point_gives_a_ridge():
    feature = np.array([0.685, 1.0])
    least, most = np.linalg.eigvalsh(np.linalg.inv(np.eye(2) + np.outer(feature, feature) / 0.7**2))
    assert most == pytest.approx(1.0) and least < 0.3
    assert "ridge" in bayes_rule_exercises.BEFORE_ONE.choice.solution


def test_the_mean_weights_predict_zero_and_one_wrong_network_remains():
    assert "(0.00, 0.00)" in views_maps.maps(Setting(scenes(BAYES)["network"].values), SCREEN, None).says
    assert "0" in bayes_rule_exercises.BEFORE_NETWORK.choice.solution
    rows = table_of(views_networks.networks, scenes(BAYES)["four-wrong"].values)
    assert max(float(row[4]) for row in rows[:4]) > 0.999


# Noise or ignorance ---------------------------------------------------------------------------------------------------


def test_one_constant_settles_at_the_root_of_the_mean_square():
    data = load("noise_and_gap")
    noise = noise_and_gap_noise_std(data.x)
    assert (noise.min(), noise.max()) == pytest.approx((0.1, 0.5), abs=0.01)
    expected = float(np.sqrt(np.square(noise).mean()))
    error = expected / math.sqrt(2 * data.num_data)  # of a standard deviation from so many points
    learned = shown(KINDS, scenes(KINDS)["constant"].values)["Aleatoric"]
    assert learned == pytest.approx(expected, abs=2 * error)
    assert f"{expected:.2f}" in noise_or_ignorance_exercises.BEFORE_CONSTANT.choice.solution


def test_dropout_does_not_see_green():
    arrays, told = dense_source.bundle(study_dense.SCENES), []
    values = {key: each.default for key, each in controls(DEPTH).items()}
    for front in ("none", "green"):
        setting = Setting({**values, **scenes(DEPTH)["green"].values, "front": front})
        scene, predicted = dense_source.scene_of(setting), dense_source.depth(setting, arrays)
        told += [predicted.epistemic_std[scene.front[0]].mean()]
    assert told[1] < 1.5 * told[0] and abs(predicted.mean - scene.depth[0])[scene.front[0]].mean() > 1
    assert f"{told[1]:.1f} m" in depth_and_edges_exercises.BEFORE_GREEN.choice.solution


# Variational or MCMC --------------------------------------------------------------------------------------------------


def test_the_correlation_is_that_of_the_grid_and_what_the_page_lets_one_read():
    _, covariance = targets.grid_of("line").moments
    correlation = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    exercise = variational_or_mcmc_exercises.VARIATIONAL_OR_MCMC[0]
    assert number_of(exercise) == pytest.approx(-correlation, abs=1e-6)
    ratio = shown(CHAINS, {})["true sd"]
    assert f"{ratio:.2f}" in exercise.question
    assert isinstance(exercise, Number) and exercise.is_right(math.sqrt(1 - ratio**2))


def test_the_other_direction_has_the_true_widths():
    assert metrics(CHAINS, {"direction": "forward"})["true sd"] == "1.00, 1.00"


@pytest.mark.parametrize(
    ("scene", "prediction", "widths"),
    [
        ("one-mode", variational_or_mcmc_exercises.BEFORE_ONE_MODE, (0.0, 0.5)),
        ("both-modes", variational_or_mcmc_exercises.BEFORE_BOTH_MODES, (0.9, 1.1)),
    ],
)
def test_each_direction_of_the_divergence_has_its_known_result(
    scene: str, prediction: Prediction, widths: tuple[float, float]
):
    low, high = widths
    assert low < shown(CHAINS, scenes(CHAINS)[scene].values)["true sd"] < high
    assert ("one" in prediction.choice.solution) == (scene == "one-mode")
