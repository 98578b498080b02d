"""Densities of what a fit predicts: exact where moments are known, of the likelihood, and of all draws."""

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct

import bdlviz
from bdlviz.models import likelihoods
from bdlviz.models.likelihood_base import Likelihood
from bdlviz.predictive import comparison
from bdlviz.predictive.summaries import negative_log_likelihood, summarise_classification, summarise_regression
from bdlviz.types import Array, Predictive

QUICK: dict[str, Any] = {"hidden": (16,), "num_steps": 100, "learning_rate": 0.01, "dropout_rate": 0.2}


def sample(num_inputs: int, num_outputs: int, num_points: int = 40) -> tuple[Array, Array, Array, Array]:
    """Data to learn, and new points from a wider range."""
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((num_inputs, num_outputs))
    x, x_new = rng.standard_normal((num_points, num_inputs)), 3 * rng.standard_normal((60, num_inputs))
    noise = 0.05 * rng.standard_normal((num_points + 60, num_outputs))
    values = np.sin(np.concatenate([x, x_new]) @ weights) + noise
    return x, values[:num_points], x_new, values[num_points:]


# Exact densities ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("num_inputs", "num_outputs"), [(5, 1), (3, 2), (2, 4)])
def test_a_gaussian_process_is_scored_by_its_moments(num_inputs: int, num_outputs: int) -> None:
    """Far from the data the standard deviation of functions is many times that of the noise."""
    x, y, x_new, y_new = sample(num_inputs, num_outputs)
    predictive = bdlviz.fit("gaussian_process", (x, y), noise_std=0.05, hidden=(64, 64)).predict(x_new, 10)
    expected = stats.norm.logpdf(y_new, predictive.mean, predictive.total_std).sum(-1)
    np.testing.assert_allclose(predictive.log_prob(y_new), expected, rtol=1e-9)
    assert negative_log_likelihood(predictive, y_new) == pytest.approx(-expected.mean(), rel=1e-9)
    below = stats.norm.cdf(y_new, predictive.mean, predictive.total_std)
    np.testing.assert_allclose(comparison.probability_below(predictive, y_new), below, rtol=1e-9)
    assert not predictive.log_prob_and_error(y_new)[1].any()


def test_a_linear_gaussian_process_equals_scikit_learn() -> None:
    """Without hidden layers the covariance is that of a linear model in standardised units."""
    x, y, x_new, y_new = sample(3, 1)
    noise, length_scale = 0.3, 0.5
    settings: dict[str, Any] = {"hidden": (), "length_scale": length_scale, "prior_by_width": 0}
    fit = bdlviz.fit("gaussian_process", (x, y), noise_std=noise, **settings)
    standard = (x - x.mean(0)) / x.std(0), (y[:, 0] - y.mean()) / y.std(), (x_new - x.mean(0)) / x.std(0)
    kernel = ConstantKernel(length_scale**-2, "fixed") * DotProduct(1.0, "fixed")
    reference = GaussianProcessRegressor(kernel, alpha=(noise / y.std()) ** 2, optimizer=None)  # type: ignore[arg-type]
    reference.fit(standard[0], standard[1])
    mean, std = np.asarray(reference.predict(standard[2], return_std=True))
    total = np.sqrt(std**2 * y.var() + noise**2)
    expected = stats.norm.logpdf(y_new[:, 0], mean * y.std() + y.mean(), total)
    np.testing.assert_allclose(fit.predict(x_new, 10).log_prob(y_new), expected, rtol=1e-4, atol=1e-5)


