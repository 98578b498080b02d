"""A Streamlit server in a separate process, reachable only from this machine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[1]
SECONDS_TO_START, SECONDS_TO_END = 120, 20


@dataclass(frozen=True)
class Process:
    """A running server."""

    address: str  # host:port
    number: int  # process number
    seconds: float  # seconds from its start to its first answer


@contextmanager
def serving(
    script: str, port: int = 0, output: int | IO[bytes] = subprocess.DEVNULL, **environment: str
) -> Iterator[Process]:
    """Run a Streamlit script on a port (0: a free one), and end it afterwards; ``output`` gets all its output."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", port))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", script, f"--server.port={port}"]
    start = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--server.address=127.0.0.1", "--server.headless=true"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        stdout=output,
        stderr=None if output == subprocess.DEVNULL else output,
    )
    try:
        address = f"127.0.0.1:{port}"
        while not _answers(address):
            if process.poll() is not None or time.perf_counter() - start > SECONDS_TO_START:
                raise RuntimeError(f"{script} did not start: try `make app`.")
            time.sleep(0.02)
        yield Process(address, process.pid, time.perf_counter() - start)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()


def _answers(address: str) -> bool:
    try:
        with urlopen(f"http://{address}/_stcore/health", timeout=2) as answer:
            return answer.status == 200
    except (URLError, OSError):
        return False
