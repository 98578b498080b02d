"""Noise on weights: moments that match, the central limit, and divergences against golden values."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from bdlviz.models import divergences
from bdlviz.topics.weights.variational_dropout import weight_noise

RATES = (0.05, 0.2, 0.5, 0.8)


@pytest.mark.parametrize("rate", RATES)
def test_both_kinds_of_noise_have_the_same_moments(rate: float):
    """Of a mask over its keep probability, by its two values; of Gaussian noise, by its density."""
    mask, mass = np.array([0, 1 / (1 - rate)]), np.array([rate, 1 - rate])
    mean = (mask * mass).sum()
    variance = ((mask - mean) ** 2 * mass).sum()
    spread = np.sqrt(weight_noise.matched_alpha(rate))

    def moment(power: int) -> float:
        def integrand(x: float) -> float:
            return (x - mean) ** power * float(weight_noise.noise_density(np.array(x), rate))

        return quad(integrand, 1 - 12 * spread, 1 + 12 * spread, points=[1.0])[0]

    assert mean == pytest.approx(1) and weight_noise.matched_alpha(rate) == pytest.approx(variance)
    assert [moment(0), moment(1), moment(2)] == pytest.approx([1, 0, variance], abs=1e-7)


@pytest.mark.parametrize("kind", ["masks", "gaussian"])
def test_moments_of_a_sum_are_those_of_draws(kind: str):
    """Within four Monte Carlo standard errors, with contributions of all sizes."""
    rng, rate, draws = np.random.default_rng(0), 0.3, 200_000
    contributions = np.array([0.5, -2.0, 1.0, 0.1])
    if kind == "masks":
        noise = (rng.random((draws, 4)) >= rate) / (1 - rate)
    else:
        noise = 1 + np.sqrt(weight_noise.matched_alpha(rate)) * rng.standard_normal((draws, 4))
    sums = noise @ contributions
    mean, variance = weight_noise.sum_moments(contributions, rate)
    assert abs(sums.mean() - mean) < 4 * np.sqrt(variance / draws)
    squares = (sums - mean) ** 2
    assert abs(squares.mean() - variance) < 4 * squares.std() / np.sqrt(draws)


def test_the_masked_sum_nears_a_gaussian():
    for num_inputs in [1, 7, 200]:
        at, probability = weight_noise.bernoulli_sum(num_inputs, 0.2)
        np.testing.assert_allclose(probability, stats.binom.pmf(np.arange(num_inputs + 1), num_inputs, 0.8), rtol=1e-9)
        assert (at * probability).sum() == pytest.approx(0, abs=1e-9)
        assert (at**2 * probability).sum() == pytest.approx(1)
    # By the root of n, and below the bound of Berry & Esseen (constant 0.4748, Shevtsova 2011).
    for rate in RATES:
        skew = (rate**2 + (1 - rate) ** 2) / np.sqrt(rate * (1 - rate))
        for num_inputs in (1, 5, 50, 500):
            assert weight_noise.distance_to_gaussian(num_inputs, rate) <= 0.4748 * skew / np.sqrt(num_inputs)
        ratio = weight_noise.distance_to_gaussian(4000, rate) / weight_noise.distance_to_gaussian(16_000, rate)
        assert ratio == pytest.approx(2, rel=0.1)


def test_divergence_curves():
    found = weight_noise.divergence_curves(at := np.array([-2.0, 1.0]))
    for name, function in (("exact", "log_uniform"), ("sigmoidal", "sparse_variational"), ("ard", "ard")):
        np.testing.assert_array_equal(found[name], getattr(divergences, function)(at))
    log_alpha = np.array([-10.0, -9.0])
    np.testing.assert_allclose(
        weight_noise.cubic_with_constant(log_alpha), divergences.log_uniform(log_alpha), atol=1e-4
    )
    constants = weight_noise.cubic_with_constant(log_alpha) - divergences.cubic(log_alpha)
    np.testing.assert_allclose(constants, 0.6351814227, atol=1e-9)
    found = weight_noise.divergence_curves(np.linspace(-10, 0, 101))
    assert np.abs(found["cubic"] - found["exact"]).max() < 0.041
    assert weight_noise.cubic_with_constant(np.array(2.0)) < -100
    # Two values one standard deviation from the mean: the gap is Phi(1) - 1/2.
    assert weight_noise.distance_to_gaussian(1, 0.5) == pytest.approx(stats.norm.cdf(1) - 0.5)
