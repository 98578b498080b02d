"""The picture that redraws during a drag: counted redraws and runs, edits, playing draws, and links to comparisons."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from bdlviz import data
from bdlviz.methods import METHODS
from bdlviz.topics.regression.function_draws.asked import ROOM
from bdlviz.topics.regression.function_draws.views import MAP
from bdlviz.topics.shared import draw_inspector
from bdlviz.types import Array
from bdlviz.ui.controls.data_choice import decode_points
from bdlviz.ui.scrub import switch
from tests.browser import driver
from tests.browser.conftest import App
from tests.browser.injected import COUNT, NO_CANVAS, SEND_TWICE
from tests.ui.harness import controls
from tests.ui.waiting import wait_until

FUNCTION_DRAWS = "/function_draws"
MAX_BYTES = 2_000_000
NUMBER = re.compile(r"[−-]?\d+(?:\.\d+)?(?:e-?\d+)?")


@pytest.fixture
def page(app: App, new_page: Callable[..., Page]) -> Page:
    """A laptop's window, tall enough for the view with all its controls."""
    return counted(new_page(app, viewport={"width": 1440, "height": 1150}))


def counted(page: Page) -> Page:
    page.add_init_script(COUNT)
    return page


def settings_of(page: Page) -> dict[str, str]:
    """The settings in the address."""
    return dict(parse_qsl(urlsplit(page.url).query))


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag from one place of the picture to another, in data coordinates."""
    page.mouse.move(*place(page, *start))
    page.mouse.down()
    page.mouse.move(*place(page, *end), steps=8)
    page.mouse.up()


def open_view(page: Page, query: dict[str, object] | None = None, path: str = FUNCTION_DRAWS) -> Locator:
    """Open a page and wait until its view has drawn."""
    driver.open_page(page, path, query)
    view = page.locator(".scrub[data-ready]")
    view.wait_for()
    driver.wait_until_idle(page)
    return view


def counts(page: Page) -> dict[str, int]:
    """Events, redraws and commits that the view has counted, and the runs of the page's script."""
    told: dict[str, str] = page.locator(".scrub").evaluate("(view) => ({ ...view.dataset })")
    names = ("inputs", "draws", "commits")
    return {name: int(told.get(name, 0)) for name in names} | {"runs": page.evaluate("window.__runs")}


def since(page: Page, before: dict[str, int]) -> dict[str, int]:
    return {name: value - before[name] for name, value in counts(page).items()}


def canvas(page: Page) -> Locator:
    return page.locator(".panel canvas").first


def place(page: Page, x: float, y: float) -> tuple[float, float]:
    """Where in the window the picture has these data coordinates, on the page's axes of x sin x."""
    box, dataset = driver.box_of(canvas(page)), data.load("x_sin_x")
    left, right, top, bottom = 58, 12, 8, 48  # margins of the panel
    (x0, x1), (y0, y1) = dataset.x_range, ROOM["x_sin_x"]
    across, down = (x - x0) / (x1 - x0), (y1 - y) / (y1 - y0)
    width, height = box["width"] - left - right, box["height"] - top - bottom
    return box["x"] + left + across * width, box["y"] + top + down * height


def points_of(page: Page) -> Array:
    return decode_points(settings_of(page)["points"])


def reopen(page: Page) -> None:
    """Open the link of the present state."""
    page.goto(page.url)
    page.locator(".scrub[data-ready]").wait_for()
    driver.wait_until_idle(page)


def titles(page: Page) -> list[str]:
    """What stands above the panels."""
    return page.locator(".panel figcaption span").all_inner_texts()


def says(page: Page) -> str:
    """The sentence under the title."""
    return page.locator(".st-key-says p").first.inner_text()


