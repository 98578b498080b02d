"""The evidence lower bound as a description length: bits for the data's errors, and bits for the weights.

Hinton & van Camp 1993, "Keeping the neural networks simple by minimizing the description length of the weights":
a receiver who knows the inputs and the network's shape is sent noisy weights, and then the errors that these leave.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models.priors import log_scale_mixture
from bdlviz.types import Array

ACCURACY = 0.01  # to which targets are sent, in standard deviations of the data
LOG_TWO_PI = 1.8378770664093453
REACH, NUM_NODES = 7.0, 161  # of the quadrature, in standard deviations, around q and around the narrow Gaussian


@dataclass(frozen=True)
class Prior:
    """The prior of one weight: a Gaussian around 0, or a mixture of a wide and a narrow one.

    ``share`` is that of the wide one, above 0 and at most 1.

    Raises:
        InvalidInput: a standard deviation that is not positive, or no such share.
    """

    wide_std: float = 1.0
    narrow_std: float = 1.0
    share: float = 1.0

    def __post_init__(self) -> None:
        if not (0 < self.wide_std < np.inf and 0 < self.narrow_std < np.inf):
            raise InvalidInput("Both standard deviations of the prior must be positive: 0 allows one value only.")
        if not 0 < self.share <= 1:
            raise InvalidInput(f"The share of the wide Gaussian must be above 0 and at most 1, not {self.share:g}.")

    @property
    def is_gaussian(self) -> bool:
        """Is it one Gaussian, whatever its two parts are called?"""
        return self.share == 1 or self.wide_std == self.narrow_std

    def log_density(self, weights: Array) -> Array:
        """Log density in nats of weights, of their shape; see `bdlviz.models.priors.log_scale_mixture`."""
        return log_scale_mixture(weights, self.wide_std, self.narrow_std, self.share)


def kl_by_weight(mean: Array, std: Array, prior: Prior) -> Array:
    r"""KL from each weight's q to the prior in nats, of the shape of ``mean`` and ``std``.

    In closed form for a Gaussian prior, else by the trapezoid rule on points dense around q and around 0.

    $$ \operatorname{KL}[q \Vert p] = -\tfrac12 \log(2 \pi e\, \sigma^2) - \int q(w) \log p(w)\, dw $$
    """
    mean, std = np.asarray(mean, float), np.asarray(std, float)
    if prior.is_gaussian:
        ratio = std / prior.wide_std
        return 0.5 * (ratio**2 + (mean / prior.wide_std) ** 2 - 1) - np.log(ratio)
    z = np.linspace(-REACH, REACH, NUM_NODES)
    around_zero = np.broadcast_to(2 * prior.narrow_std * z, (*mean.shape, NUM_NODES))
    nodes = np.sort(np.concatenate([mean[..., None] + std[..., None] * z, around_zero], -1), -1)
    density = np.exp(-0.5 * np.square((nodes - mean[..., None]) / std[..., None]))
    expected = np.trapezoid(density * prior.log_density(nodes), nodes) / np.trapezoid(density, nodes)
    return -0.5 * (LOG_TWO_PI + 1) - np.log(std) - expected


def kl_to_prior(mean: Mapping[str, Array], std: Mapping[str, Array], prior: Prior) -> float:
    """The sum of `kl_by_weight` over all weights by name, in nats: the complexity cost."""
    return float(sum(kl_by_weight(mean[name], std[name], prior).sum() for name in std))


def error_cost(outputs: Array, y: Array, noise_std: float, accuracy: float = ACCURACY) -> float:
    r"""Nats to send targets to within ``accuracy``, expected over S draws of the weights.

    ``outputs`` (S, N, K) and ``y`` (N, K) in the same units as ``noise_std`` and ``accuracy``. A density becomes a
    probability by the width of an interval.

    $$ -\mathbb{E}_q[\log p(y \mid x, w)] - N K \log t =
       \sum_i \mathbb{E}_q\left[\tfrac{(y_i - f(x_i, w))^2}{2 s^2}\right] + \tfrac{N K}{2} \log(2 \pi s^2)
       - N K \log t $$
    """
    squares = np.square(np.asarray(outputs, float) - y).sum((-1, -2)).mean()
    constant = 0.5 * LOG_TWO_PI + np.log(noise_std) - np.log(accuracy)
    return float(0.5 * squares / noise_std**2 + y.size * constant)


def cost_without_network(y: Array, accuracy: float = ACCURACY) -> float:
    r"""Nats to send targets (N, K) with their mean and standard deviation alone, to compare a network with.

    $$ \tfrac{N K}{2} \log(2 \pi e\, s_y^2) - N K \log t $$
    """
    return float(y.size * (0.5 * (LOG_TWO_PI + 1) + np.log(y.std()) - np.log(accuracy)))


def bits(nats: float | Array) -> float | Array:
    r"""Nats as bits, of the same shape.

    $$ 1\ \text{nat} = \frac{1}{\ln 2}\ \text{bits} $$
    """
    return nats / np.log(2)
