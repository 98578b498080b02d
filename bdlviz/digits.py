"""How many digits a number needs: as an array for the browser, as exact text, and as text to read in a sentence.

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


# In sentences ---------------------------------------------------------------------------------------------------------

THIN = "\N{NARROW NO-BREAK SPACE}"  # before the sign of per cent
SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
SMALL, LARGE = 1e-3, 1e6  # outside, numbers are written with a power of ten


def number(value: float, digits: int = 3) -> str:
    """A number to read, with a real minus and commas.

    It has ``digits`` significant digits, or all digits before the point; powers as in 1.8 · 10⁻⁵.
    """
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else "∞" if value > 0 else "−∞"
    size = abs(float(f"{value:.{digits}g}"))
    sign = "−" if value < 0 and size > 0 else ""
    if size and not SMALL <= size < LARGE:
        mantissa, exponent = f"{size:.{digits - 1}e}".split("e")
        power = f"10{str(int(exponent)).translate(SUPERSCRIPTS)}"
        return sign + (power if float(mantissa) == 1 else f"{float(mantissa):g} · {power}")
    decimals = digits - 1 - math.floor(math.log10(size)) if size else 0
    return sign + _decimal(abs(value), max(0, decimals))


def percent(share: float, digits: int = 2) -> str:
    """A share, usually from 0 to 1, as per cent. Only a share of exactly 0 is 0 %, and only one of exactly 1 is 100 %.

    From 90 % on, the digits are those of the share that is missing: 99.97 %.
    """
    if 0.9 <= share < 1:
        missing = float(f"{100 * (1 - share):.{digits}g}")
        return f"{_decimal(100 - missing, digits - 1 - math.floor(math.log10(missing)))}{THIN}%"
    return f"{number(100 * share, digits)}{THIN}%"


def nats(value: float) -> str:
    """A term of a bound, to a tenth of a nat as all of them, so that they add up: −110.6."""
    return f"{value:,.1f}".replace("-", "−")


def _decimal(size: float, decimals: int) -> str:
    """A number with at most so many decimals, without zeros at the end."""
    text = f"{size:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def factor(ratio: float, digits: int = 2) -> str:
    """A ratio as a factor: ×21."""
    return f"×{number(ratio, digits)}"


def with_article(digit: int) -> str:
    """A class of written digits with its article: a 7, an 8."""
    return f"{'an' if digit == 8 else 'a'} {digit}"
