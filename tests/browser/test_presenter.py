"""Presenter mode on every page: the equation and the first picture are visible as a whole, above the bar."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from bdlviz.ui.places.routes import path_of
from tests.browser import driver, faults
from tests.browser.conftest import App

NAMES = [name for name in faults.NAMES if name not in faults.PLAIN]
HEIGHT = 900
SLACK = 6  # px of a picture's empty margin that may lie under the bar, or of a formula's beside it

# What of the page a room would not see whole: by how much the equation sticks out, where the bar begins, in px.
LAID_OUT = """() => {
  const equation = document.querySelector('.st-key-equation .katex-display');
  return {
    overhang: equation ? equation.scrollWidth - equation.clientWidth : 0,
    bar: document.querySelector('.st-key-lecture').getBoundingClientRect().top,
    text: parseFloat(getComputedStyle(document.querySelector('.st-key-question h3')).fontSize),
  };
}"""


@pytest.fixture
def room(app: App, new_page: Callable[..., Page]) -> Page:
    return new_page(app, viewport={"width": driver.LAPTOP, "height": HEIGHT})


def test_equation_and_first_picture_are_whole_on_every_page(room: Page):
    problems = []
    for name in NAMES:
        driver.open_page(room, path_of(name), {"present": "1"})
        found = room.evaluate(LAID_OUT)
        frame = room.locator(".st-key-frame")
        picture = frame.locator("canvas:visible, .js-plotly-plot:visible, img:visible").first.bounding_box()
        assert picture is not None
        end = picture["y"] + picture["height"]
        if found["overhang"] > SLACK or end > found["bar"] + SLACK or found["text"] < 24:
            problems.append(f"{name}: {found}, the picture ends at {end:.0f}")
    assert not problems, "\n".join(problems)


def test_a_button_that_waits_for_a_guess_can_be_read(page: Page):
    driver.open_page(page, "effect_of_lambda", {"scene": "too-large-lambda"})
    button = page.locator(".st-key-commit_guess button")
    text, ground = button.evaluate(
        "(b) => [getComputedStyle(b.querySelector('p')).color, getComputedStyle(b).backgroundColor]"
    )
    white = {"rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"}
    assert button.is_disabled() and not {text, ground} <= white, f"{text} on {ground}"
