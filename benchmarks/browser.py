"""What a visitor waits for: from a key press on a slider to the new figure, and from the start to the first picture.

The picture that redraws during a drag is measured in `benchmarks.scrub`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from playwright.sync_api import Page

from benchmarks import eager
from benchmarks.report import Row
from benchmarks.server import browser, server, window
from benchmarks.timing import Runs, Spread, check_same
from benchmarks.workload import PAGE
from tests.browser import driver

MOVES_PER_ROUND = 3
WARM_UP = 2  # moves that are not counted
CHECKED_SEEDS = 5
FIRST_PICTURE_SECONDS = 3

# Compares the drawn lines of the first picture in every frame, from a key press on; notes when they last changed.
WATCH = """() => {
  const lines = '.scatterlayer path.js-line';
  const drawn = () => [...document.querySelector('.js-plotly-plot')?.querySelectorAll(lines) ?? []]
    .map((line) => line.getAttribute('d')).join();
  let last = drawn();
  window.__watched = { pressed: null, changed: null };
  const watched = window.__watched;
  addEventListener('keydown', () => { watched.pressed ??= performance.now(); }, { capture: true, once: true });
  const look = () => {
    const now = drawn();
    if (now && now !== last) { last = now; watched.changed = performance.now(); }
    if (window.__watched === watched) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
HAS_CHANGED = "() => window.__watched.changed !== null"
MILLISECONDS = """() => {
  const { pressed, changed } = window.__watched;
  window.__watched = null;
  return changed - pressed;
}"""


@dataclass
class Scene:
    """A slider of an open page, and where to go on when it has come to its end."""

    page: Page
    label: str
    moves: Iterator[str]
    panel: str = ""  # the expander in which the slider is

    def move(self) -> float:
        """Press one key; milliseconds until the picture was redrawn for the last time."""
        key = next(self.moves)
        if key.startswith("/"):
            self.open(key)
            key = next(self.moves)
        driver.slider(self.page, self.label).focus()
        self.page.evaluate(WATCH)
        self.page.keyboard.press(key)
        self.page.wait_for_function(HAS_CHANGED)
        driver.wait_until_idle(self.page)
        driver.no_traceback(self.page)
        return float(self.page.evaluate(MILLISECONDS))

    def open(self, path: str) -> None:
        """Go to a page and bring the slider to light."""
        driver.open_page(self.page, path)
        driver.wait_for_figure(self.page)
        if self.panel:
            self.page.get_by_text(self.panel, exact=True).first.click()
            driver.wait_until_idle(self.page)


def _shipped() -> Iterator[str]:
    """Dropout rates to and fro: all of them on the shipped grid."""
    yield "/function_draws?picture=figure&dropout_rate=0.02"
    while True:
        yield from ["ArrowRight"] * 11 + ["ArrowLeft"] * 11


def _fresh() -> Iterator[str]:
    """Nine seeds each at learning rates that are not shipped: every move is a fit nobody has made."""
    for rate in ("3e-3", "3e-4", "1e-2", "1e-4"):
        yield f"/function_draws?picture=figure&learning_rate={rate}"
        yield from ["ArrowRight"] * 9


def _along() -> Iterator[str]:
    yield "/"
    yield from ["ArrowRight"] * 29


def pages(rounds: int, cores: int) -> list[Row]:
    """Slider moves on four pages in turn."""
    runs = [
        Runs([], [run(seed) for seed in range(5)]) for run in (PAGE.fit_loss, lambda seed: eager.loss(PAGE, seed, 1))
    ]
    check_same("the page's fit", *runs)
    with ExitStack() as stack:
        scripts = ("app.py", "benchmarks/empty_page.py", "benchmarks/naive_page.py")
        app, empty, naive = (stack.enter_context(server(script))[0] for script in scripts)
        running = stack.enter_context(browser())
        scenes = {
            "shipped": Scene(window(running, app), "Dropout rate", _shipped()),
            "fresh": Scene(window(running, app), "Seed", _fresh(), "Training"),
            "empty": Scene(window(running, empty), "Frequency", _along()),
            "naive": Scene(window(running, naive), "Seed", _along()),
        }
        taken: dict[str, list[float]] = {name: [] for name in scenes}
        for move in range(WARM_UP + MOVES_PER_ROUND * rounds):
            for name, scene in scenes.items():
                milliseconds = scene.move()
                if move >= WARM_UP:
                    taken[name].append(milliseconds)
    ratio = Spread.of([slow / fast for slow, fast in zip(taken["naive"], taken["fresh"], strict=True)])
    return [
        Row("slider to picture, shipped grid", Spread.of(taken["shipped"]), "<= 220", "ms"),
        Row("slider to picture, fresh fit", Spread.of(taken["fresh"]), "<= 350", "ms"),
        Row(
            "slider to picture, almost empty page", Spread.of(taken["empty"]), "", "ms", "Streamlit's and Plotly's own"
        ),
        Row("slider to picture, naive page", Spread.of(taken["naive"]), unit="ms", note="trains in the script"),
        Row("slider to picture: naive page / fresh fit", ratio, ">= 3"),
    ]


FIRST_PICTURES = {
    "home": ("app.py", "/", f"<= {FIRST_PICTURE_SECONDS}"),
    "a link to function draws": ("app.py", "/function_draws", f"<= {FIRST_PICTURE_SECONDS}"),
    "an almost empty page": ("benchmarks/empty_page.py", "/", ""),
}


def start(rounds: int, cores: int) -> list[Row]:
    """A server that nobody has asked anything yet: until it answers, and until the first picture stands."""
    answered: list[float] = []
    drawn: dict[str, list[float]] = {what: [] for what in FIRST_PICTURES}
    with browser() as running:
        for _ in range(rounds):
            for what, (script, path, _) in FIRST_PICTURES.items():
                with server(script) as (url, waited):
                    if script == "app.py":
                        answered.append(waited)
                    drawn[what].append(_seconds_to_picture(window(running, url), script, path))
    return [
        Row("start of the server to its first answer", Spread.of(answered), unit="s"),
        *(
            Row(f"first answer to first picture, {what}", Spread.of(seconds), FIRST_PICTURES[what][2], "s")
            for what, seconds in drawn.items()
        ),
    ]


def _seconds_to_picture(page: Page, script: str, path: str) -> float:
    begin = time.perf_counter()
    page.goto(path, wait_until="commit")
    (driver.main_picture if script == "app.py" else driver.wait_for_figure)(page)
    seconds = time.perf_counter() - begin
    page.context.close()
    return seconds
