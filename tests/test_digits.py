"""Numbers in sentences: significant digits, signs and powers."""

from __future__ import annotations

import math

import pytest

from bdlviz.digits import THIN, factor, number, percent


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((0, "0"), (-0.0, "0"), (-1.28, "−1.28"), (15.551, "15.6"), (2293, "2,293"), (123_456.7, "123,457")),
        *((0.00178, "0.00178"), (0.9996, "1"), (-0.0001, "−10⁻⁴"), (1.8e-5, "1.8 · 10⁻⁵"), (3e7, "3 · 10⁷")),
        *((999_999.6, "10⁶"), (math.inf, "∞"), (-math.inf, "−∞"), (math.nan, "undefined")),
    ],
)
def test_numbers_have_three_digits_and_whole_ones_all(value: float, text: str):
    assert number(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        *((0, "0"), (0.024, "2.4"), (0.0742, "7.4"), (0.333, "33"), (0.896, "90"), (0.9, "90"), (0.95, "95")),
        *((0.976, "97.6"), (0.9997, "99.97"), (0.999_999, "99.9999"), (1, "100"), (1.2, "120"), (1e-4, "0.01")),
    ],
)
def test_only_all_is_a_hundred_per_cent(share: float, text: str):
    assert percent(share) == f"{text}{THIN}%"


def test_what_is_written_is_within_half_a_unit_of_its_last_digit():
    for exponent in range(-8, 9):
        for mantissa in (1.0, 1.25, 3.14159, 9.96):
            value = mantissa * 10.0**exponent
            base, _, power = number(value).replace(",", "").partition(" · ")
            raised = power or (base if base.startswith("10") and not base.isascii() else "")
            scale = 10.0 ** int(raised[2:].translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))) if raised else 1.0
            read = (1.0 if base == raised else float(base)) * scale
            assert abs(read - value) <= 0.005 * value, (value, number(value))


def test_factors_have_two_digits():
    assert (factor(21.4), factor(1.44), factor(266_200)) == ("×21", "×1.4", "×266,200")
