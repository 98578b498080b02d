"""Exercises of the section on digits: their answers by other ways, their goals, and what their scenes show."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bdlviz.data import available
from bdlviz.predictive.relaxation import share_between
from bdlviz.topics.digits.concrete_dropout import exercises as concrete_dropout_exercises
from bdlviz.topics.digits.mc_dropout import exercises as mc_dropout_exercises
from tests.exercises.answers import is_met, shown
from tests.told import numbers_in
from tests.ui.harness import controls, figures, open_page, scenes, trace

DROPOUT, CONCRETE = "mc_dropout", "concrete_dropout"
NEEDS_MNIST = pytest.mark.skipif(not available("mnist-1000"), reason="MNIST is not here")


# MC dropout -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"num_samples": "1"}, True),
        ({"method": "map"}, True),
        ({"num_samples": "1", "method": "concrete_dropout"}, True),
        ({"num_samples": "2"}, False),
        ({"num_samples": "1", "method": "deep_ensemble"}, False),
    ],
)
def test_one_function_cannot_contradict_itself(changes: dict[str, str], expected: bool):
    found = shown(DROPOUT, {"images": "digits"} | changes)["mutual"]
    assert (found == 0) is expected


@NEEDS_MNIST
def test_noise_makes_the_network_unsure_and_then_sure():
    app = open_page(
        DROPOUT, dict(scenes(DROPOUT)["noise"].values) | {"noisy": "100", "num_samples": "100"}
    )  # one dot for each draw
    course, draws = figures(app)[:2]
    _, entropy = trace(course, "predictive entropy")
    answer = trace(draws, "draws")[1].reshape(10, -1).argmax(0)
    assert np.bincount(answer).argmax() in numbers_in(mc_dropout_exercises.BEFORE_NOISE.choice.because)
    assert np.bincount(answer).max() > len(answer) / 2
    assert entropy[0] < 0.05 and entropy.max() > 1.5 * entropy[-1] > 0
    assert "falls" in mc_dropout_exercises.BEFORE_NOISE.choice.solution


# Learned keep probabilities -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("temperature", controls(CONCRETE)["temperature"].options)
def test_the_share_of_masks_between_0_and_1_by_temperature(temperature: str):
    values = {"look": "relaxation", "relaxed_rate": "0.5", "temperature": temperature}
    rng = np.random.default_rng(0)
    u = rng.random(100_000)
    with np.errstate(over="ignore"):
        masks = 1 / (1 + np.exp(-np.log(u / (1 - u)) / float(temperature)))
    share = float(((masks > 0.01) & (masks < 0.99)).mean())
    exact = share_between(0.01, 0.99, 0.5, float(temperature))
    assert share == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / len(u)) + 1e-4)
    assert (
        is_met(CONCRETE, concrete_dropout_exercises.CONCRETE_DROPOUT[2], **values)
        is (0.05 <= share <= 0.1)
        is (temperature == "0.03")
    )
