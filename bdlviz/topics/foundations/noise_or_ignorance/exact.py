r"""The exact posterior of a function with a Gaussian process as its prior, where the noise of every point is known.

$$ f \sim \mathcal{GP}(0, k), \qquad k(x, x') = a^2 \exp\left(-\frac{(x - x')^2}{2 \ell^2}\right) $$
"""

from __future__ import annotations

import numpy as np

from bdlviz.models.gaussian_process import cholesky, solve
from bdlviz.types import Array

AMPLITUDE, LENGTH = 1.5, 1.0  # a and l: the prior standard deviation, and how far the function is smooth


def covariance(x: Array, other: Array) -> Array:
    """The prior covariance at x (N,) and other inputs (M,): (N, M)."""
    return AMPLITUDE**2 * np.exp(-((x[:, None] - other[None]) ** 2) / (2 * LENGTH**2))


def posterior(x: Array, y: Array, noise_std: Array, at: Array) -> tuple[Array, Array]:
    r"""Mean and standard deviation of the function at inputs (M,), after points x, y (N,) with noise (N,).

    Source: Rasmussen & Williams 2006, equations 2.25 and 2.26.

    $$ A = k(X, X) + \operatorname{diag}(\sigma_i^2), \qquad \mu(x) = k(x, X)\, A^{-1} y, \qquad
       s^2(x) = k(x, x) - k(x, X)\, A^{-1} k(X, x) $$
    """
    factor, _ = cholesky(covariance(x, x) + np.diag(noise_std**2))
    explained = solve(factor, covariance(x, at))
    mean = explained.T @ solve(factor, y)
    return mean, np.sqrt(np.maximum(AMPLITUDE**2 - (explained**2).sum(0), 0))
