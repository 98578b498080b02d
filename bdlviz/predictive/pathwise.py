"""Draws of a Gaussian process as functions: the value of a draw at x does not depend on the other inputs."""

from __future__ import annotations

import numpy as np

from bdlviz.models.gaussian_process import Posterior, cholesky, solve
from bdlviz.models.infinite_mlp import InfiniteMLP
from bdlviz.types import Array

NUM_BASE = 512  # points at which a draw is exact
CHUNK_DRAWS = 1000  # draws kept in memory at once
RELATIVE_JITTER = 1e-9  # relative to the variance at a base point; an invisible change
ROUNDING = 1e-13  # relative to the prior variance: the rounding error of a difference in double precision


class PathwiseDraws:
    r"""S draws from a posterior, exact at base points and nearly so between them.

    The functions $g$ of a wide finite network follow nearly the same process. Conditioned on the data, they are
    corrected so that they equal an exact joint draw $u$ at base points $B$. Between the base points the remaining
    variance comes from $g$. Only for functions that oscillate many times between two base points (length-scales far
    below 0.1) the standard deviation may be wrong by a third at some inputs.

    $$ f(x) = m(x) + \tilde g(x) + C(x, B)\, C(B, B)^{-1} \left[ u - \tilde g(B) \right], \qquad
       \tilde g(x) = g(x) - k(x, X)\, A^{-1} \left[ g(X) + \epsilon \right] $$

    C is the posterior covariance. After Wilson et al. 2020 (arXiv 2002.09309), whose draws have the data as their only
    base points.
    """

    def __init__(self, posterior: Posterior, rng: np.random.Generator, num_samples: int) -> None:
        num_inputs = posterior.x.shape[1]
        self._posterior, self.num_samples = posterior, num_samples
        self._features = posterior.prior.draw_features(rng, num_inputs)
        self._seeds = rng.integers(2**63, size=-(-num_samples // CHUNK_DRAWS))
        self._base = base_points(posterior.prior, num_inputs)
        covariance = posterior.covariance(self._base, self._base)
        variance, prior_variance = posterior.variance(self._base), posterior.prior.variance(self._base)
        diagonal = (1 + RELATIVE_JITTER) * variance + ROUNDING * prior_variance
        covariance[np.diag_indices(len(self._base))] = diagonal
        self._scale = np.sqrt(diagonal)  # far from the data, values may be a million times larger
        self._factor, _ = cholesky(covariance / np.outer(self._scale, self._scale))

    def __call__(self, x: Array) -> Array:
        """All draws at x (N, D), standardised: (S, N, K) float32."""
        posterior = self._posterior
        features, to_data = self._features(x), posterior.prior.covariance(x, posterior.x)
        to_base = posterior.covariance(x, self._base) / self._scale
        mean = posterior.mean(x)
        outputs = np.empty((self.num_samples, *mean.shape), np.float32)
        for start, seed in zip(range(0, self.num_samples, CHUNK_DRAWS), self._seeds, strict=True):
            piece = outputs[start : start + CHUNK_DRAWS]
            weights, at_data, at_base = self._coefficients(int(seed), len(piece))
            drawn = features @ weights - to_data @ at_data + to_base @ at_base
            piece[:] = mean + drawn.reshape(len(x), len(piece), -1).swapaxes(0, 1)
        return outputs

    def _coefficients(self, seed: int, num_draws: int) -> tuple[Array, Array, Array]:
        """What multiplies features, covariances with the data, and covariances with the base: (..., draws x K) each."""
        posterior, base = self._posterior, self._base
        features_of_data, features_of_base = self._features(posterior.x), self._features(base)
        sizes = [features_of_data.shape[1], len(posterior.x), len(base)]
        rng = np.random.Generator(np.random.SFC64(seed))
        normals = rng.standard_normal((num_draws * posterior.y.shape[1], sum(sizes))).T
        weights, noise, at_base = np.split(normals, np.cumsum(sizes)[:-1])
        at_data = posterior.solve(features_of_data @ weights + posterior.noise_std * noise)
        wide = features_of_base @ weights - posterior.prior.covariance(base, posterior.x) @ at_data
        exact = self._factor @ at_base
        missing = solve(self._factor, exact - wide / self._scale[:, None])
        return weights, at_data, solve(self._factor, missing, transposed=True)


def base_points(prior: InfiniteMLP, num_inputs: int) -> Array:
    """The base points, at which draws are exact, (P, D): uniform over the directions of (1, x) in the first layer.

    On a line they are dense in the middle and reach far out. Without hidden layers there are none, because features are
    exact.
    """
    if len(prior.weight_variances) == 1:
        return np.empty((0, num_inputs))
    ratio = np.sqrt(prior.bias_variances[0] * num_inputs / prior.weight_variances[0])
    if num_inputs == 1:
        angles = np.pi * ((np.arange(NUM_BASE) + 0.5) / NUM_BASE - 0.5)
        return ratio * np.tan(angles)[:, None]
    directions = np.random.Generator(np.random.SFC64(0)).standard_normal((NUM_BASE, num_inputs + 1))
    return ratio * directions[:, 1:] / np.maximum(np.abs(directions[:, :1]), 1 / NUM_BASE)