def test_laplace_of_several_outputs_is_scored_jointly() -> None:
    """One Gaussian per point with the covariance between outputs, from which draws differ by sampling alone."""
    x, y, x_new, y_new = sample(2, 3)
    settings: dict[str, Any] = {"hidden": (16,), "num_steps": 300, "noise_std": (0.3, 0.5, 0.7)}
    fit = bdlviz.fit("laplace", (x, y), **settings)
    predictive = fit.predict(x_new, 20_000)
    covariance = predictive.covariance
    assert covariance is not None
    np.testing.assert_allclose(np.diagonal(covariance, axis1=1, axis2=2), predictive.epistemic_std**2, rtol=1e-9)
    of_draws = np.array([np.cov(predictive.draws[:, n].T, ddof=0) for n in range(len(x_new))])
    scale = predictive.epistemic_std[:, :, None] * predictive.epistemic_std[:, None]
    assert np.abs((covariance - of_draws) / scale).max() < 0.06  # six standard errors of a correlation
    noise = np.diag(np.array([0.3, 0.5, 0.7]) ** 2)
    expected = [
        stats.multivariate_normal.logpdf(y_new[n], predictive.mean[n], covariance[n] + noise) for n in range(len(x_new))
    ]
    np.testing.assert_allclose(predictive.log_prob(y_new), expected, rtol=1e-8)
    apart = stats.norm.logpdf(y_new, predictive.mean, predictive.total_std).sum(-1)
    assert np.abs(predictive.log_prob(y_new) - apart).max() > 0.1
    each = stats.norm.logpdf(y_new, predictive.draws, [0.3, 0.5, 0.7]).sum(-1)
    mixed, is_near = logsumexp(each, 0) - np.log(len(each)), predictive.epistemic_std.max(1) < 1
    assert is_near.sum() > 5
    np.testing.assert_allclose(predictive.log_prob(y_new)[is_near], mixed[is_near], atol=0.15)


def test_an_exact_density_bears_much_less_noise_than_rounding() -> None:
    """A covariance of rank one that rounding has made slightly indefinite."""
    between = 1e6 * np.ones((1, 2, 2)) - 1e-9 * np.eye(2)
    zero = np.zeros((1, 2))
    predictive = Predictive(zero[:, :1], zero[None], zero, zero + 1e3, zero + 1e-6, 1, covariance=between)
    found = float(predictive.log_prob(zero)[0])
    expected = -np.log(2 * np.pi) - 0.5 * np.log(2e6 * 1e-12)  # the determinant is (2e6 + 1e-12) x 1e-12
    assert found == pytest.approx(expected, abs=1e-3)


