"""A run that trains many small models, as a job of the queue: it shows how far it is, and can be stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, Generic, NamedTuple, TypeVar

import streamlit as st

from bdlviz.ui.jobs.queue import QUEUE, Job, Look, Moment
from bdlviz.ui.jobs.watch import Watched, asks, empty_place, say, say_stopped, time_left, visitor, wait, watch

Value = TypeVar("Value")
STOPPED = "stopped_course"  # key in the session state
Report = Callable[[int, Callable[[], Any]], bool]  # rounds done, what there is -> go on?
Work = Callable[[Report, threading.Event], Value]


class Reached(NamedTuple, Generic[Value]):
    """A run as far as it has come."""

    num_rounds: int
    value: Value


def obtain(key: Hashable, num_rounds: int, work: Work[Value], what: str) -> Value | None:
    """What ``work`` gives: remembered, soon there, or as far as it came when it was stopped; None while it runs.

    ``what`` names a round in the plural, as in "after 3 of 20 labels".
    """
    known: Reached[Value] | None = QUEUE.finished(key)
    if known is not None:
        QUEUE.leave(visitor())
        return known.value
    stopped = st.session_state.get(STOPPED)
    if stopped is not None and stopped[0] == key:
        QUEUE.leave(visitor())
        say_stopped(f"Stopped after {stopped[2]} of {num_rounds} {what}.", "Train again", "train_again", STOPPED)
        return stopped[1]
    QUEUE.leave(visitor(), keep=key)
    asks(visitor())
    job = QUEUE.request(key, visitor(), lambda look, cancel: _run(work, num_rounds, look, cancel), "course")
    if wait(job) and not job.cancel.is_set() and (done := job.result(0)) is not None:
        return done.value
    watch(QUEUE, job, visitor(), _watched(key, what))
    return None


def _run(work: Work[Value], num_rounds: int, look: Look[Reached[Value]], cancel: threading.Event) -> Reached[Value]:
    """The work as a job of the queue."""
    start = time.monotonic()

    def report(done: int, take: Callable[[], Value]) -> bool:
        return look(Moment(max(done, 1), num_rounds, time.monotonic() - start, lambda: Reached(done, take())))

    return Reached(num_rounds, work(report, cancel))


def _watched(key: Hashable, what: str) -> Watched[Reached[Any]]:
    def stop(reached: Reached[Any] | None) -> None:
        done, value = reached or (0, None)
        st.session_state[STOPPED] = (key, value, done)

    def how_far(job: Job[Reached[Any]]) -> tuple[float, str]:
        if job.progress is None:
            return 0.0, "Starting to train …"
        moment, (done, _) = job.progress
        left = f" · {time_left(moment)}" if done and time_left(moment) else ""
        return done / moment.num_steps, f"{done} of {moment.num_steps} {what}{left}"

    return Watched(how_far, stop, empty_place, say)
