"""The studies of active learning: small versions of them, their ends, and what is shipped."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bdlviz import data
from bdlviz.errors import InvalidInput
from bdlviz.fitted import shelf
from bdlviz.topics.regression.active_learning import study, study_bandit
from bdlviz.topics.regression.active_learning.active import Course
from bdlviz.topics.regression.active_learning.study import curve_course, digit_course

SMALL: dict[str, Any] = {"hidden": (4,), "num_steps": 4}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Networks that train in no time."""
    for settings in (study.CURVE_SETTINGS, study.DIGIT_SETTINGS, study_bandit.BANDIT_SETTINGS):
        for name, usual in settings.items():
            monkeypatch.setitem(settings, name, usual | (SMALL if "num_steps" in usual else {}))


@pytest.mark.parametrize("method", study.METHODS)
@pytest.mark.parametrize("name", study.DATASETS)
def test_a_run_on_a_curve(method: str, name: str):
    run = curve_course(method, name, "epistemic", 1, num_rounds=3)
    assert run.num_rounds == 3 and len(run.rmse) == len(run.mean) == len(run.std) == 4
    assert len(set(run.labelled(3).tolist())) == study.START + 3
    for number, picked in enumerate(run.picks):
        free = np.setdiff1d(np.arange(study.POOL), run.labelled(number))
        assert run.scores[number][free].max() == run.scores[number][picked]
    assert np.isfinite(run.rmse).all()


def test_runs_share_their_start_and_repeat():
    first, other = (
        curve_course("deep_ensemble", "x_sin_x", score, 0, num_rounds=2) for score in ("random", "epistemic")
    )
    again = curve_course("deep_ensemble", "x_sin_x", "random", 0, num_rounds=2)
    np.testing.assert_array_equal(first.start, other.start)
    np.testing.assert_array_equal(first.picks, again.picks)
    assert first.rmse[0] == other.rmse[0]


def test_more_scores_are_offered_where_the_noise_varies():
    assert study.scores_on("x_sin_x") == ("epistemic", "random")
    assert set(study.scores_on("heteroscedastic")) == {"epistemic", "total", "information", "random"}
    pool = study.curve_pool("heteroscedastic", 0)
    noise = study.noise_std_at(pool, np.array([[0.0], [5.0]]))
    np.testing.assert_allclose(noise[:, 0], [0.05, 0.55])


def test_a_pool_of_equal_points_gives_finite_predictions():
    pool = study.curve_pool("x_sin_x", 0)
    same = replace(pool, x=np.full_like(pool.x, 2.0))
    seen = study.curve_look("deep_ensemble", same, 0)(np.arange(3))
    assert np.isfinite(seen.pool.epistemic_std).all() and np.isfinite(seen.quality)


def test_a_pool_without_a_truth_is_refused():
    with pytest.raises(InvalidInput, match="unknown"):
        study.curve_look("deep_ensemble", replace(study.curve_pool("x_sin_x", 0), truth=None), 0)


@pytest.mark.parametrize("start", ["each", "random", "one"])
@pytest.mark.parametrize("score", ["bald", "entropy", "votes", "random"])
def test_a_run_on_digits(start: str, score: str):
    run = digit_course("mc_dropout", score, 3, start=start, num_rounds=2)
    assert run.counts.tolist() == [10, 15, 20]
    assert run.seen[0].pool.mean.shape == (1437, 10)  # ten classes, met or not
    labels = data.load("digits").y[run.start]
    assert {"each": 10, "one": 1}.get(start, len(set(labels))) == len(set(labels))


def test_a_run_can_be_stopped():
    def on_round(course: Course) -> bool:
        return len(course.picks) < 1

    assert len(digit_course("mc_dropout", "bald", 0, num_rounds=5, on_round=on_round).picks) == 1


def test_a_network_as_the_model_of_a_bandit():
    for method in study_bandit.BANDIT_SETTINGS:
        game = study_bandit.fitted_game(method, "thompson", 2, num_rounds=5)
        np.testing.assert_array_equal(game.arms[:, :2], study_bandit.first_arms(3)[2:])
        assert game.mean.shape == (5, len(study_bandit.ARMS)) and np.isfinite(game.mean).all()


def test_the_exact_game_learns():
    thompson, anywhere = (
        study_bandit.exact_game("hills", policy, 0.1, 0.3, 1.0, epsilon).regret
        for policy, epsilon in (("thompson", 0.0), ("epsilon_greedy", 1.0))
    )
    assert thompson[:, -20:].mean() < 0.2 * anywhere[:, -20:].mean()


def test_the_best_arm_of_every_reward():
    arms = study_bandit.ARMS
    best = {name: float(arms[reward(arms).argmax()]) for name, reward in study_bandit.REWARDS.items()}
    assert best == pytest.approx({"hills": 0.8, "needle": 0.63, "ramp": 1.0}, abs=0.02)


@pytest.mark.parametrize("method", study.METHODS)
def test_what_is_shipped_of_curves(method: str):
    _, extra = shelf.shipped(f"active_curves_{method}")
    for name in study.DATASETS:
        for score in study.scores_on(name):
            run = study.first_run(extra, name, score)
            assert extra[f"{name}_{score}_rmse"].shape == (study.RUNS, study.ROUNDS + 1)
            assert len(set(run.labelled(study.ROUNDS).tolist())) == study.START + study.ROUNDS
            assert run.mean.shape == (study.ROUNDS + 1, study.NUM_GRID)


@pytest.mark.parametrize("method", study.DIGIT_METHODS)
def test_what_is_shipped_of_digits(method: str):
    _, extra = shelf.shipped(f"active_digits_{method}")
    for score in study.DIGIT_SCORES:
        assert extra[f"{score}_accuracy"].shape == (study.DIGIT_RUNS, study.DIGIT_ROUNDS + 1)
        assert extra[f"{score}_accuracy"][:, -1].min() > 0.85
        picks = extra[f"{score}_picks"].reshape(study.DIGIT_RUNS, -1)
        assert all(len(set(each.tolist())) == picks.shape[1] for each in picks)


def test_what_is_shipped_of_the_bandit():
    _, extra = shelf.shipped("active_bandit")
    for method in study_bandit.BANDIT_SETTINGS:
        for policy in study_bandit.FITTED_POLICIES:
            regret = extra[f"{method}_{policy}_regret"]
            assert regret.shape == (study_bandit.FITTED_RUNS, study_bandit.FITTED_ROUNDS) and regret.min() >= 0