def test_a_drag_redraws_at_every_event_and_runs_nothing_until_release(page: Page):
    open_view(page)
    assert page.evaluate("window.__bytes") < MAX_BYTES
    before, first, said = counts(page), driver.picture(canvas(page)), says(page)
    driver.drag_slider(page, "dropout_rate", 0.6, steps=30, release=False)
    driver.wait_for_picture(canvas(page), other_than=first)
    during = since(page, before)
    assert during["inputs"] >= 20
    assert during["draws"] >= during["inputs"]
    assert during["runs"] == during["commits"] == 0, "The server was asked during the drag."
    assert "dropout_rate" not in page.url
    assert driver.picture(canvas(page)) != first and says(page) != said
    assert driver.slider_value(page, "dropout_rate").startswith("≈")
    page.mouse.up()
    driver.wait_until_idle(page)
    after = since(page, before)
    assert after["commits"] == 1
    assert after["runs"] in (1, 2), "The picture alone, and then the page."
    value = driver.slider_value(page, "dropout_rate")
    expect(page).to_have_url(re.compile(rf"\?dropout_rate={value}$"))
    shown, said = driver.picture(canvas(page)), says(page)
    open_view(page, {"dropout_rate": value})
    assert (driver.picture(canvas(page)), says(page)) == (shown, said), "What was dragged to is not what is committed."


def test_arrow_keys_move_a_slider_and_commit_once(page: Page):
    open_view(page)
    before = counts(page)
    assert driver.set_slider(page, "weight_decay", ["ArrowRight", "ArrowRight"]) == "0.001"
    expect(page).to_have_url(re.compile(r"\?weight_decay=0\.001$"))
    assert since(page, before)["commits"] <= 2
    assert driver.set_slider(page, "weight_decay", "Home") == "0"


def test_the_map_previews_and_a_click_commits_both(page: Page):
    open_view(page, {"detail": MAP})
    first, before, said = driver.picture(canvas(page)), counts(page), says(page)
    box = driver.box_of(page.locator(".pad canvas"))
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 0.3 * box["height"], steps=6)
    driver.wait_for_picture(canvas(page), other_than=first)
    assert since(page, before)["runs"] == 0 and says(page) != said
    page.mouse.move(5, 5, steps=3)
    driver.wait_for_picture(canvas(page), like=first)  # leaving the map leaves no preview behind
    assert says(page) == said
    page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + 0.3 * box["height"])
    driver.wait_until_idle(page)
    assert {"dropout_rate", "weight_decay"} <= settings_of(page).keys()
    assert since(page, before)["commits"] == 1


def test_points_are_added_moved_removed_and_taken_back(page: Page):
    open_view(page)
    start = data.load("x_sin_x")
    driver.press(page, "edit")
    axes = page.locator(".panel canvas").get_attribute("aria-label")
    page.mouse.click(*place(page, 7.0, 4.0))
    expect(page).to_have_url(re.compile("data=own"))
    driver.wait_until_idle(page)
    added = points_of(page)
    assert len(added) == start.num_data + 1 and axes is not None
    np.testing.assert_allclose(added[-1], [7.0, 4.0], atol=0.1)
    assert re.search(rf"\b{len(added)}\b", page.locator(".says").inner_text())
    drag(page, (7.0, 4.0), (7.0, -4.0))
    driver.wait_until_idle(page)
    np.testing.assert_allclose(points_of(page)[-1], [7.0, -4.0], atol=0.1)
    page.mouse.click(*place(page, *points_of(page)[-1]))
    driver.wait_until_idle(page)
    assert len(points_of(page)) == start.num_data
    for _ in range(3):
        driver.press(page, "undo")
    expect(page).to_have_url(re.compile(r"/function_draws$"))
    expect(driver.button(page, "undo")).to_have_count(0)


@pytest.mark.parametrize("delay", [0, 5, 400])
def test_an_event_that_arrives_twice_is_done_once(page: Page, delay: int):
    page.add_init_script(SEND_TWICE)
    open_view(page)
    driver.press(page, "edit")
    page.evaluate("(delay) => { window.__delay = delay; }", delay)
    page.mouse.click(*place(page, 7.0, 4.0))
    expect(page).to_have_url(re.compile("data=own"))
    driver.wait_until_idle(page)
    assert page.evaluate("window.__twice") > 0
    assert len(points_of(page)) == data.load("x_sin_x").num_data + 1


