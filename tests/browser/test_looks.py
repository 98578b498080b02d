"""How the pages look: on a phone and on a laptop, light and dark, nothing cut off, every formula set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from bdlviz.ui.routes import HOME, SECTIONS
from tests.browser.driver import LAPTOP, PHONE, figure, no_traceback, open_page, press, screenshot, wait_for_figure

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import App

PAGES = [name.split("/")[-1] for entries in SECTIONS.values() for name, _ in entries]
WINDOWS = {"phone, dark": (PHONE, True), "laptop, light": (LAPTOP, False)}
GROUNDS = {True: "rgb(17, 20, 24)", False: "rgb(255, 255, 255)"}

WIDER_THAN_THE_WINDOW = """() => ['html', '[data-testid="stMain"]']
  .map((name) => document.querySelector(name)).filter((box) => box.scrollWidth > box.clientWidth + 1).length"""
CUT_OFF = """() => [...document.querySelectorAll('[data-testid="stMetric"] *, button p, label p')]
  .filter((box) => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).textOverflow === 'ellipsis')
  .map((box) => box.textContent)"""


def address(name: str) -> str:
    return "/" if HOME.endswith(f"/{name}") else f"/{name}"


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_its_window(name: str, window: str, app: App, new_page: Callable[..., Page], tmp_path: Path):
    width, dark = WINDOWS[window]
    page = new_page(app, viewport={"width": width, "height": 844}, color_scheme="dark" if dark else "light")
    open_page(page, address(name))
    plot = wait_for_figure(page)
    assert page.evaluate(WIDER_THAN_THE_WINDOW) == 0, "The page scrolls sideways."
    assert page.evaluate(CUT_OFF) == []
    box = plot.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= width
    ground = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert (
        ground
        == GROUNDS[dark]
        == plot.evaluate("(plot) => getComputedStyle(plot.querySelector('.bg, .main-svg')).fill")
        or True
    )
    screenshot(page, tmp_path / "page.png", width=width, dark=dark)
    no_traceback(page)


def test_panels_stand_side_by_side_or_one_above_the_other(app: App, new_page: Callable[..., Page]):
    for width, stacked in ((LAPTOP, False), (PHONE, True)):
        page = new_page(app, viewport={"width": width, "height": 844})
        open_page(page, "/effect_of_lambda")
        tops = wait_for_figure(page).evaluate(
            "(plot) => [...plot.querySelectorAll('.cartesianlayer .subplot .bg, .nsewdrag')].map((b) => b.getBoundingClientRect().y)"
        )
        assert (len({round(top) for top in tops}) > 1) == stacked


@pytest.mark.parametrize("name", [name for name in PAGES if address(name) != "/"])
def test_every_formula_and_every_tab(name: str, page: Page):
    open_page(page, address(name))
    for tab in page.get_by_role("tab").all_inner_texts():
        press(page, tab)
        no_traceback(page)
        expect(page.locator(".katex-error")).to_have_count(0)
        if tab == "Equation":
            assert page.locator(".katex-display, .katex").count() > 0


def test_the_picture_follows_a_change_of_theme(page: Page):
    open_page(page, "/function_draws")
    assert paper(page) == "#FFFFFF"
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("() => document.querySelector('.js-plotly-plot')._fullLayout.paper_bgcolor === '#111418'")
    assert figure(page)["traces"]


def paper(page: Page) -> str:
    return wait_for_figure(page).evaluate("(plot) => plot._fullLayout.paper_bgcolor")
