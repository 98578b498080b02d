"""The playground in a real browser: points while it trains, the link, and no run of the server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import driver
from tests.browser.conftest import App

# The number called NAME of the view, which stands in a shadow root; 0 while it is not there.
NUMBER = """(() => {
  const find = (root) => root.querySelector('.playground')
    ?? [...root.querySelectorAll('*')].map((each) => each.shadowRoot && find(each.shadowRoot)).find(Boolean);
  return Number(find(document)?.dataset.NAME ?? 0);
})()"""
STEP, SETS = NUMBER.replace("NAME", "step"), NUMBER.replace("NAME", "sets")
CANVAS = ".playground canvas"
METHOD = ".playground .primary select"


def menu_with(page: Page, option: str) -> Locator:
    """Find the menu that has this option, among those above the picture."""
    return page.locator(f".playground .top select:has(option[value='{option}'])")


def points(page: Page) -> list[list[float]]:
    """The points in the address."""
    text = page.evaluate("location.hash.match(/points=([^&]*)/)?.[1] ?? ''")
    return [[float(value) for value in point.split(",")] for point in text.split(";") if point]


def open_playground(page: Page, link: str = "") -> Any:
    driver.open_page(page, f"playground{link}")
    page.wait_for_function(f"() => {SETS} > 0 && {STEP} > 0")
    return driver.box_of(page.locator(CANVAS).first)


def press_rare(page: Page, key: str) -> None:
    """Click a button that stands under "More settings and tools"."""
    if not driver.button(page, key).is_visible():
        page.locator(".playground .more > summary").click()
    driver.press(page, key, wait=False)


def place(box: Any, x: float, y: float) -> tuple[float, float]:
    """The pixels of data coordinates on the usual axes; margins as in side.js."""
    left, right, top, bottom = box["x"] + 52, box["x"] + box["width"] - 10, box["y"] + 8, box["y"] + box["height"] - 40
    return left + (x + 10) / 20 * (right - left), bottom - (y + 10) / 20 * (bottom - top)


def test_points_while_it_trains_and_the_link(page: Page):
    box = open_playground(page)
    asked = page.evaluate("window.__asked ?? 0")
    page.mouse.click(*place(box, 8, 6))
    page.wait_for_function("() => location.hash.includes('points=')")
    assert len(points(page)) == 7
    page.mouse.move(*place(box, 8, 6))
    page.mouse.down()
    page.mouse.move(*place(box, 8, 0), steps=5)
    page.mouse.move(*place(box, 8, -5), steps=5)
    page.mouse.up()
    page.wait_for_timeout(600)
    assert abs(points(page)[-1][0] - 8) < 0.2 and abs(points(page)[-1][1] + 5) < 0.2
    expect(page.locator(".st-key-says p")).to_contain_text("(8")  # from where it was moved
    page.mouse.click(*place(box, 3.5, 0.5), button="right")
    page.wait_for_timeout(600)
    left = points(page)
    assert len(left) == 6 and [3.5, 0.5] not in left
    before = page.evaluate(STEP)
    page.wait_for_function(f"() => {STEP} > {before}")
    assert page.evaluate("window.__asked ?? 0") == asked  # the server was asked for no run
    link = page.evaluate("location.hash")
    page.goto("about:blank")
    open_playground(page, link)
    assert points(page) == left
    driver.press(page, "clear", wait=False)
    page.wait_for_function("() => location.hash.endsWith('points=')")


def test_all_is_in_the_window_and_stays_where_it_is(app: App, new_page: Callable[..., Page]):
    """Also when the method and the sentence change."""
    page = new_page(app, viewport={"width": 1280, "height": 720})
    open_playground(page)
    rows = page.locator(".playground :is(.legend, .primary, .more > summary)")
    places = [driver.box_of(row) for row in rows.all()]
    assert max(box["y"] + box["height"] for box in places) <= 720
    first = page.locator(".st-key-says p").inner_text()
    for method in ("gaussian_process", "mc_dropout"):
        page.locator(METHOD).select_option(method)
        expect(page.locator(".st-key-says p")).not_to_have_text(first)
        assert [driver.box_of(row) for row in rows.all()] == places


@pytest.mark.parametrize("height", [720, 1080])
def test_a_room_sees_a_large_picture_above_one_row(app: App, new_page: Callable[..., Page], height: int):
    page = new_page(app, viewport={"width": height * 16 // 9, "height": height})
    box = open_playground(page, "?present=1")
    bar = driver.box_of(page.locator(".st-key-lecture"))
    assert box["height"] >= 0.65 * height
    row = driver.box_of(page.locator(".playground .primary"))
    assert box["y"] + box["height"] <= row["y"] and row["y"] + row["height"] <= bar["y"]
    assert page.locator(".playground .primary input").count() == 1


def test_the_keyboard_moves_and_removes(page: Page):
    open_playground(page, "#points=0,0;4,4")
    page.locator(CANVAS).first.focus()
    for key in ("PageDown", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    page.wait_for_function("() => location.hash.includes('0.4,0.4')")
    page.keyboard.press("Delete")
    page.wait_for_function("() => location.hash.endsWith('points=4,4')")
    page.keyboard.press("Control+z")
    page.wait_for_function("() => location.hash.includes('0.4,0.4')")


def test_divergence_is_said_and_reset_goes_on(page: Page):
    driver.open_page(page, "playground#method=sgld&step_size=10")
    problem = page.locator(".playground .problem")
    expect(problem).to_be_visible()
    page.locator(METHOD).select_option("deep_ensemble")
    problem.get_by_role("button").click()
    expect(problem).to_be_hidden()
    before = page.evaluate(STEP)
    page.wait_for_function(f"() => {STEP} !== {before}")


def test_a_hidden_tab_pauses(page: Page):
    open_playground(page)
    show = "document.dispatchEvent(new Event('visibilitychange'))"
    page.evaluate(
        f"Object.defineProperty(document, 'visibilityState', {{ value: 'hidden', configurable: true }}); {show}"
    )
    page.wait_for_timeout(500)
    paused = page.evaluate(STEP)
    page.wait_for_timeout(500)
    assert page.evaluate(STEP) == paused
    page.evaluate(f"delete document.visibilityState; {show}")
    page.wait_for_function(f"() => {STEP} > {paused}")


def test_reduced_motion_starts_paused_and_a_change_is_trained(app: App, new_page: Callable[..., Page]):
    page = new_page(app, reduced_motion="reduce")
    driver.open_page(page, "playground")
    page.wait_for_function(f"() => {SETS} > 0")
    page.wait_for_timeout(500)
    opened = page.evaluate(STEP)
    assert opened >= 100, "The first picture is that of a network that has learnt something."
    press_rare(page, "step")
    page.wait_for_function(f"() => {STEP} === {opened + 1}")
    driver.set_slider(page, "weight_decay", "ArrowRight", wait=False)
    page.wait_for_function(f"() => {STEP} > {opened + 20}")
    driver.press(page, "play", wait=False)  # it pauses
    page.wait_for_timeout(500)
    paused = page.evaluate(STEP)
    driver.set_slider(page, "weight_decay", "ArrowRight", wait=False)
    page.wait_for_timeout(500)
    assert page.evaluate(STEP) == paused, "A change does not end a pause that the visitor has asked for."


def test_a_table_opens_on_axes_around_it_and_undo_goes_back(page: Page):
    open_playground(page)
    press_rare(page, "table")
    drawer = page.locator(".playground .drawer")
    text = drawer.locator("textarea")
    text.fill("x,y\n0,1\n0.5")
    drawer.locator("button").click()
    expect(drawer.get_by_role("status")).to_contain_text("3")  # the line that is no point
    assert "axes=" not in page.url
    text.fill("x,y\n0,1\n0.5,2\n1,-1")
    drawer.locator("button").click()
    page.wait_for_function("() => location.hash.endsWith('axes=-0.25,1.25,-1.75,2.75&points=0,1;0.5,2;1,-1')")
    driver.press(page, "undo", wait=False)
    page.wait_for_function("() => location.hash === ''")


def test_the_exported_page_trains_without_a_server(page: Page, tmp_path: Path):
    open_playground(page, "#method=map&points=1,2;3,4")
    press_rare(page, "export")
    with page.expect_download() as download:
        page.locator(".playground .drawer button").last.click()
    saved = tmp_path / "playground.html"
    download.value.save_as(saved)
    page.goto(saved.as_uri())
    page.wait_for_function(f"() => {SETS} > 0 && {STEP} > 20")
    expect(page.locator(METHOD)).to_have_value("map")


def test_classes_maps_and_a_broken_link(page: Page):
    open_playground(page, "#task=classification&method=nonsense")
    expect(page.locator(".playground > .words")).to_contain_text("method")  # what could not be read
    for name in ("entropy", "information"):
        menu_with(page, "entropy").select_option(name)
    menu_with(page, "2").select_option("2")
    box = driver.box_of(page.locator(CANVAS).first)
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.1 * box["height"])
    page.wait_for_function("() => location.hash.includes(',2')")
    sets = page.evaluate(SETS)
    page.wait_for_function(f"() => {SETS} > {sets} + 3")


def test_the_server_fits_the_same_setting(page: Page):
    page.add_init_script("addEventListener('bdlviz-playground-answer', ({ detail }) => { window.__answer = detail; })")
    open_playground(page, "#method=map&width=8")
    press_rare(page, "fit")
    page.wait_for_function("() => window.__answer?.mean.length > 0 && location.hash === `#${window.__answer.of}`")


def test_the_content_policy_lets_a_worker_compile_webassembly(page: Page):
    """Otherwise networks would train in plain JavaScript, a third as fast (docs/live.md)."""
    driver.open_page(page, "playground")
    program = """() => new Promise((resolve) => {
      const text = `try { new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)); postMessage(true); }
        catch (error) { postMessage(String(error)); }`;
      new Worker(URL.createObjectURL(new Blob([text]))).onmessage = ({ data }) => resolve(data);
    })"""
    assert page.evaluate(program) is True
