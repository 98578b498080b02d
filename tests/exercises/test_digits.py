"""Exercises of the section on digits: their answers by other ways, their goals, and what their scenes show."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bdlviz.data import available
from bdlviz.lectures.exercise import Choice
from bdlviz.predictive.relaxation import share_between
from bdlviz.topics.digits.concrete_dropout import exercises as concrete_dropout_exercises
from bdlviz.topics.digits.mc_dropout import exercises as mc_dropout_exercises
from tests.exercises.answers import is_met, number_of, shown
from tests.ui.harness import controls, figures, open_page, scenes, trace

DROPOUT, CONCRETE = "mc_dropout", "concrete_dropout"
NEEDS_MNIST = pytest.mark.skipif(not available("mnist-1000"), reason="MNIST is not here")


def coin(rate: float) -> float:
    """The entropy of a coin, in nats."""
    return -rate * math.log(rate) - (1 - rate) * math.log(1 - rate)


# MC dropout -----------------------------------------------------------------------------------------------------------


def test_disagreement_is_what_single_draws_do_not_explain():
    assert number_of(mc_dropout_exercises.MC_DROPOUT[0]) == pytest.approx(math.log(2) - coin(0.1), rel=1e-9)


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
    found = shown(DROPOUT, {"images": "digits"} | changes)["+ mutual information"]
    assert (found == 0) is expected


def test_labels_by_chance_stay_uncertain():
    choice = mc_dropout_exercises.MC_DROPOUT[2]
    assert isinstance(choice, Choice)
    assert f"{coin(0.25):.2f} nats, all of it expected" in choice.solution


@NEEDS_MNIST
def test_noise_makes_the_network_unsure_and_then_sure():
    app = open_page(DROPOUT, dict(scenes(DROPOUT)["noise"].values) | {"noisy": "100"})
    _, entropy = trace(figures(app)[1], "predictive entropy")
    answer = trace(figures(app)[0], "draws")[1].reshape(10, -1).argmax(0)
    assert f"most draws say {np.bincount(answer).argmax()}." in mc_dropout_exercises.BEFORE_NOISE.choice.because
    assert np.bincount(answer).max() > len(answer) / 2
    assert entropy[0] < 0.05 and entropy.max() > 1.5 * entropy[-1] > 0
    assert mc_dropout_exercises.BEFORE_NOISE.choice.solution == "Rise, and fall again."


@NEEDS_MNIST
def test_a_class_never_seen_counts_as_noise():
    found = shown(DROPOUT, scenes(DROPOUT)["unseen"].values)
    share = found["= expected entropy"] / found["Predictive entropy (nats)"]
    assert f"{100 * share:.0f} %" in mc_dropout_exercises.BEFORE_UNSEEN.choice.because
    assert "Expected entropy" in mc_dropout_exercises.BEFORE_UNSEEN.choice.solution


# Learned keep probabilities -------------------------------------------------------------------------------------------


def test_the_entropy_of_a_fair_coin_is_the_highest():
    assert number_of(concrete_dropout_exercises.CONCRETE_DROPOUT[0]) == pytest.approx(coin(0.5) - coin(0.12), rel=1e-9)
    rates = np.linspace(0.01, 0.99, 99)
    assert max(rates, key=coin) == pytest.approx(0.5)


def test_two_thousand_steps_lead_no_farther():
    answer = number_of(concrete_dropout_exercises.CONCRETE_DROPOUT[1])
    assert math.log(answer / (1 - answer)) == pytest.approx(math.log(0.1 / 0.9) + 2, rel=1e-9)


@pytest.mark.parametrize("temperature", controls(CONCRETE)["temperature"].options)
def test_one_temperature_leaves_so_many_masks_between(temperature: str):
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


def test_what_data_entropy_and_width_do_to_learned_rates():
    few, many, without = (
        shown(CONCRETE, values)
        for values in ({}, scenes(CONCRETE)["n10000"].values, scenes(CONCRETE)["no-entropy"].values)
    )
    for layer in ("layer 1", "layer 2"):
        told = f"Mean keep, {layer}"
        assert few[told] < 0.7 < many[told] and without[told] == pytest.approx(0.88, abs=0.03)
    assert concrete_dropout_exercises.BEFORE_N10000.choice.solution.startswith("Raise")
    assert concrete_dropout_exercises.BEFORE_NO_ENTROPY.choice.solution.startswith("Close to where")
    widths = shown(CONCRETE, scenes(CONCRETE)["width"].values)
    assert widths["Learned rate"] > 5 * widths["Best rate of the grid"]
    assert concrete_dropout_exercises.BEFORE_WIDTH.choice.solution == "It is much larger."
