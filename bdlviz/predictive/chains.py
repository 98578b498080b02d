"""Convergence diagnostics of Markov chains: split R-hat and effective sample size.

Neither number proves that the chains have explored the whole posterior; both can show that they have not.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.types import Array

# Vehtari et al. 2021 (arXiv 1903.08008), section 4: R-hat below 1.01, and 400 effective draws in all, 100 for each of
# four chains. The R-hat of a few draws may be below 1 by chance, so it says nothing alone.
CONVERGED, ENOUGH = 1.01, 400
FEWEST_KEPT = 4
Judgement = Literal["disagree", "too few", "agree"]


def judge(r_hat: float, effective_samples: float) -> Judgement:
    """The verdict on chains after their warm-up, from both numbers; "agree" needs `ENOUGH` effective draws, too."""
    if not r_hat < CONVERGED:
        return "disagree"
    return "agree" if effective_samples >= ENOUGH else "too few"


def stopped(draws: Array) -> Array:
    """Chains with only one value in a half of their draws, (chains, ...).

    Both numbers below take a chain that never moves for one without correlation: without this, it might "agree".
    """
    is_still = np.ptp(_halves(draws), axis=1) == 0
    return is_still.reshape(2, -1, *is_still.shape[1:]).any(0)


def split_r_hat(draws: Array) -> Array:
    r"""Split R-hat: the standard deviation of all chains together relative to that within chains; 1 if they agree.

    Every chain is split into two halves, so that a drift within a chain is detected. With M halves of N draws, their
    means and their variances (over N - 1):

    $$ \hat R = \sqrt{\frac{\tfrac{N-1}{N} W + B}{W}}, \qquad
       W = \frac1M \sum_m s_m^2, \qquad B = \frac{1}{M-1} \sum_m (\bar\theta_m - \bar\theta)^2 $$

    Source: Gelman et al., "Bayesian data analysis", 3rd edition, section 11.4; Vehtari et al. 2021 (arXiv 1903.08008),
    equations 1 to 4, with their B / N written as B.

    Args:
        draws: (chains, kept, ...), of any number of quantities.

    Returns:
        (...); infinite where draws are not finite or a chain has `stopped`.

    Raises:
        InvalidInput: fewer than four draws of a chain.
    """
    halves = _halves(draws)
    within, pooled = _variances(halves)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt(pooled / within)
    return np.where(np.isfinite(ratio), ratio, np.inf)


def effective_sample_size(draws: Array) -> Array:
    r"""Effective sample size: the number of independent draws that would give the same error of the mean.

    With M halves of N draws, and the autocorrelation at lag t of all of them:

    $$ \mathrm{ESS} = \frac{M N}{-1 + 2 \sum_k P_k}, \qquad P_k = \hat\rho_{2k} + \hat\rho_{2k+1}, \qquad
       \hat\rho_t = 1 - \frac{W - \tfrac1M \sum_m \hat c_{t,m}}{\tfrac{N-1}{N} W + B} $$

    The sum ends before the first pair that is not positive, and no pair is larger than the previous one (Geyer
    1992). Chains that disagree have a large B, so their effective sample size is small. The standard error of the mean
    is sd / sqrt(ESS).

    Source: Vehtari et al. 2021 (arXiv 1903.08008), equations 10 to 13; their M N log10(M N) is the largest answer.

    Args:
        draws: (chains, kept, ...), of any number of quantities.

    Returns:
        (...), 0 where draws are not finite or a chain has `stopped`.

    Raises:
        InvalidInput: fewer than four draws of a chain.
    """
    halves = _halves(draws)
    total, length = halves.shape[0] * halves.shape[1], halves.shape[1]
    within, pooled = _variances(halves)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = 1 - (within - _autocovariance(halves).mean(0)) / pooled
        correlation[0] = 1
        count = max(1, (length - 1) // 2)
        even, odd = correlation[: 2 * count : 2], correlation[1 : 2 * count : 2]
        time = np.maximum(_correlation_time(even, even + odd), 1 / np.log10(total))
        size = total / time
    return np.where(np.isfinite(size), size, 0.0)


def _correlation_time(even: Array, pairs: Array) -> Array:
    """-1 + 2 x the monotone sum of the pairs (K, ...) before the first one that is not positive, or the last."""
    last = np.arange(len(pairs)) == len(pairs) - 1
    is_end = (pairs <= 0) | last.reshape(-1, *(1,) * (pairs.ndim - 1))
    end = is_end.argmax(0)[None]
    counts = np.arange(len(pairs)).reshape(-1, *(1,) * (pairs.ndim - 1)) < end
    monotone = np.minimum.accumulate(pairs, 0)
    rest = np.maximum(np.take_along_axis(even, end, 0)[0], 0)  # Vehtari et al.: its even part is included
    return -1 + 2 * np.where(counts, monotone, 0).sum(0) + rest


def _halves(draws: Array) -> Array:
    """The halves of chains (C, kept, ...), (2 C, kept // 2, ...), in float64; an odd number loses its middle draw."""
    draws = np.asarray(draws, np.float64)
    if draws.ndim < 2 or draws.shape[1] < FEWEST_KEPT:
        raise InvalidInput(f"Convergence needs at least {FEWEST_KEPT} draws of each chain: keep more of them.")
    length = draws.shape[1] // 2
    return np.concatenate([draws[:, :length], draws[:, -length:]])


def _variances(halves: Array) -> tuple[Array, Array]:
    """W, the mean variance within a half, and the variance of all together.

    Not a number where draws are not finite, or where a half has only one value.
    """
    length = halves.shape[1]
    with np.errstate(invalid="ignore", over="ignore"):
        within = halves.var(1, ddof=1).mean(0)
        is_judged = np.isfinite(halves).all((0, 1)) & (np.ptp(halves, axis=1) > 0).all(0)
        within = np.where(is_judged, within, np.nan)
        return within, within * (length - 1) / length + halves.mean(1).var(0, ddof=1)


def _autocovariance(halves: Array) -> Array:
    """Autocovariances at all lags, (M, N, ...), divided by N, which damps large lags."""
    length = halves.shape[1]
    with np.errstate(invalid="ignore"):
        centred = halves - halves.mean(1, keepdims=True)
        spectrum = np.fft.rfft(centred, 2 * length, axis=1)  # zero padding, since the FFT is periodic
        return np.fft.irfft(np.square(np.abs(spectrum)), 2 * length, axis=1)[:, :length] / length
