"""The tab of exercises: right, wrong and missing answers, and settings of the page that are checked."""

from __future__ import annotations

from typing import Any

import pytest

from bdlviz.lectures.exercise import Choice, Number, Setting
from bdlviz.ui.frame import tabs
from tests.ui.harness import PAGES, assert_works, definition, open_page, open_working, press

WITH_EXERCISES = [page for page in PAGES if (found := definition(page)) is not None and found.exercises]


EXERCISES = ("effect_of_lambda", {"tab": tabs.EXERCISES})


def first(kind: type) -> tuple[int, Any]:
    """The first exercise of that kind on the page `EXERCISES`, with its place."""
    defined = definition(EXERCISES[0])
    assert defined is not None
    return next((index, each) for index, each in enumerate(defined.exercises) if isinstance(each, kind))


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("page", WITH_EXERCISES)
def test_every_answer_can_be_given_and_checked(page: str):
    app = open_working(page, {"tab": tabs.EXERCISES})
    defined = definition(page)
    assert defined is not None
    for index, exercise in enumerate(defined.exercises):
        if isinstance(exercise, Choice):
            app.radio(key=f"answer_{index}").set_value(exercise.solution)
        elif isinstance(exercise, Number):
            app.text_input(key=f"answer_{index}").set_value(repr(float(exercise.answer())))
        if not isinstance(exercise, Setting):
            press(app, f"check_{index}")
    told = [each.value for each in app.success]
    assert told == [f"Right. {each.because}" for each in defined.exercises if not isinstance(each, Setting)]


def test_a_wrong_choice_gets_the_hint_and_no_answer():
    index, choice = first(Choice)
    app = open_page(*EXERCISES)
    app.radio(key=f"answer_{index}").set_value(next(o for o in choice.options if not choice.is_right(o)))
    press(app, f"check_{index}")
    assert len(app.warning) == 1 and choice.hint in app.warning[0].value
    assert choice.because not in " ".join(each.value for each in app.markdown)


@pytest.mark.parametrize(
    ("typed", "says"),
    [("1,200", "1200"), ("two", "'two'"), ("1e999", ""), ("-1", "")],
)
def test_a_number_that_cannot_be_read_gets_a_sentence(typed: str, says: str):
    index, page = next(
        (index, page)
        for page in WITH_EXERCISES
        for index, each in enumerate(getattr(definition(page), "exercises", ()))
        if isinstance(each, Number)
    )
    app = open_page(page, {"tab": tabs.EXERCISES})
    app.text_input(key=f"answer_{index}").set_value(typed)
    [said] = [each.value.replace("\\", "") for each in press(app, f"check_{index}").warning]
    assert says in said


def test_without_an_answer_there_is_nothing_to_check():
    index, _ = first(Number)
    app = press(open_page(*EXERCISES), f"check_{index}")
    assert len(app.warning) == 1 and not app.success


def test_a_setting_is_checked_where_the_controls_stand():
    index, setting = first(Setting)
    app = press(open_page(*EXERCISES), f"check_{index}")
    assert len(app.warning) == 1 and setting.hint in app.warning[0].value
    app = press(open_page("effect_of_lambda", {"tab": tabs.EXERCISES, **setting.solution_options}), f"check_{index}")
    assert len(app.success) == 1 and setting.because in app.success[0].value


def test_the_answer_of_a_setting_sets_the_page():
    index, setting = first(Setting)
    app = press(open_page(*EXERCISES), f"solve_{index}")
    assert_works(app)
    assert {key: app.session_state[key] for key in setting.solution_options} == dict(setting.solution_options)
    assert setting.because in app.info[0].value
