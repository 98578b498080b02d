"""Fixtures of the server's tests: the real app on a port of its own, and a way to ask middleware without one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.types import ASGIApp

from tests.asynchronous import finish
from tests.browser.conftest import App, start_app
from tests.patience import limit


@pytest.fixture(scope="module")
def app(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The real app, with its log as JSON."""
    running = start_app(root, tmp_path_factory.mktemp("app") / "output.txt", BDLVIZ_LOG="json")
    yield running
    running.stop()


@dataclass(frozen=True)
class Answer:
    """What an ASGI application answered."""

    status: int
    headers: Headers
    body: str


Ask = Callable[..., Answer]


@pytest.fixture
def ask() -> Ask:
    """Ask an ASGI application over HTTP: ``ask(app, "/path", "GET", client="10.0.0.1", headers={...})``."""

    def asked(
        app: ASGIApp,
        path: str,
        method: str = "GET",
        client: str = "127.0.0.1",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        sent: list[Any] = []
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": b"",
            "client": (client, 5000),
            "headers": [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()],
        }

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        async def run() -> None:
            await app(scope, receive, send)

        finish(run())
        body = b"".join(message.get("body", b"") for message in sent[1:])
        return Answer(sent[0]["status"], Headers(raw=sent[0]["headers"]), body.decode())

    return asked


@pytest.fixture
def run_python(root: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a few lines of Python in a process of its own, from the project's root."""

    def run(lines: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", lines],
            cwd=root,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=limit(300),
        )

    return run
