"""Exercises that ask for a number or a choice: answers by closed forms, and the option that is right."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from scipy import integrate, stats
from torch.distributions import Normal

from bdlviz.models.divergences import ard
from bdlviz.topics.digits.concrete_dropout.exercises import (
    BEFORE_N10000,
    BEFORE_NO_ENTROPY,
    BEFORE_WIDTH,
    CONCRETE_DROPOUT,
)
from bdlviz.topics.digits.mc_dropout.exercises import BEFORE_UNSEEN, MC_DROPOUT
from bdlviz.topics.foundations.bayes_rule.exercises import BAYES_RULE
from bdlviz.topics.foundations.noise_or_ignorance.exercises import BEFORE_DROPOUT as BEFORE_DROPOUT_OF_DATA
from bdlviz.topics.foundations.noise_or_ignorance.exercises import NOISE_OR_IGNORANCE
from bdlviz.topics.generative.autoencoder.exercises import AUTOENCODER
from bdlviz.topics.generative.conditional.exercises import CONDITIONAL
from bdlviz.topics.generative.decode.exercises import DECODE
from bdlviz.topics.generative.latent_space.exercises import LATENT_SPACE
from bdlviz.topics.generative.likelihood.exercises import LIKELIHOOD
from bdlviz.topics.generative.manifold.exercises import MANIFOLD
from bdlviz.topics.regression.active_learning.exercises import (
    ACTIVE_LEARNING,
    BEFORE_DROPOUT_ASKS,
    BEFORE_GREEDY,
    BEFORE_NOISE,
)
from bdlviz.topics.regression.compare.exercises import BEFORE_GAP, BEFORE_WHERE, COMPARE
from bdlviz.topics.regression.effect_of_lambda.exercises import BEFORE_DROPOUT, BEFORE_TOO_LARGE
from bdlviz.topics.regression.function_draws.exercises import (
    BEFORE_HIGH_DROPOUT,
    BEFORE_NO_DROPOUT,
    BEFORE_TANH,
    FUNCTION_DRAWS,
)
from bdlviz.topics.regression.in_between.exercises import BEFORE_TWO_LAYERS, IN_BETWEEN
from bdlviz.topics.results.errata.exercises import ERRATA
from bdlviz.topics.results.scoreboard.exercises import SCOREBOARD
from bdlviz.topics.weights.bayes_by_backprop.exercises import BAYES_BY_BACKPROP
from bdlviz.topics.weights.compression.exercises import COMPRESSION
from bdlviz.topics.weights.signal_to_noise import signal
from bdlviz.topics.weights.signal_to_noise.exercises import SIGNAL_TO_NOISE
from bdlviz.topics.weights.sparsity import one_weight
from bdlviz.topics.weights.sparsity.exercises import SPARSITY
from bdlviz.topics.weights.variational_dropout import weight_noise
from bdlviz.topics.weights.variational_dropout.exercises import VARIATIONAL_DROPOUT
from tests.exercises.answers import answer_of
from tests.quoted.computed import coin


def kl_to_standard_normal(mean: float, std: float) -> float:
    """The divergence by torch, in nats."""
    q, p = (torch.tensor(pair, dtype=torch.float64) for pair in ((mean, std), (0.0, 1.0)))
    return float(torch.distributions.kl_divergence(Normal(q[0], q[1]), Normal(p[0], p[1])))


def std_of_the_slope() -> float:
    """The slope's posterior standard deviation after endlessly many points at x = 1.5."""
    feature = np.array([1.5, 1.0])
    return float(np.sqrt(np.linalg.inv(np.eye(2) + 1e9 * np.outer(feature, feature) / 0.7**2)[0, 0]))


def neglected_nats() -> float:
    """Of 64 grey pixels of parameter 1/2: the logarithm of the area that a Bernoulli density is short of."""
    return -64 * math.log(integrate.quad(lambda x: 0.5**x * 0.5 ** (1 - x), 0, 1)[0])


def quantile_of_the_fourth_column() -> float:
    low, high = stats.norm.cdf([-2, 2])
    return float(stats.norm.ppf(low + 0.75 * (high - low)))


