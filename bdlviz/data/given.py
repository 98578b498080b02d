"""The data that a user hands to `bdlviz.fit`, as a `Dataset`: a name, or arrays, tables, tensors and labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from bdlviz.checks import array_of, column_names, holds_words, labels, numbers
from bdlviz.data.registry import load
from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Dataset, Task

MOST_CLASSES = 20  # up to so many different whole numbers are ambiguous, and more if each is given twice on average

Data = str | Dataset | tuple[Any, Any]


def as_dataset(data: Data | Any, task: Task | None = None, *, y: Any = None) -> Dataset:
    """A `Dataset` from its name, from a pair (x, y), or from x and y; a `Dataset` is returned unchanged.

    Words, booleans and categories in y are labels of classes, other numbers are values. For whole numbers that may be
    classes, ``task`` must be given.
    """
    if task is not None and not isinstance(task, str):
        raise InvalidInput(f"task must be 'regression' or 'classification', not {task!r}.")
    if y is not None:
        if isinstance(data, str | Dataset):
            raise InvalidInput("A data set has its own y: leave y out.")
        data = (data, y)
    if isinstance(data, str):
        data = load(data)
    if isinstance(data, Dataset):
        if task not in (None, data.task):
            raise InvalidInput(f"{data.title} is data for {data.task}, not {task}: leave task out.")
        return data
    if not isinstance(data, tuple) or len(data) != 2:
        raise InvalidInput("data must be a pair (x, y) of arrays, the name of a built-in set, or a Dataset.")
    x, y = data
    task, columns = _task_of(y) if task is None else task, column_names(x)
    x = numbers("x", _as_rows(array_of("x", x)))
    y = labels(np.atleast_1d(array_of("y", y))) if task == "classification" else _as_rows(array_of("y", y))
    return Dataset("your_data", "Your data", x, y, task=task, columns=columns, source="Your own data.")


def _as_rows(array: Array) -> Array:
    """An array with one row for each point: a column for (N,), one point for a number, a row of pixels for an image."""
    return array.reshape(-1, 1) if array.ndim < 2 else array.reshape(len(array), -1) if array.ndim > 2 else array


def _task_of(y: Any) -> Task:
    """The task inferred from y, if none was given."""
    if holds_words(y):
        return "classification"
    values = array_of("y", y)
    if values.dtype.kind in "iu" and values.ndim and values.size == len(values):
        distinct = len(np.unique(values))
        if 1 < distinct <= max(MOST_CLASSES, len(values) // 2) and distinct < len(values):
            raise InvalidInput(
                f"y holds {distinct} different whole numbers, which may be classes or values: say "
                "task='classification' or task='regression'."
            )
    return "regression"
