"""A Streamlit server for the browser benchmarks, and a Chromium to look at it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import chromium, driver

ROOT = Path(__file__).resolve().parents[1]
SECONDS_TO_START = 120


@contextmanager
def server(script: str) -> Iterator[tuple[str, float]]:
    """Run a Streamlit script on a free port; gives its address, and the seconds until it answered."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", script, f"--server.port={port}"]
    start = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--server.address=127.0.0.1", "--server.headless=true"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        while not _answers(url):
            if process.poll() is not None or time.perf_counter() - start > SECONDS_TO_START:
                raise RuntimeError(f"{script} did not start.")
            time.sleep(0.02)
        yield url, time.perf_counter() - start
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=20)


def _answers(url: str) -> bool:
    try:
        with urlopen(f"{url}/_stcore/health", timeout=2) as answer:
            return answer.status == 200
    except (URLError, OSError):
        return False


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
    """A fresh window with nothing cached, on one server."""
    context = running.new_context(base_url=url, viewport={"width": driver.LAPTOP, "height": 900})
    context.add_init_script(driver.NOTE_RUNS)
    page = context.new_page()
    page.set_default_timeout(driver.TIMEOUT)
    return page
