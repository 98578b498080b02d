"""Moments, entropies and scores against their definitions."""

import numpy as np
import pytest
from scipy.stats import norm

from bdlviz.predictive.summaries import (
    entropy,
    negative_log_likelihood,
    rmse,
    summarise_classification,
    summarise_regression,
)

RNG = np.random.default_rng(0)
X = np.linspace(0, 1, 6)[:, None]
DRAWS = RNG.normal(1.0, 0.7, (40, 6, 2))
Y = RNG.normal(1.0, 1.0, (6, 2))


def test_noise_is_added_to_the_variance_and_variances_are_averaged():
    predictive = summarise_regression(X, DRAWS, None, 0.5)
    np.testing.assert_allclose(predictive.mean, DRAWS.mean(0))
    np.testing.assert_allclose(predictive.epistemic_std, np.sqrt((DRAWS**2).mean(0) - DRAWS.mean(0) ** 2))
    np.testing.assert_allclose(predictive.aleatoric_std, 0.5)
    np.testing.assert_allclose(predictive.total_std**2, 0.25 + DRAWS.var(0))
    assert (predictive.total_std < 0.5 + DRAWS.std(0)).all()
    assert predictive.num_samples == 40 and len(predictive.draws) == 40
    variances = RNG.random(DRAWS.shape)
    predictive = summarise_regression(X, DRAWS, variances, 99.0)
    np.testing.assert_allclose(predictive.aleatoric_std**2, variances.mean(0))
    predictive = summarise_regression(X, DRAWS, None, 0.5)
    assert rmse(predictive, predictive.mean + np.array([3.0, 4.0])) == pytest.approx(np.sqrt(12.5))
    predictive = summarise_regression(X, DRAWS, None, 0.5)
    density = np.exp(norm.logpdf(Y, DRAWS, 0.5).sum(-1)).mean(0)
    assert negative_log_likelihood(predictive, Y) == pytest.approx(-np.log(density).mean())
    with pytest.warns(UserWarning, match="Monte"):
        far = negative_log_likelihood(predictive, Y + 1000)
    assert np.isfinite(far) and far > 1e5


def test_predictive_entropy_is_expected_entropy_plus_mutual_information():
    given = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3]])
    np.testing.assert_allclose(entropy(given), [0, np.log(2), np.log(3)], atol=1e-12)
    np.testing.assert_allclose(entropy(given.astype(np.float32)), [0, np.log(2), np.log(3)], atol=1e-6)
    probabilities = RNG.dirichlet([0.5] * 4, (50, 6))
    predictive = summarise_classification(X, probabilities)
    mutual, expected, whole = (
        predictive.mutual_information,
        predictive.expected_entropy,
        predictive.predictive_entropy,
    )
    assert mutual is not None and expected is not None and whole is not None
    np.testing.assert_allclose(whole, expected + mutual)
    mean = probabilities.mean(0)
    kl = (
        (probabilities * np.log(np.maximum(probabilities, 1e-300) / mean)).sum(-1).mean(0)
    )  # from each draw to the mean
    np.testing.assert_allclose(mutual, kl, rtol=1e-8)
    np.testing.assert_allclose(predictive.total_std**2, mean * (1 - mean))  # of a one-hot observation
    assert len(predictive.draws) == predictive.num_samples == 50
    same = np.repeat(RNG.dirichlet([1.0] * 3, (1, 6)), 9, axis=0)
    predictive = summarise_classification(X, same.astype(np.float32))
    assert predictive.mutual_information is not None
    np.testing.assert_allclose(predictive.mutual_information, 0, atol=1e-6)
    assert (predictive.mutual_information >= 0).all()
