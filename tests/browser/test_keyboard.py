"""Without a mouse: every page and everything on it can be reached, one always sees where one is, and nothing traps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from bdlviz.ui.frame.access import SKIP
from bdlviz.ui.places.routes import SECTIONS, path_of
from tests.browser.driver import open_page, slider_value, wait_until_idle

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = [name for entries in SECTIONS.values() for name, _ in entries]
MENUS = [section for section in SECTIONS if section]
MOST_TABS = 200  # presses after which a page counts as a trap

# Everything that a mouse could press, and what shows that it has the focus. Of buttons of which one is chosen, and of
# tabs, the keyboard reaches one and arrow keys the others; a part of a control that is out of the order of Tab
# (tabindex -1) belongs to a neighbour which is in it.
PREPARE = """() => {
  const within = (root) => [...root.querySelectorAll('*')]
    .flatMap((each) => (each.shadowRoot ? [each, ...within(each.shadowRoot)] : [each]));
  const kinds = 'a[href], button, input, select, textarea, summary, .scrub canvas[tabindex], [role="tab"]';
  const group = (element) => element.closest('[role="tablist"], [data-testid="stButtonGroup"]');
  const isSeen = (element) => (element.closest('label') ?? element.parentElement).checkVisibility()
    && element.checkVisibility() && !element.closest('[data-testid="stSidebar"]');
  const isUnseen = (element) => element.matches('input')
    && (element.parentElement.clientWidth <= 1 || getComputedStyle(element).opacity === '0');
  const parent = (element) => element.parentElement ?? element.getRootNode().host;
  const look = (element) => {
    const style = getComputedStyle(element);
    return [style.outlineStyle === 'none' ? '' : style.outline, style.boxShadow, style.borderColor].join(' / ');
  };
  const shown = (element) => {
    const looks = isUnseen(element) ? [] : [look(element)];
    let around = element;
    for (let step = 0; step < 3 && parent(around); step += 1) looks.push(look(around = parent(around)));
    for (const each of parent(element).children) if (each !== element) looks.push(look(each)); // what stands for it
    return looks.join(' | ');
  };
  const name = (element) => (element.matches('main') ? 'main' : null) ?? element.getAttribute('aria-label')
    ?? (element.textContent.trim().slice(0, 60) || element.outerHTML.slice(0, 120));
  const focused = () => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element === document.body ? null : element;
  };
  const wanted = within(document).filter((each) => each.matches(kinds) && !each.disabled && isSeen(each));
  window.__keyboard = { wanted, group, shown, name, focused, visited: new Map() };
  document.body.tabIndex = -1; // Tab goes on from where the focus was last: let that be the beginning
  document.body.focus();
  document.body.removeAttribute('tabindex');
}"""

# One press of Tab later: what has the focus, or null once it has left the page or come round. In a table, Tab goes
# from cell to cell and the table keeps the focus.
NOTE = """() => {
  const { focused, shown, visited, name } = window.__keyboard;
  const element = focused();
  if (!element || (visited.has(element) && element !== [...visited.keys()].at(-1))) return null;
  visited.set(element, shown(element));
  return { name: name(element), href: element.href ?? null, tag: element.tagName };
}"""

MISSED = """() => {
  const { wanted, group, visited, name } = window.__keyboard;
  const groups = new Set([...visited.keys()].map(group));
  return wanted.filter((each) => each.isConnected && !visited.has(each))
    .filter((each) => (group(each) ? !groups.has(group(each)) : each.tabIndex >= 0))
    .map(name);
}"""

WITHOUT_RING = """() => {
  const { shown, visited, name, focused } = window.__keyboard;
  focused()?.blur();
  return [...visited].filter(([element, look]) => element.isConnected && shown(element) === look)
    .map(([element]) => name(element));
}"""


def tab_through(page: Page) -> Iterator[dict[str, Any]]:
    """Press Tab from the beginning of the page until it ends; what had the focus, one after the other."""
    page.evaluate(PREPARE)
    last = {}
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        found = page.evaluate(NOTE)
        if found is None:
            return
        last = found
        yield found
    raise AssertionError(f"Tab never leaves the page; it was last at {last}.")


def tab_to(page: Page, name: str) -> None:
    """Press Tab until what begins with this name has the focus."""
    assert any(found["name"].startswith(name) for found in tab_through(page)), f"Tab never comes to {name}."


@pytest.mark.parametrize("name", NAMES)
def test_tab_reaches_everything_and_shows_where_it_is(name: str, page: Page):
    open_page(page, path_of(name))
    found = list(tab_through(page))
    assert page.evaluate(MISSED) == [], f"Tab came to {[each['name'] for each in found]} only."
    assert page.evaluate(WITHOUT_RING) == [], "Nothing shows that these have the focus."


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


def test_a_door_and_a_menu_open_with_enter(page: Page):
    open_page(page)
    tab_to(page, "Function draws")
    page.keyboard.press("Enter")
    page.wait_for_url("**/function_draws*")
    wait_until_idle(page)
    tab_to(page, "Results")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.wait_for_url("**/scoreboard*")


def test_scene_slider_and_tabs_without_a_mouse(page: Page):
    open_page(page, "/effect_of_lambda")
    scene = page.locator('[class*="st-key-scene_"] button').first.inner_text()
    tab_to(page, scene)
    page.keyboard.press("Space")
    wait_until_idle(page)
    tab_to(page, "Dropout rate")
    before = slider_value(page, "Dropout rate")
    page.keyboard.press("ArrowRight")
    wait_until_idle(page)
    assert slider_value(page, "Dropout rate") != before and "dropout_rate=" in page.url
    tab_to(page, "Equation")
    page.keyboard.press("ArrowRight")
    wait_until_idle(page)
    assert page.get_by_role("tab", selected=True).inner_text() != "Equation"


def test_a_link_skips_to_the_picture(page: Page):
    open_page(page, "/function_draws")
    tab_to(page, SKIP)
    expect(page.get_by_role("link", name=SKIP)).to_be_in_viewport()
    page.keyboard.press("Enter")
    assert "#" not in page.url
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()  # "Play draws", the first button of the picture
