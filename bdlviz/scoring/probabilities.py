"""Class probabilities that scores are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from bdlviz.checks import Array, array_of
from bdlviz.errors import InvalidInput

TOLERANCE = 0.01  # of the sum of a row: a softmax in half precision is nearer to 1


def class_probabilities(probabilities: Any) -> Array:
    """Probabilities (N, K) as an array of floats; half and single precision stay as they are.

    Raises:
        InvalidInput: another shape, no rows, values below 0 or not finite, or rows that do not sum to 1.
    """
    array = np.asarray(array_of("probabilities", probabilities))
    if array.ndim != 2 or not array.size:
        raise InvalidInput("Probabilities must be (N, K) with N labels, and N at least 1.")
    if array.dtype.kind not in "biuf":
        raise InvalidInput("Probabilities must be an array of numbers.")
    array = array if array.dtype.kind == "f" else array.astype(np.float64)
    with np.errstate(invalid="ignore"):  # infinite values of both signs
        is_valid = array.min() >= 0 and np.abs(array.sum(1, dtype=np.float64) - 1).max() <= TOLERANCE
    if not is_valid:  # neither of both holds for NaN
        raise InvalidInput(
            "Probabilities must be between 0 and 1, and those of each row must sum to 1: give the softmax of logits, "
            "and fractions instead of percentages or counts."
        )
    return array


def log_of_labels(probabilities: Array, labels: Array) -> Array:
    """Logarithms in float64 of the probabilities (N, K) of labels, (N,).

    A probability that rounds to 0 counts as the smallest positive number of its precision.
    """
    limits = np.finfo(probabilities.dtype)
    smallest = max(2.0 ** (int(limits.minexp) - limits.nmant), float(np.finfo(np.float64).tiny))
    chosen = probabilities[np.arange(len(labels)), labels].astype(np.float64)
    return np.log(np.maximum(chosen, smallest))
