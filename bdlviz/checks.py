"""Checks of data sets: arrays of numbers with matching rows, labels, tables with named columns."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bdlviz.errors import InvalidInput

Array = NDArray[Any]
Classes = tuple[Any, ...]


def column_names(x: Any) -> tuple[str, ...]:
    """The names of the columns of a table, such as a pandas or polars DataFrame; none for other arrays.

    Raises:
        InvalidInput: two columns have the same name.
    """
    names = tuple(map(str, getattr(x, "columns", ())))
    if len(set(names)) < len(names):
        raise InvalidInput("Two columns of x have the same name: give each its own.")
    return names


def in_order(x: Any, columns: tuple[str, ...]) -> Any:
    """A table with its columns in the order of ``columns``, (N, D); other arrays are returned unchanged.

    Raises:
        InvalidInput: a column is missing, or not among ``columns``.
    """
    names = column_names(x)
    if not names or not columns or names == columns:
        return x
    missing = [name for name in columns if name not in names]
    unknown = [name for name in names if name not in columns]
    if missing or unknown:
        wrong = f"lacks {', '.join(missing)}" if missing else f"has {', '.join(unknown)}, which is not among them"
        raise InvalidInput(f"x needs the columns {', '.join(columns)}, but {wrong}.")
    return np.asarray(x)[:, [names.index(name) for name in columns]]


def numbers(name: str, values: Any) -> Array:
    """``values`` as an array (N, D) of finite numbers, without a copy if possible.

    Raises:
        InvalidInput: another shape, words, dates, NaN or infinite values.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "fiu":
        array = _as_floats(name, array)
    if array.ndim != 2:
        raise InvalidInput(f"{name} must have two axes, one row for each point, not the shape {array.shape}.")
    # Minimum and maximum are NaN or infinite if any value is; computing them needs no memory.
    if array.dtype.kind == "f" and array.size and not (np.isfinite(array.min()) and np.isfinite(array.max())):
        raise InvalidInput(f"{name} must be finite numbers: remove or fill in the rows with NaN or infinite values.")
    return array


def _as_floats(name: str, array: Array) -> Array:
    is_words = array.dtype.kind not in "bO" or any(isinstance(value, str | bytes) for value in array.flat)
    try:
        if not is_words or not array.size:
            return array.astype(np.float64)
    except (TypeError, ValueError):
        pass
    hint = "; with words as labels, say task='classification'" if name.startswith("y") else ""
    raise InvalidInput(f"{name} must be numbers{hint}.")


def holds_words(y: Any) -> bool:
    """True for labels that are words or booleans, which cannot be values of a regression."""
    array = np.asarray(y)
    if array.dtype.kind == "O":
        return bool(array.size) and all(isinstance(value, str | bool | np.bool_) for value in array.flat)
    return array.dtype.kind in "bU"


def known_classes(*parts: Array) -> Classes:
    """The different values of several arrays of `labels` in ascending order, as Python values."""
    filled = [part for part in parts if len(part)]
    if len({"i" if part.dtype.kind == "u" else part.dtype.kind for part in filled}) > 1:
        raise InvalidInput("All labels must be of one kind: whole numbers, words or booleans.")
    return tuple(np.unique(np.concatenate(filled)).tolist()) if filled else ()


def coded(values: Any, classes: Classes) -> Array:
    """The index of every label in the ascending ``classes``: whole numbers (N,).

    Raises:
        InvalidInput: a label is not one of them.
    """
    array, known = labels(values), np.asarray(classes)
    places = np.searchsorted(known, array).clip(max=len(known) - 1) if _may_be_among(array, known) else None
    if places is None or (known[places] != array).any():
        if known.dtype.kind == "i" and classes == tuple(range(len(classes))):
            raise InvalidInput(f"Labels must be whole numbers from 0 to {len(classes) - 1}.")
        raise InvalidInput(f"Labels must be among {', '.join(map(repr, classes))}.")
    return places


