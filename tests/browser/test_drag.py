"""The picture follows a dragged slider: frames without a run during the drag, the own picture after the release."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import APIResponse, Locator, Page, Route, expect

from tests.browser import driver
from tests.browser.conftest import App

SHARE = 0.002  # of the pixels; two drawings of one figure differ in less, because edges are smoothed differently
TOLERANCE = 25  # of 255, for one pixel
TIMES = """() => bdlvizDrag.times.map(([start, end]) => end - start)"""


@dataclass(frozen=True)
class Case:
    """A page with a primary slider."""

    path: str
    slider: str  # its key
    key: str  # of the figure that it changes
    places: tuple[float, ...]  # shares of the track, each another stop; the last picture differs from the first
    has_numbers: bool  # True if the page has a row of numbers
    has_trail: bool  # True if dotted lines show the curves of before


SPARSITY = Case("/sparsity?done=0", "done", "noisy_weights", (0.7, 0.2, 0.45), True, False)
CASES = [
    pytest.param(
        Case("/effect_of_lambda", "weight_decay", "three_lambdas", (0.8, 0.3, 0.68), False, True),
        id="effect_of_lambda",
    ),
    pytest.param(SPARSITY, id="sparsity"),
    pytest.param(
        Case("/noise_or_ignorance", "n_points", "points", (0.7, 0.45, 0.6), True, True), id="noise_or_ignorance"
    ),
    pytest.param(Case("/autoencoder", "kl_weight", "weights", (0.7, 0.2, 0.9), False, False), id="autoencoder"),
]
FIRST = [pytest.param(*CASES[0].values, id=CASES[0].id, marks=pytest.mark.first), *CASES[1:]]


@pytest.fixture
def page(app: App, new_page: Callable[..., Page]) -> Page:
    """A window with reduced motion, so that no slider plays by itself."""
    return new_page(app, reduced_motion="reduce")


def asked(page: Page) -> int:
    """How many runs the page has asked for."""
    return page.evaluate("window.__asked ?? 0")


def own(page: Page, case: Case) -> Locator:
    """The page's own figure."""
    return page.locator(f".st-key-{case.key} {driver.OWN_FIGURE}")


def overlay(page: Page, case: Case) -> Locator:
    """The frame over it, while it is shown."""
    return page.locator(f".st-key-{case.key} .drag-overlay:visible")


def pixels(locator: Locator) -> np.ndarray:
    """The pixels of an element that has come to rest: height, width, 3."""
    driver.picture(locator)
    return np.asarray(Image.open(io.BytesIO(locator.screenshot())).convert("RGB"), float)


def take_trails_off(page: Page, case: Case) -> list[list[float]]:
    """Remove the dotted lines from a frame, and the words for them; returns their y."""
    remove = """(element) => {
        const isTrail = ({ meta, line }) => meta === "trail" && line.dash === "dot";
        const places = [...element.data.keys()].filter((place) => isTrail(element.data[place]));
        const values = places.map((place) => Array.from(element.data[place].y));
        const { plotly } = bdlvizDrag.picture;
        element.classList.remove("trails");
        return places.length ? plotly.deleteTraces(element, places).then(() => values) : values;
    }"""
    return overlay(page, case).evaluate(remove)


def difference(first: np.ndarray, second: np.ndarray) -> float:
    """The share of pixels in which two pictures of one size differ."""
    assert first.shape == second.shape
    return float((np.abs(first - second).max(-1) > TOLERANCE).mean())


def open_case(page: Page, case: Case) -> None:
    """Open the page and wait until its figure is drawn."""
    driver.open_page(page, case.path)
    driver.wait_for_figure(page)
    expect(own(page, case)).to_be_visible()


def hold(page: Page, case: Case) -> None:
    """Press the mouse button on the slider's handle."""
    handle = driver.slider(page, case.slider)
    handle.scroll_into_view_if_needed()
    place = handle.evaluate(driver.TRACK)
    page.mouse.move(place["handle"], place["y"])
    page.mouse.down()


