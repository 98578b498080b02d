"""The predictive density of a user's own likelihood, draw by draw and in y's units."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models.likelihood_base import Likelihood
from bdlviz.types import Array

LOG_DISTANCES = np.linspace(-18, 18, 4001)  # logarithms of the distances from the mean at which a density is integrated
NUM_PROBES = 5  # number of outputs at which the density is integrated
TOLERANCE = 0.01  # in nats, for the differences between these integrals


@dataclass(frozen=True, eq=False)
class OwnDensity:
    """See `bdlviz.types.Density`. ``outputs`` (S, N, M) are the network's; ``y_mean`` and ``y_scale`` are (1, K).

    The likelihood is a density of standardised y; the density of y follows by dividing by the scale:

    $$ \\log p(y) = \\log p\\left(\\frac{y - m}{s}\\right) - \\sum_k \\log s_k $$
    """

    likelihood: Likelihood
    outputs: Array
    y_mean: Array
    y_scale: Array

    def log_prob(self, y: Array) -> Array:
        """Log density of y (N, K) under each draw in nats, (S, N)."""
        y = (y - self.y_mean) / self.y_scale
        if type(self.likelihood).log_likelihood is not Likelihood.log_likelihood:
            found = np.asarray(self.likelihood.log_likelihood(self.outputs, y), np.float64)
        else:
            found = self._by_torch(self.outputs, y) - self._log_normaliser
        return found - np.log(self.y_scale).sum()

    def cdf(self, y: Array) -> Array:
        """Probability of values below y (N, K), for each output, (S, N, K)."""
        return np.asarray(self.likelihood.cdf(self.outputs, (y - self.y_mean) / self.y_scale), np.float64)

    def _by_torch(self, outputs: Array, y: Array) -> Array:
        """The log density of standardised y (..., N, K) from `negative_log_likelihood`, (..., N), in float32."""
        import torch

        targets = torch.tensor(y, dtype=torch.float32).expand(*outputs.shape[:-1], y.shape[-1])
        with torch.no_grad():
            found = -self.likelihood.negative_log_likelihood(torch.tensor(outputs), targets)
        return found.numpy().astype(np.float64)

    @cached_property
    def _log_normaliser(self) -> float:
        """The log of the constant that `Likelihood.negative_log_likelihood` may leave out.

        The density of standardised y is integrated over the real line by the trapezoidal rule in the logarithm of the
        distance from the mean.
        """
        if self.y_scale.size != 1:
            raise InvalidInput(
                f"Scores of several outputs need the whole density of the likelihood {self.likelihood.name!r}: give it "
                "a method log_likelihood(outputs, y)."
            )
        every = self.outputs.reshape(-1, self.outputs.shape[-1])
        probes = every[np.linspace(0, len(every) - 1, NUM_PROBES).astype(int)]
        distances = np.exp(LOG_DISTANCES)
        places = self.likelihood.mean(probes[None])[0] + np.concatenate([-distances, distances])  # (probes, places)
        repeated = np.broadcast_to(probes[:, None], (*places.shape, probes.shape[-1]))
        log_widths = np.log(np.tile(distances, 2) * (LOG_DISTANCES[1] - LOG_DISTANCES[0]))
        terms = self._by_torch(repeated, places[..., None]) + log_widths
        found = np.logaddexp.reduce(np.where(np.isnan(terms), -np.inf, terms), 1)  # NaN: such a y is impossible
        if not np.isfinite(found).all() or np.ptp(found) > TOLERANCE:
            raise InvalidInput(
                f"The likelihood {self.likelihood.name!r} is no density of y: its integral is not the same at all "
                "outputs of the network. Give it a method log_likelihood(outputs, y), the whole log density."
            )
        return float(found.mean())
