"""Two real replicas behind the project's nginx.conf: one is killed, and its visitors go on with the other."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.deploy.balancer import COOKIE, NAMES, NEEDS_NGINX

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import App

pytestmark = [
    NEEDS_NGINX,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGKILL."),
]
# Off the shipped grid, so that the other replica has to train the same fit again; the second page is shipped.
PLACES = {"/function_draws": {"num_steps": "500", "seed": "4", "picture": "figure"}, "/deciding": {}}

# Notes every change of the window's connection, from its first one on.
NOTE_CONNECTION = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  window.__connections = [];
  new MutationObserver(() => window.__connections.push([performance.now(), app.dataset.testConnectionState]))
    .observe(app, { attributeFilter: ['data-test-connection-state'] });
}"""


STATES = "() => window.__connections.map(([, state]) => state)"  # that the connection went through


def open_on(app: App, replica: str, place: str, new_page: Callable[..., Page]) -> Page:
    """A window on the page, its visitor assigned to the replica, its picture drawn."""
    from tests.browser.driver import main_picture, open_page

    page = new_page(app)
    page.context.add_cookies([{"name": COOKIE, "value": replica, "url": app.url}])
    open_page(page, place, PLACES[place])
    main_picture(page)
    page.evaluate(NOTE_CONNECTION)
    return page


def replica_of(page: Page) -> str:
    """The replica that the window's cookie names."""
    return next(cookie.get("value", "") for cookie in page.context.cookies() if cookie.get("name") == COOKIE)


def wait_until_back(page: Page) -> None:
    """Wait until the window has lost its connection, found another and shows its page again."""
    from tests.browser.driver import TIMEOUT, main_picture, wait_until_idle

    found = "() => window.__connections.some(([, state]) => state === 'CONNECTED')"
    page.wait_for_function(found, timeout=TIMEOUT)
    wait_until_idle(page)
    main_picture(page)


def test_visitors_of_a_killed_replica_go_on_with_the_other(
    root: Path,
    free_port: Callable[[], int],
    start_replica: Callable[..., App],
    start_balancer: Callable[..., App],
    new_page: Callable[..., Page],
):
    from tests.browser.driver import main_picture, no_traceback, picture, reveal, set_slider, wait_for_picture

    ports = {name: free_port() for name in NAMES}
    replicas = {name: start_replica(root, port) for name, port in ports.items()}
    app = start_balancer(ports)
    windows = [(name, place, open_on(app, name, place, new_page)) for name in NAMES for place in PLACES]
    shown = [picture(main_picture(page)) for _, _, page in windows]
    assert [replica_of(page) for _, _, page in windows] == [name for name, _, _ in windows]

    os.kill(replicas["one"].process.pid, signal.SIGKILL)
    killed = time.monotonic()
    for (name, place, page), before in zip(windows, shown, strict=True):
        if name == "one":
            wait_until_back(page)
            print(f"{place}: back {time.monotonic() - killed:.1f} s after the kill")
            assert "DISCONNECTED" not in page.evaluate(STATES), "The window had given up."
        wait_for_picture(main_picture(page), like=before)
        assert PLACES[place].items() <= dict(parse_qsl(urlsplit(page.url).query)).items()
        assert replica_of(page) == "two"
        no_traceback(page)
    others = [page.evaluate(STATES) for name, _, page in windows if name == "two"]
    assert others == [[], []], "A visitor of the other replica lost the connection."

    moved = windows[0][2]  # still has a live page: a control is obeyed
    last = picture(main_picture(moved))
    reveal(moved, "weight_decay")
    set_slider(moved, "weight_decay", "Home")
    wait_for_picture(main_picture(moved), other_than=last)

    start_replica(root, ports["one"])
    returned = open_on(app, "one", "/deciding", new_page)
    assert replica_of(returned) == "one"
    moved.reload()
    main_picture(moved)
    assert replica_of(moved) == "two", "Who was moved stays: the session is on the other replica."
    no_traceback(moved)
