"""The studies of active learning: small versions of them, their ends, and what is shipped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bdlviz import data, recipes_active, recipes_bandit, shelf
from bdlviz.errors import InvalidInput
from bdlviz.predictive.active import Course
from bdlviz.recipes_active import curve_course, digit_course

SMALL: dict[str, Any] = {"hidden": (4,), "num_steps": 4}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Networks that train in no time."""
    for settings in (recipes_active.CURVE_SETTINGS, recipes_active.DIGIT_SETTINGS, recipes_bandit.BANDIT_SETTINGS):
        for name, usual in settings.items():
            monkeypatch.setitem(settings, name, usual | (SMALL if "num_steps" in usual else {}))
    yield


@pytest.mark.parametrize("method", recipes_active.METHODS)
@pytest.mark.parametrize("name", recipes_active.DATASETS)
def test_a_run_on_a_curve(method: str, name: str):
    run = curve_course(method, name, "epistemic", 1, num_rounds=3)
    assert run.num_rounds == 3 and len(run.rmse) == len(run.mean) == len(run.std) == 4
    assert len(set(run.labelled(3).tolist())) == recipes_active.START + 3
    for number, picked in enumerate(run.picks):
        free = np.setdiff1d(np.arange(recipes_active.POOL), run.labelled(number))
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


def test_only_where_noise_varies_do_more_scores_choose():
    assert recipes_active.scores_on("x_sin_x") == ("epistemic", "random")
    assert set(recipes_active.scores_on("heteroscedastic")) == {"epistemic", "total", "information", "random"}
    pool = recipes_active.curve_pool("heteroscedastic", 0)
    noise = recipes_active.noise_std_at(pool, np.array([[0.0], [5.0]]))
    np.testing.assert_allclose(noise[:, 0], [0.05, 0.55])


def test_points_that_are_all_equal_are_no_trouble():
    pool = recipes_active.curve_pool("x_sin_x", 0)
    same = replace(pool, x=np.full_like(pool.x, 2.0))
    seen = recipes_active.curve_look("deep_ensemble", same, 0)(np.arange(3))
    assert np.isfinite(seen.pool.epistemic_std).all() and np.isfinite(seen.quality)


def test_without_a_truth_there_is_no_error():
    with pytest.raises(InvalidInput, match="unknown"):
        recipes_active.curve_look("deep_ensemble", replace(recipes_active.curve_pool("x_sin_x", 0), truth=None), 0)


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
    for method in recipes_bandit.BANDIT_SETTINGS:
        game = recipes_bandit.fitted_game(method, "thompson", 2, num_rounds=5)
        np.testing.assert_array_equal(game.arms[:, :2], recipes_bandit.first_arms(3)[2:])
        assert game.mean.shape == (5, len(recipes_bandit.ARMS)) and np.isfinite(game.mean).all()


def test_the_exact_game_learns():
    thompson, anywhere = (
        recipes_bandit.exact_game("hills", policy, 0.1, 0.3, 1.0, epsilon).regret
        for policy, epsilon in (("thompson", 0.0), ("epsilon_greedy", 1.0))
    )
    assert thompson[:, -20:].mean() < 0.2 * anywhere[:, -20:].mean()


def test_rewards_have_the_best_arm_where_they_say():
    arms = recipes_bandit.ARMS
    best = {name: float(arms[reward(arms).argmax()]) for name, reward in recipes_bandit.REWARDS.items()}
    assert best == pytest.approx({"hills": 0.8, "needle": 0.63, "ramp": 1.0}, abs=0.02)


@pytest.mark.parametrize("method", recipes_active.METHODS)
def test_what_is_shipped_of_curves(method: str):
    _, extra = shelf.shipped(f"active_curves_{method}")
    for name in recipes_active.DATASETS:
        for score in recipes_active.scores_on(name):
            run = recipes_active.first_run(extra, name, score)
            assert extra[f"{name}_{score}_rmse"].shape == (recipes_active.RUNS, recipes_active.ROUNDS + 1)
            assert (
                len(set(run.labelled(recipes_active.ROUNDS).tolist())) == recipes_active.START + recipes_active.ROUNDS
            )
            assert run.mean.shape == (recipes_active.ROUNDS + 1, recipes_active.NUM_GRID)


@pytest.mark.parametrize("method", recipes_active.DIGIT_METHODS)
def test_what_is_shipped_of_digits(method: str):
    _, extra = shelf.shipped(f"active_digits_{method}")
    for score in recipes_active.DIGIT_SCORES:
        assert extra[f"{score}_accuracy"].shape == (recipes_active.DIGIT_RUNS, recipes_active.DIGIT_ROUNDS + 1)
        assert extra[f"{score}_accuracy"][:, -1].min() > 0.85
        picks = extra[f"{score}_picks"].reshape(recipes_active.DIGIT_RUNS, -1)
        assert all(len(set(each.tolist())) == picks.shape[1] for each in picks)


def test_what_is_shipped_of_the_bandit():
    _, extra = shelf.shipped("active_bandit")
    for method in recipes_bandit.BANDIT_SETTINGS:
        for policy in recipes_bandit.FITTED_POLICIES:
            regret = extra[f"{method}_{policy}_regret"]
            assert regret.shape == (recipes_bandit.FITTED_RUNS, recipes_bandit.FITTED_ROUNDS) and regret.min() >= 0
