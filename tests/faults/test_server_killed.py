"""A server that is killed leaves no process behind, and starts again on the same port."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.patience import limit

ROOT = Path(__file__).resolve().parents[2]
DEADLINE = limit(240.0)

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in the way of Linux"),
]


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + DEADLINE
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def stat(pid: int) -> list[str]:
    """State, parent and so on of a process; nothing where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def children(pid: int) -> set[int]:
    running = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal())
    return {child for child in running if (found := stat(child)) and found[0] != "Z" and int(found[1]) == pid}


def start(port: int) -> subprocess.Popen[bytes]:
    program = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}", "--server.headless=true"]
    environment = os.environ | {"BDLVIZ_WORKERS": "2"}
    return subprocess.Popen([*program, "--server.address=127.0.0.1"], cwd=ROOT, env=environment)


def is_healthy(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5) as answer:
            return answer.status == 200
    except OSError:  # refused, or no answer in time
        return False


def test_a_server_that_is_killed_leaves_nothing_and_starts_again():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    for _ in range(2):
        server = start(port)
        try:
            wait_until(lambda: is_healthy(port), "The server did not start.")
            wait_until(lambda: len(children(server.pid)) == 2, "The server started no workers.")  # noqa: B023
            workers = children(server.pid)
        finally:
            server.kill()
            server.wait()
        wait_until(lambda: not any(stat(pid) for pid in workers), "A worker outlived its server.")  # noqa: B023
