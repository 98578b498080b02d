"""Variational dropout: what has an alpha of its own, its cap, and optima that are known."""

import numpy as np
import pytest
import torch

import bdlviz
from bdlviz.methods import variational_dropout as method
from bdlviz.models import divergences
from tests.methods.contract import quick


def test_alphas_and_what_owns_them():
    for alpha_per, shapes in [(0, [(1, 1), (1, 1)]), (1, [(1, 1), (5, 1)]), (2, [(1, 5), (5, 1)])]:
        found = method.alphas(quick("variational_dropout", hidden=(5,), alpha_per=alpha_per).single())
        assert [found["weight0"].shape, found["weight1"].shape] == shapes
    params = {
        "weight0": np.ones((2, 3), np.float32),
        "log_alpha_weight0": np.log(np.array([[0.25], [4.0]], np.float32)),  # the second is capped
    }
    draws = method.sample(None, params, {}, np.random.default_rng(0), 2)
    assert draws.weight_std is not None
    np.testing.assert_allclose(draws.weight_std["weight0"], [[0.5] * 3, [1.0] * 3])
    fits = [quick("variational_dropout", hidden=(), alpha_per=per, num_steps=50) for per in (0, 1, 2)]
    for fit in fits[1:]:
        np.testing.assert_array_equal(fit.params["log_alpha_weight0"], fits[0].params["log_alpha_weight0"])
        np.testing.assert_array_equal(fit.params["weight0"], fits[0].params["weight0"])
    for alpha_per in [0.5, 1.5]:
        with pytest.raises(bdlviz.InvalidInput, match=f"alpha_per must be a whole number, not {alpha_per}"):
            quick("variational_dropout", alpha_per=alpha_per)
    # At the start all alphas are equal, so the recorded losses with and without the KL term differ by known nats.
    for alpha_per in [0, 1, 2]:
        settings = {"alpha_per": alpha_per, "hidden": (5,), "start_rate": 0.2, "num_steps": 1, "noise_std": 0.5}
        fits = [quick("variational_dropout", kl_weight=weight, **settings) for weight in (0.0, 1.0)]
        without, with_term = (fit.history["loss"][0] for fit in fits)
        expected = 10 * divergences.cubic(np.log(0.25)) / fits[0].num_data
        assert with_term - without == pytest.approx(expected, rel=1e-3)


def test_the_cap_has_the_value_of_one_and_an_alpha_comes_back_from_it():
    """Above 0 the gradient passes where downhill leads back, and stops where it leads further up."""
    log_alpha = torch.tensor([-1.0, 0.5, 0.5], requires_grad=True)
    bounded = method.at_most_zero(log_alpha)
    np.testing.assert_allclose(bounded.detach(), [-1, 0, 0])
    (bounded * torch.tensor([-3.0, 2.0, -2.0])).sum().backward()
    assert log_alpha.grad is not None
    np.testing.assert_allclose(log_alpha.grad, [-3, 2, 0])
    with torch.no_grad():
        np.testing.assert_allclose(method.at_most_zero(log_alpha), [-1, 0, 0])
    # It starts at the cap, and a clear line through many points wants less noise.
    x = np.linspace(-2, 2, 200)
    fit = bdlviz.fit(
        "variational_dropout", (x, 3 * x), hidden=(), noise_std=0.3, start_rate=0.5, num_steps=1500, learning_rate=1e-2
    )
    assert method.alphas(fit.single())["weight0"].item() < 0.05


@pytest.mark.parametrize("alpha_per", [0, 2])
def test_one_weight_ends_at_the_optimum(alpha_per: int):
    """The expected squared error is known, (y - theta x)^2 + alpha theta^2 x^2: minimise it on a grid of alphas."""
    x = np.linspace(-2, 2, 50)
    y = x + np.random.default_rng(0).normal(0, 1.0, 50)
    fit = bdlviz.fit(
        "variational_dropout", (x, y), hidden=(), noise_std=1.0, batch_size=None, alpha_per=alpha_per,
        num_steps=4000, learning_rate=1e-2, schedule="drop_at_half",
    )  # fmt: skip
    u, v = fit.scaling.standardise_x(x[:, None])[:, 0], fit.scaling.standardise_y(y[:, None])[:, 0]
    alpha = np.exp(np.linspace(-8, 0, 4001))
    theta = (u @ v) / (u @ u * (1 + alpha))  # the best for each alpha
    error = (v @ v) - 2 * theta * (u @ v) + theta**2 * (u @ u) * (1 + alpha)
    bound = fit.precision * error / 2 + divergences.cubic(np.log(alpha))
    best = alpha[bound.argmin()]
    assert 1e-3 < best < 0.9  # inside, so that the test says something
    assert np.log(method.alphas(fit.single())["weight0"].item()) == pytest.approx(np.log(best), abs=0.15)
