"""What every test gets: no network, its own main module, reproducible examples, the project's folder as `root`."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]

with suppress(ImportError):  # the tests that use hypothesis say so themselves if it is missing
    from hypothesis import settings

    settings.register_profile("bdlviz", deadline=None, derandomize=True, max_examples=50)
    settings.load_profile("bdlviz")


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
