"""Comparison of predictive distributions: coverage, distance to a reference, and a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr

from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Predictive

LEVELS = (0.5, 0.9)  # of the central bands whose coverage is measured
BAND = 1.96  # standard deviations on each side of the mean of a Gaussian that hold 95 %
NO_SPREAD = 1e-300  # below this two standard deviations are equal


def probability_below(predictive: Predictive, y: Any) -> Array:
    r"""The predictive distribution function at y, from 0 to 1: (N, K).

    For calibrated predictions these numbers are uniform (Dawid 1984, probability integral transform). y is (N, K), or
    (N,) for one output.

    $$ u_i = \frac1S \sum_s P(Y < y_i \mid x_i, w_s), \qquad
       P(Y < y \mid x, w_s) = \Phi\left(\frac{y - f_s(x)}{\sigma_s(x)}\right) $$

    Raises:
        InvalidInput: y has another shape, these are classes, or a likelihood of your own has no ``cdf``.
    """
    return predictive.cdf(y)


def coverage(predictive: Predictive, y: Any, level: float) -> float:
    r"""The fraction of observations y inside the central band of that probability; ``level`` if calibrated.

    If it is smaller, the method is overconfident; if it is larger, underconfident. The ends of the band are quantiles
    of the mixture of all draws, not of a Gaussian with its moments. y is (N, K), or (N,) for one output.

    $$ C(\alpha) = \frac1N \sum_i \mathbb{1}\left[\, |2 u_i - 1| \le \alpha \,\right] $$

    Raises:
        InvalidInput: as `probability_below`, or a level that is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise InvalidInput(f"The level of a band must be between 0 and 1, not {level:g}.")
    return float((np.abs(2 * probability_below(predictive, y) - 1) <= level).mean())


def coverage_error(covered: Sequence[float], levels: Sequence[float] = LEVELS) -> float:
    r"""Mean absolute difference between the coverage of several bands and their level; 0 is calibrated.

    $$ \frac{1}{|A|} \sum_{\alpha \in A} |C(\alpha) - \alpha| $$
    """
    return float(np.abs(np.subtract(covered, levels)).mean())


def coverage_by_chance(num_points: int, level: float) -> float:
    r"""The deviation of the coverage of a calibrated band over N points that 95 % of test sets do not exceed.

    $$ 1.96 \sqrt{\alpha (1 - \alpha) / N} $$
    """
    return float(1.96 * np.sqrt(level * (1 - level) / num_points))


def wasserstein(first: Array, second: Array) -> Array:
    r"""Wasserstein-1 distance between two samples (S, ...) and (T, ...) in their unit, for each index of other axes.

    The mean distance over which probability mass must be moved to turn one distribution into the other (Villani 2009,
    remark 2.19). It is exact for the two samples; S and T may differ.

    $$ W_1(F, G) = \int |F(t) - G(t)| \, dt $$
    """
    values = np.concatenate([first, second]).astype(np.float64)
    weights = np.repeat([1 / len(first), -1 / len(second)], [len(first), len(second)])
    order = values.argsort(0)
    difference = weights[order].cumsum(0)[:-1]
    return (np.abs(difference) * np.diff(np.take_along_axis(values, order, 0), axis=0)).sum(0)


def gaussian_wasserstein(mean: Array, std: Array, other_mean: Array, other_std: Array) -> Array:
    r"""Wasserstein-1 distance between Gaussians, in their unit; all arguments broadcast.

    The quantiles at one level differ by a Gaussian, whose mean size it is (of the folded normal distribution).

    $$ W_1 = \mathbb{E}\,|a + b z| = b \sqrt{\tfrac{2}{\pi}}\, e^{-a^2 / 2 b^2} + a \left[1 - 2 \Phi(-a / b)\right],
       \qquad a = \mu_1 - \mu_2, \quad b = |\sigma_1 - \sigma_2| $$
    """
    a = np.abs(np.subtract(mean, other_mean, dtype=np.float64))
    b = np.maximum(np.abs(np.subtract(std, other_std, dtype=np.float64)), NO_SPREAD)
    ratio = np.minimum(a / b, 1e9)
    return b * np.sqrt(2 / np.pi) * np.exp(-0.5 * ratio**2) + a * (1 - 2 * ndtr(-ratio))


def distance(predictive: Predictive, reference: Predictive, *, is_gaussian: bool = False) -> Array:
    """Wasserstein-1 distance between the posteriors of f(x) of two methods, (N,), in y's unit, mean over outputs.

    ``is_gaussian``: both are Gaussian with known moments, whose distance needs no draws.
    """
    if not is_gaussian:
        return wasserstein(predictive.draws, reference.draws).mean(-1)
    moments = (predictive.mean, predictive.epistemic_std, reference.mean, reference.epistemic_std)
    return gaussian_wasserstein(*moments).mean(-1)


def sampling_distance(reference: Predictive) -> Array:
    """The distance between two halves of the draws of a reference, (N,): the error from the finite number of draws."""
    return wasserstein(reference.draws[::2], reference.draws[1::2]).mean(-1)


def places(values: Sequence[float]) -> Array:
    r"""The rank of every value, from 1 for the lowest; equal values share the mean rank, and NaN has the rank NaN.

    $$ r_i = \tfrac12 + \sum_j \left( \mathbb{1}[v_j < v_i] + \tfrac12 \mathbb{1}[v_j = v_i] \right) $$
    """
    each = np.asarray(values, np.float64)
    below = (each[None] < each[:, None]).sum(1)
    equal = (each[None] == each[:, None]).sum(1)
    return np.where(np.isnan(each), np.nan, 0.5 + below + equal / 2)


def calibration_rank(coverage_errors: Sequence[float], distances: Sequence[float]) -> Array:
    """The rank of every method, from 1, by the mean of its ranks in coverage error and in distance.

    A method with neither number has the rank NaN. A column with only NaN is ignored, and a method with one number is
    ranked by it.
    """
    both = np.stack([places(coverage_errors), places(distances)])
    known = np.isfinite(both)
    mean = np.where(known, both, 0).sum(0) / np.maximum(known.sum(0), 1)
    return places(np.where(known.any(0), mean, np.nan).tolist())
