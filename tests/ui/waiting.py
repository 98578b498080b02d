"""Waits for what another thread, process or server does."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.patience import limit


def wait_until(is_so: Callable[[], object], message: str, seconds: float = limit(60.0), interval: float = 0.01) -> None:
    """Return once the condition holds; fail with the message if it does not within so many seconds."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, message
        time.sleep(interval)
