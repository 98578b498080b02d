"""Description length: costs in nats against quadrature, against torch, and against the evidence of a known model."""

import numpy as np
import pytest
import torch

from bdlviz.errata.one_weight import one_weight
from bdlviz.errata.variational import description_length
from bdlviz.errors import InvalidInput
from bdlviz.topics.weights.bayes_by_backprop import description
from bdlviz.topics.weights.bayes_by_backprop.description import Prior


def test_the_kl_to_gaussians_and_mixtures():
    rng = np.random.default_rng(0)
    mean, std = rng.normal(size=50), 0.1 + rng.random(50)
    ours = description.kl_by_weight(mean, std, Prior(0.7))
    q, p = torch.distributions.Normal(torch.tensor(mean), torch.tensor(std)), torch.distributions.Normal(0.0, 0.7)
    np.testing.assert_allclose(ours, torch.distributions.kl_divergence(q, p).numpy(), rtol=1e-6)
    by_name = description.kl_to_prior({"a": mean[:20], "b": mean[20:]}, {"a": std[:20], "b": std[20:]}, Prior(0.7))
    assert by_name == pytest.approx(ours.sum())
    for same in [Prior(0.5, 0.5, 0.3), Prior(0.5, 0.001, 1.0)]:
        assert same.is_gaussian
        mean, std = np.array([0.0, 1.0]), np.array([0.3, 0.01])
        np.testing.assert_allclose(
            description.kl_by_weight(mean, std, same), description.kl_by_weight(mean, std, Prior(0.5))
        )
    for mean, std in [(0.0, 0.02), (0.0, 1.0), (0.3, 0.1), (0.004, 0.0005), (-1.0, 0.01)]:
        for prior in [Prior(np.exp(-1), np.exp(-7), 0.25), Prior(1.0, 0.05, 0.5)]:
            draws = mean + std * np.random.default_rng(1).standard_normal(400_000)
            log_q = -0.5 * ((draws - mean) / std) ** 2 - np.log(std) - 0.5 * description.LOG_TWO_PI
            ratio = log_q - prior.log_density(draws)
            kl = description.kl_by_weight(np.array(mean), np.array(std), prior)
            assert abs(kl - ratio.mean()) < 4 * ratio.std() / len(draws) ** 0.5
    for bad in [(0.0, 1.0, 1.0), (1.0, 0.0, 0.5), (1.0, 1.0, 0.0), (1.0, 1.0, 1.1), (np.nan, 1, 1)]:
        with pytest.raises(InvalidInput):
            Prior(*bad)


def test_the_costs_of_one_weight_are_those_of_the_known_model():
    """At the exact posterior the description length is minus the log evidence."""
    model = one_weight(20)
    mean, std = model.posterior
    kl = description.kl_to_prior({"w": np.array(mean)}, {"w": np.array(std)}, Prior())
    known = model.expected_log_likelihood(mean, std)
    draws = mean + std * np.random.default_rng(0).standard_normal((100_000, 1, 1))
    outputs = np.broadcast_to(draws, (100_000, 20, 1))
    error = description.error_cost(outputs, model.y[:, None], 1.0, accuracy=1.0)
    spread = (0.5 * np.square(outputs - model.y[:, None]).sum((1, 2))).std() / 100_000**0.5
    assert abs(error + known) < 4 * spread
    assert float(description_length(known, np.array(kl))) == pytest.approx(-model.log_evidence)
    y = np.random.default_rng(0).normal(size=(30, 1))
    outputs = np.zeros((5, 30, 1))
    finer = description.error_cost(outputs, y, 0.3, 0.001) - description.error_cost(outputs, y, 0.3, 0.01)
    assert finer == pytest.approx(30 * np.log(10))
    plain = description.cost_without_network(y, 0.001) - description.cost_without_network(y, 0.01)
    assert plain == pytest.approx(finer)
    y = np.random.default_rng(0).normal(size=(1000, 1))
    outputs = np.full((1, 1000, 1), y.mean())
    assert description.cost_without_network(y) == pytest.approx(description.error_cost(outputs, y, float(y.std())))
    assert description.bits(np.log(8)) == pytest.approx(3)
