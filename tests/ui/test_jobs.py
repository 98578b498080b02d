"""The queue of fits: joined, cancelled, bounded, and forgetful."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bdlviz.errors import InvalidInput
from bdlviz.ui import jobs
from bdlviz.ui.jobs import FitQueue, Job

SECONDS = 60.0  # no event of these tests takes as long, even on a busy machine


class Gate:
    """Work that starts when the queue lets it, and ends when the test opens the gate or the job is cancelled."""

    def __init__(self, result: Any = "a fit") -> None:
        self.started, self.opened, self.result = threading.Event(), threading.Event(), result

    def __call__(self, look: Callable[..., bool], cancel: threading.Event) -> Any:
        self.started.set()
        while not (self.opened.wait(0.005) or cancel.is_set()):
            pass
        return self.result


@pytest.fixture
def one_at_a_time(monkeypatch: pytest.MonkeyPatch, queue: FitQueue) -> FitQueue:
    monkeypatch.setattr(jobs, "MAX_RUNNING", 1)
    queue.__init__()
    return queue


def fit_of_size(num_bytes: int) -> Any:
    return SimpleNamespace(params={"weight0": np.empty(num_bytes, np.uint8)}, snapshots={})


def ended(job: Job) -> Future[Any]:
    """The job's future, once it is done."""
    deadline = time.monotonic() + SECONDS
    while not job.future.done():
        assert time.monotonic() < deadline, "The job never ended."
        time.sleep(0.002)
    return job.future


def test_a_result_is_returned_and_remembered(queue: FitQueue):
    fit = fit_of_size(8)
    job = queue.request("key", "ada", lambda look, cancel: fit)
    assert job.result(SECONDS) is fit
    ended(job)
    assert queue.finished("key") is fit and queue.finished("other") is None


def test_the_same_request_joins_the_running_job(queue: FitQueue):
    gate, never = Gate(fit_of_size(8)), Gate()
    job = queue.request("key", "ada", gate)
    assert gate.started.wait(SECONDS)
    assert queue.request("key", "bob", never) is job
    assert queue.request("other", "bob", gate) is not job
    gate.opened.set()
    assert job.result(SECONDS) is gate.result
    assert not never.started.is_set()


def test_a_job_is_cancelled_when_the_last_visitor_leaves(queue: FitQueue):
    gate = Gate()
    job = queue.request("key", "ada", gate)
    queue.request("key", "bob", gate)
    queue.leave("ada")
    assert not job.cancel.is_set()
    queue.leave("bob", keep="key")
    assert not job.cancel.is_set()
    queue.leave("bob")
    assert job.cancel.is_set()
    ended(job)
    assert queue.finished("key") is None, "Half a fit must not pass for a whole one."


def test_a_request_after_a_cancel_starts_anew(queue: FitQueue):
    first, second = Gate(), Gate(fit_of_size(8))
    job = queue.request("key", "ada", first)
    queue.leave("ada")
    again = queue.request("key", "ada", second)
    assert again is not job
    second.opened.set()
    assert again.result(SECONDS) is second.result
    ended(job)
    assert queue.finished("key") is second.result


def test_the_number_of_running_jobs_is_bounded(queue: FitQueue):
    gates = [Gate(fit_of_size(1)) for _ in range(jobs.MAX_RUNNING + 3)]
    requested = [queue.request(index, f"visitor {index}", gate) for index, gate in enumerate(gates)]
    assert all(gate.started.wait(SECONDS) for gate in gates[: jobs.MAX_RUNNING])
    assert not gates[-1].started.wait(0.1)
    assert [queue.place(job) for job in requested] == [0] * jobs.MAX_RUNNING + [1, 2, 3]
    gates[0].opened.set()
    assert gates[jobs.MAX_RUNNING].started.wait(SECONDS)
    assert [queue.place(job) for job in requested[jobs.MAX_RUNNING :]] == [0, 1, 2]
    for gate in gates:
        gate.opened.set()
    assert all(job.result(SECONDS) for job in requested)


