"""Bayes' rule over hypotheses, and four networks: closed forms, limits, bad input."""

import numpy as np
import pytest
from scipy import stats

from bdlviz.errors import InvalidInput
from bdlviz.models import bayes_rule, four_networks

X, Y = np.array([-1.0, 0.5, 1.5]), np.array([-0.8, 0.9, 1.2])


def test_a_table_added_up_by_hand():
    found = bayes_rule.update(np.log([0.5, 0.3, 0.2]), np.log([0.1, 0.4, 0.2]))
    assert np.exp(found.log_evidence) == pytest.approx(0.05 + 0.12 + 0.04)
    np.testing.assert_allclose(found.posterior, np.array([0.05, 0.12, 0.04]) / 0.21)
    np.testing.assert_allclose(np.exp(found.log_numerator), [0.05, 0.12, 0.04])
    found = bayes_rule.update(np.log([0.5, 0.5]), np.array([-5000.0, -5001.0]))
    assert found.posterior[0] == pytest.approx(1 / (1 + np.exp(-1)))
    assert found.log_evidence == pytest.approx(-5000 + np.log(0.5 + 0.5 * np.exp(-1)))
    rng = np.random.default_rng(0)
    prior, first, second = np.log(rng.dirichlet(np.ones(5))), rng.normal(size=5), rng.normal(size=5)
    once = bayes_rule.update(prior, first + second)
    after_first = bayes_rule.update(prior, first)
    twice = bayes_rule.update(np.log(after_first.posterior), second)
    np.testing.assert_allclose(twice.posterior, once.posterior)
    assert after_first.log_evidence + twice.log_evidence == pytest.approx(once.log_evidence)
    with pytest.raises(InvalidInput, match="a prior above 0"):
        bayes_rule.update(np.array([-np.inf, 0.0]), np.array([0.0, -np.inf]))


def test_averages_and_densities():
    mean, std = bayes_rule.average(np.array([0.25, 0.75]), np.array([[0.0, 2.0], [4.0, 2.0]]))
    np.testing.assert_allclose(mean, [3.0, 2.0])
    np.testing.assert_allclose(std, [np.sqrt(3.0), 0.0])
    errors = np.array([0.3, -1.0, 2.0])
    wanted = stats.norm.logpdf(errors, 0, 0.7).sum()
    assert bayes_rule.log_normal((errors**2).sum(), 3, 0.7) == pytest.approx(wanted)
    posterior, predictions = np.array([0.2, 0.8]), np.array([[0.0, 300.0], [1.0, 1.0]])
    found = bayes_rule.log_predictive(posterior, predictions, np.array([0.5, 300.0]), 0.5)
    wanted = 0.2 * stats.norm.pdf(0.5, 0, 0.5) + 0.8 * stats.norm.pdf(0.5, 1, 0.5)
    np.testing.assert_allclose(found, [np.log(wanted), np.log(0.2 * stats.norm.pdf(0, 0, 0.5))])
    for weights in [np.zeros(4), np.array([1.0, -1, 1, 1]), np.array([1.0, np.nan, 1, 1])]:
        with pytest.raises(InvalidInput, match="prior weights"):
            four_networks.infer(X, Y, weights, 0.5)
    for noise_std in [0.0, -1.0, np.inf, np.nan]:
        with pytest.raises(InvalidInput, match="above 0"):
            four_networks.infer(X, Y, np.ones(4), noise_std)


def test_four_networks_are_their_formula_and_their_posterior_is_added_up():
    for k, (weight, bias, out, shift) in enumerate(four_networks.WEIGHTS):
        wanted = sum(out[j] * np.tanh(weight[j] * 0.7 + bias[j]) for j in range(2)) + shift[0]
        assert four_networks.evaluate(np.array([0.7]))[k, 0] == pytest.approx(wanted)
    weights = np.array([1.0, 2.0, 0.0, 5.0])
    found = four_networks.infer(X, Y, weights, 0.5)
    likelihood = stats.norm.pdf(Y, four_networks.evaluate(X), 0.5).prod(1)
    numerator = likelihood * weights / 8
    np.testing.assert_allclose(found.terms.posterior, numerator / numerator.sum())
    assert np.exp(found.terms.log_evidence) == pytest.approx(numerator.sum())
    predictive = found.predict(np.array([3.0]))
    assert predictive.mean[0, 0] == pytest.approx(
        numerator @ four_networks.evaluate(np.array([3.0]))[:, 0] / numerator.sum()
    )
    assert found.terms.posterior[2] == 0
    assert found.most_likely == likelihood.argmax() and found.most_probable == numerator.argmax()
    found = four_networks.infer(np.empty(0), np.empty(0), np.array([1.0, 2.0, 3.0, 4.0]), 0.5)
    np.testing.assert_allclose(found.terms.posterior, [0.1, 0.2, 0.3, 0.4])
    assert found.terms.log_evidence == pytest.approx(0, abs=1e-12)
    x = np.linspace(-3, 3.5, 200)
    noise = 0.5 * np.random.default_rng(0).standard_normal(200)
    for k in range(4):
        found = four_networks.infer(x, four_networks.evaluate(x)[k] + noise, np.ones(4), 0.5)
        assert found.terms.posterior[k] > 0.99
