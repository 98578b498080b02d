"""Every exercise of every page: its solution is right, something else is wrong, and its words are there."""

from __future__ import annotations

import math
from typing import Any

import pytest

from bdlviz.lectures.exercise import Choice, Number, Prediction, Setting
from tests.exercises.modules import exercise_modules
from tests.ui.harness import PAGES, controls, definition, scenes


def constants(kind: type) -> list[Any]:
    return [
        pytest.param(value, id=f"{topic}-{name}")
        for _, topic, module in exercise_modules()
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, kind)
    ]


OF_PAGES = [
    pytest.param(page, exercise, id=f"{page}-{index}")
    for page in PAGES
    if (defined := definition(page)) is not None
    for index, exercise in enumerate(defined.exercises)
]
PREDICTIONS = [
    pytest.param(page, scene, id=f"{page}-{scene.name}")
    for page in PAGES
    for scene in scenes(page).values()
    if scene.ask is not None
]


LEAD_TO_OTHERS = ("glossary", "figure_index")  # pages of links, which have controls but no topic of their own


@pytest.mark.parametrize("page", [page for page in PAGES if controls(page) and page not in LEAD_TO_OTHERS])
def test_a_page_has_three_at_most(page: str):
    defined = definition(page)
    assert defined is not None and len(defined.exercises) <= 3


@pytest.mark.parametrize("given", constants(tuple))
def test_every_set_of_exercises_stands_on_a_page(given: tuple[Any, ...]):
    assert any((defined := definition(page)) is not None and defined.exercises is given for page in PAGES)


@pytest.mark.parametrize("given", constants(Prediction))
def test_every_prediction_is_asked_by_a_scene(given: Prediction):
    assert any(scene.ask is given for page in PAGES for scene in scenes(page).values())


@pytest.mark.parametrize(("page", "exercise"), OF_PAGES)
def test_the_solution_is_right_and_something_else_is_wrong(page: str, exercise: Any):
    assert exercise.question and exercise.because
    if isinstance(exercise, Choice):
        assert_is_a_choice(exercise)
    elif isinstance(exercise, Number):
        answer = exercise.answer()
        assert math.isfinite(answer) and exercise.is_right(answer)
        reach = exercise.tolerance if exercise.absolute else exercise.tolerance * abs(answer)
        assert reach > 0 and not exercise.is_right(answer + 2 * reach) and not exercise.is_right(math.nan)
    else:
        assert isinstance(exercise, Setting)
        offered = controls(page)
        defaults = {key: control.default for key, control in offered.items()}
        for key, option in exercise.solution_options.items():
            assert option in offered[key].options
        assert exercise.is_met(defaults | dict(exercise.solution_options))
        assert not exercise.is_met(defaults)


@pytest.mark.parametrize(("page", "scene"), PREDICTIONS)
def test_a_prediction_is_a_choice_between_settings_of_its_page(page: str, scene: Any):
    assert_is_a_choice(scene.ask.choice)
    offered = controls(page)
    for key, option in (scene.ask.before or {}).items():
        assert option in offered[key].options
    if scene.ask.before is not None:
        assert scene.ask.before != dict(scene.values), "The answer is on the page already."


def assert_is_a_choice(choice: Choice) -> None:
    assert 2 <= len(choice.options) <= 5 and len(set(choice.options)) == len(choice.options)
    assert choice.is_right(choice.options[choice.right]) and choice.because and choice.question
    assert sum(choice.is_right(option) for option in choice.options) == 1
