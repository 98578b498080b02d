"""The posterior of a Gaussian process: exact mean, covariance and evidence by one Cholesky factor, in float64."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models.infinite_mlp import InfiniteMLP
from bdlviz.models.likelihood_base import HALF_LOG_TWO_PI
from bdlviz.types import Array

FIRST_JITTER, LAST_JITTER = 1e-13, 1e-4  # as fractions of the mean variance


class Posterior:
    r"""K independent functions of one prior, observed at x (N, D) as y (N, K) with noise of a precision tau.

    $$ A = k(X, X) + \tau^{-1} I $$

    ``jitter`` is the variance that was added to the noise so that A has a Cholesky factor. It is 0 unless the prior
    variance is so large that the noise is lost in double precision. With N = 0 this is the prior.
    """

    def __init__(self, prior: InfiniteMLP, x: Array, y: Array, precision: float, jitter: float = 0.0) -> None:
        self.prior, self.x, self.y = prior, x.astype(np.float64), y.astype(np.float64)
        covariance = prior.covariance(self.x, self.x)
        covariance[np.diag_indices(len(x))] += 1 / precision
        self._factor, self.jitter = cholesky(covariance, jitter)
        self.noise_std = float(np.sqrt(1 / precision + self.jitter))
        self._weights = self.solve(self.y)

    def solve(self, values: Array) -> Array:
        """The inverse of A times values (N, ...)."""
        return solve(self._factor, solve(self._factor, values), transposed=True)

    def mean(self, x: Array) -> Array:
        r"""Posterior mean at x (M, D): (M, K). Source: Rasmussen & Williams 2006, equation 2.25.

        $$ m(x) = k(x, X)\, A^{-1} y $$
        """
        return self.prior.covariance(x, self.x) @ self._weights

    def covariance(self, x: Array, other: Array) -> Array:
        r"""Posterior covariance at x (M, D) and other inputs (L, D), the same for every output: (M, L).

        $$ k(x, x') - k(x, X)\, A^{-1} k(X, x') $$
        """
        return self.prior.covariance(x, other) - self._explained(x).T @ self._explained(other)

    def variance(self, x: Array) -> Array:
        """Posterior variance at x (M, D), without the noise: (M,)."""
        return np.maximum(self.prior.variance(x) - (self._explained(x) ** 2).sum(0), 0)

    def _explained(self, x: Array) -> Array:
        return solve(self._factor, self.prior.covariance(self.x, x))

    @cached_property
    def negative_log_evidence(self) -> float:
        r"""Negative logarithm of the marginal likelihood of all N x K observations, in nats.

        Source: Rasmussen & Williams 2006, equation 2.30.

        $$ -\log p(y) = \tfrac12 \sum_k y_k^\top A^{-1} y_k + \tfrac K2 \log \lvert A \rvert
           + \tfrac{N K}2 \log 2\pi $$
        """
        num_outputs = self.y.shape[1]
        fit = 0.5 * float((self.y * self._weights).sum())
        return fit + num_outputs * float(np.log(np.diag(self._factor)).sum()) + self.y.size * HALF_LOG_TWO_PI


def cholesky(matrix: Array, jitter: float = 0.0) -> tuple[Array, float]:
    """The lower Cholesky factor of a symmetric matrix (N, N), and the jitter added to its diagonal.

    ``jitter`` is tried first.

    Raises:
        InvalidInput: no small jitter is enough.
    """
    share = float(np.trace(matrix)) / max(1, len(matrix))
    tries = FIRST_JITTER * 10.0 ** np.arange(round(np.log10(LAST_JITTER / FIRST_JITTER)) + 1) * share
    for added in (jitter, *tries[tries > jitter]):
        try:
            return np.linalg.cholesky(matrix + added * np.eye(len(matrix))), float(added)
        except np.linalg.LinAlgError:
            continue
    raise InvalidInput("This prior is too wide to be solved in double precision: choose a larger length_scale.")


def solve(factor: Array, values: Array, transposed: bool = False) -> Array:
    """The inverse of a lower triangular factor, or of its transpose, times values (N, ...)."""
    from scipy.linalg import solve_triangular

    if not values.size:
        return values
    return solve_triangular(factor, values, lower=True, trans=int(transposed), check_finite=False)
