"""Waiting times of a visitor: from a key press on a slider to the new figure, and from the start to the first picture.

They are compared with a naive page and an almost empty one. The picture that redraws during a drag is measured in
`benchmarks.scrub`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from playwright.sync_api import Page

from benchmarks import eager
from benchmarks.report import Row
from benchmarks.server import browser, received, server, window
from benchmarks.timing import Runs, Spread, check_same
from benchmarks.workload import PAGE
from tests.browser import driver

MOVES_PER_ROUND = 2
WARM_UP = 2  # moves that are not counted
CHECKED_SEEDS = 5
FIRST_PICTURE_SECONDS = 3
KILOBYTE = 1000

# After a key press, compares the drawn lines of the first picture in every frame; records when they last changed.
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


@dataclass(frozen=True)
class Move:
    """The seconds from a move of a slider until the picture was last redrawn, and until the page was idle."""

    milliseconds: float
    kilobytes: float


@dataclass
class Scene:
    """A slider of an open page, and the sequence of keys and pages with which it is moved."""

    page: Page
    slider: str  # its key
    moves: Iterator[str]

    def move(self) -> Move:
        """Press one key, and wait until the page is idle."""
        key = next(self.moves)
        if key.startswith("/"):
            self.open(key)
            key = next(self.moves)
        driver.slider(self.page, self.slider).focus()
        self.page.evaluate(WATCH)
        before = received(self.page)
        self.page.keyboard.press(key)
        self.page.wait_for_function(HAS_CHANGED)
        driver.wait_until_idle(self.page)
        driver.no_traceback(self.page)
        return Move(float(self.page.evaluate(MILLISECONDS)), (received(self.page) - before) / KILOBYTE)

    def open(self, path: str) -> None:
        """Go to a page and make the slider visible."""
        driver.open_page(self.page, path)
        driver.wait_for_figure(self.page)
        driver.reveal(self.page, self.slider)


def _shipped() -> Iterator[str]:
    """Dropout rates up and down, all on the shipped grid."""
    yield "/function_draws?picture=figure&dropout_rate=0.02"
    while True:
        yield from ["ArrowRight"] * 11 + ["ArrowLeft"] * 11


def _fresh() -> Iterator[str]:
    """Nine seeds at each of four learning rates that are not shipped, so that every move trains a new fit."""
    for rate in ("3e-3", "3e-4", "1e-2", "1e-4"):
        yield f"/function_draws?picture=figure&learning_rate={rate}"
        yield from ["ArrowRight"] * 9


def along() -> Iterator[str]:
    """Moves of a slider from one end to the other and back, repeated."""
    yield "/"
    while True:
        yield from ["ArrowRight"] * 29 + ["ArrowLeft"] * 29


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
            "shipped": Scene(window(running, app), "dropout_rate", _shipped()),
            "fresh": Scene(window(running, app), "seed", _fresh()),
            "empty": Scene(window(running, empty), "frequency", along()),
            "naive": Scene(window(running, naive), "seed", along()),
        }
        taken: dict[str, list[Move]] = {name: [] for name in scenes}
        for move in range(WARM_UP + MOVES_PER_ROUND * rounds):
            for name, scene in scenes.items():
                moved = scene.move()
                if move >= WARM_UP:
                    taken[name].append(moved)
    return [*_waits(taken), *_bytes(taken)]


def _waits(taken: dict[str, list[Move]]) -> list[Row]:
    spread = {name: Spread.of([move.milliseconds for move in moves]) for name, moves in taken.items()}
    ratio = _ratio([move.milliseconds for move in taken["naive"]], [move.milliseconds for move in taken["fresh"]])
    what = "slider to picture"
    return [
        Row(f"{what}, shipped grid", spread["shipped"], "<= 220", "ms"),
        Row(f"{what}, fresh fit", spread["fresh"], "<= 350", "ms"),
        Row(f"{what}, almost empty page", spread["empty"], "", "ms", "Streamlit's and Plotly's own"),
        Row(f"{what}, naive page", spread["naive"], unit="ms", note="trains in the script"),
        Row(f"{what}: naive page / fresh fit", ratio, ">= 3"),
    ]


def _bytes(taken: dict[str, list[Move]]) -> list[Row]:
    spread = {name: Spread.of([move.kilobytes for move in moves]) for name, moves in taken.items()}
    ratio = _ratio([move.kilobytes for move in taken["naive"]], [move.kilobytes for move in taken["fresh"]])
    what, note = "sent for a move of a slider", "all of the page: picture, sliders, words"
    return [
        Row(f"{what}, shipped grid", spread["shipped"], unit="kB", note=note),
        Row(f"{what}, fresh fit", spread["fresh"], unit="kB", note=note),
        Row(f"{what}, almost empty page", spread["empty"], unit="kB", note="one line of 200 points"),
        Row(f"{what}, naive page", spread["naive"], unit="kB", note="50 lists of 200 points"),
        Row(f"{what}: naive page / fresh fit", ratio),
    ]


def _ratio(slow: list[float], fast: list[float]) -> Spread:
    return Spread.of([one / other for one, other in zip(slow, fast, strict=True)])


FIRST_PICTURES = {
    "home": ("app.py", "/", f"<= {FIRST_PICTURE_SECONDS}"),
    "a link to function draws": ("app.py", "/function_draws", f"<= {FIRST_PICTURE_SECONDS}"),
    "an almost empty page": ("benchmarks/empty_page.py", "/", ""),
    "the naive page": ("benchmarks/naive_page.py", "/", ""),
}


def start(rounds: int, cores: int) -> list[Row]:
    """A new server: seconds until its first answer, and until the first picture."""
    answered: dict[str, list[float]] = {what: [] for what in FIRST_PICTURES}
    drawn: dict[str, list[float]] = {what: [] for what in FIRST_PICTURES}
    with browser() as running:
        for _ in range(rounds):
            for what, (script, path, _) in FIRST_PICTURES.items():
                with server(script) as (url, waited):
                    answered[what].append(waited)
                    drawn[what].append(_seconds_to_picture(window(running, url), script, path))
    whole = {what: [sum(both) for both in zip(answered[what], drawn[what], strict=True)] for what in FIRST_PICTURES}
    ours = "a link to function draws"
    return [
        Row("start of the server to its first answer", Spread.of(answered["home"] + answered[ours]), unit="s"),
        *(
            Row(f"first answer to first picture, {what}", Spread.of(seconds), FIRST_PICTURES[what][2], "s")
            for what, seconds in drawn.items()
        ),
        Row(f"cold start to first picture, {ours}", Spread.of(whole[ours]), unit="s"),
        Row(
            "cold start to first picture: naive page / the same",
            _ratio(whole["the naive page"], whole[ours]),
            note="the naive page is a slider and a figure, and trains",
        ),
    ]


def _seconds_to_picture(page: Page, script: str, path: str) -> float:
    begin = time.perf_counter()
    page.goto(path, wait_until="commit")
    (driver.main_picture if script == "app.py" else driver.wait_for_figure)(page)
    seconds = time.perf_counter() - begin
    page.context.close()
    return seconds
