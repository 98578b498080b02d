"""Scores of a predictive distribution: the mixture of the draws' own densities, and no broadcasting."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

from bdlviz.errors import InvalidInput
from bdlviz.predictive import comparison, kinds
from bdlviz.predictive.summaries import negative_log_likelihood, rmse, summarise_classification, summarise_regression
from bdlviz.topics.foundations.deciding import decisions
from bdlviz.topics.foundations.depth_and_edges import dense_scores
from bdlviz.types import Array, Predictive

NUM_DRAWS, NUM_POINTS = 30, 7
RNG = np.random.default_rng(0)
X = np.linspace(0, 1, NUM_POINTS)[:, None]
Score = Callable[[Predictive, Any], float]

REGRESSION_SCORES: dict[str, Score] = {
    "rmse": rmse,
    "negative_log_likelihood": negative_log_likelihood,
    "probability_below": lambda predictive, y: float(comparison.probability_below(predictive, y).mean()),
    "coverage": lambda predictive, y: comparison.coverage(predictive, y, 0.6),
}


def regression(num_outputs: int = 1, *, own_variances: bool = True) -> Predictive:
    """A predictive whose draws differ in their variance by far."""
    rng = np.random.default_rng(1)
    means = rng.normal(3, 1, (NUM_DRAWS, NUM_POINTS, num_outputs))
    variances = rng.gamma(0.5, 2.0, means.shape) + 1e-3 if own_variances else None
    return summarise_regression(X, means, variances, 0.7)


def classes() -> Predictive:
    probabilities = np.random.default_rng(2).dirichlet([1.0] * 3, (NUM_DRAWS, NUM_POINTS))
    return summarise_classification(X, probabilities)


# The mixture ----------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:The negative log-likelihood")  # of so few draws
@pytest.mark.parametrize("num_outputs", [1, 3])
def test_every_draw_is_scored_with_its_own_variance(num_outputs: int) -> None:
    predictive, y = regression(num_outputs), np.random.default_rng(5).normal(3, 2, (NUM_POINTS, num_outputs))
    assert predictive.variances is not None
    each = norm.logpdf(y, predictive.draws, np.sqrt(predictive.variances)).sum(-1)
    np.testing.assert_allclose(predictive.log_prob(y), logsumexp(each, 0) - np.log(NUM_DRAWS), rtol=1e-12)
    assert negative_log_likelihood(predictive, y) == pytest.approx(-predictive.log_prob(y).mean(), rel=1e-12)
    mean_variance = replace(predictive, variances=None)
    assert abs(negative_log_likelihood(mean_variance, y) - negative_log_likelihood(predictive, y)) > 0.02


def test_the_mixture_is_a_density_and_gives_probabilities() -> None:
    predictive = regression()
    y = np.linspace(-30, 36, 20_001)
    density = np.array([np.exp(predictive.log_prob(np.full(NUM_POINTS, value))) for value in y])
    step = y[1] - y[0]
    np.testing.assert_allclose(density.sum(0) * step, 1, atol=1e-6)
    mean = (y[:, None] * density).sum(0) * step
    np.testing.assert_allclose(mean, predictive.mean[:, 0], atol=1e-6)
    variance = ((y[:, None] - mean) ** 2 * density).sum(0) * step
    np.testing.assert_allclose(variance, predictive.total_std[:, 0] ** 2, rtol=1e-5)
    predictive, y = regression(), RNG.normal(3, 2, NUM_POINTS)
    assert predictive.variances is not None
    std = np.sqrt(predictive.variances)
    expected = norm.cdf(y[:, None], predictive.draws, std).mean(0)
    np.testing.assert_allclose(comparison.probability_below(predictive, y), expected, rtol=1e-10)
    above = norm.sf(3.5, predictive.draws, std).mean(0)[:, 0]
    np.testing.assert_allclose(decisions.full_probability(predictive, 3.5), above, rtol=1e-9)
    inside = (np.abs(2 * expected - 1) <= 0.5).mean()
    assert comparison.coverage(predictive, y, 0.5) == inside
    predictive, labels = classes(), RNG.integers(0, 3, NUM_POINTS)
    expected = -np.log(predictive.draws.mean(0)[np.arange(NUM_POINTS), labels]).mean()
    assert negative_log_likelihood(predictive, labels) == pytest.approx(expected)
    assert negative_log_likelihood(predictive, labels[:, None]) == pytest.approx(expected)
    named = replace(predictive, classes=("cat", "dog", "owl"))
    assert negative_log_likelihood(named, np.array(named.classes)[labels]) == pytest.approx(expected)
    signs = replace(predictive, classes=(-1, 1, 2))
    assert negative_log_likelihood(signs, np.array(signs.classes)[labels]) == pytest.approx(expected)


# Shapes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REGRESSION_SCORES)
@pytest.mark.parametrize(
    ("num_outputs", "y"),
    [
        (1, np.array(3.0)),
        (1, np.zeros(1)),
        (1, np.zeros((1, 1))),
        (1, np.zeros((1, NUM_POINTS))),
        (1, np.zeros((NUM_POINTS, 2))),
        (1, np.zeros((NUM_DRAWS, NUM_POINTS, 1))),
        (2, np.zeros(NUM_POINTS)),
        (2, np.zeros(2)),
        (2, np.zeros((NUM_POINTS, 1))),
        (2, np.zeros((1, 2))),
    ],
)
def test_nothing_is_broadcast(name: str, num_outputs: int, y: Array) -> None:
    with pytest.raises(InvalidInput, match=rf"y must have the shape \({NUM_POINTS}, ?\d?\).* not "):
        REGRESSION_SCORES[name](regression(num_outputs), y)


def test_wrong_labels_and_levels_are_refused() -> None:
    for labels, said in [
        (np.zeros(NUM_POINTS - 1, int), "7 labels"),
        (np.zeros((1, NUM_POINTS), int), "7 labels"),
        (np.zeros((NUM_POINTS, 3), int), "7 labels"),
        (np.array(1), "7 labels"),
        (np.full(NUM_POINTS, 3), "0 to 2"),
        (np.full(NUM_POINTS, -1), "0 to 2"),
        (np.full(NUM_POINTS, 0.5), "whole"),
    ]:
        with pytest.raises(InvalidInput, match=said):
            negative_log_likelihood(classes(), labels)
    with pytest.raises(InvalidInput, match="-1, 1, 2"):
        negative_log_likelihood(replace(classes(), classes=(-1, 1, 2)), np.zeros(NUM_POINTS, int))
    for level in [0, 1, 95]:
        with pytest.raises(InvalidInput, match="between"):
            comparison.coverage(regression(), np.zeros(NUM_POINTS), level)
    for name in REGRESSION_SCORES:
        for y, said in [([np.nan] + [0.0] * (NUM_POINTS - 1), "finite"), (["a"] * NUM_POINTS, "numbers")]:
            with pytest.raises(InvalidInput, match=said):
                REGRESSION_SCORES[name](regression(), y)
    for name in [name for name in REGRESSION_SCORES if name != "negative_log_likelihood"]:
        with pytest.raises(InvalidInput, match="regression"):
            REGRESSION_SCORES[name](classes(), np.zeros(NUM_POINTS, int))
        with pytest.raises(InvalidInput, match="regression"):
            decisions.full_probability(classes(), 0.5)


def test_shapes_are_never_mixed() -> None:
    costs, treated, ill = decisions.Costs(1, 5), RNG.random(50) < 0.5, RNG.random(50) < 0.3
    found = decisions.expected_cost(treated, ill, costs)
    np.testing.assert_array_equal(decisions.expected_cost(treated, ill[:, None], costs), found)
    column = decisions.expected_cost(treated, RNG.random((50, 1)), costs)
    assert column.shape == decisions.true_probability(np.zeros((50, 1)), np.ones(50), 0.5).shape == (50,)
    with pytest.raises(InvalidInput, match=r"shape \(50,\)"):
        decisions.expected_cost(treated, ill[:1], costs)
    with pytest.raises(InvalidInput, match=r"shape \(50,\)"):
        decisions.expected_cost(treated, ill[None], costs)
    means, y = RNG.standard_normal((9, NUM_POINTS, 1)), RNG.standard_normal(NUM_POINTS)
    expected = np.sqrt(np.mean((means[..., 0] - y) ** 2))
    np.testing.assert_allclose(kinds.noise_left(means, y), [expected])
    np.testing.assert_allclose(kinds.noise_left(means, y[:, None]), [expected])
    with pytest.raises(InvalidInput, match="shape"):
        kinds.noise_left(means, y[None])
    with pytest.raises(InvalidInput, match="shape"):
        dense_scores.coverage(np.zeros((4, 1)), np.zeros((4, 5)), np.ones((4, 5)))


# Precision ------------------------------------------------------------------------------------------------------------


def test_moments_in_single_precision() -> None:
    """Draws of single precision, 100,000 standard deviations away from 0: seven digits would be too few."""
    means = np.random.default_rng(3).normal(0, 1, (500, NUM_POINTS, 1)).astype(np.float32)
    found = summarise_regression(X, means, means**2, 0.1, offset=np.array([[101_325.0]]), scale=0.5)
    exact = means.astype(np.float64)
    np.testing.assert_allclose(found.mean, 101_325 + 0.5 * exact.mean(0), rtol=1e-14)
    np.testing.assert_allclose(found.epistemic_std, 0.5 * exact.std(0), rtol=1e-12)
    np.testing.assert_allclose(found.draws.std(0), found.epistemic_std, rtol=1e-9)
    np.testing.assert_allclose(found.aleatoric_std, 0.5 * np.sqrt((exact**2).mean(0)), rtol=1e-6)
    probabilities = np.tile(np.array([0.1, 0.3, 0.6], np.float32), (200_000, 1, 1))
    found = summarise_classification(X[:1], probabilities)
    np.testing.assert_array_equal(found.mean, probabilities[0])
    assert (found.epistemic_std == 0).all()


def test_whole_numbers_and_masked_values() -> None:
    """The square of a difference of small whole numbers would overflow; a mask would be ignored."""
    means = np.full((3, NUM_POINTS, 1), 0.5)
    predictive, y = summarise_regression(X, means, None, 100.0), np.array([-120, 100, 7, 127, -128, 0, 1])
    for score in REGRESSION_SCORES.values():
        for dtype in (np.int8, np.int16, np.int64, np.float32, object):
            assert score(predictive, y.astype(dtype)) == score(predictive, y.astype(float))
        with pytest.raises(InvalidInput, match="masked"):
            score(predictive, np.ma.array(y, mask=y == 0))
        assert score(predictive, np.ma.array(y)) == score(predictive, y)
        for wrong in (y.astype(str), y.astype(complex), y.astype("M8[D]")):
            with pytest.raises(InvalidInput, match=r"numbers"):
                score(predictive, wrong)
    unsigned = np.array([255, 250, 200, 0, 1, 2, 3], np.uint8)
    assert rmse(predictive, unsigned) == pytest.approx(np.sqrt(np.mean((unsigned.astype(float) - 0.5) ** 2)))
    with pytest.raises(InvalidInput, match="masked"):
        negative_log_likelihood(classes(), np.ma.array(np.zeros(NUM_POINTS, int), mask=[True] + [False] * 6))
