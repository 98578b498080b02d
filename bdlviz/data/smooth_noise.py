"""The noise beside a smooth function of several inputs, from the evidence of Gaussian processes."""

from __future__ import annotations

import numpy as np

from bdlviz.types import Array

MAX_POINTS = 500  # that are used: the time grows with the cube of their number
RATIOS = np.geomspace(1e-6, 1e3, 60)  # r: variances of the noise relative to that of the function
NUM_LENGTH_SCALES = 8
LONGEST = 8.0  # length-scale, in root mean squares over inputs: nearly a straight line over all data
SHORTEST = 0.05  # where points share their inputs
RESOLVED = 0.5  # distances to the nearest neighbour: the shortest length-scale
RANK = 1e-10  # of the largest singular value: a direction below is that of no further input


def smooth_noise_std(x: Array, y: Array) -> float:
    r"""Standard deviation of the noise of y (N,) for inputs x (N, D) with standard deviations of 1; N is at least 3.

    The function is a straight line with any slope (where there are more than 2 (D + 1) points) plus a draw from a
    Gaussian process:

    $$ k(x, x') = a \exp\left(-\frac{\lVert x - x' \rVert^2}{2 D \ell^2}\right), \qquad \sigma^2 = a\, r $$

    With $Q$ the directions orthogonal to straight lines, n in number, the amplitude a integrates out of the evidence
    (under the prior 1/a), and the estimate is the posterior mean of $\sigma$ over r and $\ell$:

    $$ p(y \mid \ell, r) \propto |V|^{-1/2} \left(y^\top Q V^{-1} Q^\top y\right)^{-n/2}, \qquad
       V = Q^\top K_\ell\, Q + r I, \qquad \hat\sigma^2(\ell, r) = \tfrac rn\, y^\top Q V^{-1} Q^\top y $$

    The share of the noise in the standard deviation, $\sqrt{r / (1 + r)}$, has a uniform prior. The shortest
    length-scale is half the typical distance between neighbours: what bends faster cannot be told from noise and
    counts as noise. Sources: Rasmussen & Williams 2006, section 2.7; Berger, De Oliveira & Sanso 2001, section 2.
    """
    chosen = np.lexsort((*x.T, y))  # evenly over the values of y; the order of the points does not matter
    chosen = chosen[np.linspace(0, len(y) - 1, min(len(y), MAX_POINTS)).astype(int)]
    x, y = x[chosen], y[chosen]
    distances = _squared_distances(x)
    others = _orthogonal_to_lines(x)
    y = others.T @ y
    shares = np.sqrt(RATIOS / (1 + RATIOS))
    log_posterior, stds = [], []
    for length_scale in np.geomspace(_shortest(distances), LONGEST, NUM_LENGTH_SCALES):
        covariance = np.exp(-distances / (2 * length_scale**2))
        values, vectors = np.linalg.eigh(others.T @ covariance @ others)
        variances = np.maximum(values, 0) + RATIOS[:, None]
        squares = (np.square(vectors.T @ y) / variances).sum(1) + np.finfo(float).tiny  # y may be a straight line
        log_posterior.append(-0.5 * np.log(variances).sum(1) - 0.5 * len(y) * np.log(squares))
        stds.append(np.sqrt(RATIOS * squares / len(y)))
    weights = np.exp(np.array(log_posterior) - np.max(log_posterior)) * np.gradient(shares)
    return float((weights * stds).sum() / weights.sum())


def _squared_distances(x: Array) -> Array:
    """The mean over inputs of squared differences between points, (N, N)."""
    lengths = np.square(x).sum(1)
    return np.maximum(lengths[:, None] + lengths - 2 * x @ x.T, 0) / max(1, x.shape[1])


def _orthogonal_to_lines(x: Array) -> Array:
    """Orthonormal directions (N, n) to which straight lines contribute nothing; with few points, constants."""
    has_trend = len(x) > 2 * (x.shape[1] + 1)
    columns = np.column_stack([np.ones(len(x)), x]) if has_trend else np.ones((len(x), 1))
    directions, sizes, _ = np.linalg.svd(columns)
    return directions[:, np.count_nonzero(sizes > RANK * sizes[0]) :]


def _shortest(distances: Array) -> float:
    away = distances + np.diag(np.full(len(distances), np.inf))
    return float(np.clip(RESOLVED * np.sqrt(np.median(away.min(1))), SHORTEST, LONGEST))
