"""What holds for every erratum: both formulas, the measured effect, and its picture."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

from bdlviz.errata import (
    ERRATA,
    Erratum,
    Number,
)
from bdlviz.errata import figures as errata_figures
from bdlviz.errata.figures import Maps

EACH = pytest.mark.parametrize("erratum", ERRATA.values(), ids=ERRATA)


def test_every_title_is_another():
    assert len({erratum.title for erratum in ERRATA.values()}) == len(ERRATA)


@EACH
def test_both_formulas_are_written_down_and_differ(erratum: Erratum):
    wrong, right = ((inspect.getdoc(function) or "").split("$$")[1] for function in (erratum.wrong, erratum.right))
    assert wrong.strip() != right.strip()
    assert all((inspect.getdoc(function) or "").count("$$") >= 2 for function in erratum.related)


@EACH
def test_the_effect_is_measured_and_repeats(erratum: Erratum):
    first, again = erratum.measure(), erratum.measure()
    assert 2 <= len(first.numbers) <= 4
    assert all(np.isfinite(number.value) for number in first.numbers)
    assert abs(first.wrong.value - first.right.value) > 0.04 * abs(first.right.value)
    assert first.numbers == again.numbers and first.says == again.says
    assert first.says.endswith(".") and "-" not in first.says
    for told in (first.wrong.text, f"right: {first.right.text}"):
        assert re.search(rf"(?<!\d){re.escape(told)}(?!\d)", first.says), "The sentence has the numbers of the page."


@EACH
def test_the_picture_shows_both(erratum: Erratum):
    picture = erratum.measure().picture
    assert picture.says
    for stacked in (False, True):
        assert errata_figures.wrong_and_right(picture, stacked=stacked).data
    if isinstance(picture, Maps):
        assert {"wrong", "right"} == {panel.role for panel in picture.panels}
        assert all(0 <= panel.values.min() <= panel.values.max() <= 1 for panel in picture.panels)
        return
    curves = [curve for panel in picture.panels for curve in panel.curves]
    assert {"wrong", "right"} <= {curve.role.split()[0] for curve in curves}
    for curve in curves:
        assert np.isfinite(curve.y).all() and np.shape(curve.y)[-1] == len(curve.x)
    low, high = picture.y_range
    inside = [np.mean((low <= curve.y) & (curve.y <= high)) for curve in curves if curve.role != "exact"]
    assert min(inside) > 0.3, "Most of every curve is to be seen."


def test_numbers_have_a_true_minus():
    assert Number("", -1.5, ".2f").text == "−1.50"
    assert Number("", 2e-7, ".0e").text == "2e−07"
