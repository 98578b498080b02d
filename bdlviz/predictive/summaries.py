"""From draws to a predictive distribution: moments, entropies, and scores on held-out data."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from bdlviz.types import Array, Predictive

OF_DRAWS = ("draws", "variances")  # fields of a Predictive with an axis of draws before that of points
OF_POINTS = (
    *("x", "mean", "epistemic_std", "aleatoric_std", "covariance"),
    *("predictive_entropy", "expected_entropy", "mutual_information"),
)
LARGE_ERROR = 0.3  # nats per point: about ten of the draws contribute to the density


def summarise_regression(
    x: Array,
    means: Array,
    variances: Array | None,
    noise_std: float | Array,
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
        offset: the value of y at which draws are 0, for all outputs or for each, (1, K).
        scale: the unit of the draws in y's units, likewise.

    $$ \mathbb{E}[y] \approx \frac1S \sum_s f_s(x), \qquad
       \operatorname{Var}[y] \approx \tau^{-1} + \frac1S \sum_s f_s(x)^2 - \mathbb{E}[y]^2 $$
    """
    mean = means.mean(0, dtype=np.float64)
    draws = means.astype(np.float64)
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
        variances=None if variances is None else np.square(scale) * variances.astype(np.float64),
    )


def summarise_classification(x: Array, probabilities: Array) -> Predictive:
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
        draws=probabilities,
        mean=mean.astype(probabilities.dtype),
        epistemic_std=np.sqrt(variance),
        aleatoric_std=np.sqrt(np.maximum(mean - np.square(mean) - variance, 0.0)),
        num_samples=len(probabilities),
        predictive_entropy=predictive,
        expected_entropy=expected,
        mutual_information=np.maximum(predictive - expected, 0.0),
    )


def in_pieces(x: Array, num_rows: int, num_kept: int, predict: Callable[[Array], Predictive]) -> Predictive:
    """The prediction at x (N, D), from pieces of ``num_rows`` points if there are more, so that memory is bounded.

    Then ``num_kept`` draws are kept for figures. Moments use all draws, and so do scores: they predict every piece
    once more.
    """
    if len(x) <= num_rows:
        return predict(x)

    def pieces() -> Iterator[Predictive]:
        return (predict(x[start : start + num_rows]) for start in range(0, len(x), num_rows))

    parts = [_with_few_draws(piece, num_kept) for piece in pieces()]

    def joined(name: str, axis: int) -> Array | None:
        arrays = [getattr(part, name) for part in parts]
        return None if arrays[0] is None else np.concatenate(arrays, axis)

    of_points = {name: joined(name, 0) for name in OF_POINTS}
    return replace(parts[0], pieces=pieces, **of_points, **{name: joined(name, 1) for name in OF_DRAWS})


def _with_few_draws(piece: Predictive, num_kept: int) -> Predictive:
    """The same with copies of its first draws, so that the others can be freed."""
    few = {name: getattr(piece, name) for name in OF_DRAWS}
    few = {name: None if array is None else array[:num_kept].copy() for name, array in few.items()}
    return replace(piece, density=None, **few)


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
    r"""Mean negative log predictive density of y, in nats per point: see `Predictive.log_prob`.

    Where the density is exact (Gaussian process, Laplace), it is used. Else draws are mixed, and each has its own
    density: a Gaussian with its own variance, or that of your own likelihood. The mixture is scored, not the Gaussian
    with its moments (Gal & Ghahramani 2016: their predictive log-likelihood, a log-sum-exp over draws). y is (N, K), or
    (N,) for one output; for classes labels, (N,) or (N, 1).

    If few draws are near y, the score depends on them: it is too large, and there is a warning when the mean
    Monte Carlo error of a point (`Predictive.log_prob_and_error`) is above 0.3 nats. It is not divided by the root of
    the number of points, because too few draws make the density too small at nearly all of them.

    $$ -\frac1N \sum_i \log \frac1S \sum_s p(y_i \mid x_i, w_s), \qquad
       p(y \mid x, w_s) = \mathcal{N}\left(y \mid f_s(x), \sigma_s^2(x)\right) $$

    Raises:
        InvalidInput: y has another shape, or is not finite.
    """
    log_prob, error = (float(each.mean()) for each in predictive.log_prob_and_error(y))
    if error > LARGE_ERROR:
        warnings.warn(
            f"The negative log-likelihood {-log_prob:.3g} has a Monte Carlo error of {error:.2g} nats per point from "
            f"{predictive.num_samples} draws, and is probably too large: predict with more draws.",
            stacklevel=2,
        )
    return -log_prob
