r"""KL divergences of q of one weight from its prior, as functions of log alpha, its noise variance over its square.

$$ q(w) = \mathcal{N}(\theta, \alpha \theta^2), \qquad \log \alpha = \log \sigma^2 - \log \theta^2 $$

Under the log-uniform prior, p(|w|) proportional to 1/|w|, and under a prior whose variance is learned for every weight
the divergence depends on alpha alone. All are in nats, and 0 where alpha grows without bound. The functions work on
numpy arrays, and on whatever else has the arithmetic operators when they are given its `Elementary` functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from bdlviz.types import Array

CUBIC = (1.16145124, -1.50204118, 0.58629921)  # Kingma, Salimans & Welling 2015, appendix C
SIGMOIDAL = (0.63576, 1.87320, 1.48695)  # Molchanov, Ashukha & Vetrov 2017, equation 14
PRUNED = 3.0  # log alpha above which a weight is pruned: the variance is 20 times the squared mean


class Elementary(NamedTuple):
    """Elementary functions for one kind of array, numpy or torch."""

    exp: Callable[[Any], Any]
    softplus: Callable[[Any], Any]
    sigmoid: Callable[[Any], Any]


def _softplus(a: Array) -> Array:
    return np.logaddexp(0, a)  # also for single numbers


def _sigmoid(a: Array) -> Array:
    return np.exp(-_softplus(-np.asarray(a)))


NUMPY = Elementary(np.exp, _softplus, _sigmoid)


def sparse_variational(log_alpha: Any, of: Elementary = NUMPY) -> Any:
    r"""The log-uniform prior's divergence, approximated for every alpha (error below 0.01 nats).

    Source: Molchanov, Ashukha & Vetrov 2017, equation 14.

    $$ \operatorname{KL} \approx k_1 - k_1\, s(k_2 + k_3 \log \alpha) + \tfrac12 \log(1 + \alpha^{-1}),
       \qquad s(a) = \frac{1}{1 + e^{-a}} $$
    """
    k1, k2, k3 = SIGMOIDAL
    return k1 - k1 * of.sigmoid(k2 + k3 * log_alpha) + 0.5 * of.softplus(-log_alpha)


def ard(log_alpha: Any, of: Elementary = NUMPY) -> Any:
    r"""The divergence from N(0, s^2) at the best s for this weight; its additive constant is exactly 0.

    Source: Kharitonov, Molchanov & Vetrov 2018 (variational dropout via empirical Bayes).

    $$ \operatorname{KL} = \tfrac12 \log\left(1 + \frac{\theta^2}{\sigma^2}\right) = \tfrac12 \log(1 + \alpha^{-1}) $$
    """
    return 0.5 * of.softplus(-log_alpha)


def sparse_variational_slope(log_alpha: Any, of: Elementary = NUMPY) -> Any:
    r"""Derivative of `sparse_variational` with respect to log alpha.

    $$ -k_1 k_3\, s(a)\, (1 - s(a)) - \tfrac12 s(-\log \alpha), \qquad a = k_2 + k_3 \log \alpha $$
    """
    k1, k2, k3 = SIGMOIDAL
    share = of.sigmoid(k2 + k3 * log_alpha)
    return -k1 * k3 * share * (1 - share) - 0.5 * of.sigmoid(-log_alpha)


def ard_slope(log_alpha: Any, of: Elementary = NUMPY) -> Any:
    r"""Derivative of `ard` with respect to log alpha.

    $$ -\tfrac12 s(-\log \alpha), \qquad s(a) = \frac{1}{1 + e^{-a}} $$
    """
    return -0.5 * of.sigmoid(-log_alpha)


def gaussian(mean: Any, std: Any, length_scale: Any, log: Callable[[Any], Any] = np.log) -> Any:
    r"""KL in nats of N(mean, std^2) from N(0, length_scale^-2); the arguments broadcast.

    $$ \frac{\ell^2 (\mu^2 + \sigma^2)}{2} - \log(\ell \sigma) - \frac12 $$
    """
    return (length_scale**2 * (mean**2 + std**2) - 1) / 2 - log(length_scale * std)


def cubic(log_alpha: Any, of: Elementary = NUMPY) -> Any:
    r"""The log-uniform prior's divergence by a cubic in alpha, up to a constant; for alpha up to 1 only.

    With the best constant the error stays below 0.02 nats, with the one that is exact without noise below 0.041; past 1
    the cubic falls without bound: never use it there. Source: Kingma, Salimans & Welling 2015, appendix C.

    $$ -\operatorname{KL} \approx \text{const} + \tfrac12 \log \alpha + c_1 \alpha + c_2 \alpha^2 + c_3 \alpha^3 $$
    """
    alpha = of.exp(log_alpha)
    c1, c2, c3 = CUBIC
    return -(0.5 * log_alpha + alpha * (c1 + alpha * (c2 + alpha * c3)))


def log_uniform(log_alpha: Array) -> Array:
    r"""The log-uniform prior's divergence, exactly, for log alpha from -10 on; of the shape it came in.

    The logarithm of a noncentral chi-squared variable has a known mean: a Poisson mixture of digamma functions.

    $$ \operatorname{KL} = \tfrac12 \sum_{j=0}^\infty P(j)
       \left[\psi(\tfrac12 + j) - \psi(\tfrac12)\right],
       \qquad P = \operatorname{Poisson}\left(\tfrac{1}{2\alpha}\right) $$
    """
    from scipy.special import digamma, gammaln

    rate = np.exp(-np.asarray(log_alpha, float))[..., None] / 2
    largest = float(rate.max())
    j = np.arange(int(largest + 12 * largest**0.5 + 40))
    weights = np.exp(j * np.log(rate) - rate - gammaln(j + 1))
    return 0.5 * (weights * (digamma(0.5 + j) - digamma(0.5))).sum(-1)


def unit_gaussian(mean: Any, log_std: Any, of: Elementary = NUMPY) -> Any:
    r"""From N(mean, std^2) to N(0, 1).

    $$ \operatorname{KL} = \tfrac12 \left(\sigma^2 + \mu^2 - \log \sigma^2 - 1\right) $$
    """
    return 0.5 * (of.exp(2 * log_std) + mean * mean - 1) - log_std


def gamma_log_normal(mean: Any, log_std: Any, scale: float, of: Elementary = NUMPY) -> Any:
    r"""From a log-normal q to a gamma prior of shape 1/2: half of a half-Cauchy variable's square.

    ``mean`` and ``log_std`` are of the logarithm; the gamma variable has the scale ``scale`` squared. Source: Louizos,
    Ullrich & Welling 2017, appendix.

    $$ \operatorname{KL}[\log\mathcal{N}(\mu, \sigma^2) \| \Gamma(\tfrac12, \tau_0^2)]
       = \log \tau_0 + \tau_0^{-2} e^{\mu + \sigma^2 / 2} - \tfrac12 (\mu + \log \sigma^2 + 1 + \log 2) $$
    """
    expected = of.exp(mean + 0.5 * of.exp(2 * log_std) - 2 * math.log(scale))
    return math.log(scale) + expected - 0.5 * (mean + 2 * log_std + 1 + math.log(2))


def inverse_gamma_log_normal(mean: Any, log_std: Any, of: Elementary = NUMPY) -> Any:
    r"""From a log-normal q to an inverse gamma prior of shape 1/2 and scale 1: the other half.

    ``mean`` and ``log_std`` are of the logarithm. Its inverse is a gamma variable of scale 1. Source: as above.

    $$ \operatorname{KL}[\log\mathcal{N}(\mu, \sigma^2) \| \Gamma^{-1}(\tfrac12, 1)]
       = e^{\sigma^2 / 2 - \mu} - \tfrac12 (-\mu + \log \sigma^2 + 1 + \log 2) $$
    """
    return gamma_log_normal(-mean, log_std, 1.0, of)
