"""A first guess of the noise from the data alone, before any model."""

from __future__ import annotations

import numpy as np

from bdlviz.types import Array

FALLBACK = 0.1  # of sd(y), where fewer than three points say nothing about noise
FLOOR = 0.01  # of sd(y), or of 1 where y is constant: zero noise has no likelihood
MAX_COMPARED = 1000  # points that are compared with all others where there are several inputs
SAME_DISTANCE = 1e-9  # neighbours whose squared distances differ by less, in standardised units, are equally near
RANK = 1e-10  # of the largest eigenvalue: a direction below is that of no further input
CHUNK = 200  # points whose distances to all others are in memory at once


def estimate_noise_std(x: Array, y: Array) -> float:
    r"""Standard deviation of the noise of one output y (N,) or (N, 1), in y's units, from inputs (N,) or (N, D).

    The order of the points and of the inputs never matters. With fewer than three points the estimate is sd(y) / 10. It
    is never below sd(y) / 100, and 0.01 where y is constant.

    With one input each point is compared with the straight line through its two neighbours in x (a pseudo-residual, to
    which a linear trend contributes nothing):

    $$ \hat\sigma^2 = \frac{1}{N - 2} \sum_{i=2}^{N-1} \frac{(a_i y_{i-1} + b_i y_{i+1} - y_i)^2}{a_i^2 + b_i^2 + 1},
       \qquad a_i = \frac{x_{i+1} - x_i}{x_{i+1} - x_{i-1}}, \quad b_i = 1 - a_i $$

    Points that share an x enter by their mean here, and by their standard deviation about it as well. Source: Gasser,
    Sroka & Jennen-Steinmetz (1986), Residual variance and residual pattern in nonlinear regression.

    With several inputs the linear trend is removed by least squares, whose hat matrix is H, and each residual $r_i$ is
    compared with the mean residual of its $m_i$ nearest neighbours (one, unless several are equally near) in
    standardised inputs. With $a_i$ the weights of that comparison, 1 and $-1 / m_i$:

    $$ \hat\sigma^2 = \frac1N \sum_i \frac{(a_i^\top r)^2}{a_i^\top (I - H)\, a_i} $$

    Where there are at most 2 (D + 1) points, y itself is compared. The more inputs the function bends along, the
    more of it is counted as noise, because neighbours are far: the estimate is an upper bound then.
    """
    x, y = np.reshape(x, (len(x), -1)), np.ravel(y)
    scale = float(np.ptp(y))
    if scale == 0:
        return FLOOR
    y = (y - y.min()) / scale  # squares of very small or large values would leave the range of floats
    spread = float(np.std(y))
    if len(y) < 3:
        return scale * FALLBACK * spread
    variance = _pseudo_residual_variance(x, y) if x.shape[1] == 1 else _neighbour_variance(x, y)
    return scale * max(float(np.sqrt(variance)), FLOOR * spread)


def _pseudo_residual_variance(x: Array, y: Array) -> float:
    """Variance of the noise of y from N >= 3 points, x (N, 1) and y (N,)."""
    x, group, count = np.unique(x[:, 0], return_inverse=True, return_counts=True)
    mean = np.bincount(group, y) / count
    spread_within = np.sum((y - mean[group]) ** 2)
    left = (x[2:] - x[1:-1]) / (x[2:] - x[:-2])  # the weight of the left neighbour
    right = 1 - left
    residual = left * mean[:-2] + right * mean[2:] - mean[1:-1]
    variance = left**2 / count[:-2] + right**2 / count[2:] + 1 / count[1:-1]  # of the residual, at unit noise
    num_terms = len(y) - len(x) + len(residual)
    return float((spread_within + np.sum(residual**2 / variance)) / num_terms)


def _neighbour_variance(x: Array, y: Array) -> float:
    """Variance of the noise of y (N,) from N >= 3 points with several inputs, x (N, D)."""
    x = np.asarray(x, np.float64) - x.mean(0)
    size = np.abs(x).max(0)
    x = x[:, size > 0] / size[size > 0]  # squares of very small or large values would leave the range of floats
    x /= x.std(0)
    has_trend = len(x) > 2 * (x.shape[1] + 1)
    basis = _basis(x) if has_trend else x[:, :0]
    y = y - y.mean()
    residual = y - basis @ (basis.T @ y)
    chosen = np.argsort(residual, kind="stable")
    chosen = chosen[np.linspace(0, len(y) - 1, min(len(y), MAX_COMPARED)).astype(int)]
    chunks = (chosen[start : start + CHUNK] for start in range(0, len(chosen), CHUNK))
    variance = np.mean(np.concatenate([_compare_with_nearest(x, residual, basis, rows) for rows in chunks]))
    return float(f"{variance:.9g}")  # sums in another order differ in the last digits


def _basis(x: Array) -> Array:
    """Orthonormal columns that span those of x (N, D), as many as x has linearly independent ones."""
    size, directions = np.linalg.eigh(x.T @ x)
    kept = size > RANK * size.max(initial=0.0)
    return x @ directions[:, kept] / np.sqrt(size[kept])


def _compare_with_nearest(x: Array, residual: Array, basis: Array, rows: Array) -> Array:
    """For each of M rows the squared difference from its nearest neighbours, divided by what noise 1 gives: (M,)."""
    lengths = np.square(x).sum(1)
    distances = lengths[rows, None] + lengths - 2 * x[rows] @ x.T
    distances[np.arange(len(rows)), rows] = np.inf
    near = (distances <= distances.min(1, keepdims=True) + SAME_DISTANCE * x.shape[1]).astype(float)
    near /= near.sum(1, keepdims=True)
    explained = np.square(basis[rows] - near @ basis).sum(1)
    return np.square(residual[rows] - near @ residual) / (1 + np.square(near).sum(1) - explained)
