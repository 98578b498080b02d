"""The page on two clusters: methods that fail, and the upper bounds of two theorems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bdlviz import fits
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.in_between import views
from bdlviz.topics.regression.in_between.controls import dataset_of
from bdlviz.topics.shared.compare_choice import title
from bdlviz.topics.shared.compare_fits import DIVERGED, Candidate
from bdlviz.ui.model import Result, Setting
from tests.plots.figure_properties import legend_width
from tests.topics.regression.short_fits import SCREEN, candidates, figure_of, names_in
from tests.topics.shared.page_results import reading, result_of

TWO = {"methods": "own", "chosen": "mc_dropout,deep_ensemble"}


def drawn(values: dict[str, str]) -> Result:
    """The view of short fits."""
    setting = Setting(values)
    return views.in_the_gap(setting, SCREEN, candidates(setting, dataset_of(setting)))


def said(result: Result) -> str:
    return " ".join(result.words)


def test_a_method_that_fails_says_so_and_the_others_stay():
    setting = Setting(TWO)
    found: list[Candidate | None] = [*candidates(setting, dataset_of(setting))]
    found[0] = Candidate("mc_dropout", problem=DIVERGED)
    result = views.in_the_gap(setting, SCREEN, found)
    assert DIVERGED in said(result)
    assert title("deep_ensemble") in names_in(figure_of(result))
    alone = views.in_the_gap(setting, SCREEN, [*found[:-1], None])
    assert set(alone.words) - set(result.words) and reading(alone, "Methods") == "1"


@pytest.mark.parametrize(("values", "count"), [({}, 2), ({"activation": "tanh"}, 0), ({"depth": "2"}, 0)])
def test_the_upper_bounds_are_for_one_layer_of_relu(values: dict[str, str], count: int):
    assert sum("ceiling" in name for name in names_in(figure_of(drawn(values)))) == count


def test_the_legend_has_one_row():
    """With all marks: ceilings, both ratios, and ranges over seeds of what is shipped."""
    figure = result_of("in_between", {"scene": "one-layer"}).figures[0].figure.to_dict()
    assert legend_width(figure) < 740, "of 740 px"


def test_trained_methods_stay_below_the_upper_bounds():
    dataset = compare_study.clusters()
    gap = np.linspace(-0.5, 0.3, 9)[:, None]
    for method in ("bayes_by_backprop", "mc_dropout"):
        config = compare_study.config_of(method, dataset)
        fit = fits.run(replace(config, num_steps=300), dataset)
        spread = fit.predict(gap, 2000).epistemic_std[:, 0]
        assert (spread <= 1.1 * views.ceiling_of(fit, dataset.x, gap)).all()
