"""The Gaussian process is exact: against scikit-learn, conjugate regression and its own draws."""

import threading
from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Kernel

import bdlviz
from bdlviz.methods import METHODS
from bdlviz.methods.gaussian_process import MAX_POINTS, posteriors_of
from bdlviz.models.gaussian_process import Posterior, cholesky
from bdlviz.models.infinite_mlp import InfiniteMLP
from bdlviz.models.mlp import MLP
from bdlviz.predictive.pathwise import PathwiseDraws, base_points
from tests.methods.contract import X_NEW, X, Y

GRID = np.linspace(-4, 4, 81)
NO_SEARCH: Any = {"optimizer": None}  # the kernel's settings stay


def fit(data=(X, Y), **settings):
    return bdlviz.fit("gaussian_process", data, **{"prior_by_width": 1, **settings})


class Infinite(Kernel):
    """The kernel for scikit-learn."""

    def __init__(self, prior):
        self.prior = prior

    def __call__(self, X, Y=None, eval_gradient=False) -> Any:
        covariance = self.prior.covariance(X, X if Y is None else Y)
        return (covariance, np.empty((*covariance.shape, 0))) if eval_gradient else covariance

    def diag(self, X) -> Any:
        return self.prior.variance(X)

    def is_stationary(self) -> Any:
        return False


