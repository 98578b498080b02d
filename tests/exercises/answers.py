"""What the tests of all sections ask of exercises: their answers, and whether a state of a page meets their goal."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from bdlviz.lectures.exercise import Number, Setting
from tests.ui.harness import controls, open_page


def number_of(exercise: Any) -> float:
    """The answer of an exercise that asks for a number."""
    assert isinstance(exercise, Number)
    return exercise.answer()


def answer_of(exercises: Sequence[object]) -> float:
    """The answer of the first exercise that asks for a number."""
    return number_of(next(each for each in exercises if isinstance(each, Number)))


def setting_of(exercises: Sequence[object]) -> Setting:
    """The first exercise that asks for a state of the page."""
    return next(each for each in exercises if isinstance(each, Setting))


def is_met(page: str, exercise: Any, **changes: str) -> bool:
    """Does the page meet the goal with these options, all others being at their defaults?"""
    assert isinstance(exercise, Setting)
    offered = controls(page)
    assert all(option in offered[key].options for key, option in changes.items())
    return exercise.is_met({key: control.default for key, control in offered.items()} | changes)


class ByWord(dict[str, Any]):
    """Values by their label, or by a word that one label alone has."""

    def __missing__(self, word: str) -> Any:
        [value] = [value for label, value in self.items() if word in label]
        return value


def shown(page: str, link: Mapping[str, str] | None) -> ByWord:
    """The first of the numbers under the picture; NaN where there is none."""
    return ByWord({label: first(value) for label, value in metrics(page, link or {}).items()})


def first(text: str) -> float:
    found = re.search(r"[-−]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", text)
    return float(found[0].replace("−", "-").replace(",", "")) if found else math.nan


def metrics(page: str, link: Mapping[str, str]) -> ByWord:
    """The numbers under the picture, as text."""
    return ByWord({metric.label: metric.value for metric in open_page(page, link).metric})
