"""Priors that shrink: closed forms against quadrature, limits, and which of them prune."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, norm

from bdlviz.errors import InvalidInput
from bdlviz.topics.weights.compression import shrinkage
from bdlviz.topics.weights.compression.shrinkage import CUT, PRIORS

PROPER = [name for name in PRIORS if name != "spike_and_slab"]
SCALES = [0.1, 1.0, 3.0]


@pytest.mark.parametrize("prior", PROPER)
@pytest.mark.parametrize("scale", SCALES)
def test_a_density_has_mass_one(prior, scale):
    def over_log_size(t: float) -> float:  # even, and with tails over many decades
        return float(2 * np.exp(t) * shrinkage.density(prior, np.array(np.exp(t)), scale))

    mass, _ = quad(over_log_size, -40, 40, points=[-9, -3, 0, 3, 9], limit=500)
    assert mass == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("scale", SCALES)
def test_a_density_is_the_mixture_that_defines_it(prior, scale):
    w = np.array([0.05, 0.7, 4.0])
    local, mass = shrinkage._mixture(prior, 0.3)
    is_slab = local > 0
    mixed = (mass * np.where(is_slab, norm.pdf(w[:, None], 0, scale * np.maximum(local, 1e-30)), 0)).sum(1) / mass.sum()
    # The log-uniform prior ends abruptly, where the trapezoidal rule is no better than its step.
    tolerance = 1e-2 if prior == "log_uniform" else 1e-6
    np.testing.assert_allclose(shrinkage.density(prior, w, scale, 0.3), mixed, rtol=tolerance)


def test_the_horseshoe_in_its_limits():
    """Carvalho, Polson & Scott 2010, theorem 1: K/2 log(1 + 4/w^2) < p(w) < K log(1 + 2/w^2), K = (2 pi^3)^(-1/2)."""
    w, k = np.array([1e-3, 0.1, 1.0, 10.0, 300.0]), (2 * np.pi**3) ** -0.5
    found = shrinkage.density("horseshoe", w, 1.0)
    assert (k / 2 * np.log1p(4 / w**2) < found).all() and (found < k * np.log1p(2 / w**2)).all()
    edge = np.sqrt(2 * shrinkage.LARGE)
    below, above = shrinkage.density("horseshoe", np.array([edge * (1 - 1e-9), edge * (1 + 1e-9)]), 1.0)
    assert above == pytest.approx(below, rel=1e-6)
    kappa = np.linspace(0.01, 0.99, 50)
    np.testing.assert_allclose(shrinkage.shrinkage_density("horseshoe", kappa, 1.0), beta.pdf(kappa, 0.5, 0.5))
    y = np.array([20.0])
    left = {prior: float(y[0] - shrinkage.posterior_mean(prior, y, 1.0)[0]) for prior in PRIORS}
    assert left["horseshoe"] == pytest.approx(2 / 20, rel=0.05)  # Tweedie's formula for tails of w^-2
    assert left["laplace"] == pytest.approx(1, abs=1e-6) and left["gaussian"] == pytest.approx(10)
    assert 0 < left["log_uniform"] < left["horseshoe"]


@pytest.mark.parametrize("prior", ["laplace", "horseshoe", "log_uniform"])
@pytest.mark.parametrize("scale", SCALES)
def test_shrinkage_factors_have_the_mass_that_quadrature_finds(prior, scale):
    low, high = 0.2, 0.7
    mass, _ = quad(lambda k: float(shrinkage.shrinkage_density(prior, np.array(k), scale)), low, high)
    assert shrinkage.prior_mass(prior, low, high, scale) == pytest.approx(mass, abs=2e-4)


def test_the_mass_of_the_horseshoe_at_both_ends_is_that_of_a_beta():
    """At scale 1 kappa is Beta(1/2, 1/2); a grid that counts whole cells at both ends gives 21 %."""
    tail = beta(0.5, 0.5).cdf(0.1)
    assert tail == pytest.approx(0.2048, abs=1e-4)
    assert shrinkage.prior_mass("horseshoe", 0.9, 1.0, 1.0) == pytest.approx(tail, abs=1e-4)
    assert shrinkage.prior_mass("horseshoe", 0.0, 0.1, 1.0) == pytest.approx(tail, abs=1e-4)
    assert shrinkage.prior_mass("horseshoe", 0.0, 1.0, 1.0) == pytest.approx(1, abs=1e-12)


def test_masses_and_means_in_closed_form():
    assert shrinkage.shrinkage_masses("gaussian", 2.0) == [(0.2, 1.0)]
    assert shrinkage.shrinkage_masses("spike_and_slab", 1.0, 0.1) == [(0.5, 0.1), (1.0, 0.9)]
    assert shrinkage.shrinkage_masses("horseshoe", 1.0) == []
    assert not shrinkage.shrinkage_density("gaussian", np.array([0.3]), 1.0).any()
    y = np.array([-2.0, 0.0, 5.0])
    np.testing.assert_allclose(shrinkage.posterior_mean("gaussian", y, 2.0), 0.8 * y)
    slab, spike = 0.2 * norm.pdf(y, 0, np.sqrt(5)), 0.8 * norm.pdf(y)
    expected = slab / (slab + spike) * 0.8 * y
    np.testing.assert_allclose(shrinkage.posterior_mean("spike_and_slab", y, 2.0, 0.2), expected)
    w = np.array([0.1, 1.0, 10.0])
    np.testing.assert_allclose(w * shrinkage.density("log_uniform", w, 1.0), 1 / (4 * np.log(CUT)), rtol=1e-2)
    with pytest.raises(InvalidInput, match="choose one of gaussian"):
        shrinkage.density("cauchy", np.zeros(1), 1.0)


@pytest.mark.parametrize("prior", PROPER)
@pytest.mark.parametrize("y", [0.5, 3.0, 7.0])
def test_posterior_mean_by_integrating_over_the_weight(prior, y):
    def times(power: int) -> float:
        def integrand(t: float) -> float:  # over log |w|, both signs
            w = np.exp(t)
            plus, minus = norm.pdf(y, w), (-1) ** power * norm.pdf(y, -w)
            return float(shrinkage.density(prior, np.array(w), 1.0) * (plus + minus) * w ** (power + 1))

        return quad(integrand, -35, 6, points=[-8, -3, 0, np.log(y), 3], limit=500)[0]

    expected = times(1) / times(0)
    tolerance = 5e-3 if prior == "log_uniform" else 1e-5
    assert shrinkage.posterior_mean(prior, np.array(y), 1.0) == pytest.approx(expected, rel=tolerance)
