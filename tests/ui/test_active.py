"""The page on active learning: every view and end, its snippets, runs that are trained and stopped, bad settings."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.topics.regression.active_learning import study as active_learning_study
from bdlviz.topics.regression.active_learning import study_bandit as active_learning_study_bandit
from bdlviz.topics.regression.active_learning import views_bandit as active_learning_views_bandit
from bdlviz.topics.regression.active_learning import views_curves as active_learning_views_curves
from bdlviz.topics.regression.active_learning import views_digits as active_learning_views_digits
from bdlviz.topics.regression.active_learning import views_job as active_learning_views_job
from bdlviz.topics.regression.active_learning import views_play as active_learning_views_play
from bdlviz.topics.regression.active_learning import views_runs as active_learning_views_runs
from bdlviz.topics.regression.active_learning.active import mean_interval
from bdlviz.ui.jobs import queue as jobs
from tests.ui.harness import assert_works, axis_ranges, controls, figures, move, open_page, press, trace

PAGE = "active_learning"
VIEWS = ("curve", "digits", "bandit")
OWN = {
    "curve": [control.key for control in active_learning_views_curves.CONTROLS],
    "digits": [control.key for control in active_learning_views_digits.CONTROLS],
    "bandit": [control.key for control in active_learning_views_bandit.CONTROLS],
}
SMALL: dict[str, Any] = {"hidden": (4,), "num_steps": 4}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch, queue: jobs.JobQueue) -> None:
    """Networks that train in no time, and one queue for all."""
    for settings in (
        active_learning_study.CURVE_SETTINGS,
        active_learning_study.DIGIT_SETTINGS,
        active_learning_study_bandit.BANDIT_SETTINGS,
    ):
        for name, usual in settings.items():
            monkeypatch.setitem(settings, name, usual | (SMALL if "num_steps" in usual else {}))
    monkeypatch.setattr(active_learning_views_digits, "LIVE_ROUNDS", 3)
    monkeypatch.setattr(active_learning_views_job, "QUEUE", queue)


def view(name: str, **query: str) -> AppTest:
    return open_page(PAGE, {"active_look": name} | query)


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_with_all_its_tabs(name: str):
    app = view(name)
    assert_works(app)
    assert not app.info and len(app.metric) == 4 and len(figures(app)) == (1 if name == "digits" else 2)
    for title in [tab.label for tab in app.tabs]:
        app.session_state["tabs"] = title
        assert_works(app.run())


@pytest.mark.parametrize("name", ["curve", "digits"])
def test_asking_at_random_has_an_equation_for_a_room(name: str):
    assert_works(app := view(name, ask="random", digit_ask="random", present="1"))
    assert any("mathcal{U}" in each.value for each in app.latex)


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("curve", {"learner": "deep_ensemble", "pool": "heteroscedastic", "ask": "information"}),
        ("digits", {}),
        ("digits", {"digit_start": "one"}),
        ("bandit", {}),
        ("bandit", {"belief": "deep_ensemble"}),
    ],
)
def test_the_snippet_runs(name: str, query: dict[str, str], monkeypatch: pytest.MonkeyPatch):
    for function in (active_learning_study.digit_course, active_learning_study.curve_course):
        monkeypatch.setattr(function, "__kwdefaults__", (function.__kwdefaults__ or {}) | {"num_rounds": 2})
    monkeypatch.setattr(active_learning_study_bandit.fitted_game, "__defaults__", (3,))
    app = view(name, **query)
    app.session_state["tabs"] = "Reproduce"
    app.run()
    names: dict[str, Any] = {}
    exec(compile(app.code[0].value, "snippet", "exec"), names)
    assert names.keys() & {"run", "game"}


@pytest.mark.parametrize("name", VIEWS)
def test_axes_stay_while_rounds_pass(name: str):
    key = OWN[name][-1] if name == "curve" else OWN[name][0]
    app = view(name)
    ranges = [axis_ranges(figure) for figure in figures(app)]
    for option in (controls(PAGE)[key].options[0], controls(PAGE)[key].options[-1]):
        move(app, key, option)
        assert [axis_ranges(figure) for figure in figures(app)] == ranges


def test_the_picture_is_that_of_the_shipped_run():
    app = view("curve", asked="7")
    _, extra = shelf.shipped(f"active_curves_{active_learning_study.METHODS[0]}")
    run = active_learning_study.first_run(extra, "x_sin_x", "epistemic")
    _, mean = trace(figures(app)[0], "Predictive mean")
    np.testing.assert_allclose(mean, run.mean[7], rtol=1e-5)
    x, _ = trace(figures(app)[0], "Labels so far")
    np.testing.assert_allclose(x, run.pool.x[run.labelled(7), 0], rtol=1e-5)
    asked, _ = trace(figures(app)[0], "Asked for next")
    assert asked[0] == pytest.approx(run.pool.x[run.picks[7], 0])
    assert app.metric[0].value == f"{run.rmse[7]:.2f}"


def test_where_noise_is_the_same_everywhere_it_is_said_to_decide_nothing():
    app = view("curve", ask="total")
    assert_works(app)
    assert sum("same order" in caption.value for caption in app.caption) == 1


def test_a_missing_study_gets_a_sentence(monkeypatch: pytest.MonkeyPatch):
    def gone(name: str) -> None:
        raise CheckpointError(f"No checkpoint called {name} is shipped.")

    monkeypatch.setattr(shelf, "shipped", gone)
    app = view("curve", learner="deep_ensemble")
    assert_works(app)  # one run is trained instead
    [said] = [each.value for each in app.info]
    assert "python -m bdlviz train active_curves_deep_ensemble" in said
    assert not app.exception and view("digits").info and view("bandit", belief="mc_dropout").info


@pytest.mark.parametrize("query", [{"pool_run": "3", "learner": "deep_ensemble"}, {"pool_run": "1", "ask": "random"}])
def test_another_run_is_trained(query: dict[str, str]):
    app = view("curve", **query)
    assert_works(app)
    _, errors = trace(figures(app)[1], "this run")
    assert len(errors) == active_learning_study.ROUNDS + 1


@pytest.mark.parametrize("start", ["each", "random", "one"])
def test_a_live_run_on_digits(start: str):
    app = view("digits", digit_start=start)
    assert_works(app)
    counts, quality = trace(figures(app)[0], "this run")
    assert counts.tolist() == [10, 15, 20, 25] and (quality > 0).all()


def test_a_stopped_run_shows_what_there_is_and_can_be_taken_up_again():
    app = view("curve")
    run = active_learning_study.curve_course("deep_ensemble", "x_sin_x", "epistemic", 2, num_rounds=3)
    app.session_state[active_learning_views_job.STOPPED] = (
        ("active", "deep_ensemble", "x_sin_x", "epistemic", 2),
        run,
        3,
    )
    for key, value in {"learner": "deep_ensemble", "pool_run": "2"}.items():
        app.session_state[key] = value
    assert_works(app.run())
    assert any("Stopped after 3 of 20 labels" in each.value for each in app.markdown)
    assert len(trace(figures(app)[1], "this run")[0]) == 4
    app = press(app, "train_again")
    assert_works(app)
    assert len(trace(figures(app)[1], "this run")[0]) == active_learning_study.ROUNDS + 1


def test_a_run_that_fails_gets_one_sentence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(active_learning_study.CURVE_SETTINGS["deep_ensemble"], "learning_rate", 99)
    app = view("curve", pool_run="1", learner="deep_ensemble")
    assert not app.exception and len(app.error) == 1
    assert "learning_rate" in app.error[0].value


def test_step_and_play():
    app = view("curve", asked="19")
    assert app.select_slider(key="asked").value == "19"
    press(app, "step_asked")
    assert app.select_slider(key="asked").value == "20"
    assert app.button(key="step_asked").disabled
    press(app, "play_asked")  # from the first round on
    assert app.select_slider(key="asked").value == "0"
    assert app.button(key="play_asked").label == "Pause"
    app.session_state[active_learning_views_play.ADVANCE] = "asked"
    app.run()
    assert app.select_slider(key="asked").value == "1"
    press(app, "play_asked")
    assert app.button(key="play_asked").label == "Play"


def test_playing_ends_with_the_last_round():
    app = view("curve", asked="19")
    press(app, "play_asked")
    app.session_state[active_learning_views_play.ADVANCE] = "asked"
    app.run()
    assert app.select_slider(key="asked").value == "20"
    assert app.button(key="play_asked").label == "Play" and active_learning_views_play.PLAYING not in app.session_state


def test_the_regret_is_that_of_the_game():
    app = view("bandit", policy="greedy", reward_noise="1", belief_scale="0.2")
    game = active_learning_study_bandit.exact_game("hills", "greedy", 0.2, 1.0, 1.0, 0.0)
    mean, _, high = mean_interval(game.regret.sum(1))
    assert app.metric[0].value == f"{mean:.1f} ± {high - mean:.1f}"
    _, curve = trace(figures(app)[1], "greedy")
    assert max(curve) >= mean - 1e-3


def test_networks_have_no_upper_bound():
    app = view("bandit", belief="mc_dropout", policy="upper_confidence", bandit_round="100")
    assert_works(app)
    assert any("No upper bound" in caption.value for caption in app.caption)


@pytest.mark.parametrize(
    ("found", "chance", "said"),
    [
        ([10, 12, 11, 10], [30, 33, 29, 31], "needs 20 fewer labels"),
        ([30, 33, 29, 31], [10, 12, 11, 10], "needs 20 more labels"),
        ([10, 30, 20, 40], [40, 20, 30, 10], "is not shown to need fewer"),
        ([10, 12, 11, np.nan], [30, 33, 29, 31], "in 3 of 4 runs, and at random in 4"),
        ([10, 12, 11, 10], [np.nan, np.nan, 29, 31], "needs at least 24 fewer labels"),
        ([10, 12, 11, 10], [np.nan, np.nan, 29, 31], "never gets there in 2 of 4 runs; 40 labels"),
    ],
)
def test_the_verdict(found: list[float], chance: list[float], said: str):
    counts = np.array([5, 40])
    assert said in active_learning_views_runs.verdict(
        "BALD", "90 %", counts, np.array(found, float), np.array(chance, float)
    )


def test_labels_needed_by_some_runs_only_are_said_to_be():
    counts, runs = np.array([10, 20, 30]), np.array([[0.5, 0.7, 0.9], [0.4, 0.6, 0.8]])
    needed = active_learning_views_runs.needed(counts, runs, 0.85, higher_is_better=True)
    assert active_learning_views_runs.needed_text(counts, needed) == "> 30 (1 of 2)"
    assert active_learning_views_runs.needed_text(counts, np.array([10.0, 20.0])).startswith("15 ±")


def test_the_page_is_in_the_navigation():
    routes = import_module("bdlviz.ui.places.routes")
    assert any(name == "regression/active_learning" for entries in routes.SECTIONS.values() for name, _ in entries)
