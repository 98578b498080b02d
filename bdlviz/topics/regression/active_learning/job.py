"""The need of a run that trains many small models one after another: it shows how far it is, and can be stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, Generic, NamedTuple, TypeVar

from bdlviz.types import Snapshot
from bdlviz.ui.jobs.queue import Job, Look
from bdlviz.ui.jobs.watch import time_left
from bdlviz.ui.model import Need

Value = TypeVar("Value")
Report = Callable[[int, Callable[[], Any]], bool]  # rounds done, what there is -> go on?
Work = Callable[[Report, threading.Event], Value]


class Reached(NamedTuple, Generic[Value]):
    """A run as far as it has come."""

    num_steps_done: int
    value: Value


def course_need(
    key: Hashable, num_rounds: int, work: Work[Value], what: str, shipped: Callable[[], Value | None] | None = None
) -> Need[Value]:
    """The need of what ``work`` gives after so many rounds, or of what there is of it when it is stopped.

    ``what`` names a round in the plural, as in "after 3 of 20 labels".
    """

    def run(look: Look[Reached[Value]], cancel: threading.Event) -> Reached[Value]:
        start = time.monotonic()

        def report(done: int, take: Callable[[], Value]) -> bool:
            return look(Snapshot(max(done, 1), num_rounds, time.monotonic() - start, lambda: Reached(done, take())))

        return Reached(num_rounds, work(report, cancel))

    def tell(job: Job[Reached[Value]]) -> tuple[float, str]:
        if job.progress is None:
            return 0.0, "Starting to train …"
        moment, (done, _) = job.progress
        left = f" · {time_left(moment)}" if done and time_left(moment) else ""
        return done / num_rounds, f"{done} of {num_rounds} {what}{left}"

    return Need(
        key,
        shipped,
        run,
        lambda reached: reached.value,
        streams=False,
        kind="course",
        tell=tell,
        num_steps=num_rounds,
        steps=what,
    )
