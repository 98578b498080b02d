"""The live example of errata about inference: the smallest model whose posterior is known exactly.

It has one weight w ~ N(0, 1), and N observations of it with known noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bdlviz.predictive import latent
from bdlviz.types import Array

LOG_TWO_PI = 1.8378770664093453


@dataclass(frozen=True, eq=False)
class OneWeight:
    r"""One weight w ~ N(0, 1), and observations y (N,) of it with noise of a known standard deviation.

    $$ p(w \mid y) = \mathcal{N}\left(\tfrac{\sum_i y_i / s^2}{1 + N / s^2},\; \tfrac{1}{1 + N / s^2}\right) $$
    """

    y: Array
    noise_std: float = 1.0

    @property
    def posterior(self) -> tuple[float, float]:
        """Mean and standard deviation of w, exactly."""
        precision = 1 + len(self.y) / self.noise_std**2
        return float(self.y.sum() / self.noise_std**2 / precision), precision**-0.5

    def expected_log_likelihood(self, mean: Array | float, std: Array | float) -> Array:
        """E_q[log p(y | w)] in nats for q = N(mean, std^2), of whatever shape these have."""
        squares = np.square(self.y - np.asarray(mean)[..., None]).sum(-1) + len(self.y) * np.square(std)
        constant = len(self.y) * (np.log(self.noise_std) + 0.5 * LOG_TWO_PI)
        return -0.5 * squares / self.noise_std**2 - constant

    @property
    def log_evidence(self) -> float:
        """The logarithm of p(y), in nats."""
        mean, std = self.posterior
        return float(self.expected_log_likelihood(mean, std) - latent.kl_per_dimension(np.array(mean), np.array(std)))


def one_weight(num_data: int = 20) -> OneWeight:
    """The model with observations of w = 0.7, always the same ones."""
    return OneWeight(0.7 + np.random.default_rng(3).standard_normal(num_data))