@pytest.mark.parametrize("by_width", [0, 1])
@pytest.mark.parametrize("hidden", [(), (16,), (16, 8), (8,) * 5])
@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu", "silu"])
def test_moments_and_evidence_equal_scikit_learn(activation, hidden, by_width):
    """To 1e-6 of the posterior's own size."""
    one = fit(hidden=hidden, activation=activation, prior_by_width=by_width, length_scale=0.7, noise_std=0.25)
    predictive = one.predict(GRID, 1)
    x, y = one.scaling.standardise_x(X[:, None]).astype(float), one.scaling.standardise_y(Y[:, None]).astype(float)
    prior = InfiniteMLP.of(MLP((1, *hidden, 1), activation), 0.7, by_width == 1)
    twin: Any = GaussianProcessRegressor(Infinite(prior), alpha=1 / one.precision, **NO_SEARCH).fit(x, y[:, 0])
    mean, std = twin.predict(one.scaling.standardise_x(GRID[:, None]).astype(float), return_std=True)
    scale, shift = one.scaling.y_scale[0, 0], one.scaling.y_mean[0, 0]
    np.testing.assert_allclose(predictive.mean[:, 0], mean * scale + shift, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(predictive.epistemic_std[:, 0], std * scale, rtol=1e-6, atol=1e-6)
    evidence = twin.log_marginal_likelihood(np.empty(0))
    assert one.history["loss"][0] * len(X) == pytest.approx(-evidence, rel=1e-6)
    assert one.params["jitter"].item() == 0


def assert_draws_have_the_moments(draws, mean, std):
    """Mean and standard deviation of draws (S, N) within four standard errors."""
    num_draws = len(draws)
    assert (np.abs(draws.mean(0) - mean) < 4 * std / np.sqrt(num_draws)).all()
    assert (np.abs(draws.std(0) / std - 1) < 4 / np.sqrt(2 * num_draws)).all()


@pytest.mark.parametrize("length_scale", [0.1, 0.3, 1.0, 10.0])
@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu", "silu"])
@pytest.mark.parametrize("hidden", [(16,), (16, 16)])
def test_draws_have_the_exact_moments(hidden, activation, length_scale):
    one = fit(hidden=hidden, activation=activation, length_scale=length_scale, noise_std=0.2)
    predictive = one.predict(GRID, 1000)
    assert_draws_have_the_moments(predictive.draws[..., 0], predictive.mean[:, 0], predictive.epistemic_std[:, 0])


def test_draws_of_rough_functions_many_inputs_and_before_any_data():
    """They turn between two base points: a few of a hundred inputs may have a spread a third too large or small."""
    for activation in ["relu", "tanh"]:
        one = fit(hidden=(16, 16), activation=activation, length_scale=0.03, noise_std=0.2)
        predictive = one.predict(GRID, 1000)
        ratio = predictive.draws.std(0) / predictive.epistemic_std
        assert np.median(np.abs(ratio - 1)) < 0.05 and np.abs(ratio - 1).max() < 0.7
    rng = np.random.default_rng(1)
    x = rng.standard_normal((30, 3))
    one = fit((x, np.stack([np.sin(x[:, 0]), x[:, 1] * x[:, 2]], 1)), noise_std=0.2)
    predictive = one.predict(1.5 * rng.standard_normal((40, 3)), 1000)
    assert predictive.draws.shape == (1000, 40, 2)
    for output in range(2):
        moments = predictive.mean[:, output], predictive.epistemic_std[:, output]
        assert_draws_have_the_moments(predictive.draws[..., output], *moments)
    assert abs(np.corrcoef(predictive.draws[:, 5, 0], predictive.draws[:, 5, 1])[0, 1]) < 4 / np.sqrt(1000)
    cancelled = threading.Event()
    cancelled.set()
    one = fit(cancel=cancelled, hidden=(32,), noise_std=0.1)
    assert one.num_steps_done == 0 and one.params["num_seen"].item() == 0
    predictive = one.predict(GRID, 1000)
    prior = InfiniteMLP.of(MLP((1, 32, 1), "relu"), 1.0, True)
    std = np.sqrt(prior.variance(one.scaling.standardise_x(GRID[:, None]))) * one.scaling.y_scale[0, 0]
    np.testing.assert_allclose(predictive.epistemic_std[:, 0], std, rtol=1e-9)
    np.testing.assert_allclose(predictive.mean, one.scaling.y_mean[0, 0], atol=1e-12)
    assert_draws_have_the_moments(predictive.draws[..., 0], predictive.mean[:, 0], std)


def test_draws_have_the_exact_covariance():
    """Between inputs too, within four standard errors."""
    one = fit(noise_std=0.3)
    (posterior,) = posteriors_of(one.model.network, one.single(), 1.0)
    inputs = one.scaling.standardise_x(np.linspace(-4, 4, 15)[:, None])
    draws = PathwiseDraws(posterior, np.random.default_rng(0), 4000)(inputs)[..., 0]
    expected, found = posterior.covariance(inputs, inputs), np.cov(draws.T)
    spread = np.diag(expected)
    errors = np.sqrt((np.outer(spread, spread) + expected**2) / len(draws))
    assert (np.abs(found - expected) < 4 * errors).all()
    # Between base points, of the variance of the usual prior, at most a millionth.
    prior = InfiniteMLP.of(MLP((1, 16, 16, 1), "relu"), 1.0, True)
    base, x = base_points(prior, 1), np.linspace(-4, 4, 501)[:, None]
    known = Posterior(prior, base, np.zeros((len(base), 1)), 1e9)
    assert (known.variance(x) / prior.variance(x)).max() < 1e-6
    assert len(base_points(InfiniteMLP.of(MLP((1, 1), "relu"), 1.0, True), 1)) == 0


def test_unsupported_settings_are_refused():
    many = np.arange(10_000.0)
    with pytest.raises(bdlviz.InvalidInput, match=f"at most {MAX_POINTS} points, not 10000"):
        fit((many[:, None], many[:, None]))
    with pytest.raises(bdlviz.InvalidInput, match="Gaussian noise of a known size only"):
        fit(likelihood="heteroscedastic")
    classes = bdlviz.types.Dataset("c", "C", X[:, None], (X > 0).astype(int), task="classification")
    with pytest.raises(bdlviz.InvalidInput, match="does not support classification"):
        fit(classes)
    with pytest.raises(bdlviz.InvalidInput, match="too large for float32"):
        fit(hidden=(16,) * 10, length_scale=1e-4)
    singular = np.ones((3, 3))
    factor, jitter = cholesky(singular)
    assert 0 < jitter <= 1e-12
    np.testing.assert_allclose(factor @ factor.T, singular, atol=1e-11)
    assert cholesky(np.eye(2))[1] == 0
    with pytest.raises(bdlviz.InvalidInput, match="larger length_scale"):
        cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_it_is_solved_in_one_step_with_all_data_and_saved(tmp_path):
    one = fit(num_steps=500, batch_size=4)
    assert METHODS["gaussian_process"].inference == "solved"
    assert one.config.num_steps == one.num_steps_done == 1 and one.config.batch_size is None
    np.testing.assert_array_equal(one.single()["x"], one.scaling.standardise_x(X[:, None]))
    one = fit()
    one.save(tmp_path / "fit.safetensors")
    loaded = bdlviz.load(tmp_path / "fit.safetensors")
    np.testing.assert_array_equal(loaded.predict(X_NEW, 5).mean, one.predict(X_NEW, 5).mean)
    np.testing.assert_array_equal(loaded.predict(X_NEW, 5).draws, one.predict(X_NEW, 5).draws)
