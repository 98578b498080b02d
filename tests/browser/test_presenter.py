"""Presenter mode on every page and every slide of the lecture: title, sentence and a large picture above the bar."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

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
SIZES = {"1280x720": (1280, 720), "1920x1080": (1920, 1080)}

# What of the page a room sees: where title, sentence, picture, sliders and the bar are, in px.
LAID_OUT = """() => {
  const box = (element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return [top, bottom];
  };
  const seen = (place) => [...document.querySelectorAll(place)].find((each) => each.checkVisibility());
  const title = seen('.st-key-question h3');
  return {
    title: box(title), size: parseFloat(getComputedStyle(title).fontSize),
    sentence: seen('.st-key-says p') ? box(seen('.st-key-says p')) : null,
    picture: seen('.st-key-frame canvas, .st-key-frame .js-plotly-plot, .st-key-frame img')
      ? box(seen('.st-key-frame canvas, .st-key-frame .js-plotly-plot, .st-key-frame img')) : null,
    sliders: seen('.st-key-live') ? box(seen('.st-key-live')) : null,
    bar: seen('.st-key-lecture').getBoundingClientRect().top,
    asks: Boolean(seen('.st-key-prediction')),
  };
}"""


@pytest.fixture
def room(app: App, new_page: Callable[..., Page]) -> Page:
    return new_page(app, viewport={"width": driver.LAPTOP, "height": HEIGHT})


def problems_of(found: dict[str, Any]) -> list[str]:
    """What a room would not see whole, and what lies over something else."""
    order = [box for key in ("title", "sentence", "picture") if (box := found[key]) is not None]
    pairs = [(upper, lower) for upper, lower in pairwise(order) if upper[1] > lower[0] + 1]
    overlaps = [f"{upper} over {lower}" for upper, lower in pairs]
    lowest = [found[key] for key in ("picture", "sliders") if found[key] is not None]
    return overlaps + [f"{box} under the bar" for box in lowest if box[1] > found["bar"] + SLACK]


def test_title_sentence_and_picture_are_whole_on_every_page(room: Page):
    problems = []
    for name in NAMES:
        driver.open_page(room, path_of(name), {"present": "1"})
        found = room.evaluate(LAID_OUT)
        if wrong := problems_of(found) or (["small title"] if found["size"] < 24 else []):
            problems.append(f"{name}: {wrong}")
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_the_picture_takes_most_of_every_slide(app: App, new_page: Callable[..., Page], size: tuple[int, int]):
    width, height = size
    page, problems = new_page(app, viewport={"width": width, "height": height}), []
    [story] = [lecture for name, lecture in lectures().items() if name == "one_story"]
    for step in range(1, len(story.steps) + 1):
        query = {"lecture": "one_story", "step": step, "present": 1, "guess": "no"}
        driver.open_page(page, "/", query)
        found = page.evaluate(LAID_OUT)
        if wrong := problems_of(found):
            problems.append(f"step {step}: {wrong}")
        top, bottom = found["picture"] or (0, 0)
        if bottom - top < SHARE * height:
            problems.append(f"step {step}: the picture takes {(bottom - top) / height:.0%}")
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
    size = "(text) => parseFloat(getComputedStyle(text).fontSize)"
    assert page.locator(".st-key-prediction p").first.evaluate(size) >= 24
    options = [driver.box_of(option) for option in page.get_by_test_id("stRadioOption").all()]
    assert all(box["height"] >= 40 and box["width"] > 800 for box in options)
