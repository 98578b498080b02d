"""Observed values or labels that a score compares with predictions; they are never broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bdlviz import checks
from bdlviz.errors import InvalidInput

Array = NDArray[Any]


def observed_values(y: Any, num_points: int, num_outputs: int = 1) -> Array:
    """Values as (N, K) in float64; (N,) is accepted for one output.

    Raises:
        InvalidInput: another shape, or values that are not finite numbers.
    """
    array = checks.reals("y", y).astype(np.float64)
    array = array[:, None] if array.ndim == 1 and num_outputs == 1 else array
    if array.shape != (num_points, num_outputs):
        accepted = f"({num_points},) or ({num_points}, 1)" if num_outputs == 1 else f"({num_points}, {num_outputs})"
        raise InvalidInput(f"y must have the shape {accepted}, one row for each prediction, not {array.shape}.")
    checks.finite("y", array)
    return array


def observed_labels(y: Any, num_points: int, classes: tuple[Any, ...]) -> Array:
    """The indices of labels, (N,) or (N, 1), in ``classes``: whole numbers (N,).

    Raises:
        InvalidInput: another shape, or a label that is not among the classes.
    """
    array = checks.array_of("y", y)
    array = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
    if array.shape != (num_points,):
        raise InvalidInput(f"There must be {num_points} labels, one for each prediction, not the shape {array.shape}.")
    return checks.coded(array, classes)
