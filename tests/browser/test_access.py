"""axe on tabs, in presenter mode, in a lecture and before a question, in both themes; and it finds what it should."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from bdlviz.ui.places.routes import path_of
from tests.browser.conftest import App
from tests.browser.driver import LAPTOP, main_picture, open_page, open_tab
from tests.browser.faults import AXE, axe_findings

WITH_TABS = ("regression/function_draws", "regression/effect_of_lambda", "generative/autoencoder")
STATES = (
    ("effect_of_lambda", {"present": "1"}),
    ("variational_or_mcmc", {"present": "1"}),
    ("function_draws", {"lecture": "one_story", "step": "3"}),
    ("effect_of_lambda", {"scene": "too-large-lambda"}),
    ("effect_of_lambda", {"hide": "nonsense"}),
)


@pytest.fixture(params=["light", "dark"])
def window(request: pytest.FixtureRequest, app: App, new_page: Callable[..., Page]) -> Page:
    """One window for all pages, in one theme; axe keeps to a page, so it comes along to each."""
    page = new_page(app, viewport={"width": LAPTOP, "height": 900}, color_scheme=request.param)
    page.add_init_script(AXE)
    return page


def test_axe_finds_nothing_serious(window: Page):
    """In every tab of some pages, in presenter mode, in a lecture, before a question and beside a warning."""
    found = {}
    for name in WITH_TABS:
        open_page(window, path_of(name))
        for tab in window.get_by_role("tab").all_inner_texts():
            open_tab(window, tab)
            found[name, tab] = axe_findings(window)
    for path, query in STATES:
        open_page(window, path, query)
        found[path, *query] = axe_findings(window)
    assert not any(found.values()), "\n".join(f"{place}: {each}" for place in found for each in found[place])


def test_axe_reports_known_faults(page: Page):
    page.add_init_script(AXE)
    open_page(page, path_of("generative/decode"))
    main_picture(page)
    assert axe_findings(page) == []
    page.locator(".scrub canvas").last.evaluate("(canvas) => canvas.removeAttribute('aria-label')")
    page.get_by_test_id("stCaptionContainer").first.evaluate("(caption) => { caption.style.opacity = 0.5; }")
    kinds = {finding.split(" ")[0] for finding in axe_findings(page)}
    assert kinds == {"role-img-alt", "color-contrast"}
