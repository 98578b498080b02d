"""Whole images drawn from a decoder's distribution, noise included: what the likelihood says a sample looks like."""

from __future__ import annotations

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models.likelihood_base import Likelihood
from bdlviz.models.pixel_likelihoods import Bernoulli, ContinuousBernoulli, GaussianPixels
from bdlviz.types import Array

SMALL_LOGIT = 1e-4  # below, the continuous Bernoulli is uniform to single precision


def draw_pixels(likelihood: Likelihood, outputs: Array, rng: np.random.Generator) -> Array:
    r"""One image x ~ p(x | z) for every row of the decoder's outputs (M, K): (M, D).

    Black or white of a Bernoulli variable, grey of a continuous one (Loaiza-Ganem & Cunningham 2019), the mean with
    Gaussian noise, which may leave [0, 1]. From u uniform in (0, 1), with the logit f:

    $$ x = [u < \sigma(f)] \quad\text{or}\quad x = \frac{\log\left(1 + u\,(e^{f} - 1)\right)}{f} \quad\text{or}\quad
       x = m + s\,\epsilon $$
    """
    if isinstance(likelihood, GaussianPixels):
        mean = likelihood.mean(outputs)
        return mean + likelihood.noise_std(outputs)[..., None] * rng.standard_normal(mean.shape, np.float32)
    uniform = rng.random(outputs.shape)
    if isinstance(likelihood, ContinuousBernoulli):
        return continuous_quantile(outputs, uniform)
    if isinstance(likelihood, Bernoulli):
        return (uniform < likelihood.mean(outputs)).astype(np.float32)
    raise InvalidInput(f"Images cannot be drawn from the likelihood {likelihood.name!r}.")


def continuous_quantile(logits: Array, share: Array) -> Array:
    r"""The grey value below which a share u of a continuous Bernoulli variable lies, from its logit f; in [0, 1].

    $$ F^{-1}(u) = \frac{\log\left(1 + u\,(e^{f} - 1)\right)}{f}, \qquad F^{-1}_f(u) = 1 - F^{-1}_{-f}(1 - u) $$
    """
    logits, share = np.asarray(logits, np.float64), np.asarray(share, np.float64)
    is_high = logits > 0  # e to a large power overflows: look from the other end
    size, share = np.abs(logits), np.where(is_high, 1 - share, share)
    safe = -np.maximum(size, SMALL_LOGIT)
    low = np.where(size < SMALL_LOGIT, share, np.log1p(share * np.expm1(safe)) / safe)
    return np.where(is_high, 1 - low, low).clip(0, 1)
