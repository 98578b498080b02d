"""Scores of unlabelled points: closed forms, limit cases, and what happens when nothing is left."""

from typing import Any

import numpy as np
import pytest

from bdlviz.errors import InvalidInput
from bdlviz.predictive.summaries import summarise_classification, summarise_regression
from bdlviz.predictive.votes import variation_ratio
from bdlviz.topics.regression.active_learning import acquisition
from bdlviz.types import Array, Predictive

RNG = np.random.default_rng(0)


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def regression(noise: Array | None = None) -> Predictive:
    means = np.random.default_rng(0).normal(size=(50, 7, 1))
    variances = None if noise is None else np.broadcast_to(noise[:, None] ** 2, means.shape)
    return summarise_regression(np.arange(7.0)[:, None], means, variances, 0.3)


def classes(probabilities: Any) -> Predictive:
    draws = np.asarray(probabilities, float)
    return summarise_classification(np.arange(draws.shape[1])[:, None], draws)


def test_scores_of_a_curve():
    noise = np.linspace(0.1, 2, 7)
    predictive = regression(noise)
    epistemic, total = (
        score(predictive, rng()) for score in (acquisition.epistemic_variance, acquisition.total_variance)
    )
    np.testing.assert_allclose(epistemic, predictive.draws[:, :, 0].var(0))
    np.testing.assert_allclose(total - epistemic, noise**2)
    # Half the logarithm of det(joint) against the product of the marginals, of f and y = f + noise.
    found = acquisition.information(predictive, rng())
    for score, variance, other in zip(found, predictive.draws[:, :, 0].var(0), noise**2, strict=True):
        joint = np.array([[variance, variance], [variance, variance + other]])
        assert score == pytest.approx(0.5 * np.log(variance * (variance + other) / np.linalg.det(joint)))
    predictive = regression()
    orders = [
        np.argsort(acquisition.CURVE_SCORES[name](predictive, rng())) for name in ("epistemic", "total", "information")
    ]
    np.testing.assert_array_equal(orders[0], orders[1])
    np.testing.assert_array_equal(orders[0], orders[2])
    predictive = regression(np.array([5.0, *[0.1] * 6]))
    assert acquisition.total_variance(predictive, rng()).argmax() == 0
    assert acquisition.information(predictive, rng()).argmin() == 0


def test_scores_of_classes():
    contradiction = [[0.9, 0.1], [0.1, 0.9]]
    ambiguous = [[0.5, 0.5], [0.5, 0.5]]
    certain = [[1.0, 0.0], [1.0, 0.0]]
    predictive = classes(np.stack([contradiction, ambiguous, certain], axis=1))
    bald = acquisition.mutual_information(predictive, rng())
    inner = -(0.9 * np.log(0.9) + 0.1 * np.log(0.1))
    np.testing.assert_allclose(bald, [np.log(2) - inner, 0, 0], atol=1e-12)
    np.testing.assert_allclose(acquisition.predictive_entropy(predictive, rng()), [np.log(2), np.log(2), 0], atol=1e-12)
    draws = RNG.dirichlet(np.ones(4), (30, 6))
    found = acquisition.votes_apart(classes(draws), rng())
    np.testing.assert_allclose(found, variation_ratio(draws), atol=1e-5)
    predictive = classes(RNG.dirichlet(np.ones(3), (2, 4000)))
    scores = acquisition.at_random(predictive, rng())
    np.testing.assert_array_equal(scores, acquisition.at_random(predictive, rng()))
    assert abs(scores.mean() - 0.5) < 4 * np.sqrt(1 / 12 / 4000)


def test_the_highest_that_are_free_and_class_scores_need_classes():
    scores, is_free = np.array([3.0, 9.0, 5.0, 5.0, 1.0]), np.array([True, False, True, True, True])
    np.testing.assert_array_equal(acquisition.highest(scores, is_free, 3), [2, 3, 0])
    np.testing.assert_array_equal(acquisition.highest(scores, is_free, 99), [2, 3, 0, 4])
    with pytest.raises(InvalidInput, match="left"):
        acquisition.highest(np.ones(3), np.zeros(3, bool))
    with pytest.raises(InvalidInput, match="diverged"):
        acquisition.highest(np.array([1.0, np.nan]), np.ones(2, bool))
    for name in ["bald", "entropy", "votes"]:
        with pytest.raises(InvalidInput, match="probabilities"):
            acquisition.CLASS_SCORES[name](regression(), rng())
