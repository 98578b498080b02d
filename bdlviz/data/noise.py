"""A first guess of the noise from the data alone, before any model."""

from __future__ import annotations

import numpy as np

from bdlviz.checks import varies
from bdlviz.data.smooth_noise import smooth_noise_std
from bdlviz.types import Array

FALLBACK = 0.1  # of sd(y), where fewer than three points say nothing about noise
FLOOR = 0.01  # of sd(y), or of 1 where y is constant: zero noise has no likelihood


def estimate_noise_std(x: Array, y: Array) -> float:
    r"""Standard deviation of the noise of one output y (N,) or (N, 1), in y's units, from inputs (N,) or (N, D).

    The order of the points and of the inputs never matters, nor does an input that is the same at all points. With
    fewer than three points the estimate is sd(y) / 10. It is never below sd(y) / 100, and 0.01 where y is constant.

    With one input each point is compared with the straight line through its two neighbours in x (a pseudo-residual, to
    which a linear trend contributes nothing):

    $$ \hat\sigma^2 = \frac{1}{N - 2} \sum_{i=2}^{N-1} \frac{(a_i y_{i-1} + b_i y_{i+1} - y_i)^2}{a_i^2 + b_i^2 + 1},
       \qquad a_i = \frac{x_{i+1} - x_i}{x_{i+1} - x_{i-1}}, \quad b_i = 1 - a_i $$

    Points that share an x enter by their mean here, and by their standard deviation about it as well. Source: Gasser,
    Sroka & Jennen-Steinmetz (1986), Residual variance and residual pattern in nonlinear regression.

    With several inputs the function is a straight line plus a smooth function, a Gaussian process whose amplitude and
    length-scale are integrated out: `bdlviz.data.smooth_noise.smooth_noise_std`. Of a function that bends faster than
    the distances between neighbours, as with few points for many inputs, a part counts as noise: the estimate is an
    upper bound then.
    """
    x, y = np.reshape(x, (len(x), -1)), np.asarray(y, np.float64).reshape(-1, 1)
    if not varies(y).all():
        return FLOOR
    x, y = x[:, varies(x)] if x.shape[1] > 1 else x, y[:, 0]
    scale = float(np.ptp(y))
    y = (y - y.min()) / scale  # squares of very small or large values would leave the range of floats
    spread = float(np.std(y))
    if len(y) < 3:
        return scale * FALLBACK * spread
    variance = _pseudo_residual_variance(x, y) if x.shape[1] == 1 else _smooth_variance(x, y)
    return scale * max(float(np.sqrt(variance)), FLOOR * spread)


def _pseudo_residual_variance(x: Array, y: Array) -> float:
    """Variance of the noise of y from N >= 3 points, x (N, 1) and y (N,)."""
    x, group, count = np.unique(x[:, 0].astype(np.float64), return_inverse=True, return_counts=True)
    mean = np.bincount(group, y) / count
    spread_within = np.sum((y - mean[group]) ** 2)
    left = (x[2:] - x[1:-1]) / (x[2:] - x[:-2])  # the weight of the left neighbour
    right = 1 - left
    residual = left * mean[:-2] + right * mean[2:] - mean[1:-1]
    variance = left**2 / count[:-2] + right**2 / count[2:] + 1 / count[1:-1]  # of the residual, at unit noise
    num_terms = len(y) - len(x) + len(residual)
    return float((spread_within + np.sum(residual**2 / variance)) / num_terms)


def _smooth_variance(x: Array, y: Array) -> float:
    """Variance of the noise of y (N,) from N >= 3 points with several inputs, x (N, D) whose columns all vary."""
    x = np.asarray(x, np.float64)
    x = x - x.mean(0)
    x /= np.abs(x).max(0)  # squares of very small or large values would leave the range of floats
    std = smooth_noise_std(x / x.std(0), y)
    return float(f"{std**2:.6g}")  # sums in another order differ in the last digits
