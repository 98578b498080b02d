"""The variance of one hidden layer of ReLU units in closed form, and upper bounds on it between clusters of data."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.special import ndtr

from bdlviz.data.gaps import WIDE_GAP, at_the_data
from bdlviz.types import Array

SMALLEST_STD = 1e-30


def mean_field_variance(mean: Mapping[str, Array], std: Mapping[str, Array], x: Array) -> Array:
    r"""Variance (N, K) at x (N, D) of a network whose weights and biases are independent Gaussians.

    One hidden layer of ReLU. Weights by name, ``weight0`` (D, H), ``bias0`` (1, H), ``weight1`` (H, K), ``bias1``
    (1, K), their means and standard deviations. Units are independent given their means, so that the variances of their
    contributions add up:

    $$ \operatorname{Var} f(x) = \sigma_b^2 + \sum_h \left[ (\mu_h^2 + \sigma_h^2)\, \mathbb{E}[\phi(a_h)^2]
       - \mu_h^2\, \mathbb{E}[\phi(a_h)]^2 \right], \qquad a_h \sim \mathcal{N}(m_h(x), s_h^2(x)) $$

    with the moments of a rectified Gaussian,

    $$ \mathbb{E}[\phi(a)] = m\, \Phi(\tfrac ms) + s\, \varphi(\tfrac ms), \qquad
       \mathbb{E}[\phi(a)^2] = (m^2 + s^2)\, \Phi(\tfrac ms) + m s\, \varphi(\tfrac ms) $$
    """
    x = np.asarray(x, np.float64)
    m = x @ mean["weight0"] + mean["bias0"]
    s = np.maximum(np.sqrt(x**2 @ std["weight0"] ** 2 + std["bias0"] ** 2), SMALLEST_STD)
    below, density = ndtr(m / s), np.exp(-0.5 * (m / s) ** 2) / np.sqrt(2 * np.pi)
    first, second = m * below + s * density, (m**2 + s**2) * below + m * s * density
    squared = mean["weight1"] ** 2
    return std["bias1"] ** 2 + second @ (squared + std["weight1"] ** 2) - first**2 @ squared


def dropout_variance(params: Mapping[str, Array], dropout_rate: float, x: Array) -> Array:
    r"""Variance (N, K) at x (N, D) of one hidden layer of ReLU whose units are dropped and the kept ones scaled up.

    It is a sum of squares of non-negative convex functions, so it is convex in x.

    $$ \operatorname{Var} f(x) = \frac{p}{1 - p} \sum_h w_h^2\, \phi\left(a_h(x)\right)^2 $$
    """
    hidden = np.maximum(np.asarray(x, np.float64) @ params["weight0"] + params["bias0"], 0)
    return dropout_rate / (1 - dropout_rate) * (hidden**2 @ params["weight1"] ** 2)


def mean_field_ceiling(at: Array, variance: Array, x: Array) -> Array:
    r"""An upper bound on the variance at x (N,), given the variances (M,) at inputs ``at`` (M,): (N,).

    For one hidden layer of ReLU with independent Gaussian weights (Foong et al. 2020, theorem 1; here one input): if a
    segment from p to q holds the origin and r on it is closer to the origin than both ends,

    $$ \operatorname{Var} f(r) \le \operatorname{Var} f(p) + \operatorname{Var} f(q) $$

    The origin is that of standardised x. The bound is infinite where the inputs contain no such pair.
    """
    sides = [(at <= 0, -at), (at >= 0, at)]
    return np.sum([_lowest(variance[side], reach[side], np.abs(x)) for side, reach in sides], axis=0)


def _lowest(variance: Array, reach: Array, needed: Array) -> Array:
    """The smallest variance among the inputs that have at least this distance from the origin, (N,)."""
    usable = np.where(reach[None] >= needed[:, None], variance[None], np.inf)
    return usable.min(1, initial=np.inf)


def dropout_ceiling(at: Array, variance: Array, x: Array) -> Array:
    r"""An upper bound on the variance of MC dropout at x (N,), given those (M,) at inputs ``at`` (M,): (N,).

    For one hidden layer of ReLU with inputs that are never dropped (Foong et al. 2020, theorem 2): at a point of the
    convex hull of some inputs it is at most the largest of theirs,

    $$ \operatorname{Var} f(r) \le \max_{s \in S} \operatorname{Var} f(s), \qquad r \in \operatorname{conv} S $$

    The best pair of inputs left and right of x is used. The bound is infinite outside all inputs.
    """
    left, right = (
        np.where(side, variance[None], np.inf).min(1, initial=np.inf)
        for side in (at[None] <= x[:, None], at[None] >= x[:, None])
    )
    return np.maximum(left, right)


def widest_gap(x: Array) -> tuple[float, float]:
    """The ends of the widest interval without points (N,)."""
    ordered = np.sort(x)
    start = int(np.diff(ordered).argmax())
    return float(ordered[start]), float(ordered[start + 1])


def middle_half(gap: tuple[float, float]) -> tuple[float, float]:
    """The ends of the middle half of an interval."""
    quarter = (gap[1] - gap[0]) / 4
    return gap[0] + quarter, gap[1] - quarter


def in_the_middle(x: Array, values: Array, gap: tuple[float, float]) -> float:
    """The mean of values (N,) over the x (N,) in the middle half of a gap."""
    low, high = middle_half(gap)
    return float(values[(x >= low) & (x <= high)].mean())


def at_the_points(x: Array, values: Array, points: Array) -> float:
    """The mean of a curve (N,) over ascending x (N,) at some points (M,), by linear interpolation."""
    return float(np.interp(points, x, values).mean())


def at_the_points_and_in_the_middle(x: Array, values: Array, points: Array) -> tuple[float, float]:
    """The means of a curve (N,) over ascending x (N,): at points (M,), and in the middle half of their widest gap."""
    return at_the_points(x, values, points), in_the_middle(x, values, widest_gap(points))


def inside_and_outside(x: Array, values: Array, points: Array) -> tuple[float, float]:
    """The means of values (N,) over the x (N,) between the first and the last point (M,), and beyond them.

    NaN where there is no such x.
    """
    inside = (x >= points.min()) & (x <= points.max())
    return _mean(values[inside]), _mean(values[~inside])


def at_the_data_and_outside(x: Array, values: Array, points: Array) -> tuple[float, float]:
    """The means of values (N,) over the x (N,) `at_the_data`, and over those beyond the first and the last point.

    NaN where there is no such x. A wide gap between points (M,) belongs to neither.
    """
    outside = (x < points.min()) | (x > points.max())
    return _mean(values[at_the_data(x, points)]), _mean(values[outside])


def _mean(values: Array) -> float:
    return float(values.mean()) if len(values) else np.nan


def wide_gap(points: Array) -> tuple[float, float] | None:
    """The ends of the middle half of the widest interval without points (M,), if it is a wide one."""
    if len(points) < 2:
        return None
    low, high = widest_gap(points)
    return middle_half((low, high)) if high - low > WIDE_GAP * (points.max() - points.min()) else None


def among_and_away(x: Array, values: Array, points: Array) -> tuple[float, float]:
    """The medians of values (N,) over the x (N,) among some points (M,), and away from them; 0 where there is no x.

    "Away" is the `wide_gap` if there is one, else all x outside the points.
    """
    among, gap = (x >= points.min()) & (x <= points.max()), wide_gap(points)
    away = ~among if gap is None else (x >= gap[0]) & (x <= gap[1])
    among &= ~away
    here, there = (float(np.median(values[where])) if where.any() else 0.0 for where in (among, away))
    return here, there
