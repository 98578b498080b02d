"""Shared functions of data sets: seeded randomness, checks of settings, and the choice of rows of a record."""

from __future__ import annotations

import hashlib
import operator
from typing import Any, TypedDict

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.types import Array

MAX_NUM_DATA = 10_000
MAX_NOISE_STD = 1e6


class Split(TypedDict):
    """Training and held-out arrays under the names of `bdlviz.types.Dataset`."""

    x: Array
    y: Array
    x_test: Array
    y_test: Array


def generator(seed: int, purpose: str) -> np.random.Generator:
    """A stream of random numbers that depends on ``seed`` and ``purpose`` alone.

    Two purposes give independent streams, so that adding a draw for one never moves the numbers of another.
    """
    digest = hashlib.sha256(purpose.encode()).digest()
    return np.random.default_rng([whole_number("seed", seed, 0), int.from_bytes(digest[:8], "big")])


def whole_number(label: str, value: Any, minimum: int, maximum: int | None = None) -> int:
    """Return ``value`` as an int, or raise `InvalidInput` unless it is whole and within the limits."""
    limits = f"from {minimum:,}" if maximum is None else f"between {minimum:,} and {maximum:,}"
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidInput(f"{label} must be a whole number {limits}, not {value!r}.") from None
    if number < minimum or (maximum is not None and number > maximum):
        raise InvalidInput(f"{label} must be a whole number {limits}, not {number:,}.")
    return number


def check_num_data(num_data: int | None, maximum: int) -> int:
    """Return the number of training points to use, all ``maximum`` of them where ``num_data`` is None."""
    return maximum if num_data is None else whole_number("num_data", num_data, 1, maximum)


def check_noise_std(noise_std: float) -> float:
    """Return ``noise_std`` as a float, or raise `InvalidInput` unless 0 < noise_std <= 1e6.

    Zero is refused: a Gaussian likelihood has no density at zero noise.
    """
    try:
        number = float(noise_std)
    except (TypeError, ValueError):
        raise InvalidInput(f"noise_std must be a number, not {noise_std!r}.") from None
    if not 0 < number <= MAX_NOISE_STD:
        raise InvalidInput(f"noise_std must be above 0 and at most {MAX_NOISE_STD:g}, not {number:g}.")
    return number


def thin(num_rows: int, num_data: int | None) -> Array:
    """Indices (num_data,) of evenly spaced rows of a record of ``num_rows``, the first and last row among them."""
    return np.linspace(0, num_rows - 1, check_num_data(num_data, num_rows)).round().astype(int)
