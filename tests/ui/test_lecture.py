"""A step of a lecture opens its exact state, stays in the link, and says where the lecture stands."""

from __future__ import annotations

import pytest

from bdlviz.lectures import lectures
from tests.ui.harness import assert_works, controls, open_page, press, scenes

[(NAME, STORY)] = lectures().items()


@pytest.mark.parametrize(("index", "way"), [(0, "previous_step"), (len(STORY.steps) - 1, "next_step")])
def test_there_is_no_way_on_at_an_end(index: int, way: str):
    """Else the last key before the end would open its step again, and swallow a key that follows at once."""
    page = STORY.steps[index].page.split("/")[-1]
    app = open_page(page, {"lecture": NAME, "step": str(index + 1), "guess": "no"})
    assert [key for key in ("previous_step", "next_step") if app.button(key=key).disabled] == [way]


def first() -> tuple[str, dict[str, str]]:
    return STORY.steps[0].page.split("/")[-1], {"lecture": NAME, "step": "1"}


def test_notes_are_shown_when_asked_for():
    app = open_page(*first())
    said = STORY.steps[0].say
    assert said not in [each.value for each in app.markdown]
    press(app, "notes_button")
    assert said in [each.value for each in app.markdown]
    press(app, "notes_button")
    assert said not in [each.value for each in app.markdown]


def test_a_lecture_is_left_with_its_presenter_mode():
    page, query = first()
    app = press(open_page(page, query | {"present": "1"}), "leave_lecture")
    assert_works(app)
    assert not {"lecture", "step", "present"} & set(app.query_params)


def test_a_setting_in_the_link_of_a_step_wins_over_its_scene():
    page, query = first()
    scene = scenes(page)[STORY.steps[0].scene]
    key = next(iter(scene.values))
    other = next(option for option in controls(page)[key].options if option != scene.values[key])
    app = open_page(page, query | {key: other})
    assert app.session_state[key] == other
