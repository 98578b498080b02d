"""Every page: opened on a laptop and narrowed to a phone for every change; and in one long visit.

The long visit is on a laptop in light and dark, by keyboard, and in a phone's window under a finger. It gathers
overflow, cut words, axe's findings, what the keyboard misses, targets too small for a finger, exceptions, and
violations of the content security policy. A page that throws or asks another host fails by the fixture `new_page`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from bdlviz.ui.places.routes import path_of
from tests.browser import faults
from tests.browser.conftest import App, Complaints, new_context
from tests.browser.driver import LAPTOP, PHONE, no_traceback, open_page, settle, wait_for_ground

IN_VAIN = ("/_stcore/", "/media/")
HEIGHTS = {LAPTOP: 900, PHONE: 844}


def is_fault(message: ConsoleMessage) -> bool:
    """True for an error on the console, but for two kinds of files that Streamlit asks for in vain.

    It looks for its server below the page's own address first, and for an image that a newer run has just replaced.
    """
    return message.type == "error" and not any(place in message.location["url"] + message.text for place in IN_VAIN)


@pytest.fixture(scope="module")
def tab(app: App, browser: Browser) -> Iterator[tuple[Page, Complaints]]:
    """One tab for all short visits, and what its pages complain of.

    Its process keeps the explorer's compiled scripts; in a new tab, compiling them took more than half of a visit.
    """
    context = new_context(browser, base_url=app.url, reduced_motion="reduce")  # no story plays during a measurement
    page, complaints = context.new_page(), Complaints()
    complaints.watch(page)
    page.on("console", lambda told: complaints.errors.extend([told.text] * is_fault(told)))
    yield page, complaints
    context.close()


@pytest.mark.first
@pytest.mark.parametrize("name", faults.NAMES)
def test_a_page_shows_its_picture_and_fits(name: str, tab: tuple[Page, Complaints]):
    page, complaints = tab
    complaints.errors.clear()
    complaints.foreign.clear()
    page.set_viewport_size({"width": LAPTOP, "height": HEIGHTS[LAPTOP]})
    open_page(page, path_of(name))
    expect(page).to_have_title(faults.title(name))
    has_picture = name not in faults.PLAIN
    found = [f"{LAPTOP} px: {each}" for each in faults.misfits(page, has_picture)]
    page.set_viewport_size({"width": PHONE, "height": HEIGHTS[PHONE]})
    settle(page)
    found += [f"{PHONE} px: {each}" for each in faults.misfits(page, has_picture)]
    no_traceback(page)
    found += complaints.errors + complaints.foreign
    assert not found, f"{len(found)} faults of {name}:\n" + "\n".join(found)


def look(page: Page, name: str, width: int, theme: str) -> list[str]:
    """What is wrong with a page in a window of that width, in that theme."""
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
    settle(page)
    has_picture = name not in faults.PLAIN
    if has_picture:
        wait_for_ground(page, faults.ground(theme))
    found = faults.misfits(page, has_picture)
    if width == LAPTOP:
        found += faults.axe_findings(page)
    else:
        found += faults.hard_to_touch(page) + faults.misfits(page, has_picture)  # once more, where it has scrolled to
    no_traceback(page)
    return [f"{width} px, {theme}: {each}" for each in found]


@pytest.mark.parametrize("name", faults.NAMES)
def test_a_page_in_one_visit(name: str, app: App, new_page: Callable[..., Page]):
    page = new_page(app, color_scheme="light", reduced_motion="reduce")
    page.add_init_script(faults.AXE)
    open_page(page, path_of(name))
    expect(page).to_have_title(faults.title(name))
    found = look(page, name, LAPTOP, "light") + [f"keyboard: {each}" for each in faults.out_of_reach(page)]
    found += look(page, name, LAPTOP, "dark")
    touch(page)
    found += look(page, name, PHONE, "dark") + look(page, name, PHONE, "light")
    assert not found, f"{len(found)} faults of {name}:\n" + "\n".join(found)


def touch(page: Page) -> None:
    """Let a finger point from now on, as on a phone."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 5})
    assert page.evaluate("matchMedia('(pointer: coarse)').matches")
