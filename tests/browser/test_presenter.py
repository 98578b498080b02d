"""Presenter mode on every page and every slide of the lecture: title, sentence and a large picture above the bar."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Page

from bdlviz.lectures import lectures
from bdlviz.ui.places.routes import path_of
from tests.browser import driver, faults
from tests.browser.conftest import App

NAMES = [name for name in faults.NAMES if name not in faults.PLAIN]
HEIGHT = 900
SLACK = 6  # px of a picture's empty margin that may lie under the bar
SHARE = 0.65  # of the height of the window that the picture of a slide takes
SHARE_ABOVE_TWO_ROWS = 0.58  # the same above two rows of sliders: those of the view, and one that the notes name
SIZES = {"1280x720": (1280, 720), "1920x1080": (1920, 1080)}

PARTS = {
    "title": ".st-key-question h3",
    "sentence": ".st-key-says p",
    "pictures": ".st-key-frame :is(canvas, .js-plotly-plot, img)",
    "sliders": ":is(.st-key-live, .st-key-live_stop, .sliders)",
    "bar": ".st-key-lecture",
}
SEEN = """(elements) => elements.filter((each) => each.checkVisibility()).map((each) => {
  const { top, bottom } = each.getBoundingClientRect();
  return [top, bottom];
}).filter(([top, bottom]) => bottom > top)"""
FONT_SIZE = "(element) => parseFloat(getComputedStyle(element).fontSize)"
Boxes = dict[str, list[list[float]]]


@pytest.fixture
def room(app: App, new_page: Callable[..., Page]) -> Page:
    return new_page(app, viewport={"width": driver.LAPTOP, "height": HEIGHT})


def boxes_of(page: Page) -> Boxes:
    """Top and bottom in px of what a room sees, also of views in the browser."""
    return {name: page.locator(place).evaluate_all(SEEN) for name, place in PARTS.items()}


def picture_of(boxes: Boxes) -> tuple[float, float]:
    """Top and bottom of the main picture: of the first one and those that begin as high, such as a figure beside it."""
    first, *others = boxes["pictures"]
    row = [first, *(box for box in others if box[0] < first[0] + 0.5 * (first[1] - first[0]))]
    return min(top for top, _ in row), max(bottom for _, bottom in row)


def problems_of(boxes: Boxes) -> list[str]:
    """What a room would not see whole, and what lies over something else."""
    if not boxes["pictures"]:
        return ["no picture"]
    bar, picture = boxes["bar"][0][0], picture_of(boxes)
    order = [*boxes["title"][:1], *boxes["sentence"][:1], picture]
    overlaps = [f"{upper} over {lower}" for upper, lower in pairwise(order) if upper[1] > lower[0] + 1]
    lowest = {"picture": [picture], "sliders": boxes["sliders"]}
    return overlaps + [f"{name} {box} under the bar" for name in lowest for box in lowest[name] if box[1] > bar + SLACK]


def test_title_sentence_and_picture_are_whole_on_every_page(room: Page):
    problems = []
    for name in NAMES:
        driver.open_page(room, path_of(name), {"present": "1"})
        wrong = problems_of(boxes_of(room))
        if room.locator(PARTS["title"]).first.evaluate(FONT_SIZE) < 24:
            wrong.append("small title")
        problems += [f"{name}: {each}" for each in wrong]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_the_picture_takes_most_of_every_slide(app: App, new_page: Callable[..., Page], size: tuple[int, int]):
    width, height = size
    page, problems = new_page(app, viewport={"width": width, "height": height}), []
    [story] = [lecture for name, lecture in lectures().items() if name == "one_story"]
    for step in range(1, len(story.steps) + 1):
        driver.open_page(page, "/", {"lecture": "one_story", "step": step, "present": 1})
        if page.locator(".st-key-prediction").is_visible():
            page.keyboard.press("n")  # the answer
            driver.wait_until_idle(page)
        boxes = boxes_of(page)
        wrong = problems_of(boxes)
        top, bottom = picture_of(boxes)
        least = SHARE if len(boxes["sliders"]) < 2 else SHARE_ABOVE_TWO_ROWS
        if bottom - top < least * height:
            wrong.append(f"the picture takes {(bottom - top) / height:.0%}")
        problems += [f"step {step}: {each}" for each in wrong]
    assert not problems, "\n".join(problems)


def test_a_button_that_waits_for_a_guess_can_be_read(page: Page):
    driver.open_page(page, "effect_of_lambda", {"scene": "too-large-lambda"})
    button = page.locator(".st-key-commit_guess button")
    text, ground = button.evaluate(
        "(b) => [getComputedStyle(b.querySelector('p')).color, getComputedStyle(b).backgroundColor]"
    )
    white = {"rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"}
    assert button.is_disabled() and not {text, ground} <= white, f"{text} on {ground}"


def test_a_covered_question_is_a_slide(app: App, new_page: Callable[..., Page]):
    page = new_page(app, viewport={"width": 1280, "height": 720})
    driver.open_page(page, "/", {"lecture": "one_story", "step": 2, "present": 1})
    slide = driver.box_of(page.locator(".st-key-prediction"))
    assert slide["height"] > 360 and slide["width"] > 1000
    assert page.locator(".st-key-prediction p").first.evaluate(FONT_SIZE) >= 24
    options = [driver.box_of(option) for option in page.get_by_test_id("stRadioOption").all()]
    assert all(box["height"] >= 40 and box["width"] > 800 for box in options)
