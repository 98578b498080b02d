"""From draws to a predictive distribution: moments, entropies and the scores held-out data give them."""

from __future__ import annotations

import numpy as np

from bdlviz.types import Array, Predictive


def summarise_regression(
    x: Array, means: Array, variances: Array | None, noise_std: float | Array, keep: int
) -> Predictive:
    r"""Moments of the mixture of S draws (Gal & Ghahramani 2016, eqs. 8-9).

    Args:
        x: (N, D).
        means: (S, N, K), E[y | x, w_s].
        variances: (S, N, K), Var[y | x, w_s], or None for the constant ``noise_std`` squared.
        noise_std: in y's units, for all outputs or for each, (K,).
        keep: how many draws to keep for figures.

    $$ \mathbb{E}[y] \approx \frac1S \sum_s f_s(x), \qquad
       \operatorname{Var}[y] \approx \tau^{-1} + \frac1S \sum_s f_s(x)^2 - \mathbb{E}[y]^2 $$
    """
    aleatoric = np.full(means.shape[1:], noise_std) if variances is None else np.sqrt(variances.mean(0))
    return Predictive(
        x=x,
        draws=means[:keep],
        mean=means.mean(0),
        epistemic_std=means.std(0),
        aleatoric_std=aleatoric,
        num_samples=len(means),
    )


def summarise_classification(x: Array, probabilities: Array, keep: int) -> Predictive:
    r"""Mean class probabilities and where their uncertainty comes from (Houlsby et al. 2011), in nats.

    ``probabilities`` is (S, N, K).

    $$ \mathbb{H}\left[\tfrac1S \sum_s p_s\right] = \mathbb{I}[y, w] + \tfrac1S \sum_s \mathbb{H}[p_s] $$
    """
    mean = probabilities.mean(0)
    predictive, expected = entropy(mean), entropy(probabilities).mean(0)
    return Predictive(
        x=x,
        draws=probabilities[:keep],
        mean=mean,
        epistemic_std=probabilities.std(0),
        aleatoric_std=np.sqrt((probabilities * (1 - probabilities)).mean(0)),
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


def rmse(predictive: Predictive, y: Array) -> float:
    r"""Root mean squared error of the predictive mean, in y's units; y is (N, K).

    $$ \sqrt{\tfrac1N \sum_i (y_i - \mathbb{E}[y_i])^2} $$
    """
    return float(np.sqrt(np.mean((predictive.mean - y) ** 2)))


def negative_log_likelihood(predictive: Predictive, y: Array) -> float:
    r"""Mean negative log predictive density of y (N, K), in nats per point, with the draws mixed.

    Every draw is a Gaussian around its function value with the mean aleatoric variance; the mixture of S draws is
    scored, not the Gaussian with its moments (Gal & Ghahramani 2016, eq. 22 of the appendix).

    $$ -\frac1N \sum_i \log \frac1S \sum_s \mathcal{N}\left(y_i \mid f_s(x_i), \sigma^2\right) $$
    """
    std = predictive.aleatoric_std
    log_densities = -0.5 * np.square((y - predictive.draws) / std) - np.log(std) - 0.5 * np.log(2 * np.pi)
    per_draw = log_densities.astype(np.float64).sum(-1)
    return float(-np.mean(np.logaddexp.reduce(per_draw, 0) - np.log(len(per_draw))))
