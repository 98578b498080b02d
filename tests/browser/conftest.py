"""Fixtures of the browser tests: the real app on a port of its own, and a page in a real Chromium.

``page`` is a fresh browser window on the app all tests share; ``new_page(app, **options)`` opens further windows with
other options (a phone, dark, reduced motion); ``fresh_app()`` starts a server nobody has asked anything yet.
A test fails if a page shows an exception at its end, threw a JavaScript error, or asked any other host for anything.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from tests.browser import chromium
from tests.patience import limit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

ENDINGS: list[Callable[[], None]] = []  # what ends the browser, in this order
HERE = Path(__file__).resolve().parent
FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
SECONDS_TO_START = limit(120)
RESULTS = "test-results"  # pictures of failed tests


@dataclass(frozen=True)
class App:
    """A running server of the explorer."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    def output(self) -> str:
        """What the server has printed so far, tracebacks included."""
        return self.log.read_text(errors="replace")

    def is_healthy(self) -> bool:
        """Does the server answer?"""
        try:
            with urlopen(f"{self.url}/_stcore/health", timeout=2) as answer:
                return answer.status == 200
        except OSError:  # refused, or no answer in time
            return False

    def wait_until_healthy(self) -> None:
        """Return once the server answers; raise with its output if it does not."""
        deadline = time.monotonic() + SECONDS_TO_START
        while not self.is_healthy():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"The app did not start. It said:\n{self.output()}")
            time.sleep(0.1)

    def processor_seconds(self) -> dict[int, float]:
        """Processor time that each process of the server has used so far, by its number; on Linux only."""
        used = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):  # it has ended
                fields = stat.read_text().rsplit(")", 1)[1].split()
                if int(fields[3]) == self.process.pid:  # its session: the server was started with a new one
                    used[int(stat.parent.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return used

    def stop(self) -> None:
        """End the server and whatever it has started."""
        for ending in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
            if self.process.poll() is not None:
                return
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, ending)  # its own group: it was started with a new session
            else:
                self.process.terminate()
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                continue


def start_app(root: Path, log: Path, **environment: str) -> App:
    """Start the real app on a free port of this computer and wait until it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    usual = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}  # of tests: tests/conftest
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--server.address=127.0.0.1", "--server.headless=true"],
            cwd=root,
            env=usual | {"PYTHONUNBUFFERED": "1", "BDLVIZ_LOG": "debug"} | environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    app = App(f"http://127.0.0.1:{port}", process, log)
    app.wait_until_healthy()
    return app


@pytest.fixture(scope="session")
def app(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The server all tests share."""
    running = start_app(root, tmp_path_factory.mktemp("app") / "output.txt")
    yield running
    running.stop()


@pytest.fixture
def fresh_app(root: Path, tmp_path: Path) -> Iterator[Callable[..., App]]:
    """Start a server whose very first request is the test's: ``fresh_app(BDLVIZ_DATA="/somewhere")``."""
    started: list[App] = []

    def start(**environment: str) -> App:
        started.append(start_app(root, tmp_path / f"app{len(started)}.txt", **environment))
        return started[-1]

    yield start
    for running in started:
        running.stop()


@pytest.fixture(scope="session")
def browser() -> Browser:
    """The one Chromium; skips without one, but never in continuous integration."""
    path = chromium.find()
    if path is None:
        reason = "No Chromium was found (make test installs one, BDLVIZ_CHROMIUM names one)."
        if "CI" in os.environ:
            pytest.fail(reason)
        pytest.skip(reason)
    return _launch(path)


@cache
def _launch(path: str) -> Browser:
    """One Chromium a process, whoever asks: Playwright cannot be started twice on one thread."""
    from playwright.sync_api import sync_playwright

    as_root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    playwright = sync_playwright().start()
    arguments = [*FLAGS, *as_root]
    running = playwright.chromium.launch(executable_path=path, headless=True, args=arguments, timeout=limit(120_000))
    ENDINGS.extend((running.close, playwright.stop))
    return running


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    """Cookies and storage of a new window, with limits for slow machines; it notes the runs that a page asks for."""
    from tests.browser import driver

    context = browser.new_context(**options)
    context.set_default_timeout(driver.TIMEOUT)
    context.add_init_script(driver.NOTE_RUNS)
    return context


def pytest_sessionfinish() -> None:
    """End the browser, if one was started."""
    while ENDINGS:
        ENDINGS.pop(0)()


@dataclass
class Complaints:
    """What no page may do, gathered while a test runs."""

    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Note every uncaught JavaScript error and every request that leaves this computer."""
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.note(request.url))
        page.on("console", lambda told: self.errors.extend([told.text] * ("Content Security Policy" in told.text)))

    def note(self, url: str) -> None:
        """Remember a request to another host."""
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1":
            self.foreign.append(url)


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a window on an app: ``new_page(app, viewport={"width": 390, "height": 844}, color_scheme="dark")``.

    The options are those of Playwright's ``Browser.new_context``.
    """
    from tests.browser import driver

    complaints = Complaints()
    contexts = []

    def open_window(app: App, **options: Any) -> Page:
        options.setdefault("viewport", {"width": driver.LAPTOP, "height": 900})
        contexts.append(new_context(browser, base_url=app.url, **options))
        page = contexts[-1].new_page()
        complaints.watch(page)
        return page

    yield open_window
    for context in contexts:
        for page in context.pages:
            driver.no_traceback(page)
        context.close()
    assert not complaints.errors, f"The page threw: {complaints.errors}"
    assert not complaints.foreign, f"The page asked other hosts: {complaints.foreign}"


@pytest.fixture
def page(app: App, new_page: Callable[..., Page]) -> Page:
    """A laptop's window on the shared app, nothing opened yet."""
    return new_page(app)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the browser tests."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Show a failed test's server output, and save what its window showed."""
    report = yield
    if report.failed:
        used = getattr(item, "funcargs", {})
        if isinstance(running := used.get("app"), App):
            report.sections.append(("app output, its end", running.output()[-4000:]))
        if report.when == "call" and (window := used.get("page")) is not None:
            path = item.config.rootpath / RESULTS / f"{re.sub(r'[^A-Za-z0-9]+', '-', item.nodeid).strip('-')}.png"
            path.parent.mkdir(exist_ok=True)
            try:
                window.screenshot(path=path)
                report.sections.append(("window", f"{window.url}\n{path}"))
            except Exception as error:  # the window may be gone; the test's own failure is what matters
                report.sections.append(("window", f"no picture: {error}"))
    return report
