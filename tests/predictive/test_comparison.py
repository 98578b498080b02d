"""Coverage, distances and places against closed forms, limit cases and scipy."""

import numpy as np
import pytest
from scipy.stats import norm, wasserstein_distance

from bdlviz.predictive import comparison
from bdlviz.types import Array, Predictive

MANY = 20_000


def gaussian(mean: float, std: float, noise: float, num_points: int, num_draws: int = 400) -> Predictive:
    """A predictive whose draws are the quantiles of a Gaussian: its mixture is N(mean, std^2 + noise^2) nearly."""
    levels = (np.arange(num_draws) + 0.5) / num_draws
    draws = np.broadcast_to(norm.ppf(levels, mean, std)[:, None, None], (num_draws, num_points, 1))
    ones = np.ones((num_points, 1))
    return Predictive(0 * ones, draws, mean * ones, std * ones, noise * ones, num_draws)


def test_probabilities_and_coverage() -> None:
    y = np.linspace(-3, 5, 9)[:, None]
    found = comparison.probability_below(gaussian(1, 0.8, 0.6, 9), y)
    np.testing.assert_allclose(found, norm.cdf(y, 1, 1.0), atol=2e-3)
    y = np.array([[0.3], [1.0]])
    found = comparison.probability_below(gaussian(1, 1e-12, 0.5, 2, 1), y)
    np.testing.assert_allclose(found, norm.cdf(y, 1, 0.5))
    for level in comparison.LEVELS:
        for factor in [0.5, 1.0, 2.0]:
            y = np.random.default_rng(0).normal(1, 1, (MANY, 1))
            narrowed = gaussian(1, 0.8 * factor, 0.6 * factor, MANY, 100)
            expected = 2 * norm.cdf(factor * norm.ppf(0.5 + level / 2)) - 1
            error = 4 * float(np.sqrt(expected * (1 - expected) / MANY))
            assert comparison.coverage(narrowed, y, level) == pytest.approx(expected, abs=error + 3e-3)
    # Two draws far apart: the middle between them is far from the mean's band in probability, not in sd.
    draws = np.array([-10.0, 10.0])[:, None, None] * np.ones((2, 3, 1))
    ones = np.ones((3, 1))
    predictive = Predictive(ones, draws, 0 * ones, 10 * ones, ones, 2)
    y = np.array([[-12.5], [-10.0], [12.5]])
    assert comparison.coverage(predictive, y, 0.5) == pytest.approx(1 / 3)
    assert comparison.coverage_error(comparison.LEVELS) == 0
    assert comparison.coverage_error((0.4, 1.0)) == pytest.approx(0.1)
    assert np.isnan(comparison.coverage_error((np.nan, np.nan)))
    rng = np.random.default_rng(1)
    found = rng.binomial(200, 0.9, 20_000) / 200
    inside = np.abs(found - 0.9) <= comparison.coverage_by_chance(200, 0.9)
    assert inside.mean() == pytest.approx(0.95, abs=0.02)


def test_wasserstein() -> None:
    for first, second in [(7, 7), (7, 12), (1, 5), (50, 1)]:
        rng = np.random.default_rng(2)
        a, b = rng.normal(size=(first, 4)), rng.normal(1, 2, size=(second, 4))
        expected = [wasserstein_distance(a[:, i], b[:, i]) for i in range(4)]
        np.testing.assert_allclose(comparison.wasserstein(a, b), expected, rtol=1e-12)
    for first, second in [((0, 1), (0, 1)), ((0, 1), (3, 1)), ((0, 1), (0, 3)), ((1, 0), (2, 0)), ((0, 0), (1, 2))]:
        levels = (np.arange(200_000) + 0.5) / 200_000
        quantiles = [mean + std * norm.ppf(levels) for mean, std in (first, second)]
        expected = np.abs(quantiles[0] - quantiles[1]).mean()
        found = comparison.gaussian_wasserstein(*(np.array(value, float) for value in (*first, *second)))
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-9)
    first, second = gaussian(0, 1, 1, 3, 4000), gaussian(0.5, 2, 1, 3, 4000)
    by_draws = comparison.distance(first, second)
    np.testing.assert_allclose(comparison.distance(first, second, is_gaussian=True), by_draws, rtol=5e-3)
    rng = np.random.default_rng(4)

    def floor(count: int) -> float:
        draws = rng.normal(size=(count, 200, 1))
        ones = np.ones((200, 1))
        return comparison.sampling_distance(Predictive(ones, draws, 0 * ones, ones, ones, count)).mean()

    assert floor(100) / floor(1600) == pytest.approx(4, rel=0.2)


def test_ranks_and_calibration() -> None:
    for values, expected in [
        ([3.0, 1.0, 2.0], [3, 1, 2]),
        ([1.0, 1.0, 5.0], [1.5, 1.5, 3]),
        ([2.0, np.nan, 1.0], [2, np.nan, 1]),
        ([], []),
    ]:
        np.testing.assert_array_equal(comparison.places(values), expected)
    for errors, distances, expected in [
        ([0.1, 0.2, 0.3], [1.0, 2.0, 3.0], [1, 2, 3]),
        ([0.1, 0.2, 0.3], [3.0, 2.0, 1.0], [2, 2, 2]),
        ([np.nan] * 3, [3.0, 2.0, 1.0], [3, 2, 1]),
        ([0.1, 0.2, 0.3], [np.nan] * 3, [1, 2, 3]),
        ([np.nan, 0.2], [np.nan, 1.0], [np.nan, 1]),
    ]:
        found: Array = comparison.calibration_rank(errors, distances)
        np.testing.assert_array_equal(found, expected)
