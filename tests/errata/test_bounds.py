"""Errata about the bound, the chain rule of a draw, and the noise at edges: against closed forms and integrals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from bdlviz.errata import ERRATA, bounds, chain_rule, edges, one_weight

RNG = np.random.default_rng(0)
gaussian: Any = stats.norm  # frozen by a call; the stubs of scipy are vague about the result


@pytest.mark.parametrize("scale", [0.5, 1.0, 1.7])
def test_the_kl_to_the_posterior_has_the_evidence(scale: float):
    """Against the integral of log q - log p(w | D), whose posterior is known."""
    model = one_weight.one_weight(6)
    mean, std = model.posterior
    q, posterior, prior = gaussian(mean, scale * std), gaussian(mean, std), gaussian(0, 1)

    def kl_to(p: Any) -> float:
        return integrate.quad(lambda w: q.pdf(w) * (q.logpdf(w) - p.logpdf(w)), mean - 9, mean + 9, limit=200)[0]

    fit = integrate.quad(lambda w: q.pdf(w) * gaussian(w, 1).logpdf(model.y).sum(), mean - 9, mean + 9, limit=200)[0]
    parts = np.array(kl_to(prior)), np.array(fit)
    assert bounds.kl_to_posterior(*parts, model.log_evidence) == pytest.approx(kl_to(posterior), abs=1e-6)
    wrong = bounds.kl_without_evidence(*parts, model.log_evidence)
    assert wrong - kl_to(posterior) == pytest.approx(-model.log_evidence, abs=1e-6)
    effect = ERRATA["kl-without-evidence"].measure()
    assert effect.wrong.value == pytest.approx(-one_weight.one_weight().log_evidence)
    assert effect.right.value == pytest.approx(0, abs=1e-9)


def test_weights_under_log_q_add_up_to_a_negative_number():
    """Integrals of a normal density and of its logarithm over five standard deviations, in closed form."""
    mean, std = one_weight.one_weight().posterior
    effect = ERRATA["log-q-expectation"].measure()
    exact = std * (-10 * (np.log(std) + 0.5 * np.log(2 * np.pi)) - 125 / 3)
    assert effect.wrong.value == pytest.approx(exact, rel=1e-3)
    assert effect.right.value == pytest.approx(2 * stats.norm.cdf(5) - 1, abs=1e-6)
    w = np.linspace(-1, 2, 7)
    np.testing.assert_allclose(bounds.weights_under_q(w, mean, std), gaussian(mean, std).pdf(w))
    np.testing.assert_allclose(bounds.weights_under_log_q(w, mean, std), gaussian(mean, std).logpdf(w))


def test_a_sum_to_n_is_n_over_m_times_the_mean():
    terms = RNG.normal(size=5)
    assert bounds.bound_summed_to_m(terms, 20) == pytest.approx(terms.mean())
    assert bounds.bound_summed_to_n(terms, 20) == pytest.approx(20 / 5 * terms.mean())
    assert bounds.bound_summed_to_n(terms, 5) == pytest.approx(terms.mean())  # as many points as draws
    effect, exact = ERRATA["sum-to-n"].measure(), one_weight.one_weight().log_evidence
    assert effect.right.value == pytest.approx(exact)  # at the posterior every draw has the term log p(D)
    assert effect.wrong.value == pytest.approx(4 * exact)


def test_the_bound_is_maximised():
    """Gradient steps on the mean of q have a closed form: its distance to the best mean is multiplied each time."""
    model = one_weight.one_weight()
    mean, std = model.posterior

    def elbo(at: float) -> float:
        kl = np.log(1 / std) + (std**2 + at**2) / 2 - 0.5
        return float(gaussian(at, 1).logpdf(model.y).sum() - len(model.y) * std**2 / 2 - kl)

    best: Any = optimize.minimize_scalar(lambda at: -elbo(at))
    assert best.x == pytest.approx(mean, abs=1e-6) and elbo(mean) == pytest.approx(model.log_evidence)
    effect = ERRATA["minimised-elbo"].measure()
    for number, sign in ((effect.wrong, 1), (effect.right, -1)):
        factor = 1 + sign * 2e-3 * (1 + len(model.y))
        assert number.value == pytest.approx(elbo(mean - mean * factor**40), rel=1e-9)
    assert effect.wrong.value < elbo(0.0) < effect.right.value < model.log_evidence


def test_the_gradient_of_a_draw_is_that_of_finite_differences():
    noise, mean, phi = RNG.normal(size=50), 0.3, -0.4

    def value(at: float) -> Any:
        return np.sin(mean + np.exp(at) * noise)

    slope = (value(phi + 1e-6) - value(phi - 1e-6)) / 2e-6
    by_draw, std = np.cos(mean + np.exp(phi) * noise), float(np.exp(phi))
    np.testing.assert_allclose(chain_rule.chain_rule(by_draw, std, noise), slope, atol=1e-8)
    assert np.abs(chain_rule.chain_rule_as_printed(by_draw, std, noise) - slope).max() > 0.1


def test_upside_down_the_width_shrinks_by_a_constant_factor():
    """On pairs of opposite noise the printed gradient of one weight is -(N + 1) + 1 = -N at every width."""
    effect = ERRATA["chain-rule"].measure()
    model = one_weight.one_weight()
    assert effect.wrong.value == pytest.approx(np.exp(-0.01 * len(model.y) * 150), rel=1e-6)
    assert effect.right.value == pytest.approx(model.posterior[1], rel=0.1)


def test_one_noise_is_the_constant_of_best_likelihood():
    truth = edges.true_noise(np.linspace(0, 1, 501))
    best: Any = optimize.minimize_scalar(
        lambda at: edges.expected_nll(np.full_like(truth, np.exp(at)), truth), bounds=(-4, 1), method="bounded"
    )
    np.testing.assert_allclose(edges.one_noise(truth), np.exp(best.x), rtol=1e-4)
    for factor in (0.9, 1.1):  # no other noise by pixel is better than the true one
        assert edges.expected_nll(factor * truth, truth) > edges.expected_nll(edges.noise_by_pixel(truth), truth)
    effect = ERRATA["depth-edges"].measure()
    share = float(np.mean(truth == edges.NEAR))
    assert effect.wrong.value == pytest.approx(np.sqrt(share * edges.NEAR**2 + (1 - share) * edges.FAR**2))
    assert effect.right.value == edges.NEAR


def test_errata_name_who_prints_the_mistake():
    """What is printed, as far as it can be written in a line."""
    where = {name: erratum.where for name, erratum in ERRATA.items()}
    assert where["ascent"].startswith("Mittov") and where["independent-weights"].startswith("Gavves")
    assert "∂w / (1 + exp(−ρ))" in where["rho-gradient"] and "τ = ℓ² p / 2Nλ" in where["learning-rate"]
    known = ("Lee", "Mittov", "Gavves", "TUM", "Notebook")
    unnamed = {name for name, place in where.items() if not place.startswith(known)}
    assert unnamed == {"proportional", "decay-per-point"}