def test_edited_points_keep_axes_and_come_back_by_link(page: Page):
    open_view(page)
    driver.press(page, "edit")
    page.mouse.click(*place(page, 0.0, 6.0))
    expect(page).to_have_url(re.compile("origin=x_sin_x"))
    driver.wait_until_idle(page)
    page.mouse.move(0, 0)
    said, address = says(page), page.url
    reopen(page)
    assert page.url == address
    assert says(page) == said
    if driver.button(page, "edit").get_attribute("aria-pressed") == "false":
        driver.press(page, "edit")
    page.mouse.click(*place(page, 0.0, 6.0))  # only there if the axes are the same
    driver.wait_until_idle(page)
    assert len(points_of(page)) == data.load("x_sin_x").num_data


def test_draws_play_pause_step_and_are_pinned(page: Page):
    open_view(page)
    still, before = driver.picture(canvas(page)), counts(page)
    driver.press(page, "play", wait=False)
    wait_until(lambda: since(page, before)["draws"] > 10, "Nothing plays.", driver.TIMEOUT / 1000, interval=0.1)
    assert since(page, before)["runs"] == 0
    driver.press(page, "play", wait=False)  # pauses
    page.wait_for_timeout(600)
    paused = driver.picture(canvas(page))
    page.wait_for_timeout(300)
    assert driver.picture(canvas(page)) == paused != still
    driver.press(page, "step", wait=False)
    driver.wait_for_picture(canvas(page), other_than=paused)
    driver.press(page, "pin")
    expect(page).to_have_url(re.compile(r"\?highlighted_draw=\d+$"))
    driver.press(page, "all_draws")
    pinned = driver.picture(canvas(page))
    assert pinned != still
    driver.press(page, "pin")  # lets it go
    expect(page).to_have_url(re.compile(r"/function_draws$"))
    driver.wait_for_picture(canvas(page), like=still)


def test_keys_play_read_and_reset(page: Page):
    open_view(page)
    runs = counts(page)["runs"]
    canvas(page).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".readout")).to_be_visible()
    told = page.locator(".readout b").all_inner_texts()
    assert len(told) == 5, "x, mean, and three standard deviations"
    _, *aloud = NUMBER.findall(page.locator(".unseen").inner_text())  # the first one is x, which is read to the pixel
    assert aloud and {*aloud} <= {*told}, "Screen readers get the same numbers."
    page.keyboard.press(" ")
    expect(driver.button(page, "all_draws")).to_be_visible()  # it plays
    page.keyboard.press(" ")
    page.keyboard.press("r")
    page.wait_for_timeout(500)
    assert counts(page)["runs"] == runs, "A key of the view ran the page."


def test_zoom_stays_through_a_commit_until_it_is_reset(page: Page):
    open_view(page)
    drag(page, (-5, 5), (5, -5))
    reset = driver.button(page, "reset_zoom")
    expect(reset).to_be_visible()
    driver.set_slider(page, "dropout_rate", "ArrowRight")
    expect(reset).to_be_visible()
    page.mouse.move(0, 0)
    zoomed = driver.picture(canvas(page))
    reset.click()
    expect(reset).to_have_count(0)
    assert driver.picture(canvas(page)) != zoomed


def test_one_link_restores_both_settings(page: Page):
    open_view(page)
    driver.press(page, "compare")
    expect(page.locator(".panel")).to_have_count(2)
    driver.set_slider(page, "dropout_rate", "End")
    driver.press(page, "difference")
    shown = titles(page)
    title, rate = METHODS["mc_dropout"].title, controls("function_draws")["dropout_rate"]
    for text, value in zip(shown, (rate.default, rate.options[-1]), strict=True):
        assert text.startswith(title) and value in text.split()
    address, strip = page.url, page.locator(".strip-title").inner_text()
    assert re.search(r"\d", strip), "The difference is told in numbers."
    reopen(page)
    assert page.url == address
    assert titles(page) == shown
    assert page.locator(".strip-title").inner_text() == strip
    page.mouse.move(*place(page, 0, 0))
    expect(page.locator(".readout:visible")).to_have_count(2)
    driver.press(page, "swap")
    assert titles(page) == shown[::-1]


