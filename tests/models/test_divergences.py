"""Divergences of one weight: golden values, quadrature, limits, and where an approximation holds."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import gamma, invgamma, norm

from bdlviz.models import divergences

LOG_ALPHA = np.array([-5.0, -2.0, 0.0, 1.0, 3.0])


@pytest.mark.parametrize(
    ("function", "golden"),
    [
        (divergences.log_uniform, [3.13178, 1.54415, 0.42669, 0.17319, 0.02469]),
        (divergences.sparse_variational, [3.13668, 1.54053, 0.43124, 0.17797, 0.02542]),
        (divergences.ard, [2.50336, 1.06346, 0.34657, 0.15663, 0.02429]),
    ],
)
def test_golden_values(function, golden):
    np.testing.assert_allclose(function(LOG_ALPHA), golden, atol=1e-5)


@pytest.mark.parametrize("log_alpha", [-3.0, 0.0, 2.0])
def test_log_uniform_by_quadrature(log_alpha):
    """KL = E_q[log q + log |w|] up to a constant, which the difference of two values does not have."""

    def expected_log_size(at: float) -> float:
        std = np.exp(at / 2)
        ends = 1 - 12 * std, 1 + 12 * std
        value, _ = quad(lambda w: norm.pdf(w, 1, std) * np.log(abs(w)), *ends, points=[0.0], limit=400)
        return value

    def up_to_a_constant(at: float) -> float:
        return expected_log_size(at) - at / 2

    found = divergences.log_uniform(np.array([log_alpha, 4.0]))
    assert found[0] - found[1] == pytest.approx(up_to_a_constant(log_alpha) - up_to_a_constant(4.0), abs=1e-6)


@pytest.mark.parametrize("log_alpha", [-4.0, 0.0, 3.0])
def test_ard_is_the_divergence_from_the_best_prior(log_alpha):
    """The smallest KL to N(0, s^2) over s, found on a fine grid."""
    mean, variance = 0.7, 0.7**2 * np.exp(log_alpha)
    prior = np.geomspace(1e-4, 1e4, 200_001)
    divergence = 0.5 * ((mean**2 + variance) / prior - 1 - np.log(variance / prior))
    assert divergences.ard(np.array([log_alpha]))[0] == pytest.approx(divergence.min(), abs=1e-6)


def test_approximations_hold_where_they_say():
    for function in (divergences.log_uniform, divergences.sparse_variational, divergences.ard):
        assert abs(function(np.array([12.0]))[0]) < 1e-5
    log_alpha = np.linspace(-8, 8, 400)
    gap = divergences.sparse_variational(log_alpha) - divergences.log_uniform(log_alpha)
    assert np.abs(gap).max() < 0.01
    log_alpha = np.linspace(-4, 0, 100)
    gap = divergences.cubic(log_alpha) - divergences.log_uniform(log_alpha)
    assert np.ptp(gap) < 0.03  # a constant apart
    beyond = divergences.cubic(np.array([0.0, 1.0])) - divergences.log_uniform(np.array([0.0, 1.0]))
    assert abs(beyond[1] - beyond[0]) > 1
    # By hand at mu = 0, sigma = 1: e^(1/2) - (1 + log 2) / 2, and log tau more and e^(1/2) / tau^2 otherwise.
    at_one = np.exp(0.5) - (1 + np.log(2)) / 2
    assert divergences.gamma_log_normal(0.0, 0.0, 1.0) == pytest.approx(at_one) == pytest.approx(0.802147680)
    assert divergences.inverse_gamma_log_normal(0.0, 0.0) == pytest.approx(at_one)
    shifted = np.log(2) + np.exp(0.5) / 4 - (1 + np.log(2)) / 2
    assert divergences.gamma_log_normal(0.0, 0.0, 2.0) == pytest.approx(shifted)


def log_normal_kl(mean: float, log_std: float, log_prior) -> float:
    """E_q[log q - log p] by quadrature over the logarithm; ``log_prior`` is the density of the logarithm."""
    std = np.exp(log_std)

    def integrand(t: float) -> float:
        return norm.pdf(t, mean, std) * (norm.logpdf(t, mean, std) - log_prior(t))

    return quad(integrand, mean - 12 * std, mean + 12 * std, limit=400)[0]


@pytest.mark.parametrize("mean", [-2.0, 0.0, 1.5])
@pytest.mark.parametrize("log_std", [-4.0, -0.5, 0.3])
@pytest.mark.parametrize("scale", [1e-2, 1.0, 3.0])
def test_log_normal_against_gamma_priors_by_quadrature(mean, log_std, scale):
    def log_gamma(t: float) -> float:  # a density of x = e^t times x is one of t
        return float(gamma.logpdf(np.exp(t), 0.5, scale=scale**2)) + t

    def log_inverse_gamma(t: float) -> float:
        return float(invgamma.logpdf(np.exp(t), 0.5)) + t

    found = divergences.gamma_log_normal(mean, log_std, scale)
    assert found == pytest.approx(log_normal_kl(mean, log_std, log_gamma), rel=1e-6)
    inverse = divergences.inverse_gamma_log_normal(mean, log_std)
    assert inverse == pytest.approx(log_normal_kl(mean, log_std, log_inverse_gamma), rel=1e-6)


@pytest.mark.parametrize(("mean", "std"), [(0.0, 1.0), (0.7, 0.2), (-2.0, 3.0)])
def test_divergence_from_the_unit_gaussian(mean, std):
    def integrand(w: float) -> float:
        return float(norm.pdf(w, mean, std) * (norm.logpdf(w, mean, std) - norm.logpdf(w)))

    expected, _ = quad(integrand, mean - 12 * std, mean + 12 * std)
    assert divergences.unit_gaussian(mean, np.log(std)) == pytest.approx(expected, abs=1e-8)
