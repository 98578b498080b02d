"""How a page shows a job: progress, time left, its place in the queue, Stop, and a full run of the page at its end."""

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

WAIT_BEFORE_PROGRESS_S = 0.8  # a page waits so long for a result before it shows the progress
POLL_INTERVAL_S = 0.05  # between two checks whether the job is done; at each the run of the page can be interrupted
FAST_REFRESH_S = 0.25  # between two updates of the progress of a job that started recently
FAST_REFRESH_FOR_S = 5.0  # how long a job counts as started recently
SLOW_REFRESH_S = 1.0  # between two updates later, and while a job waits
REFRESH_PER_VISITOR_S = 0.02  # added to the period for each waiting visitor: at most 50 updates a second in total
PERIOD_UPDATE_INTERVAL_S = 5.0  # after which the period is chosen again
PLACEHOLDER_HEIGHT_PX = 560
WANTED = "wanted_in_this_run"  # session state: the names of the jobs that this run of the page waits for

Result = TypeVar("Result")


def visitor() -> str:
    """The identifier of this browser tab."""
    context = get_script_run_ctx()
    return context.session_id if context else "no session"


def mark_wanted(name: str) -> None:
    """Record that this run of the page still wants the job with that name."""
    st.session_state.setdefault(WANTED, set()).add(name)


def leave_unwanted(queue: JobQueue) -> None:
    """Leave the jobs that an earlier run of the page waited for and this run did not. Called at the end of a run."""
    asked = st.session_state.pop(WANTED, set())
    for name in queue.names_of(session_of(visitor())):
        if name not in asked:
            queue.leave(name)


@dataclass(frozen=True)
class Watched(Generic[Result]):
    """How a page shows a job, and what it does when the job fails or is stopped.

    ``tell`` returns the completed fraction and a text; ``draw`` shows the unfinished result, None at first; ``stop``
    gets the unfinished result when the visitor presses Stop. ``fail`` shows an error; if it returns True, the page runs
    again. ``box`` and ``stop_key`` are the widget keys of the container and of its Stop button.
    """

    tell: Callable[[Job[Result]], tuple[float, str]]
    stop: Callable[[Result | None], None]
    draw: Callable[[Result | None], None]
    fail: Callable[[BaseException], bool]
    can_stop: Callable[[Result | None], bool] = lambda so_far: True
    box: str = "training"
    stop_key: str = "stop_fit"


def show_error(error: BaseException) -> bool:
    """Show the message of a failed job."""
    st.error(str(error))
    return False


def show_placeholder(so_far: Any = None) -> None:
    """Show a placeholder with the height of a figure."""
    st.skeleton(height=PLACEHOLDER_HEIGHT_PX)


def wait(job: Job[Result], seconds: float = WAIT_BEFORE_PROGRESS_S) -> bool:
    """True if the job ends within ``seconds``. A new run of the page can interrupt the wait."""
    placeholder, end = st.empty(), time.monotonic() + seconds
    while not job.future.done():
        left = end - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(left, POLL_INTERVAL_S))
        placeholder.empty()  # at this call Streamlit ends the run if a newer one was requested
    return True


def watch(queue: JobQueue, job: Job[Result], name: str, watched: Watched[Result]) -> None:
    """Show a job and update it regularly. When the job ends, the whole page runs again, which ends the updates.

    ``name`` is the name under which the visitor waits for the job.
    """
    _choose_period(queue, job, name, watched)


@st.fragment(run_every=PERIOD_UPDATE_INTERVAL_S)
def _choose_period(queue: JobQueue, job: Job[Any], name: str, watched: Watched[Any]) -> None:
    """Register the updating fragment again, because the timer of a fragment is fixed when it is registered."""
    st.fragment(_update, run_every=period(queue, job))(queue, job, name, watched)


def period(queue: JobQueue, job: Job[Any]) -> float:
    """Seconds between two updates; more for long jobs and when many visitors wait."""
    is_fresh = job.started is not None and time.monotonic() - job.started < FAST_REFRESH_FOR_S
    shortest = FAST_REFRESH_S if is_fresh or (queue.place(job) == 0 and job.started is None) else SLOW_REFRESH_S
    wanted = max(shortest, REFRESH_PER_VISITOR_S * queue.num_watching())
    steps = FAST_REFRESH_S
    while steps < wanted:  # few different periods, because each change starts a new timer
        steps *= 2
    return steps


def _update(queue: JobQueue, job: Job[Any], name: str, watched: Watched[Any]) -> None:
    job.seen = time.monotonic()
    if job.future.done():
        error = job.future.exception()
        if error is None or watched.fail(error):
            st.rerun()
        return
    so_far = job.progress[1] if job.progress else None
    with st.container(key=watched.box, horizontal=True, vertical_alignment="center", border=True):
        fraction, words = watched.tell(job)
        st.progress(fraction, words, width="stretch")
        is_stopped = st.button("Stop", key=watched.stop_key, disabled=not watched.can_stop(so_far))
    if is_stopped:
        queue.leave(name)
        watched.stop(so_far)
        st.rerun()
    watched.draw(so_far)


def time_left(progress: Snapshot[Any]) -> str:
    """The time left in words; empty if it is less than a second."""
    return f"{progress.seconds_left:.0f} s left" if progress.seconds_left >= 1 else ""


def show_stopped(words: str, button: str, key: str, forget: str) -> None:
    """Show that the visitor stopped a job, with a button that removes ``forget`` from the session state."""
    with st.container(key="stopped", horizontal=True, vertical_alignment="center", border=True):
        st.markdown(words, width="stretch")
        st.button(button, on_click=lambda: st.session_state.pop(forget, None), key=key)
