"""Long fits: shown while they train, stopped, cancelled, and scrubbed afterwards."""

from __future__ import annotations

import re
import sys
import time

import pytest
from playwright.sync_api import Locator, Page, expect

from bdlviz.topics.shared import draw_inspector
from bdlviz.ui.places.routes import HOME
from tests.browser import driver, faults
from tests.browser.conftest import App
from tests.patience import limit
from tests.ui.waiting import wait_until

FUNCTION_DRAWS = "/function_draws"
SECONDS_TO_REST = limit(30.0)  # less than what a long fit still needs
BUSY = 0.2  # processor seconds in a second


def stop_button(page: Page) -> Locator:
    """The button that stops the fit."""
    return driver.button(page, "stop_fit")


def load(app: App) -> float:
    """Processor seconds that the server uses in a second from now."""
    before, start = app.processor_seconds(), time.monotonic()
    time.sleep(1.0)
    used = sum(seconds - before.get(process, 0.0) for process, seconds in app.processor_seconds().items())
    return used / (time.monotonic() - start)


def assert_nothing_trains(app: App) -> None:
    """The server soon has nothing to do any more."""
    if sys.platform == "linux":
        wait_until(lambda: load(app) <= BUSY, "The abandoned fit still trains.", SECONDS_TO_REST)


def test_moving_sliders_cancels_the_fit_under_way(page: Page, app: App):
    driver.start_long_fit(page, seed=1)
    driver.keyed(page, "num_steps").first.evaluate(driver.OPEN_AROUND)  # the page does not rest while a fit trains
    driver.set_slider(page, "num_steps", "Home", wait=False)
    expect(page).to_have_url(re.compile(r"num_steps=100\b"))
    driver.set_slider(page, "learning_rate", "Home", wait=False)
    expect(page).to_have_url(re.compile(r"learning_rate=1e-4\b"))
    expect(stop_button(page)).to_have_count(0)
    driver.wait_until_idle(page)
    driver.main_picture(page)
    expect(page.get_by_test_id("stMetric").first).to_be_visible()  # only a whole fit has its numbers
    assert_nothing_trains(app)


@pytest.mark.first
def test_stop_keeps_the_picture(page: Page, app: App):
    driver.start_long_fit(page, seed=2)
    driver.main_picture(page)  # of the unfinished fit
    stop_button(page).click()
    stopped = page.locator(".st-key-stopped")
    expect(stopped).to_contain_text(f"{driver.LONG['num_steps']:,}")
    driver.wait_until_idle(page)
    done, of = (int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", stopped.inner_text()))
    assert 0 < done < of
    driver.main_picture(page)
    assert_nothing_trains(app)
    expect(stopped.get_by_role("button")).to_be_visible()  # trains again


def test_leaving_the_page_cancels_the_fit(page: Page, app: App):
    driver.start_long_fit(page, seed=3)
    driver.go_to(page, HOME)
    expect(page).to_have_title(faults.title(HOME))
    assert_nothing_trains(app)


def test_training_can_be_scrubbed_afterwards(page: Page):
    driver.open_page(page, FUNCTION_DRAWS, {"num_steps": 500, "picture": "figure"})
    page.locator(f".st-key-{draw_inspector.WATCH} label").first.click()
    expect(driver.slider(page, draw_inspector.STEP)).to_be_visible()
    driver.wait_until_idle(page)
    end = driver.picture(driver.wait_for_figure(page))
    driver.set_slider(page, draw_inspector.STEP, "Home")
    driver.wait_for_picture(driver.wait_for_figure(page), other_than=end)
    driver.choose_picture(page, "training_picture")
    driver.wait_for_figure(page)
