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


@pytest.mark.parametrize("present", [{}, {"present": "1"}])
def test_notes_are_in_the_speaker_view_only(present: dict[str, str]):
    page, query = first()
    app = open_page(page, query | present)
    [notes] = app.get("link_button")
    assert notes.proto.url == f"speaker?lecture={NAME}"  # type: ignore[attr-defined]
    shown = [each.value for each in (*app.markdown, *app.caption)]
    assert not any(paragraph in text for paragraph in STORY.steps[0].say.split("\n\n") for text in shown)


def test_exit_leaves_presenter_mode_and_keeps_the_lecture():
    page, query = first()
    app = open_page(page, query | {"present": "1"})
    assert app.button(key="present").label != open_page(page, query).button(key="present").label
    assert "leave_lecture" not in [button.key for button in app.button], "There is one button to leave."
    press(app, "present")
    assert_works(app)
    assert app.query_params["step"] == "1" and "present" not in app.query_params
    press(app, "leave_lecture")
    assert not {"lecture", "step"} & set(app.query_params)


def test_a_setting_in_the_link_of_a_step_wins_over_its_scene():
    page, query = first()
    scene = scenes(page)[STORY.steps[0].scene]
    key, control = next(iter(controls(page).items()))
    other = next(option for option in control.options if option != scene.values.get(key, control.default))
    app = open_page(page, query | {key: other})
    assert app.session_state[key] == other
