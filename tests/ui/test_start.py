"""The line under the sentence: what the picture said before its sliders were moved."""

from __future__ import annotations

from typing import Any

import pytest

from bdlviz import plots
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame import start
from bdlviz.ui.model import Page, Result, Says, Screen, Setting, Stops, View
from tests.ui.harness import move, open_page, sentence

SCREEN = Screen(plots.theme("light"))
SLOPE = Control("slope", "Slope", ("0", "1", "2"), "1")
OTHER = Control("other", "Other", ("a", "b"), "a")
STEPS = Stops("step", "Step", (1, 5, 9), 1)


def draw(setting: Setting, screen: Screen, study: Any) -> Result:
    return Result([Says(f"Slope {setting[SLOPE]} of {setting[OTHER]} after {STEPS.chosen(setting)} steps."), STEPS])


VIEW = View("lines", "Lines", draw, (OTHER,), live=(SLOPE,))
PAGE = Page("test/page", "What?", (VIEW,))


def at_start(values: dict[str, str]) -> str:
    setting = Setting(values)
    return start.sentence(PAGE, VIEW, setting, SCREEN, draw(setting, SCREEN, None))


def test_only_the_controls_of_the_picture_go_back():
    """Another setting beside the picture stays: it is not what the visitor moves there."""
    assert at_start({}) == "Slope 1 of a after 1 steps."
    assert at_start({"slope": "2", "other": "b"}) == "Slope 1 of b after 1 steps."
    assert at_start({"step": "9", "other": "b"}) == "Slope 1 of b after 1 steps."


def test_a_start_that_nobody_has_computed_is_asked_for_again(monkeypatch: pytest.MonkeyPatch):
    found: list[Result | None] = [None]
    monkeypatch.setattr(start, "result_at", lambda *_: found[0])
    moved = {"slope": "2", "other": "not computed"}
    assert at_start(moved) == ""
    found[0] = Result([Says("It is computed now.")])
    assert at_start(moved) == "It is computed now."


def test_a_page_says_what_its_picture_said_before_a_move():
    app = open_page("bayes_rule")
    opening = sentence(app)
    assert sentence(app, "at_start") == start.NOTHING
    move(app, "points_seen", "20")
    assert sentence(app) != opening
    assert sentence(app, "at_start") == f"{start.COMPARED}{opening}"
