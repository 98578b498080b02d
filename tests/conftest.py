"""What every test gets: no network, its own main module, reproducible examples, `root`; which tests are the rest."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
# `make test` leaves these folders to `make test-rest`, except for these files.
REST = ("browser", "deploy", "faults", "fuzz", "load")
FIRST = ("browser/test_every_page.py", "browser/test_flows.py")

with suppress(ImportError):  # the tests that use hypothesis say so themselves if it is missing
    from hypothesis import settings

    settings.register_profile("bdlviz", deadline=None, derandomize=True, max_examples=50)
    settings.load_profile("bdlviz")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test-rest` runs: some folders, besides the tests that are marked themselves."""
    for item in items:
        place = item.path.relative_to(TESTS)
        if place.parts[0] in REST and place.as_posix() not in FIRST:
            item.add_marker(pytest.mark.rest)


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
