"""Bayes by Backprop: its divergence, its gradient, and the exact posterior where there is one."""

import numpy as np
import pytest
import torch
from torch.distributions import Normal, kl_divergence

import bdlviz
from bdlviz.methods import bayes_by_backprop
from bdlviz.models.mlp import MLP
from bdlviz.predictive.functions import drawn_weights, evaluate
from bdlviz.training.by_gradient import forward
from bdlviz.training.gaussian_weights import locally_reparameterised
from tests.methods.contract import X_NEW, X, Y, quick

NETWORK = MLP((2, 5, 3), "tanh")


def gaussian_weights(seed: int = 0) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """Means and standard deviations of one network, (1, 1, in, out) each."""
    rng = np.random.default_rng(seed)
    shapes = {name: (1, 1, *shape) for name, shape in NETWORK.shapes().items()}
    mean = {name: torch.from_numpy(rng.standard_normal(shape).astype(np.float32)) for name, shape in shapes.items()}
    std = {name: torch.from_numpy(rng.uniform(0.05, 0.6, shape).astype(np.float32)) for name, shape in shapes.items()}
    return mean, std


@pytest.mark.parametrize("length_scale", [0.3, 1.0, 4.0])
def test_divergence_is_that_of_torch(length_scale):
    mean, std = gaussian_weights()
    found = bayes_by_backprop.kl_to_prior(mean, std, torch.tensor([length_scale]))
    prior = Normal(0.0, 1 / length_scale)
    expected = sum(kl_divergence(Normal(mean[name], std[name]), prior).sum() for name in mean)
    torch.testing.assert_close(found, torch.as_tensor(expected).reshape(1, 1), rtol=1e-5, atol=1e-4)


def test_divergence_vanishes_at_the_prior_only():
    mean, std = gaussian_weights()
    at_prior = (
        {name: torch.zeros_like(m) for name, m in mean.items()},
        {n: torch.full_like(s, 0.5) for n, s in std.items()},
    )
    assert bayes_by_backprop.kl_to_prior(*at_prior, torch.tensor([2.0])).item() == pytest.approx(0, abs=1e-5)
    assert bayes_by_backprop.kl_to_prior(mean, std, torch.tensor([2.0])).item() > 1


def test_drawing_sums_has_the_moments_of_drawing_weights():
    """Of one layer both are Gaussian with the same mean and variance at every x; and of all layers for one x."""
    count = 40_000
    mean, std = gaussian_weights(1)
    x = torch.tensor([[0.7, -1.2]]).expand(1, 1, count, 2)
    rng = np.random.default_rng(2)
    noise = [torch.from_numpy(rng.standard_normal((count, width), np.float32)) for width in NETWORK.sizes[1:]]
    by_sums = locally_reparameterised(NETWORK, mean, std, x, noise)[0, 0]
    torch.manual_seed(3)
    weights = {
        name: (m[0, 0] + std[name][0, 0] * torch.randn(count, 1, *m.shape[2:])) for name, m in mean.items()
    }  # (S, 1, in, out)
    by_weights = forward(NETWORK, weights, x[0, :, :1, :].expand(count, 1, 1, 2))[:, 0, 0]
    spread = by_weights.std(0)
    assert (abs(by_sums.mean(0) - by_weights.mean(0)) < 5 * spread * (2 / count) ** 0.5).all()
    assert (abs(by_sums.std(0) - spread) < 5 * spread * count**-0.5).all()


def test_without_spread_it_is_the_plain_network():
    mean, std = gaussian_weights()
    x = torch.randn(1, 1, 7, 2, generator=torch.Generator().manual_seed(0))
    noise = [torch.ones(7, width) for width in NETWORK.sizes[1:]]
    nothing = {name: torch.zeros_like(s) for name, s in std.items()}
    found = locally_reparameterised(NETWORK, mean, nothing, x, noise)
    torch.testing.assert_close(found, forward(NETWORK, mean, x), rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_linear_regression_finds_the_exact_posterior():
    """With standardised x the exact posterior of slope and offset is a product of two Gaussians, so q can be it."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(50)
    y = 1.5 * x + 0.5 + 0.8 * rng.standard_normal(50)
    fit = bdlviz.fit(
        "bayes_by_backprop", (x, y), hidden=(), noise_std=0.8, length_scale=1.0, batch_size=None,
        num_steps=20_000, learning_rate=1e-3, schedule="drop_at_half",
    )  # fmt: skip
    z, t = (
        fit.scaling.standardise_x(x[:, None])[:, 0],
        (y - fit.scaling.y_mean.ravel()[0]) / fit.scaling.y_scale.ravel()[0],
    )
    features = np.stack([z, np.ones_like(z)], 1)
    precision = features.T @ features * fit.precision + np.eye(2)
    exact_mean, exact_std = np.linalg.solve(precision, features.T @ t * fit.precision), np.diag(precision) ** -0.5
    std = bayes_by_backprop.standard_deviations({name: array[0, 0] for name, array in fit.params.items()})
    found_mean = np.array([fit.params[name][0, 0].item() for name in ("weight0", "bias0")])
    found_std = np.array([std[name].item() for name in ("weight0", "bias0")])
    assert found_mean[0] == pytest.approx(exact_mean[0], rel=0.05)
    assert found_mean[1] == pytest.approx(exact_mean[1], abs=0.05 * exact_mean[0])  # the exact offset is 0
    np.testing.assert_allclose(found_std, exact_std, rtol=0.1)


def test_draws_have_the_weights_standard_deviations():
    fit = quick("bayes_by_backprop", start_rho=-1.0)
    draws = fit.spec.sample(
        fit.model.network, {n: a[0, 0] for n, a in fit.params.items()}, {}, np.random.default_rng(0), 4000
    )
    std = bayes_by_backprop.standard_deviations({n: a[0, 0] for n, a in fit.params.items()})
    sets = [drawn_weights(draws, s)["weight0"] for s in range(4000)]
    z = (np.stack(sets) - fit.params["weight0"][0, 0]) / std["weight0"]
    assert np.abs(z.mean(0)).max() < 5 / 4000**0.5
    assert np.abs(z.std(0) - 1).max() < 5 / 8000**0.5
    few = evaluate(fit.model.network, draws, fit.scaling.standardise_x(X_NEW[:, None]))
    assert few.shape == (4000, 13, 1)


def test_naive_prediction_uses_the_means():
    fit = quick("bayes_by_backprop")
    naive = fit.predict(X_NEW, 100, with_dropout=False)
    assert naive.num_samples == 1 and not naive.epistemic_std.any()


def test_without_the_divergence_the_weights_forget_their_spread():
    """The data term alone wants certain weights: with a KL weight of 0 every standard deviation shrinks."""
    with_it, without = (
        quick("bayes_by_backprop", (X, Y), kl_weight=weight, num_steps=400, start_rho=-3.0) for weight in (1.0, 0.0)
    )
    spread = [float(np.mean(fit.params["rho_weight1"])) for fit in (with_it, without)]
    assert spread[1] < spread[0]
