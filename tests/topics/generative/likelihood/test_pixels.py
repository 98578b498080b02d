"""Images drawn from a decoder's distribution: moments, quantiles and extremes."""

from typing import Any

import numpy as np
import pytest
import torch
from scipy.stats import kstest

import bdlviz
from bdlviz.models.likelihoods import LIKELIHOODS, likelihood
from bdlviz.models.pixel_likelihoods import GaussianPixels
from bdlviz.topics.generative.likelihood.pixels import continuous_quantile, draw_pixels

PIXELS = [name for name, chosen in LIKELIHOODS.items() if chosen.is_generative]
LOGITS = np.array([-800.0, -9.0, -1.0, -1e-5, 0.0, 1e-5, 0.3, 4.0, 800.0], np.float32)


@pytest.mark.parametrize("name", PIXELS)
def test_drawn_images_have_the_mean(name: str):
    """Within four standard errors, at every pixel."""
    chosen, count = likelihood(name), 20_000
    outputs = np.tile(np.append(LOGITS, -1.0) if name == "gaussian_pixels" else LOGITS, (count, 1)).astype(np.float32)
    drawn = draw_pixels(chosen, outputs, np.random.default_rng(0))
    assert drawn.shape == (count, len(LOGITS)) and np.isfinite(drawn).all()
    error = 4 * drawn.std(0) / count**0.5 + 1e-3
    assert (np.abs(drawn.mean(0) - chosen.mean(outputs[:1])[0]) < error).all()


def test_gaussian_noise_has_the_learned_size():
    outputs = np.full((20_000, 3), -1.0, np.float32)
    drawn = draw_pixels(GaussianPixels(), outputs, np.random.default_rng(0))
    np.testing.assert_allclose(drawn.std(0), GaussianPixels().noise_std(outputs[:1])[0], rtol=0.03)


def test_bernoulli_draws_are_black_or_white():
    drawn = draw_pixels(likelihood("bernoulli"), np.zeros((50, 4), np.float32), np.random.default_rng(0))
    assert set(np.unique(drawn)) == {0, 1}


def test_quantiles_are_those_of_torch():
    """Inverse of the distribution function, and symmetric under f -> -f, x -> 1 - x."""
    share = np.linspace(0.01, 0.99, 25)
    for logit in LOGITS[1:-1]:
        found = continuous_quantile(np.full(25, logit), share)
        expected = torch.distributions.ContinuousBernoulli(logits=torch.tensor(float(logit)).double())
        np.testing.assert_allclose(found, expected.icdf(torch.tensor(share)), atol=2e-4)
        np.testing.assert_allclose(found, 1 - continuous_quantile(np.full(25, -logit), 1 - share), atol=1e-9)


def test_draws_follow_the_density():
    drawn = draw_pixels(likelihood("continuous_bernoulli"), np.full((5000, 1), 2.0), np.random.default_rng(0))
    known: Any = torch.distributions.ContinuousBernoulli(logits=torch.tensor(2.0).double())
    assert kstest(drawn[:, 0], lambda x: known.cdf(torch.tensor(x)).numpy()).pvalue > 0.01


def test_another_likelihood_is_refused():
    with pytest.raises(bdlviz.InvalidInput, match="gaussian"):
        draw_pixels(likelihood("gaussian"), LOGITS[None], np.random.default_rng(0))