LOGIT_AFTER_2000_STEPS = math.log(0.1 / 0.9) + 2
CLOSED_FORMS: dict[str, tuple[Any, Callable[[], float]]] = {
    "disagreement": (MC_DROPOUT, lambda: math.log(2) - coin(0.1)),
    "entropy of a fair coin": (CONCRETE_DROPOUT, lambda: coin(0.5) - coin(0.12)),
    "2,000 steps": (CONCRETE_DROPOUT[1:], lambda: 1 / (1 + math.exp(-LOGIT_AFTER_2000_STEPS))),
    "points at one x": (BAYES_RULE, std_of_the_slope),
    "too little noise": (NOISE_OR_IGNORANCE[1:], lambda: 2 - math.log(2) - 0.5),
    "KL of an autoencoder": (AUTOENCODER, lambda: kl_to_standard_normal(10.7, 1.0) + kl_to_standard_normal(14.6, 1.0)),
    "KL of a code": (LATENT_SPACE, lambda: 2 * kl_to_standard_normal(1.0, 0.1)),
    "outside a circle": (DECODE, lambda: 100 * stats.chi2(2).sf(4)),
    "grey pixels": (LIKELIHOOD, neglected_nats),
    "fourth column": (MANIFOLD, quantile_of_the_fourth_column),
    "naming a class": (CONDITIONAL, lambda: 17.1 - math.log(10)),
    "four times the points": (FUNCTION_DRAWS[1:], lambda: 0.25),
    "two widths": (COMPARE[1:], lambda: 0.4 * math.sqrt(2 / math.pi)),
    "ceiling of variances": (IN_BETWEEN, lambda: 0.05),
    "dropout lifts the curve": (IN_BETWEEN[1:], lambda: 3),
    "information": (ACTIVE_LEARNING, lambda: 0.5 * math.log(5)),
    "one bin": (SCOREBOARD, lambda: 95 - 89),
    "squared keep probability": (ERRATA, lambda: 0.8**-2),
    "a certain weight, in bits": (BAYES_BY_BACKPROP, lambda: kl_to_standard_normal(0.126, 0.0124) / math.log(2)),
    "dense rectangles": (COMPRESSION, lambda: (45 * 23 + 23 * 23 + 23 * 10) / 314),
    "kept share of 95 %": (SPARSITY, lambda: 1 / 0.05),
}

LOOSER = {"points at one x": 1e-6, "fourth column": 1e-6}


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_an_answer_is_its_closed_form(name: str):
    exercises, expected = CLOSED_FORMS[name]
    assert answer_of(exercises) == pytest.approx(expected(), rel=LOOSER.get(name, 1e-9))


def test_answers_give_back_what_they_are_asked_for():
    assert signal.decibels(np.array(1 / answer_of(SIGNAL_TO_NOISE))) == pytest.approx(-17.6)
    assert 1 - one_weight.share_lost(one_weight.best_log_alpha(answer_of(SPARSITY), ard)) == pytest.approx(0.95)
    count = round(answer_of(VARIATIONAL_DROPOUT))
    _, variance = weight_noise.sum_moments(np.full(count, 1 / count), 0.2)
    assert variance**0.5 == pytest.approx(0.05)
    assert max(np.linspace(0.01, 0.99, 99), key=coin) == pytest.approx(0.5)


# Words of the right option; tests/quoted compares the numbers behind it with the shipped results.
RIGHT = [
    (BEFORE_N10000, "They rise"),
    (BEFORE_NO_ENTROPY, "Close to where"),
    (BEFORE_WIDTH, "It is much larger."),
    (BEFORE_UNSEEN, "Expected entropy"),
    (BEFORE_DROPOUT_OF_DATA, "It stays as it is."),
    (BEFORE_DROPOUT, "Nearly flat at small λ"),
    (BEFORE_TOO_LARGE, "A constant"),
    (BEFORE_NO_DROPOUT, "One line and the noise"),
    (BEFORE_HIGH_DROPOUT, "doubles"),
    (BEFORE_TANH, "flat"),
    (BEFORE_GAP, "distance"),
    (BEFORE_WHERE, "Away from the points"),
    (BEFORE_TWO_LAYERS, "Not a fifth"),
    (BEFORE_NOISE, "Nearly all into the noise"),
    (BEFORE_DROPOUT_ASKS, "Worse"),
    (BEFORE_GREEDY, "In less than half of them."),
]


@pytest.mark.parametrize(("prediction", "words"), RIGHT)
def test_the_right_option(prediction: Any, words: str):
    assert words in prediction.choice.solution
