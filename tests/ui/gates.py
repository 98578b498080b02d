"""Work for tests of the queue of jobs: it ends when a test opens its gate."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from bdlviz.ui.jobs.queue import Job
from tests.patience import limit
from tests.ui.waiting import wait_until

SECONDS = limit(60.0)  # no event of these tests takes so long


class Gate:
    """Work that starts when the queue lets it, and ends when the test opens the gate or the job is cancelled.

    It fails after `SECONDS`, so that a queue that blocks its callers fails a test and does not stop the suite for ever.
    """

    def __init__(self, result: Any = "a fit") -> None:
        self.started, self.opened, self.result = threading.Event(), threading.Event(), result

    def __call__(self, look: Callable[..., bool], cancel: threading.Event) -> Any:
        self.started.set()
        deadline = time.monotonic() + SECONDS
        while not (self.opened.wait(0.005) or cancel.is_set()):
            assert time.monotonic() < deadline, "The gate was never opened."
        return self.result


def ended(job: Job[Any]) -> Future[Any]:
    """The job's future, once it is done."""
    wait_until(job.future.done, "The job never ended.", SECONDS, interval=0.002)
    return job.future
