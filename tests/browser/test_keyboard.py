"""Without a mouse: every page is reached, menus, scenes, sliders and tabs answer, and a link skips to the picture."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from bdlviz.ui.frame import tabs
from bdlviz.ui.frame.access import SKIP
from bdlviz.ui.places.routes import SECTIONS, path_of
from tests.browser.driver import open_page, slider_value, wait_until_idle
from tests.browser.faults import NAMES, tab_into, tab_through

MENUS = [section for section in SECTIONS if section]


def tab_to(page: Page, name: str) -> None:
    """Press Tab until what begins with this name has the focus."""
    assert any(found["name"].startswith(name) for found in tab_through(page)), f"Tab never comes to {name}."


def test_every_page_is_reached_from_the_first_one(page: Page):
    open_page(page)
    reached = {found["href"] for found in tab_through(page)}
    for section in MENUS:
        tab_to(page, section)
        page.keyboard.press("Enter")  # opens the menu and enters it; arrow keys go on
        expect(page.get_by_role("menuitem").first).to_be_focused()
        for _ in SECTIONS[section]:
            reached.add(page.evaluate("document.activeElement.href"))
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Escape")
        expect(page.get_by_role("menuitem")).to_have_count(0)
    paths = {urlsplit(address).path.strip("/") for address in reached if address}
    assert {path_of(name) for name in NAMES} <= paths


def test_scene_slider_and_tabs_without_a_mouse(page: Page):
    open_page(page, "/effect_of_lambda")
    tab_into(page, "scene_too-small-lambda")
    page.keyboard.press("Space")
    wait_until_idle(page)
    assert "weight_decay=" in page.url
    tab_into(page, "dropout_rate")
    before = slider_value(page, "dropout_rate")
    page.keyboard.press("ArrowRight")
    wait_until_idle(page)
    assert slider_value(page, "dropout_rate") != before and "dropout_rate=" in page.url
    tab_to(page, tabs.EXPLAIN)
    page.keyboard.press("ArrowRight")
    wait_until_idle(page)
    assert page.get_by_role("tab", selected=True).inner_text() != tabs.EXPLAIN


def test_a_link_skips_to_the_picture(page: Page):
    open_page(page, "/function_draws")
    tab_to(page, SKIP)
    expect(page.get_by_role("link", name=SKIP)).to_be_in_viewport()
    page.keyboard.press("Enter")
    assert "#" not in page.url
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    first = page.locator(".scrub .tools button").first
    assert first.evaluate("(button) => button === button.getRootNode().activeElement")
