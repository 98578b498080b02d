"""The relaxed Bernoulli variable: against torch, against its integral, against samples, and in its limits."""

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from scipy.special import expit
from torch.distributions import RelaxedBernoulli

from bdlviz.errors import InvalidInput
from bdlviz.methods.concrete_dropout import relaxed_mask
from bdlviz.predictive.relaxation import fastest_rate, relaxed_density, relaxed_distribution, share_between

Z = np.linspace(0.001, 0.999, 57)
RATES = pytest.mark.parametrize("rate", [0.05, 0.12, 0.5, 0.9])


@RATES
@pytest.mark.parametrize("temperature", [0.05, 0.1, 1.0, 3.0])
def test_density_is_that_of_torch(rate, temperature):
    twin = RelaxedBernoulli(torch.tensor(temperature, dtype=torch.float64), probs=torch.tensor(1 - rate))
    twin = twin.expand((len(Z),))
    expected = twin.log_prob(torch.from_numpy(Z)).exp().numpy()
    np.testing.assert_allclose(relaxed_density(Z, rate, temperature), expected, rtol=1e-5)


@RATES
@pytest.mark.parametrize("temperature", [0.1, 1.0, 10.0])
def test_density_is_the_derivative_of_the_distribution_function(rate, temperature):
    for low, high in ((0.01, 0.4), (0.3, 0.99)):
        found, _ = quad(lambda z: float(relaxed_density(np.array(z), rate, temperature)), low, high, epsabs=1e-12)
        assert found == pytest.approx(share_between(low, high, rate, temperature), abs=1e-9)


@RATES
@pytest.mark.parametrize("temperature", [0.1, 1.0])
def test_training_draws_its_masks_from_it(rate, temperature):
    noise = torch.from_numpy(np.random.default_rng(0).logistic(size=(1, 40_000)))
    logit = torch.full((1, 1), float(np.log(rate / (1 - rate))), dtype=torch.float64)
    masks = relaxed_mask(logit, noise, temperature)[0].numpy() * expit(-logit.item())
    for z in (0.02, 0.3, 0.5, 0.8):
        expected = float(relaxed_distribution(np.array(z), rate, temperature))
        error = np.sqrt(expected * (1 - expected) / len(masks))
        assert np.mean(masks <= z) == pytest.approx(expected, abs=4 * float(error))


@RATES
def test_limits(rate):
    """As t falls all mass sits at 0 and 1, p of it at 0; as it grows, at 1/2. All alike at t = 1 and p = 1/2."""
    np.testing.assert_allclose(relaxed_distribution(Z, rate, 0.001), rate, atol=0.002)
    assert share_between(0.01, 0.99, rate, 0.001) < 0.0024
    if rate == 0.5:
        assert share_between(0.4, 0.6, rate, 10.0) > 0.95
    np.testing.assert_allclose(relaxed_density(Z, 0.5, 1.0), 1, rtol=1e-12)


def test_both_ends_of_the_slider_are_finite_and_the_fastest_rate_is_adams():
    z = np.array([1e-12, 0.5, 1 - 1e-12])
    for temperature in (0.001, 10.0):
        for rate in (0.001, 0.999):
            for function in (relaxed_density, relaxed_distribution):
                found = function(z, rate, temperature)
                assert np.isfinite(found).all() and (found >= 0).all()
    logit = torch.tensor([float(np.log(0.1 / 0.9))], dtype=torch.float64, requires_grad=True)
    adam, found = torch.optim.Adam([logit], lr=1e-3), []
    for _ in range(1500):
        logit.grad = torch.full_like(logit, -0.37)
        adam.step()
        found.append(torch.sigmoid(logit).item())
    steps = np.arange(1, 1501)
    np.testing.assert_allclose(found, fastest_rate(0.1, steps), rtol=1e-5)
    assert fastest_rate(0.1, np.array([0, 1000]))[1] == pytest.approx(0.2320, abs=1e-4)
    with pytest.raises(InvalidInput, match="start"):
        fastest_rate(0.0, steps)


@pytest.mark.parametrize(
    ("z", "rate", "temperature", "message"),
    [
        (0.5, 0.0, 0.1, "rate"),
        (0.5, 1.0, 0.1, "rate"),
        (0.5, 0.1, 1e-4, "temperature"),
        (0.5, 0.1, 11.0, "temperature"),
        (0.0, 0.1, 0.1, "between"),
        (1.0, 0.1, 0.1, "between"),
    ],
)
def test_refusals(z, rate, temperature, message):
    with pytest.raises(InvalidInput, match=message):
        relaxed_density(np.array([z]), rate, temperature)
