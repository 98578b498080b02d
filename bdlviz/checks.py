"""Checks of what users give: arrays, tables and tensors of numbers with matching rows, labels, whole numbers."""

from __future__ import annotations

import datetime
import hashlib
import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bdlviz.errors import InvalidInput

Array = NDArray[Any]
Classes = tuple[Any, ...]

LARGEST = 1e100  # of a value: sums of squares must stay finite, and those of its inverse above 0
FARTHEST = 1e12  # of a code or a standardised input at which a network is evaluated, in float32
ROUNDING = 64 * float(np.finfo(np.float64).eps)  # relative: values that differ by less are equal
DATES = (datetime.date, datetime.timedelta, np.datetime64, np.timedelta64)
LARGEST_WHOLE = 2.0**53  # larger floats skip whole numbers
KINDS_OF_LABELS = "whole numbers, words or booleans"


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
    return array_of("x", x)[:, [names.index(name) for name in columns]]


def array_of(name: str, values: Any) -> Array:
    """``values`` as a numpy array: a list, a table, a series, or a tensor on any device, also with a gradient.

    Raises:
        InvalidInput: a sparse matrix, masked values, rows of different lengths, or no array at all.
    """
    if hasattr(values, "detach") and hasattr(values, "cpu"):
        values = _of_tensor(values)
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise InvalidInput(f"{name} is a sparse matrix: give {name}.toarray(), which is dense.")
    if isinstance(values, np.ma.MaskedArray):
        if np.ma.getmaskarray(values).any():
            raise InvalidInput(f"{name} has masked values: remove or fill in the rows that have them.")
        values = values.data
    if isinstance(values, list | tuple):
        is_part = [isinstance(value, np.ma.MaskedArray) or hasattr(value, "detach") for value in values]
        if any(is_part):  # numpy would drop the masks, and cannot read tensors with a gradient
            values = [array_of(name, value) if part else value for value, part in zip(values, is_part, strict=True)]
    return _of_values(name, values)


def _of_values(name: str, values: Any) -> Array:
    unreadable = f"{name} must be an array of numbers, with one row for each point."
    if isinstance(values, dict | set | str | bytes | None) or callable(values) or hasattr(values, "__next__"):
        raise InvalidInput(unreadable)
    try:
        array = np.asarray(values)
        if array.dtype.kind == "U" and isinstance(values, list | tuple):  # numpy turns NaN in ["a", NaN] into a word
            as_given = np.asarray(values, dtype=object)
            array = array if all(isinstance(value, str) for value in as_given.flat) else as_given
    except ValueError:
        raise InvalidInput(f"{unreadable.removesuffix('.')}; its rows differ in length.") from None
    except (TypeError, RuntimeError):
        raise InvalidInput(unreadable) from None
    if array.dtype.names is not None:
        raise InvalidInput(f"{name} must be an array of numbers, with one column for each field.")
    if array.dtype.kind == "S":
        return np.char.decode(array, "utf-8", "replace")
    return np.array(array.tolist(), dtype=str).reshape(array.shape) if array.dtype.kind == "T" else array


def _of_tensor(tensor: Any) -> Any:
    tensor = tensor.detach().cpu()
    if tensor.is_sparse:
        tensor = tensor.to_dense()
    tensor = tensor.resolve_conj().resolve_neg()
    return tensor.float().numpy() if str(tensor.dtype) == "torch.bfloat16" else tensor.numpy()


def numbers(name: str, values: Any) -> Array:
    """``values`` as an array (N, D) of finite numbers, float32 or float64, without a copy if possible.

    Raises:
        InvalidInput: another shape, words, dates, complex numbers, NaN, infinite, huge or tiny values.
    """
    array = reals(name, values, "; with words as labels, say task='classification'" if name.startswith("y") else "")
    if array.ndim != 2:
        raise InvalidInput(f"{name} must have two axes, one row for each point, not the shape {array.shape}.")
    largest = finite(name, array)
    if 0 < largest < 1 / LARGEST:
        raise InvalidInput(f"All values of {name} lie below {1 / LARGEST:g}: choose a smaller unit.")
    return array


def prediction_inputs(values: Any, num_inputs: int) -> Array:
    """Inputs of a prediction as (N, D) in float32 or float64; (N,) is accepted for one input.

    Raises:
        InvalidInput: as for `numbers`, or no row.
    """
    array = reals("x", values)
    array = array.reshape(-1, 1) if array.ndim <= 1 else array
    if array.ndim != 2 or array.shape[1] != num_inputs:
        raise InvalidInput(f"x must have shape (N, {num_inputs}), not {array.shape}.")
    if len(array) == 0:
        raise InvalidInput("x must be finite numbers, at least one.")
    finite("x", array)
    return array


