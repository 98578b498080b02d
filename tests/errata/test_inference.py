"""Errata about learning: minima, gradients and the exact posterior of one weight."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from scipy import integrate, optimize, stats

from bdlviz.errata import (
    ard,
    one_weight,
    point_estimates,
    variational,
)
from bdlviz.models.elementary import softplus

RNG = np.random.default_rng(0)
gaussian: Any = stats.norm  # frozen by a call; the stubs of scipy are vague about the result
multivariate: Any = stats.multivariate_normal
slope_of: Any = optimize.approx_fprime


def test_ridge_is_the_map_estimate():
    design, y, noise, prior = RNG.normal(size=(15, 4)), RNG.normal(size=15), 0.5, 3.0

    def minus_log_posterior(theta: Any) -> float:
        likelihood = gaussian(design @ theta, noise**0.5).logpdf(y).sum()
        return -likelihood - gaussian(0, prior**0.5).logpdf(theta).sum()

    best = optimize.minimize(minus_log_posterior, np.zeros(4), tol=1e-10).x
    np.testing.assert_allclose(
        point_estimates.ridge(design, y, point_estimates.ridge_weight(noise, prior)), best, atol=1e-5
    )
    wrong = point_estimates.ridge(design, y, point_estimates.ridge_weight_as_printed(noise, prior))
    assert np.abs(wrong - best).max() > 0.02


def test_gradient_ascent_reaches_the_maximum():
    y = RNG.normal(size=9)
    right = wrong = np.zeros(1)
    for _ in range(200):
        right = point_estimates.step_of_ascent(right, (y - right).sum(keepdims=True), 0.02)
        wrong = point_estimates.step_as_printed(wrong, (y - wrong).sum(keepdims=True), 0.02)
    assert right[0] == pytest.approx(stats.norm.fit(y, fscale=1)[0])
    assert abs(wrong[0]) > 1e6


def test_ard_kl():
    mean, std, prior = np.array([1.0, 0.2]), np.array([0.5, 1.5]), np.array([2.0, 0.7])
    q = torch.distributions.Normal(torch.tensor(mean), torch.tensor(std))
    p = torch.distributions.Normal(torch.zeros(2, dtype=torch.float64), torch.tensor(prior))
    reference = torch.distributions.kl_divergence(q, p).numpy()
    np.testing.assert_allclose(ard.ard_kl(mean, std, prior), reference, rtol=1e-12)
    assert np.abs(ard.ard_kl_as_printed(mean, std, prior) - reference).min() > 0.1
    assert ard.ard_kl(np.zeros(1), std[:1], std[:1]) == pytest.approx(0)
    assert ard.ard_kl_as_printed(np.ones(1), std[:1], np.full(1, 10.0)) < 0


@pytest.mark.parametrize(
    ("log_alpha", "golden"), [(-5, 2.50336), (-2, 1.06346), (0, 0.34657), (1, 0.15663), (3, 0.02429)]
)
def test_the_constant_of_ard_is_zero(log_alpha: float, golden: float):
    mean, std = np.array(1.0), np.exp(np.array(log_alpha) / 2)

    def of_prior(log_prior: float) -> float:
        return float(ard.ard_kl(mean, std, np.exp(log_prior)))

    found: Any = optimize.minimize_scalar(of_prior, bounds=(-5, 8), method="bounded")
    assert ard.ard_kl_at_best(mean, std) == pytest.approx(golden, abs=1e-5)
    assert found.fun == pytest.approx(golden, abs=1e-5)
    assert ard.ard_kl_with_constant(mean, std) - golden == pytest.approx(0.5, abs=1e-5)


def test_rho_gradient_is_that_of_finite_differences():
    model, mean, rho, noise = one_weight.one_weight(6), np.array([0.3]), np.array([-0.7]), np.array([-0.8])

    def loss(at: Any) -> float:
        std = softplus(at)
        weight = mean + std * noise
        likelihood = gaussian(weight, 1).logpdf(model.y).sum()
        return float((gaussian(mean, std).logpdf(weight) - stats.norm.logpdf(weight))[0] - likelihood)

    by_weight, by_mean, by_rho = variational.partial_derivatives(model, mean, rho, noise)
    slope = (loss(rho + 1e-5) - loss(rho - 1e-5)) / 2e-5
    assert variational.rho_gradient(by_weight, by_rho, noise, rho)[0] == pytest.approx(slope, rel=1e-6)
    assert abs(variational.rho_gradient_as_printed(by_weight, by_rho, noise, rho)[0] - slope) > 0.1
    assert (by_weight + by_mean)[0] == pytest.approx((mean + softplus(rho) * noise) * 7 - model.y.sum(), rel=1e-9)


def test_without_the_noise_the_width_has_no_gradient():
    model, rho = one_weight.one_weight(), np.array([0.0])
    mean, _ = model.posterior
    noise, weights = np.polynomial.hermite_e.hermegauss(20)
    parts = variational.partial_derivatives(model, np.array([mean]), rho, noise)
    right, wrong = (
        float(weights @ gradient(parts[0], parts[2], noise, rho) / weights.sum())
        for gradient in (variational.rho_gradient, variational.rho_gradient_as_printed)
    )
    std = float(softplus(rho)[0])
    assert right == pytest.approx((21 * std - 1 / std) / (1 + np.exp(-rho[0])))  # of KL and likelihood, in closed form
    assert wrong == pytest.approx(0, abs=1e-9)


def test_the_exact_posterior_and_evidence():
    model = one_weight.one_weight(5)
    joint = multivariate(np.zeros(5), np.eye(5) + np.ones((5, 5)))
    assert model.log_evidence == pytest.approx(joint.logpdf(model.y))
    mean, std = model.posterior
    precision = slope_of([mean], lambda w: (w - (model.y - w).sum())[0], 1e-6)[0]
    assert std == pytest.approx(precision**-0.5, rel=1e-5)


def test_an_epoch_counts_the_kl_once():
    ratios, likelihoods = RNG.normal(size=(5, 4)), RNG.normal(size=(5, 4))  # five minibatches of four points
    kl = RNG.normal()
    same = np.full_like(ratios, kl)
    assert variational.minibatch_loss(same, likelihoods, 20).sum() == pytest.approx(kl - likelihoods.sum())
    wrong = variational.minibatch_loss_as_printed(same, likelihoods, 20).sum()
    assert wrong == pytest.approx(4 * kl - likelihoods.sum())
    assert variational.minibatch_loss(ratios, likelihoods, 20).sum() == pytest.approx(ratios.mean() - likelihoods.sum())


@pytest.mark.parametrize("kl_weight", [1.0, 20.0])
def test_the_tempered_posterior_minimises_the_loss(kl_weight: float):
    model = one_weight.one_weight(30)

    def loss(at: Any) -> float:
        mean, std = at[0], np.exp(at[1])
        kl = np.log(1 / std) + (std**2 + mean**2) / 2 - 0.5
        return float(kl_weight * kl - model.expected_log_likelihood(mean, std))

    best = optimize.minimize(loss, np.zeros(2), tol=1e-10).x
    np.testing.assert_allclose(variational.tempered_posterior(model, kl_weight), (best[0], np.exp(best[1])), rtol=1e-4)
    assert (variational.tempered_posterior(model, kl_weight) == pytest.approx(model.posterior)) == (kl_weight == 1)


def test_the_description_length_is_least_at_the_posterior():
    model = one_weight.one_weight()
    mean, std = model.posterior

    def parts(scale: float) -> tuple[Any, Any]:
        q = gaussian(mean, scale * std)
        kl = integrate.quad(lambda w: q.pdf(w) * (q.logpdf(w) - stats.norm.logpdf(w)), -3, 5)[0]
        return model.expected_log_likelihood(mean, scale * std), np.array(kl)

    lengths = [float(variational.description_length(*parts(scale))) for scale in (0.7, 1.0, 1.4)]
    costs = [float(variational.cost_as_printed(*parts(scale))) for scale in (0.7, 1.0, 1.4)]
    assert np.argmin(lengths) == 1 and lengths[1] == pytest.approx(-model.log_evidence)
    assert np.argmax(costs) == 1
