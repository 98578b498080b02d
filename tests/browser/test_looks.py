"""How pages look beyond their first state: every tab and formula, panels in a narrow window."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from bdlviz.ui.frame import tabs
from bdlviz.ui.places.routes import path_of
from tests.browser.conftest import App
from tests.browser.driver import PHONE, of_figure, open_page, open_tab
from tests.browser.faults import NAMES, PLAIN, misfits

HEIGHT = 844

ROWS_OF_PANELS = """(plot, wanted) => {
  const tops = [...plot.querySelectorAll('.nsewdrag')].map((panel) => Math.round(panel.getBoundingClientRect().y));
  return new Set(tops).size === wanted || null;
}"""


@pytest.mark.parametrize("name", [name for name in NAMES if name not in PLAIN])
def test_the_tabs_of_a_page_fit_a_laptop(name: str, page: Page):
    open_page(page, path_of(name))
    titles = page.get_by_role("tab").all_inner_texts()
    assert name == "start/home" or tabs.MATHS in titles or page.locator(".st-key-reset").count() == 0, "It has no tabs."
    for tab in titles:
        open_tab(page, tab)
        assert not misfits(page)
        if tab == tabs.MATHS:
            expect(page.get_by_role("tabpanel", name=tab).locator(".katex-display").first).to_be_visible()
        expect(page.locator(".katex-error")).to_have_count(0)


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
