"""The page on active learning: views, snippets, runs that are trained or stopped, and the player."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.predictive.intervals import mean_interval
from bdlviz.topics.regression.active_learning import (
    acquisition,
    runs,
    study,
    study_bandit,
    views_bandit,
    views_curves,
    views_digits,
)
from bdlviz.topics.regression.active_learning.figures import NOW
from bdlviz.topics.regression.active_learning.runs import UNCLEAR
from bdlviz.types import Snapshot
from bdlviz.ui.frame import explain
from bdlviz.ui.jobs.obtain import STOPPED
from bdlviz.ui.model import Need, Result, Setting
from tests.told import numbers_in
from tests.topics.regression.short_fits import SCREEN, figure_of
from tests.ui.harness import assert_works, axis_ranges, controls, figures, open_page, press, trace

PAGE = "active_learning"
VIEWS = ("curve", "digits", "bandit")
SMALL: dict[str, Any] = {"hidden": (4,), "num_steps": 4}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Networks that train in no time."""
    for settings in (study.CURVE_SETTINGS, study.DIGIT_SETTINGS, study_bandit.BANDIT_SETTINGS):
        for name, usual in settings.items():
            monkeypatch.setitem(settings, name, usual | (SMALL if "num_steps" in usual else {}))
    monkeypatch.setattr(views_digits, "LIVE_ROUNDS", 3)


def drawn(name: str, **values: str) -> Result:
    """A view with what it needs: shipped, or computed here."""
    setting = Setting(values)
    if name == "bandit":
        return views_bandit.game(setting, SCREEN, None)
    if name == "curve":
        return views_curves.curve(setting, SCREEN, obtained(views_curves.needed(setting)))
    need = views_digits.needed(setting)
    return views_digits.digits(setting, SCREEN, obtained(need) if isinstance(need, Need) else ())


def obtained(need: Need[Any], look: Callable[[Snapshot[Any]], bool] = lambda moment: True) -> Any:
    found = need.shipped() if need.shipped is not None else None
    if found is not None:
        return found
    assert need.work is not None
    return need.read(need.work(look, threading.Event()))


def values_of(result: Result) -> list[str]:
    return list(result.numbers.values())


# On the page ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_has_numbers_formulas_code_and_a_snippet(name: str):
    result, at_random = drawn(name), drawn(name, ask="random", digit_ask="random")
    assert len(result.numbers) == 4 and len(result.figures) == (1 if name == "digits" else 2)
    assert (
        result.code and result.call and all(explain.formulas(explain.as_formula(each).of) for each in result.formulas)
    )
    functions = [explain.as_formula(each).of for each in at_random.formulas]
    assert (acquisition.CURVE_SCORES["random"] in functions) == (name != "bandit")


def test_a_stopped_run_shows_what_there_is_and_can_be_taken_up_again():
    values = {"learner": "deep_ensemble", "pool_run": "2"}
    need = views_curves.needed(Setting(values))
    reached: list[Any] = []

    def stop_after_three(moment: Snapshot[Any]) -> bool:
        reached.append(moment.take())
        return reached[-1].num_steps_done < 3

    obtained(need, stop_after_three)
    app = open_page(PAGE)
    app.session_state[STOPPED] = {"": (need.key, reached[-1])}
    for key, value in values.items():
        app.session_state[key] = value
    assert_works(app.run())
    assert any({3, study.ROUNDS} <= set(numbers_in(each.value)) for each in app.markdown)
    assert len(trace(figures(app)[1], "this run")[0]) == 4
    app = press(app, "train_again")
    assert_works(app)
    assert len(trace(figures(app)[1], "this run")[0]) == study.ROUNDS + 1


def test_a_run_that_fails_gets_one_sentence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(study.CURVE_SETTINGS["deep_ensemble"], "learning_rate", 99)
    app = open_page(PAGE, {"pool_run": "1", "learner": "deep_ensemble"})
    assert not app.exception and len(app.error) == 1
    assert "learning_rate" in app.error[0].value


# What the views draw --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("curve", {"learner": "deep_ensemble", "pool": "heteroscedastic", "ask": "information"}),
        ("digits", {}),
        ("digits", {"digit_start": "one"}),
        ("bandit", {}),
        ("bandit", {"belief": "deep_ensemble"}),
    ],
)
def test_the_snippet_runs(name: str, values: dict[str, str], monkeypatch: pytest.MonkeyPatch):
    call, few = drawn(name, **values).call, study.learn

    def learn(*args: Any, num_rounds: int, **options: Any) -> Any:
        return few(*args, num_rounds=min(2, num_rounds), **options)

    monkeypatch.setattr(study, "learn", learn)
    if values.get("belief"):  # a game of networks has no short form but its number of rounds
        call = call.replace("run=0", "run=0, num_rounds=3")
    names: dict[str, Any] = {}
    exec(compile(call, "snippet", "exec"), names)
    assert names.keys() & {"run", "game"}


