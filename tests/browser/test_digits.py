"""MC dropout on digits in a real browser: pick a digit, go along a course, select on the plane, draw one's own."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from bdlviz.topics.digits.mc_dropout import views_plane
from tests.browser import driver
from tests.browser.conftest import App

PATH = "/mc_dropout"
SMALL = {"images": "digits"}


def drawn_digit(page: Page) -> str | None:
    """Which image of the chosen digit the page shows."""
    return page.locator(".st-key-frame img").first.get_attribute("src")


def click(page: Page, trace: str, point: int, height: float | None = None) -> None:
    """Click a point of a trace; at this share of its figure's height, where it is in a lower panel."""
    plots = page.locator(f"{driver.OWN_FIGURE}:visible")
    index = next(
        index
        for index in range(plots.count())
        if trace in [each["name"] for each in driver.figure(page, index)["traces"]]
    )
    plot = plots.nth(index)
    plot.scroll_into_view_if_needed()
    x, y = driver.place_of_point(page, trace, point, index)
    if height is not None:
        box = driver.box_of(plot)
        y = box["y"] + height * box["height"]
    driver.click_in_figure(page, x, y)


def test_a_click_on_a_picture_shows_that_digit(page: Page):
    driver.open_page(page, PATH, SMALL)
    driver.main_picture(page)
    before = drawn_digit(page)
    click(page, "pictures", 5)
    expect(page).to_have_url(re.compile(r"digit=\d+"))
    driver.wait_until_idle(page)
    assert drawn_digit(page) != before


def test_a_click_on_a_step_moves_the_slider(page: Page):
    driver.open_page(page, PATH, SMALL | {"change": "rotate"})
    click(page, "steps", 12, height=0.8)
    expect(page).to_have_url(re.compile("angle=120"))


def test_a_box_on_the_plane_shows_its_digits(page: Page):
    driver.open_page(page, PATH, SMALL)
    driver.choose_picture(page, views_plane.KEY)
    driver.wait_for_figure(page).scroll_into_view_if_needed()
    x, y = driver.place_in_figure(page, 0.3, 0.1)
    end_x, end_y = driver.place_in_figure(page, 1.2, 0.45)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(end_x, end_y, steps=8)
    page.mouse.up()
    selected = page.locator(f".st-key-{views_plane.PICKED}")
    expect(selected).to_be_visible()
    driver.wait_until_idle(page)


def test_a_drawn_digit_goes_to_the_main_picture_on_a_phone_in_the_dark(app: App, new_page: Callable[..., Page]):
    page = new_page(app, viewport={"width": driver.PHONE, "height": 844}, color_scheme="dark")
    driver.open_page(page, PATH, SMALL)
    page.locator(".st-key-draw_own button:visible").first.click()
    driver.wait_until_idle(page)
    before = page.locator(".st-key-frame img").count()
    driver.draw_a_stroke(page)
    expect(page).to_have_url(re.compile("digit=own"))
    expect(page.locator(".st-key-frame img")).to_have_count(before + 1)
