"""What the tests of all sections ask of exercises: their answers, and whether a state of a page meets their goal."""

from __future__ import annotations

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


def assert_met_where_it_should(page: str, exercises: Sequence[object], wrong: Sequence[Mapping[str, str]]) -> None:
    """The goal is met by the solution, but neither at the defaults nor by what is not enough."""
    setting = setting_of(exercises)
    assert is_met(page, setting, **setting.solution_options)
    for options in ({}, *wrong):
        assert not is_met(page, setting, **options)


def metrics(page: str, link: Mapping[str, str]) -> dict[str, str]:
    """The numbers under the picture, by their label."""
    return {metric.label: metric.value for metric in open_page(page, link).metric}
