"""A server that ends and starts again: its visitors' browsers connect by themselves, and their next move counts."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import App


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGKILL.")
@pytest.mark.parametrize("picture", ["moving", "figure"])
def test_the_first_move_after_a_restart_counts(
    picture: str,
    root: Path,
    free_port: Callable[[], int],
    start_replica: Callable[..., App],
    new_page: Callable[..., Page],
):
    from playwright.sync_api import expect

    from tests.browser.driver import no_traceback, open_page, reveal, set_slider, slider_value, wait_until_idle

    port = free_port()
    app = start_replica(root, port)
    page = new_page(app)
    open_page(page, "/function_draws", {"seed": "4"} | ({"picture": "figure"} if picture == "figure" else {}))
    os.kill(app.process.pid, signal.SIGKILL)
    stage = page.get_by_test_id("stApp")
    expect(stage).not_to_have_attribute("data-test-connection-state", "CONNECTED")
    start_replica(root, port)
    expect(stage).to_have_attribute("data-test-connection-state", "CONNECTED")
    wait_until_idle(page)
    if picture == "figure":
        reveal(page, "weight_decay")
    set_slider(page, "weight_decay", "Home")
    page.wait_for_url("**weight_decay=0**")
    assert slider_value(page, "weight_decay") == "0"
    assert "seed=4" in page.url
    no_traceback(page)
