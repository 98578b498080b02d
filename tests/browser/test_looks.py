"""How the pages look: on a phone and on a laptop, light and dark, nothing cut off, every tab and formula set."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from bdlviz.plots import theme
from bdlviz.plots.theme import rgb
from bdlviz.ui.places.routes import HOME, SECTIONS
from tests.browser.driver import LAPTOP, PHONE, main_picture, no_traceback, of_figure, open_page, press, wait_for_ground

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import App

# The list of lectures and the server's health have no picture; test_phone.py looks at them.
PLAIN = ("start/lecture", "results/status")
TITLES = {name: title for entries in SECTIONS.values() for name, title in entries if name not in PLAIN}
HEIGHT = 844

WIDER_THAN_THE_WINDOW = """() => ['html', '[data-testid="stMain"]']
  .filter((name) => { const box = document.querySelector(name); return box.scrollWidth > box.clientWidth + 1; })"""
CUT_OFF = """() => [...document.querySelectorAll('[data-testid="stMetric"] *, button *, label *')]
  .filter((box) => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== 'visible')
  .map((box) => box.textContent).filter((text) => text)"""
ROWS_OF_PANELS = """(plot, wanted) => {
  const tops = [...plot.querySelectorAll('.nsewdrag')].map((panel) => Math.round(panel.getBoundingClientRect().y));
  return new Set(tops).size === wanted || null;
}"""


def address(name: str) -> str:
    return "/" if name == HOME else "/" + name.split("/")[-1]


def assert_fits(page: Page, width: int) -> None:
    """Nothing sticks out of the window, and no word is cut off."""
    assert page.evaluate(WIDER_THAN_THE_WINDOW) == [], "The page scrolls sideways."
    assert page.evaluate(CUT_OFF) == []
    box = main_picture(page).bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= width


def ground(name: str) -> str:
    """The ground of a theme, as a browser says it."""
    return "rgb({}, {}, {})".format(*rgb(theme(name).paper))


@pytest.mark.parametrize("name", TITLES)
def test_a_page_fits_a_phone_in_the_dark(name: str, app: App, new_page: Callable[..., Page]):
    page = new_page(app, viewport={"width": PHONE, "height": HEIGHT}, color_scheme="dark")
    open_page(page, address(name))
    assert_fits(page, PHONE)
    wait_for_ground(page, ground("dark"))
    no_traceback(page)


@pytest.mark.parametrize("name", TITLES)
def test_a_page_and_its_tabs_fit_a_laptop(name: str, page: Page):
    open_page(page, address(name))
    expect(page).to_have_title("bdlviz" if name == HOME else f"{TITLES[name]} · bdlviz")
    assert_fits(page, LAPTOP)
    wait_for_ground(page, ground("light"))
    tabs = page.get_by_role("tab").all_inner_texts()
    assert "Equation" in tabs or page.get_by_role("button", name="Reset").count() == 0, "A page with controls has tabs."
    for tab in tabs:
        press(page, tab)
        assert_fits(page, LAPTOP)
        if tab == "Equation":
            expect(page.get_by_role("tabpanel", name=tab).locator(".katex-display").first).to_be_visible()
        expect(page.locator(".katex-error")).to_have_count(0)
        no_traceback(page)


def test_panels_stand_side_by_side_or_one_above_the_other(page: Page):
    open_page(page, "/effect_of_lambda")
    of_figure(page, ROWS_OF_PANELS, 1)
    page.set_viewport_size({"width": PHONE, "height": HEIGHT})
    of_figure(page, ROWS_OF_PANELS, 3)


def test_a_phone_gets_one_figure_for_its_width_at_once(app: App, new_page: Callable[..., Page]):
    phone = new_page(app, viewport={"width": PHONE, "height": HEIGHT}, user_agent="Android; Mobile")
    open_page(phone, "/effect_of_lambda", {"picture": "figure"})
    of_figure(phone, ROWS_OF_PANELS, 3)
    assert phone.evaluate("window.__asked") == 1
    laptop = new_page(app, viewport={"width": PHONE, "height": HEIGHT})  # a narrow window of what is no phone
    open_page(laptop, "/effect_of_lambda", {"picture": "figure"})
    of_figure(laptop, ROWS_OF_PANELS, 3)
    assert laptop.evaluate("window.__asked") == 2


def test_the_picture_follows_a_change_of_theme(page: Page):
    open_page(page)
    wait_for_ground(page, ground("light"))
    page.emulate_media(color_scheme="dark")
    wait_for_ground(page, ground("dark"))
