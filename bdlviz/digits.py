"""How many digits a number needs: as an array for the browser, as exact text, and as text to read.

A float32 has 24 binary digits. Near 1.7e9, as in unix seconds, two neighbours of it differ by 128.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_LOSS = 1e-5  # of the range of the values: below a pixel even where a picture shows a hundredth of the range
MOST_DIGITS = 15  # significant digits in text to read; more would show the rounding of float64


def compact(values: Any, span: float | None = None) -> NDArray[Any]:
    """Values as a flat float32 array if that changes none by more than 1e-5 of ``span``, else as float64.

    ``span`` is the visible range; without one, the difference of the largest and the smallest value is used. NaN, such
    as the gaps between lines, is ignored.
    """
    given = np.asarray(values).ravel()
    if given.dtype == np.float32:
        return given
    wide = given.astype(np.float64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = wide.astype(np.float32)
        lost = np.fmax.reduce(np.abs(narrow - wide), initial=0.0)
        if span is None:
            span = float(np.fmax.reduce(wide, initial=-np.inf) - np.fmin.reduce(wide, initial=np.inf))
    return narrow if lost <= MAX_LOSS * max(span, 0.0) else wide


def exact(value: float) -> str:
    """The shortest text that gives back a float64 number, without ``.0`` at whole numbers and the sign of -0."""
    return repr(float(value) + 0.0).removesuffix(".0")


def significant(low: float, high: float, digits: int = 3) -> int:
    """The number of significant digits that resolve a range as ``digits`` resolve one that begins at 0.

    Three digits tell apart a thousand places between 0 and 1. Between 1,700,000,000 and 1,700,000,030 they need eleven.
    """
    width, size = high - low, max(abs(low), abs(high))
    if not width > 0:
        return MOST_DIGITS if size else digits
    return min(MOST_DIGITS, digits + max(0, math.ceil(math.log10(size / width))))