def reals(name: str, values: Any, hint: str = "") -> Array:
    """``values`` as an array of floats of any shape, float32 if it holds all their digits, else float64.

    ``hint`` ends the sentence about words.

    Raises:
        InvalidInput: words, dates, complex numbers, or missing values in an array of objects.
    """
    array = array_of(name, values)
    if array.dtype.kind == "c":
        raise InvalidInput(f"{name} must be real numbers: give real and imaginary parts as two columns.")
    is_date = any(isinstance(value, DATES) for value in array.flat) if array.dtype.kind == "O" else False
    if array.dtype.kind in "mM" or is_date:
        raise InvalidInput(f"{name} must be numbers, not dates: give days since the first date, for example.")
    try:
        if array.dtype.kind in "fiu":
            with np.errstate(over="ignore"):  # a longer float may become infinite, which `finite` refuses
                kind = np.promote_types(np.float32, array.dtype) if array.itemsize < 8 else np.float64
                return array.astype(kind, copy=False)
        is_words = array.dtype.kind not in "bO" or any(isinstance(value, str | bytes) for value in array.flat)
        if not is_words or not array.size:
            return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InvalidInput(f"{name} must be numbers{hint}.")


def finite(name: str, array: Array) -> float:
    """The largest absolute value of an array of numbers; 0 if it is empty.

    Raises:
        InvalidInput: a value is NaN or infinite, or so large that sums of squares are.
    """
    if not array.size:
        return 0.0
    with np.errstate(invalid="ignore"):
        # Minimum and maximum are NaN or infinite if any value is; computing them needs no memory.
        low, high = float(array.min()), float(array.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        place = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
        where = ", ".join(map(str, place[:1] if array.shape[1:] == (1,) else place))
        raise InvalidInput(
            f"{name} must be finite numbers, but {name}[{where}] is {array[place]:g}: remove or fill in such rows."
        )
    if max(-low, high) > LARGEST:
        raise InvalidInput(f"{name} must lie between -{LARGEST:g} and {LARGEST:g}: choose a larger unit.")
    return max(-low, high)


def varies(columns: Array) -> Array:
    """Which columns of (N, D) hold different values, (D,); differences by rounding alone do not count."""
    low, high = columns.min(0).astype(np.float64), columns.max(0).astype(np.float64)
    return high - low > ROUNDING * np.maximum(np.abs(low), np.abs(high))


def whole_number(name: str, value: Any, low: int | None = None, high: int | None = None) -> int:
    """A setting that is a whole number within limits.

    Raises:
        InvalidInput: a fraction, a boolean, something else, or a number outside the limits.
    """
    try:
        number = None if isinstance(value, bool | np.bool_) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise InvalidInput(f"{name} must be a whole number, not {value!r}.")
    if (low is not None and number < low) or (high is not None and number > high):
        limits = f"at least {low}" if high is None else f"between {low} and {high}"
        raise InvalidInput(f"{name} must be {limits}, not {number}.")
    return number


def is_sequence(values: Any) -> bool:
    """True for several values in an order: a list, a tuple, a 1-D array; not for a word or one number."""
    is_unordered = isinstance(values, str | bytes | dict | set | frozenset)
    return hasattr(values, "__iter__") and not is_unordered and getattr(values, "ndim", 1) > 0


def number(name: str, value: Any) -> float:
    """A setting that is one number.

    Raises:
        InvalidInput: a word, several numbers or something else.
    """
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # of a tensor with several numbers, the last
        raise InvalidInput(f"{name} must be a number, not {value!r}.") from None


def image_shape(shape: tuple[int, int] | None, x: Array) -> None:
    """Raise `InvalidInput` unless images of that shape have as many pixels as x has columns."""
    if shape is not None and int(np.prod(shape)) != x.shape[1]:
        raise InvalidInput(f"Images of the image_shape {shape} do not have {x.shape[1]} pixels, as the rows of x have.")


def widened(share: float, *parts: Array) -> tuple[float, float]:
    """The range of all values with margins: a fraction of their width, or 1 if all are equal."""
    low = min(float(part.min()) for part in parts if part.size)
    high = max(float(part.max()) for part in parts if part.size)
    margin = share * (high - low) if high > low else max(1.0, share * abs(low))
    return low - margin, high + margin


def holds_words(y: Any) -> bool:
    """True for labels that cannot be values of a regression: words, booleans, and categories of a table."""
    if getattr(getattr(y, "dtype", None), "categories", None) is not None:
        return True
    array = array_of("y", y)
    if array.dtype.kind == "O":
        return any(isinstance(value, str | bool | np.bool_) for value in array.flat)
    return array.dtype.kind in "bU"


def known_classes(*parts: Array) -> Classes:
    """The different values of several arrays of `labels` in ascending order, as Python values."""
    filled = [part for part in parts if len(part)]
    if len({part.dtype.kind for part in filled}) > 1:
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
    array = array_of("y", values)
    array = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
    if array.ndim != 1:
        raise InvalidInput(f"Labels must have the shape (N,), one for each row of x, not {array.shape}.")
    if array.dtype.kind == "O" and len({type(value) for value in array}) == 1:
        array = np.array(array.tolist())
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.rint(array)).all():
        if np.abs(array).max(initial=0) > LARGEST_WHOLE:
            raise InvalidInput(f"Labels that are floats must lie between -{LARGEST_WHOLE:g} and {LARGEST_WHOLE:g}.")
        array = array.astype(np.int64)
    if array.dtype.kind not in "biuU":
        raise InvalidInput(f"Labels must be {KINDS_OF_LABELS}, all of one kind, and none may be missing.")
    if array.dtype == np.uint64 and array.max(initial=0) > np.iinfo(np.int64).max:
        raise InvalidInput("Labels that are whole numbers must fit into 64 bits with a sign.")
    return array.astype(np.int64) if array.dtype.kind in "iu" else array


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
