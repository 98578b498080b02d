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
        picture = driver.box_of(frame.locator("canvas:visible, .js-plotly-plot:visible, img:visible").first)
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


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)], ids=["1280x720", "1920x1080"])
def test_picture_and_controls_of_a_step_are_above_the_bar(
    app: App, new_page: Callable[..., Page], size: tuple[int, int]
):
    """A step with an open question above its picture, a step with a row of three controls, one with two figures."""
    width, height = size
    page = new_page(app, viewport={"width": width, "height": height})
    for step in (1, 13, 6):
        driver.open_page(page, "/", {"lecture": "one_story", "step": step, "present": 1})
        bar = driver.box_of(page.locator(".st-key-lecture"))
        frame = page.locator(".st-key-frame")
        shown = [frame.locator(".js-plotly-plot:visible").first, *frame.locator(".st-key-live:visible").all()]
        for box in map(driver.box_of, shown):
            assert box["y"] + box["height"] <= bar["y"] + SLACK, f"step {step}"


def test_a_covered_question_is_a_slide(app: App, new_page: Callable[..., Page]):
    page = new_page(app, viewport={"width": 1280, "height": 720})
    driver.open_page(page, "/", {"lecture": "one_story", "step": 2, "present": 1})
    slide = driver.box_of(page.locator(".st-key-prediction"))
    assert slide["height"] > 360 and slide["width"] > 1000
    size = "(text) => parseFloat(getComputedStyle(text).fontSize)"
    assert page.locator(".st-key-prediction p").first.evaluate(size) >= 24
    options = [driver.box_of(option) for option in page.get_by_test_id("stRadioOption").all()]
    assert all(box["height"] >= 40 and box["width"] > 800 for box in options)
