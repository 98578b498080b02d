"""Presenter mode in a lecture: every control that the notes of a step name is on the screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bdlviz.lectures import Step
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame import docked
from tests.lectures.test_one_story import (  # noqa: F401  (fixtures)
    MOVES,
    ONE_STORY,
    no_installed_components,
    place_of,
    plain_figures,
    queue,
    state,
)
from tests.ui.harness import open_page

NAMING = [step for step in ONE_STORY.steps if docked.names(step.say)]
CONTROLS = "select_slider", "selectbox", "button_group", "button", "toggle"


@pytest.mark.parametrize("step", NAMING, ids=place_of)
def test_what_the_notes_name_is_on_the_screen(step: Step):
    """At the step, or after one of the changes that the notes ask for before."""
    missing = set(docked.names(step.say))
    for move in ({}, *MOVES.get(place_of(step), ())):
        missing -= set(on_screen(step, move))
        if not missing:
            return
    assert not missing


@pytest.mark.parametrize("page", ["foundations/bayes_rule", "regression/in_between", "weights/bayes_by_backprop"])
def test_a_slide_has_the_sliders_that_its_notes_name_or_else_one(page: str):
    for step in (step for step in ONE_STORY.steps if step.page == page):
        sliders = [widget.label for widget in widgets_of(step, {}) if widget.type == "select_slider"]
        named = [label for label in sliders if any(label.startswith(name) for name in docked.names(step.say))]
        assert sliders == (named or sliders[:1]), step.title


def on_screen(step: Step, move: dict[str, str]) -> Iterator[str]:
    """Labels and options of all widgets that presenter mode shows, and the beginnings of labels."""
    for widget in widgets_of(step, move):
        words = widget.label.split(" ")
        yield from (" ".join(words[:end]) for end in range(1, len(words) + 1))
        yield from getattr(widget, "options", ())


def widgets_of(step: Step, move: dict[str, str]) -> Iterator[Any]:
    """The widgets that presenter mode shows at a step."""
    number = str(ONE_STORY.steps.index(step) + 1)
    query = state(step) | {key: option for key, option in move.items() if key != "tab"}
    app = open_page(step.page.split("/")[1], query | {"lecture": "one_story", "step": number, "present": "1"})
    assert not app.exception
    yield from shown(app.main)


def shown(node: Any, key: str = "") -> Iterator[Any]:
    """The widgets outside the scenes and the column of controls, which presenter mode hides."""
    if getattr(node, "type", "") in CONTROLS:
        yield node
    children = list(getattr(node, "children", {}).values())
    name = getattr(getattr(node, "proto", None), "id", "").rsplit("-", 1)[-1]
    if name == "scenes":
        return
    if key == "frame" and [child.type for child in children] == ["column", "column"]:
        children = children[1:]
    for child in children:
        yield from shown(child, name)


def control(label: str, *options: str) -> Control:
    return Control(label, label, ("a", *options), "a", "menu", "", {option: option for option in options})


def test_a_name_is_a_label_then_its_beginning_then_an_option():
    points, noise, order = control("Points N"), control("Points"), control("Order", "Noise first", "Points seen")
    offered = [points, noise, order]
    assert docked.named(offered, ["Points"]) == [noise]
    assert docked.named(offered, ["Points N", "Noise first"]) == [points, order]
    assert docked.named([points, order], ["Points"]) == [points]
    assert docked.named(offered, ["the picture"]) == []


def test_names_are_the_italics_of_the_notes():
    assert docked.names("Set *Points\nseen N* to 3, **not** 2 * 3 * 4; then *Points seen N* again.") == [
        "Points seen N"
    ]