def move(page: Page, case: Case, to: float, steps: int = 10) -> None:
    """Move the held handle to a share of its track, 0 to 1."""
    place = driver.slider(page, case.slider).evaluate(driver.TRACK)
    page.mouse.move(place["left"] + to * (place["right"] - place["left"]), place["y"], steps=steps)


def release(page: Page) -> None:
    page.mouse.up()
    driver.wait_until_idle(page)


@pytest.mark.parametrize("case", FIRST)
def test_the_picture_follows_and_the_server_gets_no_run_before_the_release(case: Case, page: Page):
    open_case(page, case)
    start, runs, shown = pixels(own(page, case)), asked(page), driver.numbers(page)
    marked = "(element) => element._fullData.filter(({ meta }) => meta === 'trail').map(({ y }) => Array.from(y))"
    curves = own(page, case).evaluate(marked)
    assert bool(shown) == case.has_numbers
    expect(overlay(page, case)).to_have_count(0)
    hold(page, case)
    seen, last, told = [shown], "", []
    for place in case.places:
        before = driver.slider_value(page, case.slider)
        move(page, case, place)
        assert driver.slider_value(page, case.slider) != before
        expect(overlay(page, case)).to_have_count(1)
        last = driver.wait_for_picture(overlay(page, case), other_than=last)
        seen.append(driver.numbers(page))
        told.append(driver.slider_value(page, case.slider))
    assert asked(page) == runs, "The drag asked the server for a run."
    trails = take_trails_off(page, case)
    assert bool(trails) == case.has_trail
    near = [[len(c) == len(trail) and np.allclose(c, trail, equal_nan=True) for c in curves] for trail in trails]
    assert all(map(any, near)), "A dotted line is not where the curve was."
    frame, times = pixels(overlay(page, case)), page.evaluate(TIMES)
    if case.has_numbers:
        assert len({tuple(values) for values in seen}) == len(seen), f"The numbers do not follow: {seen}"
    assert frame.shape == start.shape, "The frame does not cover the picture."
    release(page)
    assert asked(page) > runs
    expect(overlay(page, case)).to_have_count(0)
    assert driver.slider_value(page, case.slider) == told[-1]
    end = pixels(own(page, case))
    assert difference(end, frame) < SHARE < difference(end, start)
    assert driver.numbers(page) == seen[-1]
    print(f"{case.path}: {len(times)} frames, {np.median(times):.0f} ms each in the middle, {max(times):.0f} at most")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("lost", ["frames/*", "plotly*"])
def test_without_frames_the_old_picture_stays_and_the_release_works(case: Case, lost: str, page: Page):
    page.route(f"**/drag/{lost}", lambda route: route.abort())
    open_case(page, case)
    start, runs = driver.picture(own(page, case)), asked(page)
    hold(page, case)
    for place in case.places:
        move(page, case, place)
        page.wait_for_timeout(300)
        expect(overlay(page, case)).to_have_count(0)
        driver.wait_for_picture(own(page, case), like=start)
    value = driver.slider_value(page, case.slider)
    assert asked(page) == runs
    release(page)
    driver.wait_for_picture(own(page, case), other_than=start)
    assert driver.slider_value(page, case.slider) == value
    expect(overlay(page, case)).to_have_count(0)


@pytest.mark.parametrize("case", CASES)
def test_frames_that_come_after_the_release_are_not_shown(case: Case, page: Page):
    late: list[tuple[Route, APIResponse]] = []
    page.route("**/drag/frames/*", lambda route: late.append((route, route.fetch())))
    open_case(page, case)
    start = driver.picture(own(page, case))
    driver.set_slider(page, case.slider, "End")
    end = driver.wait_for_picture(own(page, case), other_than=start)
    while not late:  # a busy server answers later; the time limit of the test ends this
        page.wait_for_timeout(100)
    for route, answer in late:
        route.fulfill(response=answer)
    page.wait_for_function("() => [...bdlvizDrag.frames.values()].some(({ made }) => made.size > 1)")
    page.wait_for_timeout(500)  # for a frame that must not come
    expect(overlay(page, case)).to_have_count(0)
    assert page.evaluate("document.documentElement.dataset.dragged ?? null") is None
    driver.wait_for_picture(own(page, case), like=end)


