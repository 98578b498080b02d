"""Predict first: a scene that asks shows its answer only after a guess, and says whether the guess was right."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.harness import controls, definition, guess, move, open_page, press, scenes
from tests.ui.visit import assert_asks, chosen

UNCOVERED = ("effect_of_lambda", "too-large-lambda")


def wanted(values: Any, page: str) -> dict[str, str]:
    return {key: option for key, option in values.items() if option != controls(page)[key].default}


@pytest.mark.parametrize("page", ["effect_of_lambda", "noise_or_ignorance"])
def test_a_link_to_a_scene_asks_first(page: str):
    """`tests/ui/test_every_page.py` answers the questions of all scenes, which their buttons open."""
    name = next(name for name, scene in scenes(page).items() if scene.ask is not None)
    scene = scenes(page)[name]
    assert scene.ask is not None
    assert_asks(open_page(page, {"scene": name, "guess": "first"}), page, scene, scene.ask)


@pytest.fixture
def asking() -> AppTest:
    """A page with the open question of `UNCOVERED`."""
    return open_page(UNCOVERED[0], {"scene": UNCOVERED[1], "guess": "first"})


def test_a_right_guess_is_confirmed_until_a_reset(asking: AppTest):
    ask = scenes(UNCOVERED[0])[UNCOVERED[1]].ask
    assert ask is not None
    app = guess(asking, ask.choice.solution)
    assert any(ask.choice.because in each.value for each in app.markdown)
    press(app, "reset")
    assert not any(ask.choice.because in each.value for each in app.markdown)


def test_moving_a_control_ends_the_question(asking: AppTest):
    options = controls(UNCOVERED[0])["metric"].options
    app = move(asking, "metric", next(each for each in options if each != asking.session_state["metric"]))
    assert "guess" not in [radio.key for radio in app.radio]


def test_next_shows_the_answer_of_an_open_question_without_a_guess(asking: AppTest):
    scene = scenes(UNCOVERED[0])[UNCOVERED[1]]
    app = press(asking, "next_step")
    assert chosen(app, UNCOVERED[0]) == wanted(scene.values, UNCOVERED[0])
    assert scene.ask is not None and not any(scene.ask.choice.because in each.value for each in app.markdown)


def test_next_and_previous_go_from_scene_to_scene():
    page = UNCOVERED[0]
    defined = definition(page)
    assert defined is not None
    first, second, *_ = defined.scenes
    app = press(open_page(page), "next_step")
    assert chosen(app, page) == wanted(second.values, page)
    press(app, "previous_step")
    assert chosen(app, page) == wanted(first.values, page)
    assert app.button(key="previous_step").disabled, "Before the first scene there is none."
    press(app, "next_step").button(key="next_step").click()  # the page does not answer in between
    press(app, "previous_step")
    assert chosen(app, page) == wanted(second.values, page)
