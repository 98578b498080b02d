"""Coverage, distances and places against closed forms, limit cases and scipy."""

from __future__ import annotations

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


def test_the_probability_below_is_that_of_the_gaussian_that_the_draws_make() -> None:
    y = np.linspace(-3, 5, 9)[:, None]
    found = comparison.probability_below(gaussian(1, 0.8, 0.6, 9), y)
    np.testing.assert_allclose(found, norm.cdf(y, 1, 1.0), atol=2e-3)
    y = np.array([[0.3], [1.0]])
    found = comparison.probability_below(gaussian(1, 1e-12, 0.5, 2, 1), y)
    np.testing.assert_allclose(found, norm.cdf(y, 1, 0.5))


@pytest.mark.parametrize("level", comparison.LEVELS)
@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0])
def test_coverage_of_a_band_that_is_too_narrow_right_or_too_wide(level: float, factor: float) -> None:
    y = np.random.default_rng(0).normal(1, 1, (MANY, 1))
    narrowed = gaussian(1, 0.8 * factor, 0.6 * factor, MANY, 100)
    expected = 2 * norm.cdf(factor * norm.ppf(0.5 + level / 2)) - 1
    error = 4 * float(np.sqrt(expected * (1 - expected) / MANY))
    assert comparison.coverage(narrowed, y, level) == pytest.approx(expected, abs=error + 3e-3)


def test_coverage_counts_quantiles_of_the_mixture() -> None:
    """Two draws far apart: the middle between them is far from the mean's band in probability, not in sd."""
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


@pytest.mark.parametrize(("first", "second"), [(7, 7), (7, 12), (1, 5), (50, 1)])
def test_wasserstein_equals_scipy(first: int, second: int) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(first, 4)), rng.normal(1, 2, size=(second, 4))
    expected = [wasserstein_distance(a[:, i], b[:, i]) for i in range(4)]
    np.testing.assert_allclose(comparison.wasserstein(a, b), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("first", "second"), [((0, 1), (0, 1)), ((0, 1), (3, 1)), ((0, 1), (0, 3)), ((1, 0), (2, 0)), ((0, 0), (1, 2))]
)
def test_gaussian_wasserstein_is_that_of_their_quantiles(
    first: tuple[float, float], second: tuple[float, float]
) -> None:
    levels = (np.arange(200_000) + 0.5) / 200_000
    quantiles = [mean + std * norm.ppf(levels) for mean, std in (first, second)]
    expected = np.abs(quantiles[0] - quantiles[1]).mean()
    found = comparison.gaussian_wasserstein(*(np.array(value, float) for value in (*first, *second)))
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-9)


def test_the_two_distances_agree_on_gaussians() -> None:
    first, second = gaussian(0, 1, 1, 3, 4000), gaussian(0.5, 2, 1, 3, 4000)
    by_draws = comparison.distance(first, second)
    np.testing.assert_allclose(comparison.distance(first, second, is_gaussian=True), by_draws, rtol=5e-3)
    rng = np.random.default_rng(4)

    def floor(count: int) -> float:
        draws = rng.normal(size=(count, 200, 1))
        ones = np.ones((200, 1))
        return comparison.sampling_distance(Predictive(ones, draws, 0 * ones, ones, ones, count)).mean()

    assert floor(100) / floor(1600) == pytest.approx(4, rel=0.2)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([3.0, 1.0, 2.0], [3, 1, 2]), ([1.0, 1.0, 5.0], [1.5, 1.5, 3]), ([2.0, np.nan, 1.0], [2, np.nan, 1]), ([], [])],
)
def test_places(values: list[float], expected: list[float]) -> None:
    np.testing.assert_array_equal(comparison.places(values), expected)


@pytest.mark.parametrize(
    ("errors", "distances", "expected"),
    [
        ([0.1, 0.2, 0.3], [1.0, 2.0, 3.0], [1, 2, 3]),
        ([0.1, 0.2, 0.3], [3.0, 2.0, 1.0], [2, 2, 2]),
        ([np.nan] * 3, [3.0, 2.0, 1.0], [3, 2, 1]),
        ([0.1, 0.2, 0.3], [np.nan] * 3, [1, 2, 3]),
        ([np.nan, 0.2], [np.nan, 1.0], [np.nan, 1]),
    ],
)
def test_honesty(errors: list[float], distances: list[float], expected: list[float]) -> None:
    found: Array = comparison.honesty(errors, distances)
    np.testing.assert_array_equal(found, expected)
