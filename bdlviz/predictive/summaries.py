"""From draws to a predictive distribution: moments, entropies, and scores on held-out data."""

from __future__ import annotations

from typing import Any

import numpy as np

from bdlviz.types import Array, Predictive


def summarise_regression(
    x: Array,
    means: Array,
    variances: Array | None,
    noise_std: float | Array,
    keep: int,
    *,
    offset: float | Array = 0.0,
    scale: float | Array = 1.0,
) -> Predictive:
    r"""Moments of the mixture of S draws (Gal & Ghahramani 2016, "Obtaining model uncertainty").

    They are computed in float64 in the units of the draws and then converted to y's units, so that a large ``offset``
    does not reduce the precision.

    Args:
        x: (N, D).
        means: (S, N, K), E[y | x, w_s], in units of ``scale`` from ``offset``.
        variances: (S, N, K), Var[y | x, w_s], in units of ``scale`` squared; None: ``noise_std`` squared everywhere.
        noise_std: in y's units, for all outputs or for each, (K,).
        keep: number of draws kept for figures and scores.
        offset: the value of y at which draws are 0, for all outputs or for each, (1, K).
        scale: the unit of the draws in y's units, likewise.

    $$ \mathbb{E}[y] \approx \frac1S \sum_s f_s(x), \qquad
       \operatorname{Var}[y] \approx \tau^{-1} + \frac1S \sum_s f_s(x)^2 - \mathbb{E}[y]^2 $$
    """
    mean = means.mean(0, dtype=np.float64)
    draws = means[:keep].astype(np.float64)
    draws *= scale
    draws += offset
    aleatoric = np.full(mean.shape, noise_std, np.float64)
    if variances is not None:
        aleatoric = scale * np.sqrt(variances.mean(0, dtype=np.float64))
    return Predictive(
        x=x,
        draws=draws,
        mean=offset + scale * mean,
        epistemic_std=scale * means.std(0, dtype=np.float64, mean=mean[None]),
        aleatoric_std=aleatoric,
        num_samples=len(means),
        variances=None if variances is None else np.square(scale) * variances[:keep].astype(np.float64),
    )


def summarise_classification(x: Array, probabilities: Array, keep: int) -> Predictive:
    r"""Mean class probabilities, and their total, aleatoric and epistemic uncertainty in nats (Houlsby et al. 2011).

    ``probabilities`` is (S, N, K); sums over draws are taken in float64.

    $$ \mathbb{H}\left[\tfrac1S \sum_s p_s\right] = \mathbb{I}[y, w] + \tfrac1S \sum_s \mathbb{H}[p_s] $$
    """
    mean = probabilities.mean(0, dtype=np.float64)
    predictive, expected = entropy(mean), entropy(probabilities).mean(0, dtype=np.float64)
    away = probabilities - mean.astype(probabilities.dtype)
    variance = np.square(away, out=away).mean(0, dtype=np.float64)
    return Predictive(
        x=x,
        draws=probabilities[:keep],
        mean=mean.astype(probabilities.dtype),
        epistemic_std=np.sqrt(variance),
        aleatoric_std=np.sqrt(np.maximum(mean - np.square(mean) - variance, 0.0)),
        num_samples=len(probabilities),
        predictive_entropy=predictive,
        expected_entropy=expected,
        mutual_information=np.maximum(predictive - expected, 0.0),
    )


def entropy(probabilities: Array) -> Array:
    r"""Entropy over the last axis, in nats.

    $$ \mathbb{H}[p] = -\sum_k p_k \log p_k $$
    """
    safe = np.maximum(probabilities, np.finfo(probabilities.dtype).tiny)
    return -(probabilities * np.log(safe)).sum(-1)


def rmse(predictive: Predictive, y: Any) -> float:
    r"""Root mean squared error of the predictive mean, in y's units; y is (N, K), or (N,) for one output.

    $$ \sqrt{\tfrac1N \sum_i (y_i - \mathbb{E}[y_i])^2} $$

    Raises:
        InvalidInput: y has another shape, or these are classes.
    """
    return float(np.sqrt(np.mean((predictive.mean - predictive.targets(y)) ** 2)))


def negative_log_likelihood(predictive: Predictive, y: Any) -> float:
    r"""Mean negative log predictive density of y, in nats per point, with the draws mixed: see `Predictive.log_prob`.

    Every draw has its own density: a Gaussian with its own variance, or that of your own likelihood. The mixture is
    scored, not the Gaussian with its moments (Gal & Ghahramani 2016: their predictive log-likelihood, a log-sum-exp
    over draws). y is (N, K), or (N,) for one output; for classes labels, (N,) or (N, 1).

    $$ -\frac1N \sum_i \log \frac1S \sum_s p(y_i \mid x_i, w_s), \qquad
       p(y \mid x, w_s) = \mathcal{N}\left(y \mid f_s(x), \sigma_s^2(x)\right) $$

    Raises:
        InvalidInput: y has another shape, or is not finite.
    """
    return float(-predictive.log_prob(y).mean())
