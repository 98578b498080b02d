"""A Streamlit server and a Chromium browser for the benchmarks of pages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.process import serving
from tests.browser import chromium, driver

# Runs before the code of the page: counts the bytes that its WebSockets receive.
COUNT_BYTES = """
  window.__received = 0;
  window.WebSocket = class extends WebSocket {
    constructor(...how) {
      super(...how);
      this.addEventListener('message', ({ data }) => {
        window.__received += data.byteLength ?? data.size ?? data.length;
      });
    }
  };
"""


@contextmanager
def server(script: str) -> Iterator[tuple[str, float]]:
    """Run a Streamlit script on a free port; yields its address and the seconds until its first answer."""
    with serving(script) as process:
        yield f"http://{process.address}", process.seconds


@contextmanager
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    path = chromium.find()
    if path is None:
        raise RuntimeError("No Chromium was found: install one, or set BDLVIZ_CHROMIUM to its path.")
    arguments = ["--disable-gpu", *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, headless=True, args=arguments)
        yield running
        running.close()


def window(running: Browser, url: str) -> Page:
    """A new window without a cache, for one server."""
    context = running.new_context(base_url=url, viewport={"width": driver.LAPTOP, "height": 900})
    context.add_init_script(driver.NOTE_RUNS)
    context.add_init_script(COUNT_BYTES)
    page = context.new_page()
    page.set_default_timeout(driver.TIMEOUT)
    return page


def received(page: Page) -> int:
    """Bytes that the server has sent to this page over WebSockets so far."""
    return int(page.evaluate("window.__received"))
