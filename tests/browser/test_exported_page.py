"""An exported page opened from disk, without a network: it draws, it reads, it asks for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from bdlviz.export import Content, page_html
from bdlviz.export.document import PRINTED
from tests.browser.conftest import new_context
from tests.browser.driver import box_of
from tests.export.examples import content, hostile

PHONE = {"width": 390, "height": 844}
DRAWN = "() => [...document.querySelectorAll('.plot')].every((plot) => plot.querySelector('.main-svg .xy'))"
WIDTHS = "() => [...document.querySelectorAll('.plot')].map((plot) => plot.querySelector('.main-svg').clientWidth)"


@dataclass
class Opened:
    """A page, and what it has asked for and complained of."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@pytest.fixture
def open_file(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Write a page and open it from disk: ``open_file(content, viewport=PHONE)``. Checks that it asks for nothing."""
    opened: list[Opened] = []
    path = tmp_path / "page.html"

    def open_page(shown: Content, **options: Any) -> Opened:
        path.write_text(page_html(shown), encoding="utf-8")
        context = new_context(browser, offline=True, **options)
        new = Opened(context.new_page())
        opened.append(new)
        new.page.on("request", lambda request: new.requests.append(request.url))
        new.page.on("pageerror", lambda error: new.complaints.append(str(error)))
        new.page.on("console", lambda told: new.complaints.extend([told.text] * (told.type in ("error", "warning"))))
        new.page.goto(path.as_uri())
        new.page.wait_for_function(DRAWN)
        return new

    yield open_page
    for each in opened:
        each.page.context.close()
        assert not each.complaints, f"The page complained: {each.complaints}"
        asked = [url for url in each.requests if not url.startswith(("data:", "blob:"))]
        assert asked == [path.as_uri()], f"The page asked for {asked}"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_draws_its_figures_and_formulas(open_file: Callable[..., Opened], theme: Any):
    page = open_file(content(theme)).page
    assert page.locator(".plot .scatterlayer path.js-line").count() > 3
    assert page.locator(".plot .heatmaplayer image").count() == 1
    formula = box_of(page.locator("math[display=block]"))
    assert formula is not None and formula["height"] > 20
    assert (
        page.locator("math[display=block] mfrac").evaluate("(element) => element.getBoundingClientRect().height") > 15
    )
    paper = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(17, 20, 24)"}[theme]


def test_a_figure_answers_the_pointer(open_file: Callable[..., Opened]):
    page = open_file(content()).page
    page.locator("#figure-2 .nsewdrag").first.hover()
    page.wait_for_selector("#figure-2 .hovertext")
    assert "kept with probability" in (page.locator("#figure-2 .hovertext").text_content() or "")


def test_a_figure_can_be_saved(open_file: Callable[..., Opened]):
    page = open_file(content(), accept_downloads=True).page
    page.locator("#figure-1").hover()
    with page.expect_download() as download:
        page.locator("#figure-1 .modebar-btn").first.click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def test_it_fits_a_phone(open_file: Callable[..., Opened]):
    page = open_file(content(), viewport=PHONE).page
    assert page.evaluate("() => document.documentElement.scrollWidth") <= PHONE["width"]
    assert all(200 < width <= PHONE["width"] for width in page.evaluate(WIDTHS))


def test_it_fits_a_printed_page(open_file: Callable[..., Opened]):
    page = open_file(content("dark")).page
    on_screen = page.evaluate(WIDTHS)
    page.emulate_media(media="print")
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(WIDTHS) == [PRINTED, PRINTED]
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.emulate_media(media="screen")
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    page.wait_for_function(f"(wanted) => JSON.stringify(({WIDTHS})()) === JSON.stringify(wanted)", arg=on_screen)


def test_hostile_text_does_nothing(open_file: Callable[..., Opened]):
    shown = hostile()
    page = open_file(shown).page
    assert page.title() == shown.question
    assert page.locator("img").count() == 1


@pytest.mark.parametrize(("theme", "viewport"), [("light", None), ("dark", PHONE)])
def test_it_is_accessible(open_file: Callable[..., Opened], theme: Any, viewport: Any):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    long = content(theme, snippet=f"x = 0{' + 1' * 60}", formulas=[("A long one.", f"x = 0{' + 1' * 60}")])
    page = open_file(long, bypass_csp=True, viewport=viewport).page  # axe is put into the page as a script
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    described = page.get_by_role("img", name="Five functions agree at the points.")
    assert described.evaluate("(element) => element.tagName") == "svg"
    assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
