"""A run that trains many small models, as a job of the queue: it shows how far it is, and can be stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

import streamlit as st

from bdlviz.fits import Fit, Snapshot
from bdlviz.types import Array
from bdlviz.ui.jobs import QUEUE, Job
from bdlviz.ui.obtain import PATIENCE, PICTURE_HEIGHT, POLL, visitor

Value = TypeVar("Value")
STOPPED = "stopped_course"  # key in the session state
Report = Callable[[int, Callable[[], Any]], bool]  # rounds done, what there is -> go on?
Work = Callable[[Report, threading.Event], Value]


@dataclass(frozen=True, eq=False)
class Kept(Generic[Value]):
    """A result, as the queue of fits remembers its results: by their arrays."""

    value: Value | None = None
    params: Mapping[str, Array] = field(default_factory=dict)
    snapshots: Mapping[str, Array] = field(default_factory=dict)


def obtain(key: Hashable, num_rounds: int, work: Work[Value], what: str) -> Value | None:
    """What ``work`` gives: remembered, soon there, or as far as it came when it was stopped; None while it runs.

    ``what`` names a round in the plural, as in "after 3 of 20 labels".
    """
    known = QUEUE.finished(key)
    if known is not None:
        QUEUE.leave(visitor())
        return cast(Kept[Value], known).value
    stopped = st.session_state.get(STOPPED)
    if stopped is not None and stopped[0] == key:
        QUEUE.leave(visitor())
        return _stopped(stopped[1], stopped[2], num_rounds, what)
    QUEUE.leave(visitor(), keep=key)
    job = QUEUE.request(key, visitor(), lambda look, cancel: _run(work, num_rounds, look, cancel))
    done = job.result(PATIENCE)
    if done is not None and not job.cancel.is_set():
        return cast(Kept[Value], done).value
    _watch(job, key, what)
    return None


def _stopped(value: Value | None, done: int, num_rounds: int, what: str) -> Value | None:
    with st.container(key="stopped", horizontal=True, vertical_alignment="center", border=True):
        st.markdown(f"Stopped after {done} of {num_rounds} {what}.", width="stretch")
        st.button("Train again", on_click=lambda: st.session_state.pop(STOPPED, None), key="train_again")
    return value


def _run(work: Work[Any], num_rounds: int, look: Callable[[Snapshot], bool], cancel: threading.Event) -> Fit:
    """The work as a job of the queue, which takes what it gives for a fit."""
    start = time.monotonic()

    def report(done: int, take: Callable[[], Any]) -> bool:
        snapshot = Snapshot(max(done, 1), num_rounds, time.monotonic() - start, lambda: cast(Fit, Kept((done, take()))))
        return look(snapshot)

    return cast(Fit, Kept(work(report, cancel)))


@st.fragment(run_every=POLL)
def _watch(job: Job, key: Hashable, what: str) -> None:
    """Look at the running job; the full rerun at its end stops the looking."""
    job.seen = time.monotonic()
    if job.future.done():
        if job.future.exception() is None:
            st.rerun()
        st.error(str(job.future.exception()))
        return
    snapshot, kept = job.progress or (None, None)
    done, value = (0, None) if kept is None else cast(Kept[Any], kept).value or (0, None)
    told = "Starting to train …"
    if snapshot is not None:
        left = f" · {snapshot.seconds_left:.0f} s left" if snapshot.seconds_left >= 1 and done else ""
        told = f"{done} of {snapshot.num_steps} {what}{left}"
    with st.container(key="training", horizontal=True, vertical_alignment="center", border=True):
        st.progress(done / snapshot.num_steps if snapshot else 0.0, told, width="stretch")
        is_enough = st.button("Stop", key="stop_fit")
    if is_enough:
        QUEUE.leave(visitor())
        st.session_state[STOPPED] = (key, value, done)
        st.rerun()
    st.skeleton(height=PICTURE_HEIGHT)
