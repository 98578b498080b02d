"""The sentence and the panels of the page on weight decay, recomputed from the shipped scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from bdlviz import plots
from bdlviz.digits import number
from bdlviz.fitted import shelf
from bdlviz.topics.regression.effect_of_lambda import study, views
from bdlviz.topics.regression.effect_of_lambda.grid import Chosen, Grid, needed
from bdlviz.ui.controls.control import text
from bdlviz.ui.jobs.obtain import known
from bdlviz.ui.model import Result, Screen, Setting
from tests.plots.figure_properties import legend_width
from tests.told import numbers_in
from tests.ui.harness import figures, open_page, scenes, trace

DECAYS, SCREEN = np.array(study.LAMBDA_DECAYS), Screen(plots.theme("light"))
GAP = dict(scenes("effect_of_lambda")["gap"].values)


def grid_of(setting: Setting) -> Grid:
    found = known(needed(setting))
    assert found is not None
    return found


def drawn(**values: str) -> Result:
    setting = Setting(values)
    return views.draw(setting, SCREEN, grid_of(setting))


def scores_of(metric: str, rate: float, name: str = "effect_of_lambda") -> Any:
    """Of every seed and weight decay, (R, L)."""
    _, extra = shelf.shipped(name)
    return extra[metric][:, study.LAMBDA_RATES.index(rate)].astype(float)


@pytest.mark.parametrize("metric", ["nll", "rmse"])
@pytest.mark.parametrize("rate", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("place", [0, 8, 17, 24, -1])
def test_the_sentence_compares_the_chosen_weight_decay_with_the_best_one(metric: str, rate: float, place: int):
    values = scores_of(metric, rate)
    mean, best = values.sum(0) / len(values), int((values.sum(0)).argmin())
    result = drawn(metric=metric, dropout_rate=text(rate), weight_decay=text(DECAYS[place]))
    expected = [mean[best], mean[0], mean[-1]] if place == best else [mean[place], mean[best]]
    value, told = result.says.split(" the error ")
    assert value == f"With λ = {number(DECAYS[place])}" and numbers_in(told) == pytest.approx(expected, rel=6e-3)
    scores = [note.text for note in result.figures[0].figure.layout.annotations][-3:]  # type: ignore[union-attr]
    errors = numbers_in(" ".join(scores))
    assert errors[::2] == pytest.approx([mean[0], mean[place], mean[-1]], rel=6e-3)
    assert errors[1] < errors[0] and errors[1] < errors[-1], "The smallest weight decay fits the data best."


@pytest.mark.parametrize("rate", [0.0, 0.05])
def test_a_verdict_needs_a_difference_beyond_the_seeds(rate: float):
    values = scores_of("rmse", rate)
    best = int(values.mean(0).argmin())
    for place, decay in enumerate(DECAYS):
        if place == best:
            continue
        said = drawn(dropout_rate=text(rate), weight_decay=text(decay)).says
        is_worse = stats.ttest_rel(values[:, place], values[:, best]).statistic > stats.t.ppf(0.975, len(values) - 1)
        assert ("too small" in said, "too large" in said) == (is_worse and place < best, is_worse and place > best)


def test_a_scene_is_at_the_lowest_score_of_its_data():
    for values, name in (({}, "effect_of_lambda"), (GAP, "effect_of_lambda_gap")):
        setting = Setting(values)
        assert Chosen.of(setting, grid_of(setting).scores).decay == scores_of("rmse", 0.0, name).mean(0).argmin()


def test_without_held_out_points_no_weight_decay_is_called_best():
    setting = Setting({})
    result = views.draw(setting, SCREEN, Grid(grid_of(setting).fit))
    assert not numbers_in(result.says) and len(result.figures) == 1


@pytest.mark.parametrize("weight_decay", ["1e-7", "0.1", "10"])
def test_only_the_middle_panel_moves(weight_decay: str):
    usual, moved = (drawn(weight_decay=each).figures[0].figure.to_dict()["data"] for each in ("0.00178", weight_decay))
    for axis, stays in (("x", True), ("x2", False), ("x3", True)):
        lines = [
            next(t["y"] for t in data if t.get("name") == "Mean" and t.get("xaxis", "x") == axis)
            for data in (usual, moved)
        ]
        assert (lines[0] == lines[1]) == stays


@pytest.mark.parametrize("rate", ["0", "0.05"])
def test_the_legend_has_one_row(rate: str):
    assert legend_width(drawn(dropout_rate=rate).figures[0].figure.to_dict()) < 470, "of 470 px beside the curve"


def test_the_dot_of_the_curve_is_at_the_chosen_weight_decay():
    app = open_page("effect_of_lambda", {"weight_decay": "0.1"})
    names = [each.get("name") or "" for each in figures(app)[1]["data"]]
    [shown] = [name for name in names if name.startswith("chosen")]
    x, y = trace(figures(app)[1], shown)
    assert (x[0], y[0]) == pytest.approx((0.1, scores_of("rmse", 0.0).mean(0)[DECAYS == 0.1][0]), rel=1e-4)
