"""axe on every page, light and dark: nothing that it calls serious or critical.

The rules are those of WCAG 2.0, 2.1 and 2.2, levels A and AA; no rule and no element is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import axe_playwright_python
import pytest

from bdlviz.ui.places.routes import SECTIONS, path_of
from tests.browser.driver import LAPTOP, main_picture, open_page, press

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import App

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
NAMES = [name for entries in SECTIONS.values() for name, _ in entries]
WITH_TABS = ("regression/function_draws", "regression/effect_of_lambda", "generative/autoencoder")
STATES = (
    ("effect_of_lambda", {"present": "1"}),
    ("variational_or_mcmc", {"present": "1"}),
    ("function_draws", {"lecture": "one_story", "step": "3"}),
    ("effect_of_lambda", {"scene": "too-large-lambda"}),
    ("effect_of_lambda", {"hide": "nonsense"}),
)

FINDINGS = """() => axe.run(document, {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'],
}).then(({ violations }) => violations
  .filter(({ impact }) => ['serious', 'critical'].includes(impact))
  .flatMap(({ id, impact, nodes }) => nodes.map(({ target, html, failureSummary }) =>
    `${id} (${impact}) at ${target.flat().join(' ')}: ${html.slice(0, 300)}. ${failureSummary}`)))"""


@pytest.fixture(params=["light", "dark"])
def window(request: pytest.FixtureRequest, app: App, new_page: Callable[..., Page]) -> Page:
    """One window for all pages, in one theme; axe keeps to a page, so it comes along to each."""
    page = new_page(app, viewport={"width": LAPTOP, "height": 900}, color_scheme=request.param)
    page.add_init_script(AXE)
    return page


def test_axe_finds_nothing_serious_on_any_page(window: Page):
    found = {}
    for name in NAMES:
        open_page(window, path_of(name))
        found[name] = window.evaluate(FINDINGS)
    assert not any(found.values()), "\n".join(f"{name}: {each}" for name in found for each in found[name])


def test_axe_finds_nothing_serious_in_any_tab(window: Page):
    found = {}
    for name in WITH_TABS:
        open_page(window, path_of(name))
        for tab in window.get_by_role("tab").all_inner_texts():
            press(window, tab)
            found[name, tab] = window.evaluate(FINDINGS)
    assert not any(found.values()), "\n".join(f"{place}: {each}" for place in found for each in found[place])


def test_axe_finds_nothing_serious_before_a_room_or_a_question(window: Page):
    found = {}
    for path, query in STATES:
        open_page(window, path, query)
        found[path, *query] = window.evaluate(FINDINGS)
    assert not any(found.values()), "\n".join(f"{place}: {each}" for place in found for each in found[place])


def test_axe_finds_what_it_should(page: Page):
    page.add_init_script(AXE)
    open_page(page, path_of("generative/decode"))
    main_picture(page)
    assert page.evaluate(FINDINGS) == []
    page.locator(".scrub canvas").last.evaluate("(canvas) => canvas.removeAttribute('aria-label')")
    page.get_by_test_id("stCaptionContainer").first.evaluate("(caption) => { caption.style.opacity = 0.5; }")
    kinds = {finding.split(" ")[0] for finding in page.evaluate(FINDINGS)}
    assert kinds == {"role-img-alt", "color-contrast"}
