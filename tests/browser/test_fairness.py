"""Several visitors: fifty moves of a slider, two visitors at once, and a tab that is closed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from urllib.parse import urlencode
from urllib.request import urlopen

from playwright.sync_api import Page

from tests.browser.conftest import App
from tests.browser.driver import OPEN_AROUND, keyed, main_picture, no_traceback, slider, start_long_fit
from tests.patience import limit
from tests.ui.waiting import wait_until

MOVES, WITHIN = 50, 5.0  # seconds
SECONDS_TO_END = limit(15.0)  # two sweeps after the tab


def counted(app: App, name: str) -> float:
    """One of the server's counters, all kinds together."""
    with urlopen(f"{app.url}/metrics", timeout=limit(60)) as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if re.match(rf"{name}(\{{|\s)", line))


def nothing_runs(app: App) -> None:
    """Wait until the server has no job left."""
    names = ("bdlviz_jobs_running", "bdlviz_jobs_waiting")
    said = "An abandoned fit still trains."
    wait_until(lambda: not sum(counted(app, name) for name in names), said, SECONDS_TO_END, interval=0.2)


def test_fifty_moves_train_one_fit_at_a_time_and_another_visitor_is_served(
    fresh_app: Callable[[], App], new_page: Callable[..., Page]
):
    app = fresh_app()
    page = new_page(app)
    start_long_fit(page, seed=4)
    keyed(page, "learning_rate").first.evaluate(OPEN_AROUND)  # the page does not rest while a fit trains
    slider(page, "learning_rate").focus()
    begin, most = time.monotonic(), 0.0
    for move in range(MOVES):
        page.keyboard.press("ArrowLeft" if move % 4 < 2 else "ArrowRight")
        if move % 10 == 0:
            most = max(most, counted(app, "bdlviz_jobs_running"))
        time.sleep(max(0.0, begin + (move + 1) * WITHIN / MOVES - time.monotonic()))
    assert most <= 1, "Two fits of one visitor run at once."
    assert counted(app, "bdlviz_jobs_started_total") > 1, "The moves asked for nothing new."
    other = new_page(app)
    other.goto(f"/function_draws?{urlencode({'num_steps': 200, 'width': 16, 'seed': 5})}", wait_until="commit")
    main_picture(other)
    no_traceback(page)
    no_traceback(other)
    page.close()
    other.close()
    nothing_runs(app)


def test_a_closed_tab_stops_its_fit(fresh_app: Callable[[], App], new_page: Callable[..., Page]):
    app = fresh_app()
    page = new_page(app)
    start_long_fit(page, seed=6)
    assert counted(app, "bdlviz_jobs_running") == 1
    page.close()
    nothing_runs(app)
    assert counted(app, "bdlviz_jobs_cancelled_total") == 1
