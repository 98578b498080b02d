"""What a visitor sees and feels: every page in three sizes, light, dark and presented, and drags of primary sliders.

`python -m benchmarks screen` prints both tables; `--pages NAME ...` measures some pages, `--looks` only the first
table, `--drags` only the second, `--latency 80` adds milliseconds to every answer of the server.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Page

from bdlviz.ui.places.navigation import TITLES, path_of
from benchmarks.server import browser, received, server
from tests.browser import driver

SCRIPTS = Path(__file__).resolve().parent / "client"
SIZES = {"1440x900": (1440, 900), "1280x720": (1280, 720), "390x844": (390, 844)}
LOOKS = ("light", "dark", "presenting")
TABLES = ("results/status", "results/figure_index", "start/lecture", "start/home")  # pages without a main picture
SECONDS = 2.0  # of a drag
PREPARED_MS = 15_000  # until the frames of a slider must have arrived


@dataclass(frozen=True)
class Look:
    """The first screen of a page: px, counts, contrast, and whether picture and primary controls are inside."""

    page: str
    size: str
    look: str
    top: int
    bottom: int
    is_inside: bool
    cut: int
    overlapping: int
    scenes: int
    tabs: int
    words: int
    sentence: int  # font size in px; 0 without one
    contrast: float  # of the sentence
    legend_rows: int


@dataclass(frozen=True)
class Drag:
    """A drag of one slider: redraws per second, milliseconds of one redraw, and what the server had to do."""

    page: str
    slider: str
    redraws: float
    redraw_ms: float
    runs: int
    settled_ms: float
    shift: float
    blank_ms: float
    kilobytes: float


def main(words: Sequence[str]) -> int:
    """Measure and print the tables; 1 if a limit is missed."""
    options = _options(words)
    wanted = [name for name in TITLES if not options.pages or path_of(name) in options.pages or name in options.pages]
    with server("app.py") as (url, _), browser() as running:
        if not options.drags:
            looks = [*_looks(running, url, wanted)]
            print(_table(looks), end="\n\n")
            print("\n".join(_missed(looks)) or "All limits hold.", end="\n\n")
        if not options.looks:
            print(_table([*_drags(running, url, wanted, options.latency)]))
    return 0


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks screen", description=__doc__)
    parser.add_argument("--pages", nargs="*", default=[], help="names or paths of pages (default: all)")
    parser.add_argument("--looks", action="store_true", help="only the first screens")
    parser.add_argument("--drags", action="store_true", help="only the drags")
    parser.add_argument("--latency", type=int, default=0, help="milliseconds added to every answer")
    return parser.parse_args(words)


# First screens --------------------------------------------------------------------------------------------------------


def _looks(running: Browser, url: str, pages: Sequence[str]) -> Iterator[Look]:
    for size, (width, height) in SIZES.items():
        for look in LOOKS:
            scheme = "dark" if look == "dark" else "light"
            page = _window(running, url, width, height, scheme)
            for name in pages:
                try:
                    driver.open_page(page, path_of(name), {"present": 1} if look == "presenting" else None)
                    page.wait_for_timeout(500)
                    found = page.evaluate(_script("first_screen"))
                except Error as error:
                    print(f"{name}, {size}, {look}: {error}", file=sys.stderr)
                    continue
                yield Look(name, size, look, **found)
            page.context.close()


def _missed(looks: Iterable[Look]) -> Iterator[str]:
    for look in looks:
        reasons = [
            f"the picture begins at {look.top} px" if look.size == "1440x900" and look.top > 200 else "",
            "picture and controls are not on the first screen"
            if not look.is_inside and look.page not in TABLES
            else "",
            f"{look.cut} elements are cut" if look.cut else "",
            f"{look.overlapping} elements overlap" if look.overlapping else "",
            f"{look.scenes} scenes are in sight" if look.scenes > 6 else "",
            f"{look.tabs} tabs" if look.tabs > 5 else "",
            f"the sentence has {look.sentence} px" if look.page not in TABLES and look.sentence < 18 else "",
            f"the sentence has a contrast of {look.contrast}" if look.sentence and look.contrast < 7 else "",
            f"a legend has {look.legend_rows} rows" if look.legend_rows > 1 else "",
            f"{look.words} words" if look.words > 60 and look.page not in TABLES else "",
        ]
        if any(reasons):
            yield f"- {look.page}, {look.size}, {look.look}: {'; '.join(filter(None, reasons))}"


# Drags ----------------------------------------------------------------------------------------------------------------


def _drags(running: Browser, url: str, pages: Sequence[str], latency_ms: int) -> Iterator[Drag]:
    for name in pages:
        page = _window(running, url, *SIZES["1440x900"], "light")
        if latency_ms:
            network = page.context.new_cdp_session(page)
            limits = {"offline": False, "latency": latency_ms, "downloadThroughput": -1, "uploadThroughput": -1}
            network.send("Network.emulateNetworkConditions", limits)
        driver.open_page(page, path_of(name))
        for index in range(page.locator(".st-key-live input[type=range]").count()):
            yield _drag(page, name, index)
        page.context.close()


def _drag(page: Page, name: str, index: int) -> Drag:
    handle = page.locator(".st-key-live input[type=range]").nth(index)
    label = handle.get_attribute("aria-label") or f"slider {index + 1}"
    place = handle.evaluate(driver.TRACK)
    page.mouse.move(place["handle"], place["y"])
    page.evaluate(_script("prepared"), PREPARED_MS)
    page.evaluate(_script("watch_drag"))
    before, asked = received(page), page.evaluate("window.__asked ?? 0")
    page.mouse.down()
    seconds = _sweep(page, place)
    drawn = page.evaluate("window.__drag.draws()")
    runs = page.evaluate("window.__asked ?? 0") - asked
    page.evaluate("window.__drag.released = performance.now()")
    page.mouse.up()
    driver.wait_until_idle(page)
    settled = page.evaluate("performance.now() - window.__drag.released") - driver.TICK * driver.CONFIRMED
    page.wait_for_timeout(500)
    after = page.evaluate("window.__drag.end()")
    times = sorted(drawn)
    return Drag(
        name,
        label,
        round(len(drawn) / seconds, 1),
        round(times[len(times) // 2], 1) if times else 0.0,
        runs,
        round(max(settled, 0.0)),
        round(after["shift"], 3),
        round(after["blank"]),
        round((received(page) - before + after["bytes"]) / 1000),
    )


def _sweep(page: Page, place: dict[str, Any]) -> float:
    """Move the pressed mouse over the track and back; returns the seconds that it took."""
    begin = page.evaluate("performance.now()")
    while (passed := (page.evaluate("performance.now()") - begin) / 1000) < SECONDS:
        share = (passed / SECONDS * 2) % 2
        share = share if share < 1 else 2 - share
        page.mouse.move(place["left"] + share * (place["right"] - place["left"]), place["y"])
    return passed


# Both -----------------------------------------------------------------------------------------------------------------


def _window(running: Browser, url: str, width: int, height: int, scheme: Any) -> Page:
    context = running.new_context(
        base_url=url, viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=width < 500
    )
    context.add_init_script(driver.NOTE_RUNS)
    context.add_init_script("window.__received = 0;")
    return context.new_page()


def _script(name: str) -> str:
    return (SCRIPTS / f"{name}.js").read_text(encoding="utf-8")


def _table(rows: Sequence[Look | Drag]) -> str:
    if not rows:
        return "Nothing was measured."
    heads = list(asdict(rows[0]))
    lines = [" | ".join(heads), " | ".join("---" for _ in heads)]
    lines += [" | ".join(str(value) for value in asdict(row).values()) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)
