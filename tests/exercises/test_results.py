"""Exercises on results: numbers by hand and settings by hand. Quoted results: tests/quoted."""

from __future__ import annotations

import numpy as np
import pytest

from bdlviz import published
from bdlviz.errata.prediction import predictive_as_printed, predictive_mean
from bdlviz.fitted import shelf
from bdlviz.predictive import calibration
from bdlviz.topics.results.register import exercises as register_exercises
from tests.exercises.answers import answer_of
from tests.ui.harness import controls


def test_a_trend_has_all_of_its_interval_on_one_side_of_zero():
    differences = np.array([-2.0, -1, 0, 1, 2])
    differences *= 0.25 / differences.std(ddof=1)
    rule = published.SameSign()
    least = answer_of(register_exercises.REGISTER)
    assert rule.judge(differences + 1.01 * least, 1.0).verdict == "reproduced"
    assert rule.judge(differences + 0.99 * least, 1.0).verdict != "reproduced"


def test_40_per_cent_is_the_least_to_refuse():
    _, extra = shelf.shipped("classifier_mnist_mc_dropout")
    answers = zip(extra["probabilities"], extra["predictive_entropy"], strict=True)
    curves = [calibration.risk_coverage(u, calibration.is_correct(p, extra["labels"])) for p, u in answers]
    risks = {
        option: np.mean([curve.risk_after_refusing(float(option) / 100) for curve in curves])
        for option in controls("scoreboard")["refused"].options
    }
    assert next(option for option, risk in risks.items() if risk < 0.01) == "40"
    assert 1000 * risks["0"] == pytest.approx(98, abs=0.5) and 600 * risks["40"] == pytest.approx(5, abs=0.5)


def test_averaging_moves_no_accuracy_by_a_tenth_of_a_point():
    for method in ("mc_dropout", "deep_ensemble", "concrete_dropout", "variational_dropout"):
        _, extra = shelf.shipped(f"classifier_mnist_{method}")
        assert abs(100 * float((extra["accuracy"] - extra["accuracy_one_pass"]).mean())) < 0.1


def test_a_sum_over_draws_has_the_same_most_probable_class():
    probabilities = np.random.default_rng(0).dirichlet(np.ones(3), (10, 50))
    printed, right = predictive_as_printed(probabilities), predictive_mean(probabilities)
    assert (printed.argmax(-1) == right.argmax(-1)).all()
    assert np.log(printed) - np.log(right) == pytest.approx(np.full(right.shape, np.log(10)))
