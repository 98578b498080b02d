"""Intervals of a mean over runs, such as trainings with different seeds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit

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
