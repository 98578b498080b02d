"""A first guess of the noise from the data alone, before any model."""

from __future__ import annotations

import numpy as np

from bdlviz.types import Array

FALLBACK = 0.1  # of sd(y), where fewer than three points say nothing about noise
FLOOR = 0.01  # of sd(y), or of 1 where y is constant: zero noise has no likelihood


def estimate_noise_std(x: Array, y: Array) -> float:
    r"""Standard deviation of the noise of y, in y's units, from N points with one input.

    Each point is compared with the straight line through its two neighbours in x (a pseudo-residual, to which a
    linear trend contributes nothing):

    $$ \hat\sigma^2 = \frac{1}{N - 2} \sum_{i=2}^{N-1} \frac{(a_i y_{i-1} + b_i y_{i+1} - y_i)^2}{a_i^2 + b_i^2 + 1},
       \qquad a_i = \frac{x_{i+1} - x_i}{x_{i+1} - x_{i-1}}, \quad b_i = 1 - a_i $$

    Points that share an x enter by their mean here, and by their spread about it as well, so that the order of the
    rows never matters. With fewer than three points the estimate is sd(y) / 10. It is never below sd(y) / 100, and
    0.01 where y is constant. ``x`` and ``y`` are (N,) or (N, 1).

    Source: Gasser, Sroka & Jennen-Steinmetz (1986), Residual variance and residual pattern in nonlinear regression.
    """
    x, y = np.ravel(x), np.ravel(y)
    scale = float(np.ptp(y))
    if scale == 0:
        return FLOOR
    y = (y - y.min()) / scale  # squares of very small or large values would leave the range of floats
    spread = float(np.std(y))
    noise_std = FALLBACK * spread if len(y) < 3 else float(np.sqrt(_pseudo_residual_variance(x, y)))
    return scale * max(noise_std, FLOOR * spread)


def _pseudo_residual_variance(x: Array, y: Array) -> float:
    """Variance of the noise of y from N >= 3 points, x and y (N,)."""
    x, group, count = np.unique(x, return_inverse=True, return_counts=True)
    mean = np.bincount(group, y) / count
    spread_within = np.sum((y - mean[group]) ** 2)
    left = (x[2:] - x[1:-1]) / (x[2:] - x[:-2])  # the weight of the left neighbour
    right = 1 - left
    residual = left * mean[:-2] + right * mean[2:] - mean[1:-1]
    variance = left**2 / count[:-2] + right**2 / count[2:] + 1 / count[1:-1]  # of the residual, at unit noise
    num_terms = len(y) - len(x) + len(residual)
    return float((spread_within + np.sum(residual**2 / variance)) / num_terms)
