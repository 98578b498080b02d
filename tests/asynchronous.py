"""Coroutines in ordinary tests."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def finish(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end, on a thread of its own: after a browser test, Playwright's loop runs on this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
