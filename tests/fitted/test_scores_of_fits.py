"""Scores and moments of what a fit predicts: any shape of y, its own density, any offset of y."""

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

import bdlviz
from bdlviz import data
from bdlviz.fitted import shelf
from bdlviz.predictive import comparison
from bdlviz.predictive.summaries import negative_log_likelihood, rmse
from bdlviz.topics.foundations.noise_or_ignorance import study as kinds_of_uncertainty_study

X = np.linspace(-2, 2, 60)
Y = np.sin(3 * X) + 0.2 * np.random.default_rng(0).standard_normal(len(X))
QUICK: dict[str, Any] = {"hidden": (32,), "num_steps": 300, "learning_rate": 0.01, "dropout_rate": 0.2}


def test_fits_and_classifiers_are_scored():
    predictive = bdlviz.fit("mc_dropout", (X, Y), **QUICK).predict(X, 100)
    each = stats.norm.logpdf(Y[:, None], predictive.draws, predictive.aleatoric_std).sum(-1)
    expected = -np.mean(logsumexp(each, 0) - np.log(100))
    below = stats.norm.cdf(Y[:, None], predictive.draws, predictive.aleatoric_std).mean(0)
    for y in (Y, Y[:, None]):
        assert negative_log_likelihood(predictive, y) == pytest.approx(expected)
        assert rmse(predictive, y) == pytest.approx(np.sqrt(np.mean((predictive.mean[:, 0] - Y) ** 2)))
        assert comparison.coverage(predictive, y, 0.9) == (np.abs(2 * below - 1) <= 0.9).mean()
    with pytest.raises(bdlviz.InvalidInput, match=r"\(60,\) or \(60, 1\)"):
        negative_log_likelihood(predictive, Y[:30])
    labels = np.where(Y > 0, "high", "low")
    fit = bdlviz.fit("mc_dropout", (X, labels), **QUICK)
    predictive = fit.predict(X, 50)
    assert predictive.classes == fit.classes == ("high", "low")
    expected = -np.log(predictive.mean[np.arange(len(X)), (Y <= 0).astype(int)]).mean()
    assert negative_log_likelihood(predictive, labels) == pytest.approx(expected, rel=1e-5)
    with pytest.raises(bdlviz.InvalidInput, match="Labels must be among"):
        negative_log_likelihood(predictive, np.where(Y > 0, 1, 0))


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("gaussian_process", {}),
        ("mc_dropout", QUICK),
        ("mc_dropout", QUICK | {"likelihood": "heteroscedastic"}),
        ("mc_dropout", QUICK | {"likelihood": "homoscedastic"}),
    ],
)
def test_an_offset_of_y_changes_no_standard_deviation_and_no_score(method: str, settings: dict[str, Any]):
    near, far = (bdlviz.fit(method, (X, Y + offset), **settings).predict(X, 300) for offset in (0.0, 101_325.0))
    np.testing.assert_allclose(far.epistemic_std, near.epistemic_std, rtol=2e-3)
    np.testing.assert_allclose(far.draws.std(0), near.draws.std(0), rtol=2e-3)
    np.testing.assert_allclose(far.mean - 101_325, near.mean, atol=2e-3)
    scores = negative_log_likelihood(near, Y), negative_log_likelihood(far, Y + 101_325)
    assert scores[0] == pytest.approx(scores[1], abs=2e-3)


def test_numbers_of_single_precision_are_standardised_in_double_precision():
    """In single precision the mean of so many values near 100,000 is off by a good part of their standard deviation."""
    from bdlviz.models.scaling import Scaling
    from bdlviz.types import Dataset

    y = (101_325 + np.random.default_rng(1).standard_normal((200_000, 1))).astype(np.float32)
    found = Scaling.of(Dataset("pressure", "Pressure", np.zeros_like(y), y))
    np.testing.assert_allclose(found.y_mean, y.astype(np.float64).mean(), rtol=1e-12)
    np.testing.assert_allclose(found.y_scale, y.astype(np.float64).std(), rtol=1e-9)


@pytest.mark.parametrize("method", kinds_of_uncertainty_study.SHIPPED)
def test_a_shipped_heteroscedastic_fit_is_scored_by_its_own_density(method: str):
    """From the network's outputs, in standardised units, by scipy."""
    dataset = data.load(kinds_of_uncertainty_study.DATASET)
    fit, _ = shelf.shipped(f"kinds_{method}_heteroscedastic")
    predictive = fit.predict(dataset.x_test, 200)
    mean, log_variance = np.split(fit.draw_outputs(dataset.x_test, 200).astype(float), 2, axis=-1)
    scaled = (dataset.y_test - fit.scaling.y_mean) / fit.scaling.y_scale
    each = stats.norm.logpdf(scaled, mean, np.exp(log_variance / 2)).sum(-1)
    expected = np.log(fit.scaling.y_scale).sum() - np.mean(logsumexp(each, 0) - np.log(len(each)))
    assert negative_log_likelihood(predictive, dataset.y_test) == pytest.approx(expected, abs=1e-5)