def _may_be_among(labels: Array, known: Array) -> bool:
    """Labels as an array that can be compared: words with words, numbers or booleans with each other."""
    return len(known) > 0 and (labels.dtype.kind == "U") == (known.dtype.kind == "U")


def labels(values: Any) -> Array:
    """Labels as an array (N,) of whole numbers, words or booleans.

    Raises:
        InvalidInput: another shape, fractions, missing labels, or labels of several kinds.
    """
    array = np.asarray(values)
    array = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
    if array.ndim != 1:
        raise InvalidInput(f"Labels must have the shape (N,), one for each row of x, not {array.shape}.")
    if array.dtype.kind == "O" and len({type(value) for value in array}) == 1:
        array = np.array(array.tolist())
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.rint(array)).all():
        array = array.astype(np.int64)
    if array.dtype.kind not in "biuU":
        raise InvalidInput("Labels must be whole numbers, words or booleans, all of one kind, and none may be missing.")
    return array


def digest(*parts: Any) -> str:
    """32 hexadecimal digits that change with every byte of the parts: arrays, text, numbers, and tuples of them.

    An array counts with its type, its shape and all its bytes, in any byte order and memory layout: -0 is not 0, and
    float32 is not float64. Keys of caches are made of it. ``repr`` and rounding would give different data one key.

    Raises:
        TypeError: a part whose content cannot be read as bytes, such as a function or an array of objects.
    """
    found = hashlib.sha256()
    _add(found, parts)
    return found.hexdigest()[:32]


def _add(found: hashlib._Hash, part: Any) -> None:
    """Hash a part after its kind and its size, so that no two different parts give the same bytes."""
    if isinstance(part, tuple | list):
        found.update(f"tuple {len(part)};".encode())
        for each in part:
            _add(found, each)
    elif isinstance(part, np.ndarray | np.generic) and not part.dtype.hasobject:
        array = np.asarray(part)
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        found.update(f"array {little.dtype.str} {little.shape};".encode())
        found.update(np.ascontiguousarray(little).data)
    elif part is None or isinstance(part, str | bytes | int | float):
        text = repr(part).encode()
        found.update(f"{type(part).__name__} {len(text)};".encode() + text)
    else:
        raise TypeError(f"No exact key can be made of {type(part).__name__}.")


def rounded_digest(x: Array, y: Array, classes: Classes) -> str:
    """16 hexadecimal digits that are equal on all processors, for data that bdlviz computes itself.

    Values are rounded to seven digits of the largest one of their array, because the last bit of a sine depends on the
    processor. Two tables of a user may differ by less, so only `digest` tells them apart.
    """
    found = hashlib.sha256()
    for array in (x, y):
        scale = max(float(np.abs(array).max(initial=0.0)), np.finfo(float).tiny)
        rounded = np.rint(array.astype(np.float64) / scale * 1e7).astype(np.int64)
        found.update(f"{array.shape} {scale:.6e}".encode())
        found.update(rounded.astype("<i8").tobytes())
    if classes != tuple(range(len(classes))):
        found.update(repr(classes).encode())
    return found.hexdigest()[:16]


def same_rows(x: Array, y: Array, x_test: Array, y_test: Array) -> None:
    """Raise `InvalidInput` unless inputs and targets have as many rows, and both parts the same columns."""
    for inputs, targets, part in ((x, y, "x and y"), (x_test, y_test, "x_test and y_test")):
        if len(inputs) != len(targets) or len(x) == 0:
            least = ", at least one" if part == "x and y" else ""
            raise InvalidInput(
                f"{part} need the same number of rows{least}; they have {len(inputs)} and {len(targets)}."
            )
    if len(x_test) and (x_test.shape[1], y_test.shape[1:]) != (x.shape[1], y.shape[1:]):
        raise InvalidInput("x_test and y_test need as many columns as x and y.")