def test_who_leaves_the_queue_makes_room_at_once(one_at_a_time: FitQueue):
    gates = [Gate() for _ in range(3)]
    first, second, third = (one_at_a_time.request(index, f"visitor {index}", gate) for index, gate in enumerate(gates))
    assert gates[0].started.wait(SECONDS)
    assert [one_at_a_time.place(job) for job in (first, second, third)] == [0, 1, 2]
    one_at_a_time.leave("visitor 1")
    assert one_at_a_time.place(third) == 1
    again = one_at_a_time.request(1, "visitor 1", gates[1])
    assert one_at_a_time.place(again) == 2, "Who comes back waits at the end."
    gates[0].opened.set()
    assert gates[2].started.wait(SECONDS)
    assert not gates[1].started.is_set()


def test_a_job_cancelled_while_it_waits_never_starts(one_at_a_time: FitQueue):
    running, waiting = Gate(), Gate()
    one_at_a_time.request("first", "ada", running)
    job = one_at_a_time.request("second", "bob", waiting)
    one_at_a_time.leave("bob")
    running.opened.set()
    assert isinstance(ended(job).exception(), InvalidInput)
    assert not waiting.started.is_set()


@pytest.mark.parametrize(
    ("error", "sentence"),
    [(InvalidInput("Row 3 is odd."), "Row 3 is odd."), (ZeroDivisionError("at 0x7f"), "The fit failed")],
)
def test_a_failure_becomes_a_sentence(queue: FitQueue, error: Exception, sentence: str):
    def fail(look: Any, cancel: Any) -> Any:
        raise error

    job = queue.request("key", "ada", fail)
    with pytest.raises(InvalidInput, match=sentence) as raised:
        job.result(SECONDS)
    assert "0x7f" not in str(raised.value)
    assert queue.request("key", "ada", lambda look, cancel: fit_of_size(1)).result(SECONDS) is not None


def test_waiting_has_an_end(queue: FitQueue):
    assert queue.request("key", "ada", Gate()).result(0.01) is None


def test_the_least_recently_used_result_is_forgotten(queue: FitQueue, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jobs, "MAX_RESULTS", 2)
    for key in "abc":
        if key == "c":
            assert queue.finished("a") is not None  # so b is now the oldest
        ended(queue.request(key, "ada", lambda look, cancel: fit_of_size(1)))
    assert [queue.finished(key) is not None for key in "abc"] == [True, False, True]


def test_the_results_stay_within_their_bytes_but_the_last_is_kept(queue: FitQueue, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jobs, "MAX_RESULT_BYTES", 100)
    for key, size in (("a", 60), ("b", 60), ("c", 500)):
        ended(queue.request(key, "ada", lambda look, cancel, size=size: fit_of_size(size)))
        assert queue.finished(key) is not None
    assert queue.finished("a") is None and queue.finished("b") is None


def test_a_look_keeps_the_latest_fit_and_stops_a_cancelled_one():
    job = Job("key")
    early, soon, late = (SimpleNamespace(seconds=s, take=lambda s=s: f"fit at {s}") for s in (0.0, 0.01, 5.0))
    assert job.look(early) and job.look(soon)  # type: ignore[arg-type]
    assert job.progress == (early, "fit at 0.0"), "A copy of the weights costs time, so not after every round."
    assert job.look(late)  # type: ignore[arg-type]
    assert job.progress == (late, "fit at 5.0")
    job.cancel.set()
    assert not job.look(late)  # type: ignore[arg-type]


def test_a_job_that_no_browser_asks_about_any_more_ends(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jobs, "ABANDONED", 0.0)
    job = Job("key")
    time.sleep(0.001)
    assert not job.look(SimpleNamespace(seconds=0.0, take=lambda: None))  # type: ignore[arg-type]
    assert job.cancel.is_set()


def test_closing_cancels_and_waits(one_at_a_time: FitQueue):
    gate, waiting = Gate(), Gate()
    job = one_at_a_time.request("first", "ada", gate)
    one_at_a_time.request("second", "bob", waiting)
    assert gate.started.wait(SECONDS)
    one_at_a_time.close()
    assert job.future.done() and not waiting.started.is_set()
