"""Gaussian and variational dropout, sparse variational dropout and ARD: noise, pruning, and optima that are known."""

import numpy as np
import pytest
from scipy.optimize import minimize

import bdlviz
from bdlviz.fits import Fit
from bdlviz.methods import gaussian_dropout, variational_dropout
from bdlviz.methods import sparse_variational_dropout as sparse
from bdlviz.models import divergences
from tests.methods.contract import X_NEW, X, Y, quick

METHODS = ("bayes_by_backprop", "gaussian_dropout", "variational_dropout", "sparse_variational_dropout", "ard")


def test_gaussian_noise_has_the_moments_of_a_scaled_mask():
    """A mask over its keep probability is 1 on average, with variance p / (1 - p)."""
    for rate in [0.1, 0.5, 0.8]:
        theta = np.array([[0.5, -2.0]], np.float32)
        draws = gaussian_dropout.sample(None, {"weight0": theta}, {"dropout_rate": rate}, np.random.default_rng(0), 3)
        mask = np.array([0, 1 / (1 - rate)])
        mean, variance = (
            np.average(mask, weights=[rate, 1 - rate]),
            np.average((mask - 1) ** 2, weights=[rate, 1 - rate]),
        )
        assert mean == pytest.approx(1) and draws.weight_std is not None
        np.testing.assert_allclose(draws.weight_std["weight0"] ** 2, variance * theta**2, rtol=1e-5)
    noisy, plain = quick("gaussian_dropout", dropout_rate=0), quick("map")
    for name, array in plain.params.items():
        np.testing.assert_allclose(noisy.params[name], array, rtol=1e-3, atol=1e-5)
    assert noisy.predict(X_NEW, 50).num_samples == 1
    fit = quick("variational_dropout", start_rate=0.5, num_steps=200, learning_rate=0.05)
    for alpha in variational_dropout.alphas(fit.single()).values():
        assert 0 < alpha.item() <= 1
    quiet, loud = (quick("variational_dropout", kl_weight=w, start_rate=0.1, num_steps=200) for w in (0.0, 1.0))
    for name, alpha in variational_dropout.alphas(loud.single()).items():
        assert alpha > variational_dropout.alphas(quiet.single())[name]


def scalar_optimum(fit: Fit, divergence) -> tuple[float, float]:
    """Weight and standard deviation of the best q of a line through the origin, by another optimiser.

    The expected squared error of a Gaussian weight is known: (y - theta x)^2 + sigma^2 x^2.
    """
    x, y = (
        fit.scaling.standardise_x(X[:, None])[:, 0],
        (Y - fit.scaling.y_mean.ravel()[0]) / fit.scaling.y_scale.ravel()[0],
    )

    def negative_bound(at: np.ndarray) -> float:
        theta, log_std = at
        error = np.square(y - theta * x) + np.exp(2 * log_std) * x**2
        log_alpha = np.array([2 * log_std - np.log(theta**2)])
        return float(fit.precision * error.sum() / 2 + divergence(log_alpha)[0])

    theta, log_std = minimize(
        negative_bound, (0.5, -2.0), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9}
    ).x
    return theta, float(np.exp(log_std))


@pytest.mark.parametrize(
    ("method", "divergence"),
    [("sparse_variational_dropout", divergences.sparse_variational), ("ard", divergences.ard)],
)
def test_one_weight_ends_at_the_optimum(method, divergence):
    fit = bdlviz.fit(
        method, (X, Y), hidden=(), noise_std=0.6, batch_size=None, num_steps=2000, learning_rate=1e-2,
        schedule="drop_at_half",
    )  # fmt: skip
    params = fit.single()
    theta, std = scalar_optimum(fit, divergence)
    assert params["weight0"].item() == pytest.approx(theta, abs=0.3 * std)
    assert np.exp(params["log_std_weight0"].item()) == pytest.approx(std, rel=0.1)


def test_pruning_counts_weights_above_the_threshold():
    params = {
        "weight0": np.array([[1.0, 0.01], [0.0, -2.0]], np.float32),
        "bias0": np.array([[3.0, 0.0]], np.float32),
        "log_std_weight0": np.zeros((2, 2), np.float32),
    }
    noise = sparse.log_alphas(params)["weight0"]
    np.testing.assert_allclose(noise, [[0, 9.21034], [np.inf, -1.386294]], rtol=1e-5)
    assert sparse.PRUNER.sparsity(params, 3.0) == {"weight0": 0.5}
    assert sparse.PRUNER.compression(params, 3.0) == 2 and sparse.PRUNER.compression(params, -9) == float("inf")
    left = sparse.PRUNER.pruned(params, 3.0)
    np.testing.assert_array_equal(left["weight0"], [[1, 0], [0, -2]])
    np.testing.assert_array_equal(left["bias0"], params["bias0"])
    draws = sparse.sample(None, params, {}, np.random.default_rng(0), 2)
    assert draws.weight_std is not None
    np.testing.assert_array_equal(draws.weight_std["weight0"], [[1, 0], [0, 1]])
    np.testing.assert_array_equal(draws.weight_std["bias0"], 0)


@pytest.mark.parametrize("method", METHODS)
def test_expected_minibatch_loss_is_that_of_all_points(method):
    """The penalty is divided by N once: batches of 4 and all 24 points have the same mean loss where nothing moves."""
    still = {"learning_rate": 1e-12, "num_steps": 40, "seed": tuple(range(10))}
    some, full = (quick(method, **still, batch_size=size).losses["loss"][..., 0].ravel() for size in (4, None))
    allowed = 5 * np.sqrt(some.var() / some.size + full.var() / full.size)
    # The starts differ from seed to seed but are the same for both.
    assert some.mean() == pytest.approx(full.mean(), abs=allowed)
