"""Single draws of a classifier: how much they disagree, and the accuracy of their averages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.predictive.calibration import accuracy
from bdlviz.types import Array

MAX_SETS = 20


def variation_ratio(draws: Array) -> Array:
    r"""Variation ratio: the fraction of draws that do not vote for the most frequent class, (N,) (Freeman 1965).

    ``draws`` are class probabilities (S, N, K); each votes for its most probable class, ties for the lower one.

    $$ 1 - \frac1S \max_c \sum_s \left[\operatorname{argmax}_k p_{sk} = c\right] $$

    Raises:
        InvalidInput: no draws.
    """
    draws = np.asarray(draws)
    if draws.ndim != 3 or not len(draws):
        raise InvalidInput(f"Draws must have the shape (S, N, K) with at least one of them, not {draws.shape}.")
    votes = draws.argmax(-1)
    counts = np.stack([(votes == label).sum(0) for label in range(draws.shape[-1])])
    return 1 - counts.max(0) / len(draws)


def accuracy_by_samples(draws: Array, labels: Array, counts: Sequence[int]) -> tuple[Array, Array]:
    r"""Accuracy of the mean of S draws for every S of ``counts``: mean and standard deviation over disjoint sets.

    ``draws`` are class probabilities (S, N, K), ``labels`` (N,). At most 20 sets are used; the mean is NaN where there
    are fewer than S draws, the standard deviation where there is one set only. Both are (T,).

    $$ \frac1N \sum_i \left[\operatorname{argmax}_c \tfrac1S \sum_{s=1}^S p_s(c \mid x_i) = y_i\right] $$
    """
    found = [np.array(list(_of_sets(draws, labels, count))) for count in counts]
    mean = [each.mean() if len(each) else np.nan for each in found]
    std = [each.std(ddof=1) if len(each) > 1 else np.nan for each in found]
    return np.array(mean), np.array(std)


def _of_sets(draws: Array, labels: Array, count: int) -> Iterator[float]:
    for start in range(0, min(len(draws), MAX_SETS * count) - count + 1, count):
        yield accuracy(draws[start : start + count].mean(0), labels)
