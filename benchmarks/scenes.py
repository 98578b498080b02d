"""Seconds from opening the link of a scene, in a window without a cache, until its final figure is drawn."""

from __future__ import annotations

import os
import sys
import time
from urllib.parse import urlencode

from playwright.sync_api import Browser

from benchmarks.report import Row
from benchmarks.server import browser, server, window
from benchmarks.timing import Spread
from tests.browser import driver
from tests.ui.harness import PAGES, scenes

LIMIT = 4.0  # seconds
EVERY = 1 if os.environ.get("BDLVIZ_BENCHMARK_SCENES") == "all" else 14  # all of them take ten minutes
STARTED_ANEW = ("effect_of_lambda", "too-small-lambda")  # the scene that is opened on new servers


def links(rounds: int, cores: int) -> list[Row]:
    """Rows for scenes on a server that has drawn a page before, and for one scene on a new server in every round."""
    chosen = [(page, name) for page in PAGES for name in scenes(page)][::EVERY]
    with browser() as running:
        anew = []
        for _ in range(rounds):
            with server("app.py") as (url, _):
                anew.append(_seconds(running, url, *STARTED_ANEW))
        with server("app.py") as (url, _):
            _seconds(running, url, *STARTED_ANEW)
            taken = {f"{page} {name}": _seconds(running, url, page, name) for page, name in chosen}
    slow = sorted((name for name, seconds in taken.items() if seconds > LIMIT), key=taken.__getitem__, reverse=True)
    for name in sorted(taken, key=taken.__getitem__)[-10:]:
        print(f"{taken[name]:6.2f} s  {name}", file=sys.stderr)
    slowest = max(taken, key=taken.__getitem__)
    what = "a scene's link to its picture"
    return [
        Row(f"{what}, {len(taken)} scenes", Spread.of([*taken.values()]), "<= 4", "s"),
        Row(f"{what}, the slowest", Spread.of([taken[slowest]]), "<= 4", "s", slowest),
        Row(f"{what}, scenes over 4 s", Spread.of([float(len(slow))]), "<= 0", "", ", ".join(slow[:5])),
        Row(f"{what}, on a server nobody has asked yet", Spread.of(anew), "<= 4", "s"),
    ]


def _seconds(running: Browser, url: str, page: str, scene: str) -> float:
    """Seconds from the request until the figure is drawn and the page is idle."""
    visitor = window(running, url)
    begin = time.perf_counter()
    visitor.goto(f"/{page}?{urlencode({'scene': scene, 'guess': 'no'})}", wait_until="commit")
    driver.wait_until_idle(visitor)
    driver.main_picture(visitor)
    seconds = time.perf_counter() - begin - driver.CONFIRMED / 1000
    visitor.context.close()
    return seconds
