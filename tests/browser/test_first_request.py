"""A server that has just started: the first picture, and a link to a page as the very first request."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bdlviz import data
from bdlviz.topics.regression.function_draws.controls import DRAWS
from bdlviz.ui.places.routes import HOME, SECTIONS, TITLES
from tests.browser.conftest import App
from tests.browser.driver import main_picture, no_traceback, open_page

LAST_OF_EACH_SECTION = [
    [entry for entry in entries if entry[0] not in ("results/figure_index", "results/status")][
        -1
    ]  # they have no figure
    for section, entries in SECTIONS.items()
    if section
]


def test_the_first_picture_needs_no_torch(fresh_app: Callable[..., App], new_page: Callable[..., Page]):
    app = fresh_app()
    page = new_page(app)
    open_page(page)
    main_picture(page)
    described = page.locator(".scrub .panel canvas").get_attribute("aria-label") or ""
    assert {str(data.load("x_sin_x").num_data), DRAWS.default} <= {*re.findall(r"\d+", described)}
    expect(page.locator(".st-key-reset")).to_have_count(0)
    no_traceback(page)
    if sys.platform == "linux":
        loaded = Path(f"/proc/{app.process.pid}/maps").read_text()
        assert "numpy" in loaded
        assert "libtorch" not in loaded, "torch takes seconds to import; the first picture is shipped."


@pytest.mark.parametrize(("file", "title"), LAST_OF_EACH_SECTION)
def test_a_link_as_the_very_first_request(
    file: str, title: str, fresh_app: Callable[..., App], new_page: Callable[..., Page]
):
    page, name = new_page(fresh_app()), file.split("/")[-1]
    open_page(page, name)
    main_picture(page)
    expect(page).to_have_title(f"{title} · bdlviz")
    expect(page.get_by_test_id("stHeader").get_by_text(TITLES[HOME], exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(rf"/{name}$"))
