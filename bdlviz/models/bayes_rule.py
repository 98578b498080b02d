r"""Bayes' rule over a list of hypotheses: four networks, or every node of a grid of weights.

All computations use logarithms: the likelihood of twenty points under a wrong network is smaller than the smallest
float.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.observed import observed_values
from bdlviz.types import Array

LOG_TWO_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of Bayes' rule in nats, (H, ...) each; the evidence is one number."""

    log_prior: Array
    log_likelihood: Array
    log_evidence: float
    posterior: Array  # probabilities that sum to 1

    @property
    def log_numerator(self) -> Array:
        """Prior times likelihood, as a logarithm."""
        return self.log_prior + self.log_likelihood


def update(log_prior: Array, log_likelihood: Array) -> Terms:
    r"""The posterior of hypotheses from their prior and their likelihood, both in nats.

    Both are (H,) or of any one shape; the prior probabilities should sum to 1. The posterior can be the prior of
    further data.

    $$ p(w \mid D) = \frac{p(D \mid w)\, p(w)}{p(D)}, \qquad p(D) = \sum_w p(D \mid w)\, p(w) $$

    Raises:
        InvalidInput: no hypothesis with a prior above 0 allows the data.
    """
    numerator = log_prior + log_likelihood
    top = float(numerator.max())
    if not np.isfinite(top):
        raise InvalidInput("No hypothesis with a prior above 0 allows these data: give another one a prior above 0.")
    terms = np.exp(numerator - top)
    total = float(terms.sum())
    return Terms(log_prior, log_likelihood, top + float(np.log(total)), terms / total)


def average(posterior: Array, predictions: Array) -> tuple[Array, Array]:
    r"""Mean and standard deviation (P,) of predictions (H, P) over a posterior (H,).

    $$ \mathbb{E}[f(x)] = \sum_w p(w \mid D)\, f_w(x), \qquad
       \operatorname{Var}[f(x)] = \sum_w p(w \mid D)\, \bigl(f_w(x) - \mathbb{E}[f(x)]\bigr)^2 $$
    """
    mean = posterior @ predictions
    return mean, np.sqrt(posterior @ np.square(predictions - mean))


def log_normal(squares: Array | float, num_data: int, noise_std: Array | float) -> Array:
    r"""Logarithm of a Gaussian likelihood in nats, from sums of squared errors of whatever shape.

    $$ \log p(D \mid w) = -\frac{\sum_i (y_i - f_w(x_i))^2}{2 \sigma^2} - N \log\bigl(\sigma \sqrt{2 \pi}\bigr) $$
    """
    return -0.5 * np.asarray(squares) / noise_std**2 - num_data * (np.log(noise_std) + 0.5 * LOG_TWO_PI)


def log_predictive(posterior: Array, predictions: Array, y: Array, noise_std: float) -> Array:
    r"""Logarithm of the density (P,) of new values y, from predictions (H, P) and a posterior (H,), in nats.

    $$ p(y \mid x, D) = \sum_w p(w \mid D)\, \mathcal{N}\bigl(y \mid f_w(x), \sigma^2\bigr) $$

    Raises:
        InvalidInput: y is neither (P,) nor (P, 1).
    """
    y = observed_values(y, predictions.shape[1])[:, 0]
    log_densities = log_normal(np.square(y - predictions), 1, noise_std)
    top = log_densities.max(0)
    return np.log(posterior @ np.exp(log_densities - top)) + top
