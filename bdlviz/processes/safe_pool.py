"""A pool of processes that execute no file of the current folder while they start."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

SAFE_PATH = "PYTHONSAFEPATH"  # where it is set, Python leaves the current folder out of the search for modules


class SafePool(ProcessPoolExecutor):
    """A pool for the start method "spawn".

    Its processes begin with ``python -c``, which would search the current folder first: a file random.py there would
    be executed in place of the library's module. Once a process runs, it searches the same places as this one.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        with _without_current_folder():  # starts the process that keeps track of semaphores
            super().__init__(*args, **kwargs)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a call as usual; this also starts the processes."""
        with _without_current_folder():
            return super().submit(fn, *args, **kwargs)


@contextmanager
def _without_current_folder() -> Iterator[None]:
    """Let Python programs that are started meanwhile leave the current folder out."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before
