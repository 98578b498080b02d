"""Every page in one visit: on a laptop in light and dark, by keyboard, and in a phone's window under a finger.

Gathered are overflow, cut words, axe's findings, what the keyboard misses, targets too small for a finger, exceptions,
and violations of the content security policy. A page that throws or asks another host fails by the fixture `new_page`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from bdlviz.ui.places.routes import path_of
from tests.browser import faults
from tests.browser.conftest import App
from tests.browser.driver import LAPTOP, PHONE, no_traceback, open_page, settle, wait_for_ground

HEIGHTS = {LAPTOP: 900, PHONE: 844}


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
    page = new_page(app, color_scheme="light")
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
