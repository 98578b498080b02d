"""What a visitor does with controls and links, and with fits that take their time."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from bdlviz.ui import link
from tests.browser.driver import (
    drag_slider,
    figure,
    no_traceback,
    open_page,
    picture,
    place_of_point,
    press,
    set_slider,
    slider_value,
    wait_for_figure,
    wait_until_idle,
)

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.browser.conftest import App

FUNCTION_DRAWS = "/function_draws"
A_MOMENT = 1000 * link.IN_FLIGHT + 200  # milliseconds before a person presses Back
# Off the shipped grid; a first look within seconds, an end only after more than a minute.
LONG = {"width": 256, "depth": 5, "num_steps": 20000}


def test_releasing_a_slider_changes_picture_and_address(page: Page):
    open_page(page, FUNCTION_DRAWS)
    before, axes = picture(wait_for_figure(page)), figure(page)["y_range"]
    drag_slider(page, "Dropout rate", 0.75)
    value = slider_value(page, "Dropout rate")
    expect(page).to_have_url(re.compile(rf"\?dropout_rate={value}$"))
    assert picture(wait_for_figure(page)) != before
    assert figure(page)["y_range"] == axes
    no_traceback(page)


def test_reload_keeps_every_kind_of_control(page: Page):
    chosen = {"method": "deep_ensemble", "weight_decay": "0.01", "follows": "length_scale", "data": "two_clusters"}
    open_page(page, FUNCTION_DRAWS, chosen)
    set_slider(page, "Members", "Home")
    address, shown = page.url, picture(wait_for_figure(page))
    assert "data=two_clusters" in address and "num_members=2" in address
    page.reload()
    wait_until_idle(page)
    assert page.url == address
    assert slider_value(page, "Members") == "2" and slider_value(page, "Weight decay") == "0.01"
    assert picture(wait_for_figure(page)) == shown


def test_back_restores_what_was_shown_before(page: Page):
    open_page(page, FUNCTION_DRAWS)
    first = picture(wait_for_figure(page))
    set_slider(page, "Dropout rate", "Home")
    second = picture(wait_for_figure(page))
    press(page, "A gap in the data")
    expect(page).to_have_url(re.compile(r"\?data=two_clusters$"))
    for address, shown, value in ((r"\?dropout_rate=0$", second, "0"), (r"function_draws$", first, "0.1")):
        page.wait_for_timeout(A_MOMENT)
        page.go_back()
        expect(page).to_have_url(re.compile(address))
        wait_until_idle(page)
        assert slider_value(page, "Dropout rate") == value
        assert picture(wait_for_figure(page)) == shown
    no_traceback(page)


def test_a_page_that_was_left_is_found_again_as_it_was(page: Page):
    open_page(page, FUNCTION_DRAWS, {"dropout_rate": "0.5"})
    for section, name in (("Generative", "Learned manifold"), ("Regression", "Function draws")):
        page.get_by_test_id("stHeader").get_by_text(section, exact=True).click()
        page.get_by_role("link", name=name).or_(page.get_by_text(name, exact=True)).last.click()
        expect(page).to_have_title(f"{name} · bdlviz")
        wait_until_idle(page)
        wait_for_figure(page)
    assert slider_value(page, "Dropout rate") == "0.5"
    expect(page).to_have_url(re.compile(r"/function_draws\?dropout_rate=0\.5$"))


def test_a_scene_sets_controls_and_address_and_reset_undoes_it(page: Page):
    open_page(page, FUNCTION_DRAWS)
    press(page, "Dropout 0.5")
    assert slider_value(page, "Dropout rate") == "0.5"
    expect(page).to_have_url(re.compile(r"\?dropout_rate=0\.5$"))
    expect(page.get_by_text("More functions survive")).to_be_visible()
    press(page, "Reset")
    assert slider_value(page, "Dropout rate") == "0.1"
    expect(page).to_have_url(re.compile(r"/function_draws$"))
    open_page(page, FUNCTION_DRAWS, {"scene": "high-dropout"})
    assert slider_value(page, "Dropout rate") == "0.5"
    expect(page).to_have_url(re.compile(r"\?dropout_rate=0\.5$"))


def test_a_click_on_the_held_out_curve_chooses_its_weight_decay(page: Page):
    open_page(page, "/effect_of_lambda")
    before = picture(wait_for_figure(page))
    page.mouse.click(*place_of_point(page, "Mean of 3 seeds", 4, index=1))
    expect(page).to_have_url(re.compile(r"\?weight_decay=1e-6$"))
    wait_until_idle(page)
    assert picture(wait_for_figure(page)) != before
    no_traceback(page)


def stop_button(page: Page) -> Locator:
    """The page's own Stop; while a script runs, Streamlit's header has one too."""
    return page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True)


def start_long_fit(page: Page) -> None:
    """Open the page on a fit that takes a minute, and wait until it shows how far it is. It never rests meanwhile."""
    page.goto(f"{FUNCTION_DRAWS}?{urlencode(LONG)}")
    expect(page.get_by_text(re.compile(r"Step [\d,]+ of 20,000"))).to_be_visible()
    expect(stop_button(page)).to_be_visible()
    wait_for_figure(page)


def processor_seconds(app: App) -> float:
    """Processor time that the server has used so far."""
    fields = Path(f"/proc/{app.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def assert_nothing_trains(page: Page, app: App) -> None:
    """No thread of the server is busy any more."""
    if sys.platform == "linux":
        before = processor_seconds(app)
        page.wait_for_timeout(1500)
        assert processor_seconds(app) - before < 0.3, "The abandoned fit still runs."


@pytest.mark.parametrize("moved", ["Dropout rate", "Steps"])
def test_moving_a_slider_cancels_the_fit_under_way(page: Page, app: App, moved: str):
    start_long_fit(page)
    page.get_by_text("Training", exact=True).first.click()
    shown = picture(wait_for_figure(page))
    set_slider(page, "Steps", "Home", wait=False)
    expect(page).to_have_url(re.compile("num_steps=100&|num_steps=100$"))
    if moved == "Dropout rate":
        set_slider(page, moved, "Home", wait=False)
        expect(page).to_have_url(re.compile("dropout_rate=0&"))
    expect(stop_button(page)).to_have_count(0)
    wait_until_idle(page)
    assert picture(wait_for_figure(page)) != shown
    assert_nothing_trains(page, app)
    no_traceback(page)


def test_watching_it_train_and_stopping(page: Page, app: App):
    start_long_fit(page)
    stop_button(page).click()
    expect(page.get_by_text(re.compile(r"Stopped after [\d,]+ of 20,000 steps"))).to_be_visible()
    wait_until_idle(page)
    wait_for_figure(page)
    assert_nothing_trains(page, app)
    expect(page.get_by_role("button", name="Train again")).to_be_visible()
    no_traceback(page)


def test_leaving_the_page_cancels_the_fit(page: Page, app: App):
    start_long_fit(page)
    page.get_by_test_id("stHeader").get_by_text("Home", exact=True).click()
    expect(page).to_have_title("bdlviz")
    wait_until_idle(page)
    assert_nothing_trains(page, app)


def test_training_can_be_scrubbed_afterwards(page: Page):
    open_page(page, FUNCTION_DRAWS, {"num_steps": 500})
    page.get_by_text("Watch it train").click()
    expect(page.get_by_role("slider", name="Training step")).to_be_visible()
    wait_until_idle(page)
    end = picture(wait_for_figure(page))
    set_slider(page, "Training step", "Home")
    assert picture(wait_for_figure(page)) != end
    press(page, "Training")
    wait_for_figure(page, 1)
    no_traceback(page)
