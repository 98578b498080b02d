"""A page watches a job: progress, time left, the place in the queue, Stop, and a full run of the page at its end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from bdlviz.types import Snapshot
from bdlviz.ui.jobs.queue import Job, JobQueue
from bdlviz.ui.jobs.turns import session_of

PATIENCE = 0.8  # seconds a page waits for a result before it shows progress instead
BREATH = 0.05  # seconds between two moments at which that page may be left
POLL = 0.25  # seconds between the first looks at a job
FRESH = 5.0  # seconds of a job in which it is looked at that often
CALM = 1.0  # seconds between two looks later on, and while it waits
SHARE = 0.02  # seconds that each visitor who waits for anything adds to everybody's period: 50 looks a second in all
SHIFT = 5.0  # seconds after which the period is chosen again
PICTURE_HEIGHT = 560  # px, of the place that a figure will take
ASKED = "asked_in_this_run"  # session state: the names under which this run of the page waits

Result = TypeVar("Result")


def visitor() -> str:
    """Names this browser tab."""
    context = get_script_run_ctx()
    return context.session_id if context else "no session"


def asks(name: str) -> None:
    """This run of the page still wants what it waits for under that name."""
    st.session_state.setdefault(ASKED, set()).add(name)


def leave_the_rest(queue: JobQueue) -> None:
    """At the end of a run of the page: what an earlier run waited for and this one did not is wanted no more."""
    asked = st.session_state.pop(ASKED, set())
    for name in queue.names_of(session_of(visitor())):
        if name not in asked:
            queue.leave(name)


@dataclass(frozen=True)
class Watched(Generic[Result]):
    """What a page shows of a job, and what it does about it.

    ``tell`` gives the share that is done and the words beside it; ``draw`` shows what there is so far, None at first;
    ``stop`` keeps that when the visitor presses Stop. ``fail`` shows an error in the job's place, or takes a note and
    returns True: then the page runs again. Keys are those of the box and of the Stop button in it.
    """

    tell: Callable[[Job[Result]], tuple[float, str]]
    stop: Callable[[Result | None], None]
    draw: Callable[[Result | None], None]
    fail: Callable[[BaseException], bool]
    can_stop: Callable[[Result | None], bool] = lambda so_far: True
    box: str = "training"
    stop_key: str = "stop_fit"


def say(error: BaseException) -> bool:
    """Show the sentence of a job that failed."""
    st.error(str(error))
    return False


def empty_place(so_far: Any = None) -> None:
    """A place of a picture's height, until there is one."""
    st.skeleton(height=PICTURE_HEIGHT)


def wait(job: Job[Result], seconds: float = PATIENCE) -> bool:
    """Does a job end in time? A slider that moves meanwhile need not wait."""
    place, end = st.empty(), time.monotonic() + seconds
    while not job.future.done():
        left = end - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(left, BREATH))
        place.empty()  # here Streamlit leaves a run that nobody waits for any more
    return True


def watch(queue: JobQueue, job: Job[Result], name: str, watched: Watched[Result]) -> None:
    """Look at a job again and again, until the full run of the page at its end stops the looking.

    ``name`` is under which the visitor waits for it.
    """
    _choose_period(queue, job, name, watched)


@st.fragment(run_every=SHIFT)
def _choose_period(queue: JobQueue, job: Job[Any], name: str, watched: Watched[Any]) -> None:
    """The timer of a fragment is set when it is registered: this one registers the other anew, now and then."""
    st.fragment(_look, run_every=period(queue, job))(queue, job, name, watched)


def period(queue: JobQueue, job: Job[Any]) -> float:
    """Seconds between two looks: the longer a job takes and the more visitors wait, the more."""
    is_fresh = job.started is not None and time.monotonic() - job.started < FRESH
    shortest = POLL if is_fresh or (queue.place(job) == 0 and job.started is None) else CALM
    wanted = max(shortest, SHARE * queue.num_watching())
    steps = POLL
    while steps < wanted:  # few different periods: each change starts a timer anew
        steps *= 2
    return steps


def _look(queue: JobQueue, job: Job[Any], name: str, watched: Watched[Any]) -> None:
    job.seen = time.monotonic()
    if job.future.done():
        error = job.future.exception()
        if error is None or watched.fail(error):
            st.rerun()
        return
    so_far = job.progress[1] if job.progress else None
    with st.container(key=watched.box, horizontal=True, vertical_alignment="center", border=True):
        share, words = watched.tell(job)
        st.progress(share, words, width="stretch")
        is_enough = st.button("Stop", key=watched.stop_key, disabled=not watched.can_stop(so_far))
    if is_enough:
        queue.leave(name)
        watched.stop(so_far)
        st.rerun()
    watched.draw(so_far)


def time_left(progress: Snapshot[Any]) -> str:
    """The time left in words, from a second on."""
    return f"{progress.seconds_left:.0f} s left" if progress.seconds_left >= 1 else ""


def say_stopped(words: str, button: str, key: str, forget: str) -> None:
    """What there is was stopped by the visitor; the button forgets that, by its key in the session state."""
    with st.container(key="stopped", horizontal=True, vertical_alignment="center", border=True):
        st.markdown(words, width="stretch")
        st.button(button, on_click=lambda: st.session_state.pop(forget, None), key=key)
