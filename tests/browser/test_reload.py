"""After a scene or a slider a page shows what a reload of its address shows: sentence, numbers, words, figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Page as Window

from bdlviz.ui.frame.scenes import NUM_BUTTONS
from bdlviz.ui.model import Page, Setting
from bdlviz.ui.places.navigation import path_of
from tests.browser import driver
from tests.browser.conftest import App
from tests.patience import limit
from tests.ui.harness import PAGES, definition

ATTEMPTS = 3  # of a comparison: an element that is about to go may still be there
QUICK = ("vae", "signal_to_noise")
# What is on the page beside the settings: words and key numbers, and the values of figures, rounded as on a screen.
STATE = """() => {
  const frame = document.querySelector(".st-key-frame");
  const words = (place) => [...document.querySelectorAll(place)].map((each) => each.innerText.trim());
  const plain = (value) => {
    if (typeof value === "number") return Number(value.toPrecision(4));
    if (ArrayBuffer.isView(value)) return [...value].map(plain);
    if (Array.isArray(value)) return value.map(plain);
    if (value && typeof value === "object" && "bdata" in value) return value.bdata;
    return typeof value === "string" ? value : null;
  };
  const figures = [...frame.querySelectorAll(".js-plotly-plot")]
    .filter((each) => !each.closest(".drag-overlay"))
    .map((each) => ({
      traces: each.data.map(({ name, x, y, z, text }) => [name ?? "", plain(x), plain(y), plain(z), plain(text)]),
      titles: (each.layout.annotations ?? []).map(({ text }) => text),
    }));
  return {
    sentence: words(".st-key-says p").slice(0, 1), // the second one is the verdict on a guess of this visit
    numbers: words(".st-key-numbers [data-testid='stMetricValue']"),
    words: words(".st-key-frame [data-testid='stCaptionContainer']"),
    overlays: [...document.querySelectorAll(".drag-overlay")].filter((each) => !each.hidden).length,
    figures: JSON.stringify(figures),
  };
}"""
RESTED = "() => !document.documentElement.dataset.dragged"


def shown(window: Window) -> dict[str, Any]:
    """What the page shows once it rests and no frame of a drag lies over it."""
    driver.wait_until_idle(window)
    window.wait_for_function(RESTED, timeout=driver.TIMEOUT)
    return window.evaluate(STATE)


def moves(page: Page) -> Iterator[tuple[str, Callable[[Window], object]]]:
    """Scenes, each after the one before, and the ends of each primary control of the first view."""
    for scene in page.scenes[:NUM_BUTTONS]:

        def choose(window: Window, name: str = scene.name, asks: bool = scene.ask is not None) -> None:
            driver.choose_scene(window, name)
            if asks:
                driver.answer(window)

        yield f"scene {scene.name}", choose
    setting = Setting()
    for control in page.view(setting).live_at(setting):
        yield "reset", lambda window: driver.press(window, "reset")
        if control.kind != "slider":
            for place in (len(control.options) - 1, 0):
                yield f"{control.key} {place}", partial(driver.choose_option, key=control.key, place=place)
            continue
        for end in ("End", "Home"):
            yield f"{control.key} {end}", lambda window, key=control.key, end=end: driver.set_slider(window, key, end)


@pytest.mark.timeout(limit(900))  # a page with many scenes is opened thirty times
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.rest)
        for name in PAGES
        if (page := definition(name)) is not None and page.scenes
    ],
)
def test_the_page_shows_what_a_reload_shows(name: str, new_page: Callable[..., Window], app: App):
    page, again = (new_page(app, reduced_motion="reduce") for _ in range(2))  # no story plays by itself
    defined, findings = definition(name), []
    assert defined is not None
    driver.open_page(page, f"/{path_of(defined.name)}")
    for done, do in moves(defined):
        do(page)
        again.goto(page.url)
        different: dict[str, Any] = {"": ()}
        for _ in range(ATTEMPTS):
            now, then = shown(page), shown(again)
            different = {key: (now[key], then[key]) for key in now if now[key] != then[key]}
            if not different:
                break
        if different:
            findings.append(f"{done}: {page.url}: {str(different)[:600]}")
    assert not findings, "\n".join(findings)
