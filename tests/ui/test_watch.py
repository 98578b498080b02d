"""How a page watches a job: how often it looks, what it stops waiting for, and when it gives a grid up."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from bdlviz.errors import InvalidInput
from bdlviz.topics.regression.function_draws import views_neighbourhood
from bdlviz.topics.regression.function_draws.views_neighbourhood import RESTING, Rest
from bdlviz.ui.jobs import obtain as obtain_module
from bdlviz.ui.jobs import queue as jobs
from bdlviz.ui.jobs import watch
from bdlviz.ui.jobs.queue import Job, JobQueue
from tests.patience import limit
from tests.ui.waiting import wait_until

SECONDS = limit(60.0)


def until_cancelled(look: Any, cancel: threading.Event) -> str:
    cancel.wait(SECONDS)
    return "part of a fit"


def started(queue: JobQueue, key: str, visitor: str) -> Job[str]:
    job = queue.request(key, visitor, until_cancelled)
    wait_until(lambda: job.started is not None, "The job never started.", interval=0.002)
    return job


def test_looks_are_seldom_while_a_job_waits_or_takes_long(queue: JobQueue):
    running = [started(queue, str(index), f"visitor {index}") for index in range(queue.max_running)]
    waiting = queue.request("waiting", "late", until_cancelled)
    assert watch.period(queue, running[0]) == watch.FAST_REFRESH_S
    assert watch.period(queue, waiting) == watch.SLOW_REFRESH_S
    running[0].started = time.monotonic() - 2 * watch.FAST_REFRESH_FOR_S
    assert watch.period(queue, running[0]) == watch.SLOW_REFRESH_S


def test_all_visitors_together_look_a_bounded_number_of_times(queue: JobQueue):
    job = started(queue, "key", "visitor 0")
    for number in range(1, 100):
        queue.request("key", f"visitor {number}", until_cancelled)
    assert 100 / watch.period(queue, job) <= 1 / watch.REFRESH_PER_VISITOR_S


def two_views() -> None:
    """A page of which one view waits for a job, and the other one for none."""
    import streamlit as st

    from bdlviz.ui.jobs import queue as jobs
    from bdlviz.ui.jobs import watch

    if st.toggle("waits", value=True, key="waits"):
        watch.mark_wanted(watch.visitor())
        jobs.QUEUE.request("key", watch.visitor(), lambda look, cancel: cancel.wait(60))
    watch.leave_unwanted(jobs.QUEUE)


def test_another_view_of_a_page_stops_what_the_first_waited_for(queue: JobQueue, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jobs, "QUEUE", queue)
    app = AppTest.from_function(two_views, default_timeout=SECONDS).run()
    [job] = queue._jobs.values()
    other = queue.request("other", "another visitor", until_cancelled)
    app.run()
    assert not job.cancel.is_set(), "The same view again still waits."
    app.toggle(key="waits").set_value(False).run()
    assert not app.exception
    assert job.cancel.is_set() and not other.cancel.is_set()


def resting() -> None:
    """A page at rest that would like to have a grid."""
    import streamlit as st

    from bdlviz.topics.regression.function_draws import views_neighbourhood

    rest = st.session_state[views_neighbourhood.RESTING]
    if views_neighbourhood.QUEUE.finished(rest.whole) is None and not rest.is_given_up:
        views_neighbourhood._look(rest, None)  # type: ignore[arg-type]


@pytest.fixture
def page(queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setattr(views_neighbourhood, "QUEUE", queue)
    app = AppTest.from_function(resting, default_timeout=SECONDS)
    app.session_state[RESTING] = Rest("a grid", time.monotonic() - views_neighbourhood.REST)  # type: ignore[arg-type]
    return app


def trains(monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    monkeypatch.setattr(obtain_module, "run", run)


def test_a_grid_is_trained_in_the_background(page: AppTest, queue: JobQueue, monkeypatch: pytest.MonkeyPatch):
    go_on = threading.Event()
    trains(monkeypatch, lambda whole, dataset, on_snapshot, cancel: go_on.wait(SECONDS) and SimpleNamespace())
    page.run()
    [job] = queue._jobs.values()
    assert job.is_background and job.kind == "grid" and not page.exception
    go_on.set()
    job.result(SECONDS)
    page.run()
    assert queue.finished("a grid") is not None and not page.session_state[RESTING].is_given_up


def test_a_grid_that_fails_is_tried_once(page: AppTest, monkeypatch: pytest.MonkeyPatch):
    tries: list[int] = []

    def fail(*args: Any, **options: Any) -> Any:
        tries.append(1)
        raise InvalidInput("No grid here.")

    trains(monkeypatch, fail)
    rest = page.session_state[RESTING]
    wait_until(lambda: page.run() and rest.is_given_up, "The grid is tried for ever.")
    page.run()
    assert tries == [1] and not page.exception and not page.error


def test_waiting_for_a_grid_has_an_end(page: AppTest, queue: JobQueue, monkeypatch: pytest.MonkeyPatch):
    trains(monkeypatch, lambda whole, dataset, on_snapshot, cancel: cancel.wait(SECONDS))
    monkeypatch.setattr(views_neighbourhood, "LONGEST", 0.0)
    page.run()
    assert page.session_state[RESTING].is_given_up
    assert page.session_state[RESTING].job.cancel.is_set() and not queue.names_of("any")
