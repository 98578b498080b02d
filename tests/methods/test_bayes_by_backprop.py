"""Bayes by Backprop: its divergence, its gradient, and the exact posterior where there is one."""

import numpy as np
import pytest
import torch
from torch.distributions import Normal, kl_divergence

import bdlviz
from bdlviz.methods import bayes_by_backprop
from bdlviz.models.mlp import MLP
from bdlviz.models.priors import log_scale_mixture
from bdlviz.predictive.functions import drawn_weights, evaluate
from bdlviz.training.by_gradient import forward
from bdlviz.training.gaussian_weights import locally_reparameterised
from bdlviz.training.weight_families import MixturePrior, Piece
from tests.methods.contract import X_NEW, X, Y, assert_same_fit, quick

NETWORK = MLP((2, 5, 3), "tanh")


def gaussian_weights(seed: int = 0) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """Means and standard deviations of one network, (1, 1, in, out) each."""
    rng = np.random.default_rng(seed)
    shapes = {name: (1, 1, *shape) for name, shape in NETWORK.shapes().items()}
    mean = {name: torch.from_numpy(rng.standard_normal(shape).astype(np.float32)) for name, shape in shapes.items()}
    std = {name: torch.from_numpy(rng.uniform(0.05, 0.6, shape).astype(np.float32)) for name, shape in shapes.items()}
    return mean, std


def as_numpy(tensors: dict[str, torch.Tensor]) -> dict[str, np.ndarray]:
    """The same by names, as arrays."""
    return {name: tensor.numpy() for name, tensor in tensors.items()}


def test_divergence_is_that_of_torch():
    for length_scale in [0.3, 1.0, 4.0]:
        mean, std = gaussian_weights()
        found = bayes_by_backprop.kl_to_prior(as_numpy(mean), as_numpy(std), length_scale)
        prior = Normal(0.0, 1 / length_scale)
        expected = sum(float(kl_divergence(Normal(mean[name], std[name]), prior).sum()) for name in mean)
        np.testing.assert_allclose(found, [[expected]], rtol=1e-5, atol=1e-4)
    for wrong in [{"narrow_std": 0.0}, {"mixture_weight": 0.0}, {"mixture_weight": 1.5}, {"start_rho": 6}]:
        with pytest.raises(bdlviz.InvalidInput, match=next(iter(wrong))):
            quick("bayes_by_backprop", **wrong)


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


@pytest.mark.rest
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
    std = bayes_by_backprop.standard_deviations(fit.single())
    found_mean = np.array([fit.single()[name].item() for name in ("weight0", "bias0")])
    found_std = np.array([std[name].item() for name in ("weight0", "bias0")])
    assert found_mean[0] == pytest.approx(exact_mean[0], rel=0.05)
    assert found_mean[1] == pytest.approx(exact_mean[1], abs=0.05 * exact_mean[0])  # the exact offset is 0
    np.testing.assert_allclose(found_std, exact_std, rtol=0.1)


def test_draws_have_the_weights_standard_deviations():
    fit = quick("bayes_by_backprop", start_rho=-1.0)
    draws = fit.spec.sample(fit.model.network, fit.single(), {}, np.random.default_rng(0), 4000)
    std = bayes_by_backprop.standard_deviations(fit.single())
    sets = [drawn_weights(draws, s)["weight0"] for s in range(4000)]
    z = (np.stack(sets) - fit.single()["weight0"]) / std["weight0"]
    assert np.abs(z.mean(0)).max() < 5 / 4000**0.5
    assert np.abs(z.std(0) - 1).max() < 5 / 8000**0.5
    few = evaluate(fit.model.network, draws, fit.scaling.standardise_x(X_NEW[:, None]))
    assert few.shape == (4000, 13, 1)
    fit = quick("bayes_by_backprop")
    naive = fit.predict(X_NEW, 100, with_dropout=False)
    assert naive.num_samples == 1 and not naive.epistemic_std.any()


def test_without_the_divergence_the_prior_does_not_matter():
    """The data term alone wants certain weights: with a KL weight of 0 every standard deviation shrinks."""
    with_it, without = (
        quick("bayes_by_backprop", (X, Y), kl_weight=weight, num_steps=400, start_rho=-3.0) for weight in (1.0, 0.0)
    )
    spread = [float(np.mean(fit.params["rho_weight1"])) for fit in (with_it, without)]
    assert spread[1] < spread[0]
    # A KL weight of 0: the prior does not matter, whichever it is.
    fits = [
        quick("bayes_by_backprop", kl_weight=0.0, length_scale=scale, mixture_weight=share, narrow_std=0.01)
        for scale, share in ((0.1, 1.0), (10.0, 1.0))
    ]
    assert_same_fit(*fits)


@pytest.mark.parametrize(("mean", "std"), [(0.0, 0.001), (0.002, 0.0005), (0.3, 0.05), (-0.8, 0.4)])
def test_divergence_from_a_mixture_by_draws_is_the_integral(mean, std):
    """Its mean over many draws of one weight, within four standard errors, and the slopes' mean is its derivative."""
    count, share, wide, narrow = 200_000, 0.25, np.exp(-1), np.exp(-7)

    def integral(at_mean: float, at_std: float) -> float:
        grid = np.linspace(-9, 9, 40_001)  # fine enough for the narrow part
        density = np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
        terms = log_scale_mixture(at_mean + at_std * grid, wide, narrow, share)
        return float(-np.log(at_std) - 0.5 * np.log(2 * np.pi * np.e) - np.trapezoid(density * terms, grid))

    normals = np.random.default_rng(0).standard_normal((1, count), np.float32)
    prior = MixturePrior(np.full((1, 1), wide, np.float32), narrow, share)
    zeros, full = (np.full((1, count), value, np.float32) for value in (0.0, mean))
    piece = Piece(
        slice(0, 1), np.zeros((2, 1, count), np.float32), full, zeros.copy(), np.full((1, count), std**2, np.float32),
        zeros.copy(), zeros.copy(), normals,
    )  # fmt: skip
    drawn = mean + std * normals[0].astype(float)
    terms = -np.log(std) - 0.5 * np.log(2 * np.pi * np.e) - log_scale_mixture(drawn, wide, narrow, share)
    error = terms.std() / count**0.5
    expected = integral(mean, std)
    assert prior.total(piece)[0] / count == pytest.approx(expected, abs=4 * error + 1e-4 * abs(expected))
    prior.set_gradients(piece, np.ones((1, 1), np.float32))
    for slopes, shift in ((piece.by_mean, (1, 0)), (piece.by_variance / std, (0, 1))):
        step = 1e-3 * std
        up, down = (integral(mean + sign * step * shift[0], std + sign * step * shift[1]) for sign in (1, -1))
        error = float(slopes.std()) / count**0.5
        assert slopes.mean(dtype=float) == pytest.approx((up - down) / (2 * step), abs=4 * error + 1e-3 / std)


@pytest.mark.parametrize("mixture_weight", [1.0, 0.25])
def test_cells_and_seeds_are_exact_under_both_priors(mixture_weight):
    settings = {"mixture_weight": mixture_weight, "start_rho": -3.0}
    grid = quick("bayes_by_backprop", length_scale=(0.5, 2.0), kl_weight=(0.1, 1.0), seed=(4, 1), **settings)
    for seed, length_scale, weight in ((4, 0.5, 1.0), (1, 2.0, 0.1)):
        alone = quick("bayes_by_backprop", length_scale=length_scale, kl_weight=weight, seed=seed, **settings)
        assert_same_fit(grid.cell(seed=seed, length_scale=length_scale, kl_weight=weight), alone)