def test_two_methods_side_by_side(page: Page):
    open_view(page, {"other": "method=deep_ensemble", "dropout_rate": "0.5"})
    shown = titles(page)
    for text, method in zip(shown, ("mc_dropout", "deep_ensemble"), strict=True):
        assert text.startswith(METHODS[method].title)
    page.locator(".panel button.side.b").click()
    driver.wait_until_idle(page)
    assert settings_of(page)["method"] == "deep_ensemble"
    assert titles(page) == shown
    assert driver.slider(page, "dropout_rate").count() == 0, "An ensemble has no dropout rate."
    driver.press(page, "only")
    expect(page.locator(".panel")).to_have_count(1)
    assert "other" not in page.url


def drag_without_a_run(page: Page, key: str) -> None:
    """Drag a slider of the view: the picture is redrawn at every event, and the server runs nothing until release."""
    before = counts(page)
    driver.drag_slider(page, key, 0.1, release=False)
    during = since(page, before)
    assert during["runs"] == 0 and during["draws"] >= during["inputs"] > 5


def test_training_is_scrubbed_without_a_run(page: Page):
    open_view(page, {"num_steps": 500})
    page.locator(f".st-key-{draw_inspector.WATCH} label").first.click()
    expect(driver.slider(page, draw_inspector.STEP)).to_be_visible()
    driver.wait_until_idle(page)
    end = driver.picture(canvas(page))
    drag_without_a_run(page, draw_inspector.STEP)
    assert driver.picture(canvas(page)) != end
    page.mouse.up()
    driver.wait_until_idle(page)
    step = driver.slider_value(page, draw_inspector.STEP)
    expect(page).to_have_url(re.compile(rf"training_step={step}$"))


def test_the_figure_is_one_click_away_and_scenes_leave_it(page: Page):
    open_view(page)
    driver.choose_option(page, switch.PICTURE.key, switch.PICTURE.options.index("figure"))
    driver.wait_for_figure(page)
    expect(page).to_have_url(re.compile(r"\?picture=figure$"))
    driver.choose_scene(page, "high-dropout")
    driver.wait_for_figure(page)
    expect(page.locator(".scrub")).to_have_count(0)


def test_a_browser_that_cannot_draw_gets_the_figure(app: App, new_page: Callable[..., Page]):
    page = new_page(app)
    page.add_init_script(NO_CANVAS)
    page.goto(FUNCTION_DRAWS)
    driver.wait_for_figure(page)
    expect(page.locator(".scrub")).to_have_count(0)


def test_a_phone_is_sharp_and_reads_out_at_a_tap(app: App, new_page: Callable[..., Page]):
    page = new_page(app, viewport={"width": driver.PHONE, "height": 844}, has_touch=True, device_scale_factor=2)
    open_view(page)
    assert canvas(page).evaluate("(canvas) => canvas.width / canvas.clientWidth") == pytest.approx(2, abs=0.02)
    canvas(page).tap(position={"x": 200, "y": 100})
    expect(page.locator(".readout")).to_be_visible()


def test_reduced_motion_shows_no_transition(app: App, new_page: Callable[..., Page]):
    page = counted(new_page(app, viewport={"width": 1440, "height": 1150}, reduced_motion="reduce"))
    open_view(page)
    before = counts(page)
    driver.choose_scene(page, "high-dropout")
    assert since(page, before)["draws"] <= 8, "The picture moved from one fit to the next."
    driver.press(page, "step", wait=False)
    before = counts(page)
    driver.press(page, "step", wait=False)
    page.wait_for_timeout(500)
    assert 1 <= since(page, before)["draws"] <= 3
