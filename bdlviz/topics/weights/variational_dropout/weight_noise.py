"""Noise on weights: Bernoulli masks beside Gaussian noise of the same moments, and divergences read at one noise.

The mask is divided by the keep probability, so both kinds of noise are 1 on average. A unit's sum is of n equal
contributions, each with noise of its own.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, ndtr

from bdlviz.models import divergences
from bdlviz.types import Array

CUBIC_CONSTANT = (np.euler_gamma + np.log(2)) / 2  # the divergence plus half of log alpha, where alpha is 0


def matched_alpha(dropout_rate: float) -> float:
    r"""The variance of a mask over its keep probability, which Gaussian noise of the same variance has too.

    Source: Srivastava et al. 2014, section 10.

    $$ \alpha = \operatorname{Var}\left[\frac{z}{1 - p}\right] = \frac{p}{1 - p},
       \qquad z \sim \operatorname{Bernoulli}(1 - p) $$
    """
    return dropout_rate / (1 - dropout_rate)


def noise_density(noise: Array, dropout_rate: float) -> Array:
    r"""The density of Gaussian noise xi with the moments of a mask; of the shape of ``noise``.

    $$ \xi \sim \mathcal{N}(1, \alpha), \qquad \alpha = \frac{p}{1 - p} $$
    """
    alpha = matched_alpha(dropout_rate)
    return np.exp(-((noise - 1) ** 2) / (2 * alpha)) / np.sqrt(2 * np.pi * alpha)


def sum_moments(contributions: Array, dropout_rate: float) -> tuple[float, float]:
    r"""Mean and variance of a unit's noisy sum, the same for both kinds of noise.

    ``contributions`` (n,) are inputs times weights, h theta. Wang & Manning 2013 (fast dropout) draw the sum from the
    Gaussian with these moments instead of drawing masks.

    $$ \mathbb{E}\Big[\sum_i \xi_i h_i \theta_i\Big] = \sum_i h_i \theta_i, \qquad
       \operatorname{Var}\Big[\sum_i \xi_i h_i \theta_i\Big] = \alpha \sum_i h_i^2 \theta_i^2 $$
    """
    return float(contributions.sum()), matched_alpha(dropout_rate) * float(np.square(contributions).sum())


def bernoulli_sum(num_inputs: int, dropout_rate: float) -> tuple[Array, Array]:
    r"""The standardised sum of n equal contributions under masks: the values it can take and their probabilities.

    Both are (n + 1,): k inputs are kept, from none to all.

    $$ P\left(\frac{k - n (1 - p)}{\sqrt{n p (1 - p)}}\right) = \binom{n}{k} (1 - p)^k p^{n - k} $$
    """
    kept, keep_prob = np.arange(num_inputs + 1), 1 - dropout_rate
    ways = gammaln(num_inputs + 1) - gammaln(kept + 1) - gammaln(num_inputs - kept + 1)
    probability = np.exp(ways + kept * np.log(keep_prob) + (num_inputs - kept) * np.log(dropout_rate))
    return (kept - num_inputs * keep_prob) / np.sqrt(num_inputs * dropout_rate * keep_prob), probability


def distance_to_gaussian(num_inputs: int, dropout_rate: float) -> float:
    r"""How far the masked sum is from its Gaussian: the largest gap between their distribution functions, 0 to 1.

    It falls with the root of n (Berry & Esseen).

    $$ \sup_b \left| F_{\text{masks}}(b) - \Phi(b) \right| $$
    """
    values, probability = bernoulli_sum(num_inputs, dropout_rate)
    after = np.cumsum(probability)
    gaussian = ndtr(values)
    return float(max(np.abs(after - gaussian).max(), np.abs(after - probability - gaussian).max()))


def cubic_with_constant(log_alpha: Array) -> Array:
    r"""The cubic of Kingma et al. with the constant that makes it exact where there is no noise.

    $$ \operatorname{KL} \approx \frac{\gamma + \log 2}{2} - \tfrac12 \log \alpha
       - c_1 \alpha - c_2 \alpha^2 - c_3 \alpha^3, \qquad \gamma = 0.5772\dots $$
    """
    return CUBIC_CONSTANT + divergences.cubic(log_alpha)


def divergence_curves(log_alpha: Array) -> dict[str, Array]:
    """The divergences of a weight (X,) in nats: "exact", "cubic" (right for log alpha up to 0), "sigmoidal", "ard".

    The first three are of the log-uniform prior; the cubic has the constant of `cubic_with_constant`.
    """
    return {
        "exact": divergences.log_uniform(log_alpha),
        "cubic": cubic_with_constant(log_alpha),
        "sigmoidal": divergences.sparse_variational(log_alpha),
        "ard": divergences.ard(log_alpha),
    }