def test_back_at_the_start_the_own_picture_is_shown_again(page: Page):
    """No run follows such a drag, since nothing has changed."""
    open_case(page, SPARSITY)
    runs, told = asked(page), driver.numbers(page)
    hold(page, SPARSITY)
    move(page, SPARSITY, 0.7)
    expect(overlay(page, SPARSITY)).to_have_count(1)
    move(page, SPARSITY, 0)
    expect(overlay(page, SPARSITY)).to_have_count(0)
    release(page)
    assert asked(page) == runs and driver.numbers(page) == told
    assert page.evaluate("document.documentElement.dataset.dragged ?? null") is None


@pytest.mark.parametrize("case", CASES)
def test_a_window_resized_during_the_drag_keeps_a_picture(case: Case, app: App, new_page: Callable[..., Page]):
    page = new_page(app, reduced_motion="reduce")
    open_case(page, case)
    hold(page, case)
    move(page, case, case.places[0])
    expect(overlay(page, case)).to_have_count(1)
    page.set_viewport_size({"width": 1200, "height": 900})
    driver.wait_for_figure(page)
    move(page, case, case.places[1])
    expect(overlay(page, case)).to_have_count(1)
    driver.picture(overlay(page, case))
    frame, figure = driver.box_of(overlay(page, case)), driver.box_of(own(page, case))
    assert all(abs(frame[side] - figure[side]) <= 1 for side in ("x", "y", "width", "height")), (frame, figure)
    take_trails_off(page, case)
    drawn = pixels(overlay(page, case))
    assert drawn.std() > 5, "The frame is empty."
    release(page)
    expect(overlay(page, case)).to_have_count(0)
    assert difference(pixels(own(page, case)), drawn) < SHARE


PLAYS = ".st-key-done .drag-play"


def is_played(page: Page) -> bool:
    return page.evaluate("() => bdlvizDrag.met.has('done')")


@pytest.mark.first
def test_a_story_plays_once_and_rests_at_its_end(app: App, new_page: Callable[..., Page]):
    page = new_page(app, reduced_motion="no-preference")
    open_case(page, SPARSITY)
    runs = asked(page)
    expect(page).not_to_have_url(re.compile("done="))  # the end of training is the page's own state
    driver.wait_until_idle(page)
    expect(overlay(page, SPARSITY)).to_have_count(0)
    end = driver.numbers(page)
    assert asked(page) == runs + 1, "A story that plays asks the server once, at its end."
    again = new_page(app)
    again.goto(page.url)
    driver.wait_until_idle(again)
    assert driver.numbers(again) == end
    driver.set_slider(page, "done", "Home")
    start = driver.numbers(page)
    page.wait_for_timeout(1500)  # for a play that must not begin
    assert driver.numbers(page) == start != end


def test_a_story_is_played_paused_and_ended_by_a_touch(page: Page):
    open_case(page, SPARSITY)
    assert not is_played(page), "With reduced motion a story does not play by itself."
    start = driver.numbers(page)
    for stop in (lambda: page.locator(PLAYS).click(), lambda: page.mouse.click(5, 300)):
        page.locator(PLAYS).click()
        page.wait_for_function("(start) => document.querySelector('.st-key-done input').value > start + 2", arg=0)
        stop()
        driver.wait_until_idle(page)
        now = driver.slider_value(page, "done")
        assert f"done={now.split()[0]}" in page.url.replace("%25", "") and driver.numbers(page) != start
        page.wait_for_timeout(1000)
        assert driver.slider_value(page, "done") == now, "It plays on."
        driver.set_slider(page, "done", "Home")
