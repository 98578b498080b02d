"""Long fits: shown while they train, stopped, cancelled, and scrubbed afterwards."""

from __future__ import annotations

import re
import sys
import time

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import driver
from tests.browser.conftest import App
from tests.patience import limit
from tests.ui.waiting import wait_until

FUNCTION_DRAWS = "/function_draws"
SECONDS_TO_REST = limit(30.0)  # less than what a long fit still needs
BUSY = 0.2  # processor seconds in a second


def stop_button(page: Page) -> Locator:
    """The page's own Stop; while a script runs, Streamlit's header has one too."""
    return page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True)


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
    page.get_by_text("Training", exact=True).first.click()
    driver.set_slider(page, "Steps", "Home", wait=False)
    expect(page).to_have_url(re.compile(r"num_steps=100\b"))
    driver.set_slider(page, "Learning rate", "Home", wait=False)
    expect(page).to_have_url(re.compile(r"learning_rate=1e-4\b"))
    expect(stop_button(page)).to_have_count(0)
    driver.wait_until_idle(page)
    driver.main_picture(page)
    expect(page.get_by_test_id("stMetric").first).to_be_visible()  # only a whole fit has its numbers
    assert_nothing_trains(app)


@pytest.mark.first
def test_stop_keeps_the_picture(page: Page, app: App):
    driver.start_long_fit(page, seed=2)
    stop_button(page).click()
    expect(page.get_by_text(re.compile(r"Stopped after [1-9][\d,]* of 20,000 steps"))).to_be_visible()
    driver.wait_until_idle(page)
    driver.main_picture(page)
    assert_nothing_trains(app)
    expect(page.get_by_role("button", name="Train again")).to_be_visible()


def test_leaving_the_page_cancels_the_fit(page: Page, app: App):
    driver.start_long_fit(page, seed=3)
    page.get_by_test_id("stHeader").get_by_text("Home", exact=True).click()
    expect(page).to_have_title("bdlviz")
    driver.wait_until_idle(page)
    assert_nothing_trains(app)


def test_training_can_be_scrubbed_afterwards(page: Page):
    driver.open_page(page, FUNCTION_DRAWS, {"num_steps": 500, "picture": "figure"})
    page.get_by_text("Watch it train").click()
    expect(page.get_by_role("slider", name="Training step")).to_be_visible()
    driver.wait_until_idle(page)
    end = driver.picture(driver.wait_for_figure(page))
    driver.set_slider(page, "Training step", "Home")
    driver.wait_for_picture(driver.wait_for_figure(page), other_than=end)
    driver.choose_detail(page, "Training")
    driver.wait_for_figure(page)