# All draws ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("mc_dropout", {}),
        ("mc_dropout", {"likelihood": "heteroscedastic"}),
        ("bayes_by_backprop", {}),
        ("laplace", {}),
    ],
)
def test_a_score_does_not_depend_on_how_many_points_are_scored_at_once(
    method: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y, x_new, y_new = sample(2, 2)
    settings = {name: QUICK[name] for name in ("hidden", "num_steps")} | settings
    fit = bdlviz.fit(method, (x, y), **settings)
    whole = fit.predict(x_new, 50)
    monkeypatch.setattr("bdlviz.fitted.fit.MAX_KEPT_NUMBERS", 50 * 2 * 2 * 7)
    pieces = fit.predict(x_new, 50)
    assert len(pieces.draws) < 50 == pieces.num_samples == len(whole.draws)
    np.testing.assert_allclose(pieces.draws, whole.draws[: len(pieces.draws)], rtol=1e-4, atol=1e-5)
    for name in ("mean", "epistemic_std", "aleatoric_std", "total_std", "x"):
        np.testing.assert_allclose(getattr(pieces, name), getattr(whole, name), rtol=1e-4, atol=1e-5)
    for one, other in zip(pieces.log_prob_and_error(y_new), whole.log_prob_and_error(y_new), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(pieces.cdf(y_new), whole.cdf(y_new), atol=1e-4)


def test_class_probabilities_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y, x_new, y_new = sample(2, 1)
    fit = bdlviz.fit("mc_dropout", (x, (y[:, 0] > 0).astype(int)), task="classification", **QUICK)
    whole = fit.predict(x_new, 50)
    monkeypatch.setattr("bdlviz.fitted.fit.MAX_KEPT_NUMBERS", 50 * 2 * 7)
    pieces, labels = fit.predict(x_new, 50), (y_new[:, 0] > 0).astype(int)
    assert pieces.draws.shape == (5, 60, 2)
    for name in ("mean", "epistemic_std", "predictive_entropy", "expected_entropy", "mutual_information"):
        np.testing.assert_allclose(getattr(pieces, name), getattr(whole, name), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(pieces.log_prob(labels), whole.log_prob(labels), rtol=1e-5)


# Monte Carlo error ----------------------------------------------------------------------------------------------------


def test_the_error_is_that_of_repeated_sampling() -> None:
    rng = np.random.default_rng(0)
    y, x = np.linspace(-1, 1, 9), np.zeros((9, 1))
    drawn = [summarise_regression(x, rng.normal(0, 1, (400, 9, 1)), None, 0.5) for _ in range(600)]
    log_prob, error = np.array([each.log_prob_and_error(y) for each in drawn]).swapaxes(0, 1)
    np.testing.assert_allclose(error.mean(0), log_prob.std(0), rtol=0.15)
    np.testing.assert_allclose(log_prob.mean(0), stats.norm.logpdf(y, 0, np.sqrt(1.25)), atol=0.01)
    labels = rng.integers(0, 3, 9)
    found = [summarise_classification(x, rng.dirichlet([1, 2, 3], (400, 9))) for _ in range(600)]
    log_prob, error = np.array([each.log_prob_and_error(labels) for each in found]).swapaxes(0, 1)
    np.testing.assert_allclose(error.mean(0), log_prob.std(0), rtol=0.15)


def test_a_score_that_depends_on_few_draws_warns() -> None:
    rng = np.random.default_rng(0)
    x, y = np.zeros((50, 1)), rng.normal(0, 1, (50, 4))
    few = summarise_regression(x, rng.normal(0, 1, (500, 50, 4)), None, 0.02)
    with pytest.warns(UserWarning, match="0.9.* 500"):
        assert negative_log_likelihood(few, y) > 50
    many = summarise_regression(x, rng.normal(0, 1, (5000, 50, 4)), None, 1.0)
    assert negative_log_likelihood(many, y) == pytest.approx(-stats.norm.logpdf(y, 0, 2**0.5).sum(-1).mean(), rel=0.01)


def test_members_of_an_ensemble_are_no_sample() -> None:
    x, y, x_new, y_new = sample(2, 1)
    settings = {name: QUICK[name] for name in ("hidden", "num_steps")}
    predictive = bdlviz.fit("deep_ensemble", (x, y), num_members=3, noise_std=0.05, **settings).predict(x_new)
    assert predictive.has_all_draws and not predictive.log_prob_and_error(y_new)[1].any()
    labels = (y[:, 0] > 0).astype(int)
    predictive = bdlviz.fit("deep_ensemble", (x, labels), task="classification", num_members=3, **settings).predict(x)
    assert not predictive.log_prob_and_error(labels)[1].any()


def test_a_density_of_zero_under_every_draw() -> None:
    class Nowhere:
        def log_prob(self, y: Array) -> Array:
            return np.full((3, len(y)), -np.inf)

        def cdf(self, y: Array) -> Array:
            return np.zeros((3, *y.shape))

    one = np.ones((2, 1))
    predictive = Predictive(one, one[None], one, one, one, 3, density=Nowhere())
    np.testing.assert_array_equal(predictive.log_prob(one), [-np.inf, -np.inf])


# The likelihood -------------------------------------------------------------------------------------------------------


class Laplacian(Likelihood):
    """Noise with a double exponential density, listed among the built-in likelihoods."""

    name = "laplacian"

    def negative_log_likelihood(self, outputs: Any, y: Any) -> Any:
        return (outputs - y).abs().sum(-1) + np.log(2)

    def log_likelihood(self, outputs: Array, y: Array) -> Array:
        return -np.abs(outputs - y).sum(-1) - np.log(2)

    def mean(self, outputs: Array) -> Array:
        return outputs

    def variance(self, outputs: Array) -> Array:
        return np.full_like(outputs, 2.0)


def test_a_built_in_likelihood_that_is_not_gaussian_is_scored_by_its_own_density(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(likelihoods.LIKELIHOODS, "laplacian", Laplacian())
    x, y, x_new, y_new = sample(2, 1)
    predictive = bdlviz.fit("mc_dropout", (x, y), likelihood="laplacian", **QUICK).predict(x_new, 30)
    each = stats.laplace.logpdf(y_new, predictive.draws, y.std()).sum(-1)
    np.testing.assert_allclose(predictive.log_prob(y_new), logsumexp(each, 0) - np.log(30), rtol=1e-5)
