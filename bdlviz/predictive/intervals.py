"""Intervals of a mean over runs, such as trainings with different seeds, and of two shares of the same images."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri, stdtrit

from bdlviz.types import Array

LEVEL = 0.95


def mean_interval(values: Array | Sequence[float]) -> tuple[Array, Array, Array]:
    r"""Mean over runs (R, ...) and the ends of its 95 % interval (Student 1908), each (...).

    Without ends, NaN, where there is one run.

    $$ \bar v \pm t_{R - 1,\, 0.975} \frac{s}{\sqrt R} $$
    """
    values = np.asarray(values, float)
    count, mean = len(values), values.mean(0)
    if count < 2:
        return mean, mean * np.nan, mean * np.nan
    half = float(stdtrit(count - 1, (1 + LEVEL) / 2)) * values.std(0, ddof=1) / np.sqrt(count)
    return mean, mean - half, mean + half


def differ(first: float, second: float, count: int) -> bool:
    r"""True if the 95 % interval of the difference of two shares of ``count`` images leaves out 0.

    It takes the shares as independent binomial ones. Two networks often err on the same images, so it is too wide.

    $$ |p - q| > 1.96 \sqrt{\frac{p(1 - p) + q(1 - q)}{N}} $$
    """
    variance = (first * (1 - first) + second * (1 - second)) / count
    return abs(first - second) > float(ndtri((1 + LEVEL) / 2)) * variance**0.5