@pytest.mark.parametrize(
    ("name", "control"), [("curve", "asked"), ("digits", "digit_rounds"), ("bandit", "bandit_round")]
)
def test_axes_stay_while_rounds_pass(name: str, control: str):
    options = controls(PAGE)[control].options
    first, last = (drawn(name, **{control: option}) for option in (options[0], options[-1]))
    for place in range(len(first.figures)):
        assert axis_ranges(figure_of(first, place)) == axis_ranges(figure_of(last, place))


def test_the_picture_is_that_of_the_shipped_run():
    result = drawn("curve", asked="7")
    _, extra = shelf.shipped(f"active_curves_{study.METHODS[0]}")
    run = study.first_run(extra, "x_sin_x", "epistemic")
    picture = figure_of(result)
    np.testing.assert_allclose(trace(picture, "Predictive mean")[1], run.mean[7], rtol=1e-5)
    known = [*trace(picture, "Given at first")[0], *trace(picture, "Chosen")[0]]
    np.testing.assert_allclose(known, run.pool.x[run.labelled(7), 0], rtol=1e-5)
    assert trace(picture, "Asked for next")[0][0] == pytest.approx(run.pool.x[run.picks[7], 0])
    assert values_of(result)[0] == f"{run.rmse[7]:.2f}"


@pytest.mark.parametrize("ask", ["epistemic", "random"])
def test_the_highest_disagreement_of_every_round_is_on_the_axis(ask: str):
    """The scores of the shipped run, on one axis for all rounds, whose ends are decimal logarithms."""
    _, extra = shelf.shipped(f"active_curves_{study.METHODS[0]}")
    run = study.first_run(extra, "x_sin_x", ask)
    for at, pick in enumerate(run.picks):
        picture = figure_of(drawn("curve", ask=ask, asked=str(at)))
        shown = trace(picture, "Asked for next")[1][0]
        assert shown == pytest.approx(run.scores[at, pick], rel=1e-5)
        low, high = picture["layout"]["yaxis2"]["range"]
        assert low < np.log10(shown) < high


def test_a_missing_study_gets_a_sentence(monkeypatch: pytest.MonkeyPatch):
    def gone(name: str) -> None:
        raise CheckpointError(f"No checkpoint called {name} is shipped.")

    monkeypatch.setattr(shelf, "shipped", gone)
    values = {"learner": "deep_ensemble", "belief": "mc_dropout"}  # one run is trained instead
    studies = {"curve": "active_curves_deep_ensemble", "digits": "active_digits_mc_dropout", "bandit": "active_bandit"}
    for name, missing in studies.items():
        assert sum(f"python -m bdlviz train {missing}" in words for words in drawn(name, **values).words) == 1


@pytest.mark.parametrize("values", [{"pool_run": "3", "learner": "deep_ensemble"}, {"pool_run": "1", "ask": "random"}])
def test_another_run_is_trained(values: dict[str, str]):
    _, errors = trace(figure_of(drawn("curve", **values), 1), "this run")
    assert len(errors) == study.ROUNDS + 1


@pytest.mark.parametrize("start", ["each", "random", "one"])
def test_a_live_run_on_digits(start: str):
    counts, quality = trace(figure_of(drawn("digits", digit_start=start)), "this run")
    assert counts.tolist() == [10, 15, 20, 25] and (quality > 0).all()


def test_the_regret_is_that_of_the_game():
    result = drawn("bandit", policy="greedy", reward_noise="1", belief_scale="0.2")
    game = study_bandit.exact_game("hills", "greedy", 0.2, 1.0, 1.0, 0.0)
    mean, _, high = mean_interval(game.regret.sum(1))
    assert values_of(result)[0] == f"{mean:.1f} ± {high - mean:.1f}"
    _, curve = trace(figure_of(result, 1), "greedy")
    assert max(curve) >= mean - 1e-3


def test_networks_have_no_upper_bound():
    upper, plain = (
        drawn("bandit", belief="mc_dropout", policy=policy, bandit_round="100").words
        for policy in ("upper_confidence", "greedy")
    )
    assert len(upper) > len(plain)


