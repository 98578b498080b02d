"""Figures of active learning and of a bandit: the right numbers at the right places."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bdlviz import plots
from bdlviz.predictive.intervals import mean_interval
from bdlviz.topics.regression.active_learning import figures as active_learning_figures
from bdlviz.topics.regression.active_learning import figures_bandit as active_learning_figures_bandit
from bdlviz.topics.regression.active_learning.figures import NEXT, NOW, best_free
from bdlviz.types import Dataset, Predictive
from tests.plots.figure_properties import named
from tests.told import numbers_in

RNG = np.random.default_rng(0)
SCORES = np.array([0.5, 9.0, 1.0, 2.0, 4.0, 0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7])


def test_the_chosen_point_is_the_highest_without_a_label(predictive: Predictive, data: Dataset):
    labelled = np.array([1, 2])
    fig: Any = active_learning_figures.active_round(
        replace(predictive, draws=predictive.draws[:0]), data, labelled, num_given=1, scores=SCORES
    )
    assert best_free(labelled, SCORES) == 4
    [asked] = named(fig, "Asked for next")
    assert (asked.x[0], asked.y[0]) == pytest.approx((data.x[4, 0], 4.0))
    assert {line.x[0] for line in named(fig, NEXT)} == {data.x[4, 0]} and len(named(fig, NEXT)) == 2
    given, known = (named(fig, name)[0] for name in ("Given at first", "Chosen"))
    np.testing.assert_allclose([*given.x, *known.x], data.x[labelled, 0], rtol=1e-6)
    *_, newest, then = (note for note in fig.layout.annotations if note.text)
    assert (newest.x, newest.y) == pytest.approx((data.x[2, 0], data.y[2, 0])) and then.x == asked.x[0]
    [wanted] = named(fig, "Pool without labels")
    assert len(wanted.x) == 10 and max(wanted.y) == 4 and min(wanted.y) == 0.01, "The axis begins there."
    assert tuple(fig.layout.xaxis.range) == tuple(fig.layout.xaxis2.range) == data.x_range


def test_scores_of_zero_and_the_last_round(predictive: Predictive, data: Dataset):
    fig: Any = active_learning_figures.active_round(predictive, data, np.arange(12), num_given=1)
    assert not named(fig, "Asked for next") and np.isnan(named(fig, NEXT)[0].y).all()
    notes = len(fig.layout.annotations)
    fig: Any = active_learning_figures.active_round(predictive, data, np.array([3]), num_given=1, scores=np.zeros(12))
    assert len(fig.layout.annotations) < notes, "A note says that nothing more is asked for."
    assert set(named(fig, "Pool without labels")[0].y) == {0.01}


@pytest.mark.parametrize("is_free_above", [False, True])
@pytest.mark.parametrize("num_runs", [1, 5])
def test_runs_have_a_mean_and_an_interval(num_runs: int, is_free_above: bool):
    x, runs = np.arange(3.0, 8), {name: RNG.random((num_runs, 5)) for name in ("a", "b", "c")}
    interval = {name: mean_interval(values) for name, values in runs.items()}
    fig: Any = active_learning_figures.runs_against(
        x,
        runs,
        x_label="Labels",
        y_label="RMSE",
        x_range=(2.0, 9.0),
        y_range=(0.0, 1.0),
        interval=interval,
        chosen="b",
        marked=4.0,
        levels={"half": 0.5},
        live=(x[:2], np.array([0.3, 0.2])),
        told=("b", "c"),
        is_free_above=is_free_above,
    )
    for name in runs:
        lines = [trace for trace in named(fig, name) if trace.fill is None]
        np.testing.assert_allclose(lines[0].y, runs[name].mean(0), rtol=1e-6)
        areas = [trace for trace in named(fig, name) if trace.fill == "toself"]
        assert len(areas) == (num_runs > 1)
    [chosen] = [trace for trace in named(fig, "b") if trace.fill is None]
    assert chosen.line.color == plots.LIGHT.mean and chosen.line.dash == "solid"
    assert len({trace.line.dash for trace in fig.data if trace.name in runs and trace.fill is None}) == 3
    np.testing.assert_allclose(named(fig, "this run")[0].y, [0.3, 0.2], rtol=1e-6)
    level, *notes = fig.layout.annotations
    means = {name: runs[name][:, 1].mean() for name in "bc"}
    assert level.text == "half" and {note.x for note in notes} == {4}
    assert len(notes) == (len(runs) + 1 if is_free_above else 1)
    shown = numbers_in(re.sub("<.*?>", " ", " ".join(note.text for note in notes)))
    assert sorted(shown) == pytest.approx(sorted(means.values()), rel=0.01)
    assert sorted(dot.y[0] for dot in named(fig, NOW)) == pytest.approx(sorted(means.values()), rel=1e-6)
    told = active_learning_figures.describe_runs(x, interval, what="RMSE", where="labels", at=1)
    assert numbers_in(told)[0] == 4 and ("to" in told) == (num_runs > 1)


def test_a_round_of_a_bandit():
    arms = np.linspace(0, 1, 21)
    truth, mean, std, draw = np.sin(arms), 0 * arms, np.full(21, 0.3), RNG.random(21)
    tried, rewards = np.array([0, 20, 20, 20]), np.array([0.1, 0.5, 0.6, 0.7])
    fig: Any = active_learning_figures_bandit.bandit_round(
        arms, truth, mean, std, draw, chosen=7, tried=tried, rewards=rewards
    )
    np.testing.assert_allclose(named(fig, "Draw")[-1].y, draw, rtol=1e-6)
    [now] = named(fig, "Tried now")
    assert (now.x[0], now.y[0]) == pytest.approx((arms[7], draw[7]))
    [bars] = named(fig, "Tried")
    assert (bars.y[0], bars.y[-1], sum(bars.y)) == pytest.approx((0.25, 0.75, 1))
    np.testing.assert_allclose(named(fig, "Truth")[0].y, truth, rtol=1e-6)
    told = active_learning_figures_bandit.describe_bandit_round(arms, truth, mean, 7, tried)
    assert {5, 0.35} <= set(numbers_in(told)) and {1, 0.84} <= set(numbers_in(told))
    none: Any = np.empty(0, int)
    fig: Any = active_learning_figures_bandit.bandit_round(
        arms, arms, arms, arms, arms, chosen=0, tried=none, rewards=none, looked_at_name="Mean"
    )
    assert not named(fig, "Draw") and len(named(fig, "Mean")) == 2
    assert sum(named(fig, "Tried")[0].y) == 0
