"""What every test gets: no network, its own main module, a time limit, `root`; which tests run when."""

from __future__ import annotations

import gc
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.patience import limit

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
REST = ("browser", "deploy", "faults", "fuzz", "load")  # only `make test-all` runs these, but for tests marked `first`
ALONE = ("tests/browser/", "tests/ui/test_every_page.py", "tests/ui/test_sentences.py")  # slow: they start first
SECONDS = limit(300)  # for one test and its fixtures
os.environ.setdefault("PYTEST_TIMEOUT", f"{SECONDS:.0f}")  # read by pytest-timeout
# Threads of a matrix product use processor time while they wait for parts of small products: with two of them, some
# tests took five times as much. numpy, SciPy and torch read this when they are loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")

with suppress(ImportError):  # the tests that use hypothesis say so themselves if it is missing
    from hypothesis import settings

    settings.register_profile("bdlviz", deadline=None, derandomize=True, max_examples=50)
    settings.load_profile("bdlviz")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the rest: some folders, besides the tests that are marked themselves. Put slow tests in front."""
    for item in items:
        if item.path.relative_to(TESTS).parts[0] in REST and item.get_closest_marker("first") is None:
            item.add_marker(pytest.mark.rest)
    items.sort(key=lambda item: not item.nodeid.startswith(ALONE))


def pytest_collection_finish() -> None:
    """Leave all libraries and thousands of collected tests out of the garbage collections to come."""
    gc.freeze()


class ByModule(LoadScopeScheduling):
    """Gives a process one module after the other, so that a module's fixtures are made once; slow tests one by one."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid if nodeid.startswith(ALONE) else nodeid.split("::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByModule:
    """Keep the order of collection: slow tests first, so that no process is still busy when the others are done."""
    config.option.loadscopereorder = False
    return ByModule(config, log)


def pytest_configure(config: pytest.Config) -> None:
    """Print failures at once where tests are reported, not in the processes that run them."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(AtOnce(config))


class AtOnce:
    """Prints a failure when it happens, and not once more at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print a test that failed."""
        self._print(report, report.when or "")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Print a file that cannot be imported."""
        self._print(report, "collection")

    def _print(self, report: pytest.TestReport | pytest.CollectReport, when: str) -> None:
        terminal: Any = self.config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and terminal is not None:
            terminal.line("")
            terminal.section(f"{report.nodeid} ({when})", sep="_")
            report.toterminal(terminal._tw)
            for title, content in report.sections:
                terminal.section(title, sep="-")
                terminal.line(content)

    def pytest_sessionfinish(self) -> None:
        """Leave out the section of failures at the end; the summary of one line for each stays."""
        self.config.option.tbstyle = "no"


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session", autouse=True)
def offline() -> Iterator[None]:
    """Refuse every connection that leaves this computer: a test that needs the network is not a test."""
    connect = socket.socket.connect

    def connect_locally(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise OSError(f"A test tried to connect to {address[0]}; tests run without a network.")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect_locally)
        yield


@pytest.fixture(autouse=True)
def main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the main module back after a test that runs a page.

    Streamlit leaves the page in its place, and processes that a later test starts would run that page first.
    """
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