# Words ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "chance", "told"),
    [
        ([10, 12, 11, 10], [30, 33, 29, 31], [20, 4]),
        ([30, 33, 29, 31], [10, 12, 11, 10], [20, 4]),
        ([10, 30, 20, 40], [40, 20, 30, 10], [4]),
        ([10, 12, 11, np.nan], [30, 33, 29, 31], [40, 90, 3, 4, 4]),
        ([10, 12, 11, 10], [np.nan, np.nan, 29, 31], [24, 4]),
        ([10, 12, 11, 10], [np.nan, np.nan, 29, 31], [2, 4, 40]),
    ],
)
def test_the_verdict(found: list[float], chance: list[float], told: list[float]):
    counts = np.array([5, 40])
    said = runs.verdict("BALD", "90 %", counts, np.array(found, float), np.array(chance, float))
    assert set(told) <= set(numbers_in(said))


def test_the_number_of_labels_says_how_many_runs_reach_the_level():
    counts, quality = np.array([10, 20, 30]), np.array([[0.5, 0.7, 0.9], [0.4, 0.6, 0.8]])
    needed = runs.needed(counts, quality, 0.85, higher_is_better=True)
    assert runs.needed_text(counts, needed) == "> 30 (1 of 2)"
    assert runs.needed_text(counts, np.array([10.0, 20.0])).startswith("15 ±")


# The sentence ---------------------------------------------------------------------------------------------------------


def is_clear(mine: Any, other: Any) -> bool:
    return stats.ttest_rel(mine, other).pvalue < 0.05


@pytest.mark.parametrize("ask", ["epistemic", "random"])
@pytest.mark.parametrize("asked", ["2", "5", "12", "20"])
def test_the_sentence_of_the_curve_compares_runs_in_pairs(ask: str, asked: str):
    """The means of both stand in the picture, and where the other choice is as good in the mean of runs."""
    _, extra = shelf.shipped("active_curves_gaussian_process")
    names = (ask, "epistemic" if ask == "random" else "random")
    mine, other = (extra[f"x_sin_x_{each}_rmse"][:, int(asked)].astype(float) for each in names)
    result = drawn("curve", ask=ask, asked=asked)
    count, *told = numbers_in(result.says)
    every = extra[f"x_sin_x_{names[1]}_rmse"].astype(float).mean(0)
    reached = [at for at, error in enumerate(every) if error <= mine.mean()][:1] or [study.ROUNDS]
    expected = [mine.mean(), other.mean(), *reached]
    assert count == int(asked) and told == pytest.approx(expected, rel=0.06)
    picture: Any = result.figures[1].figure
    notes = [note for note in picture.layout.annotations if numbers_in(note.text)]
    shown = sorted(numbers_in(" ".join(note.text for note in notes)))
    again = [mine.mean()] * bool((every > mine.mean()).all())  # the error that is not reached
    assert shown == pytest.approx(sorted([*expected, *again]), rel=0.06)
    assert {note.x for note in notes} == {count, *reached}
    assert not [line for line in picture.data if line.name == "this run"], "Only the two that are compared."
    dots = [dot.y[0] for dot in picture.data if dot.name == NOW]
    assert sorted(dots) == pytest.approx(sorted(each.mean() for each in (mine, other)), rel=1e-5)


def test_before_any_label_is_asked_for_all_ways_to_choose_have_the_same_error():
    _, extra = shelf.shipped("active_curves_gaussian_process")
    first, same = (extra[f"x_sin_x_{each}_rmse"][:, 0].astype(float) for each in ("epistemic", "random"))
    assert first.tolist() == same.tolist()
    assert numbers_in(drawn("curve", asked="0").says) == pytest.approx([study.START, first.mean()], rel=0.06)


@pytest.mark.parametrize("rounds", ["1", "20", "40"])
def test_the_sentence_of_the_digits_compares_runs_in_pairs(rounds: str):
    _, extra = shelf.shipped("active_digits_mc_dropout")
    mine, other = (100 * extra[f"{each}_accuracy"][:, int(rounds)].astype(float) for each in ("bald", "random"))
    said = drawn("digits", digit_rounds=rounds).says
    _, *means, num_runs = numbers_in(said)
    assert means == pytest.approx([mine.mean(), other.mean()], rel=0.02) and num_runs == len(mine)
    assert (UNCLEAR not in said) == is_clear(mine, other)


@pytest.mark.parametrize("at", ["10", "100"])
def test_the_sentence_of_the_bandit_compares_runs_in_pairs(at: str):
    games = [study_bandit.exact_game("hills", policy, 0.1, 0.3, 1.0, 0.0) for policy in ("thompson", "greedy")]
    mine, other = (game.regret[:, : int(at)].sum(1) for game in games)
    said = drawn("bandit", bandit_round=at).says
    round_, *lost, num_runs = numbers_in(said)
    assert (round_, num_runs) == (int(at), len(mine))
    assert lost == pytest.approx([mine.mean(), other.mean()], rel=0.01)
    assert (UNCLEAR not in said) == is_clear(mine, other)
