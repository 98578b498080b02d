"""The queue of jobs: requests join, are cancelled and bounded; results are kept; failures become sentences."""

from __future__ import annotations

import asyncio
import logging
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bdlviz import fits
from bdlviz.data import load
from bdlviz.errors import InvalidInput
from bdlviz.ops import counters
from bdlviz.processes.crew import CREW
from bdlviz.types import Array, Snapshot
from bdlviz.ui.cache import Cache
from bdlviz.ui.jobs import queue as jobs
from bdlviz.ui.jobs.queue import Job, JobQueue
from tests.asynchronous import finish
from tests.ui.gates import SECONDS, Gate, ended
from tests.ui.waiting import wait_until


def fit_of_size(num_bytes: int) -> Array:
    """A result of so many bytes."""
    return np.empty(num_bytes, np.uint8)


def test_a_result_is_returned_and_remembered(queue: JobQueue):
    fit = fit_of_size(8)
    job = queue.request("key", "ada", lambda look, cancel: fit)
    assert job.result(SECONDS) is fit
    ended(job)
    assert queue.finished("key") is fit and queue.finished("other") is None


def test_the_same_request_joins_the_running_job(queue: JobQueue):
    gate, never = Gate(fit_of_size(8)), Gate()
    job = queue.request("key", "ada", gate)
    assert gate.started.wait(SECONDS)
    assert queue.request("key", "bob", never) is job
    assert queue.request("other", "bob", gate) is not job
    gate.opened.set()
    assert job.result(SECONDS) is gate.result
    assert not never.started.is_set()


def test_a_job_is_cancelled_when_the_last_visitor_leaves(queue: JobQueue):
    gate = Gate()
    job = queue.request("key", "ada", gate)
    queue.request("key", "bob", gate)
    assert gate.started.wait(SECONDS)
    queue.leave("ada")
    assert not job.cancel.is_set()
    queue.leave("bob", keep="key")
    assert not job.cancel.is_set()
    queue.leave("bob")
    assert job.cancel.is_set()
    ended(job)
    assert queue.finished("key") is None, "Half a fit must not pass for a whole one."


def test_a_request_after_a_cancel_starts_anew(queue: JobQueue):
    first, second = Gate(), Gate(fit_of_size(8))
    job = queue.request("key", "ada", first)
    queue.leave("ada")
    again = queue.request("key", "ada", second)
    assert again is not job
    second.opened.set()
    assert again.result(SECONDS) is second.result
    ended(job)
    assert queue.finished("key") is second.result


def test_the_number_of_running_jobs_is_bounded(queue: JobQueue):
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
    assert all(job.result(SECONDS) is not None for job in requested)


def test_a_visitor_who_leaves_the_queue_makes_room_at_once(one_at_a_time: JobQueue):
    gates = [Gate() for _ in range(3)]
    first, second, third = (one_at_a_time.request(index, f"visitor {index}", gate) for index, gate in enumerate(gates))
    assert gates[0].started.wait(SECONDS)
    assert [one_at_a_time.place(job) for job in (first, second, third)] == [0, 1, 2]
    assert third.result(0.01) is None, "A wait has an end."
    one_at_a_time.leave("visitor 1")
    assert one_at_a_time.place(third) == 1
    assert isinstance(ended(second).exception(), InvalidInput)
    again = one_at_a_time.request(1, "visitor 1", gates[1])
    assert one_at_a_time.place(again) == 2, "A visitor who comes back waits at the end."
    gates[0].opened.set()
    assert gates[2].started.wait(SECONDS)
    assert not gates[1].started.is_set()


@pytest.mark.parametrize(
    ("error", "sentence"),
    [(InvalidInput("Row 3 is odd."), "Row 3 is odd."), (ZeroDivisionError("at 0x7f"), "failed")],
)
def test_a_failure_becomes_a_sentence(queue: JobQueue, error: Exception, sentence: str):
    def fail(look: Any, cancel: Any) -> Any:
        raise error

    job = queue.request("key", "ada", fail)
    with pytest.raises(InvalidInput, match=sentence) as raised:
        job.result(SECONDS)
    assert "0x7f" not in str(raised.value)
    assert queue.request("key", "ada", lambda look, cancel: fit_of_size(1)).result(SECONDS) is not None


def test_a_queue_keeps_its_last_results_within_the_bounds_of_its_cache():
    queue = JobQueue(results=Cache(max_bytes=100, max_results=2))
    for key, size in (("a", 60), ("b", 60), ("c", 500)):
        ended(queue.request(key, "ada", lambda look, cancel, size=size: fit_of_size(size)))
        assert queue.finished(key) is not None
    assert queue.finished("a") is None and queue.finished("b") is None
    queue.close()


def test_a_look_keeps_the_latest_fit_and_stops_a_cancelled_one():
    job: Job[str] = Job("key")
    early, soon, late = (
        Snapshot(1, 2, seconds, lambda seconds=seconds: f"fit at {seconds}") for seconds in (0, 0.01, 5)
    )
    assert job.look(early) and job.look(soon)
    assert job.progress == (early, "fit at 0"), "A copy of the weights costs time, so not after every round."
    assert job.look(late)
    assert job.progress == (late, "fit at 5")
    job.give_up()
    assert not job.look(late)


def test_a_job_that_no_browser_asks_about_any_more_ends(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jobs, "ABANDON_AFTER_S", 0.0)
    job: Job[None] = Job("key")
    time.sleep(0.001)
    assert not job.look(Snapshot(1, 2, 0.0, lambda: None))
    assert job.cancel.is_set()


def test_closing_cancels_and_waits(one_at_a_time: JobQueue):
    gate, waiting = Gate(), Gate()
    job = one_at_a_time.request("first", "ada", gate)
    one_at_a_time.request("second", "bob", waiting)
    assert gate.started.wait(SECONDS)
    one_at_a_time.close()
    assert job.future.done() and not waiting.started.is_set()


# Visitors who have left -----------------------------------------------------------------------------------------------


def test_a_job_ends_when_its_tab_is_gone_for_two_sweeps(queue: JobQueue):
    job = queue.request("key", "ada:second", Gate())
    queue.sweep(lambda session: session != "ada")
    queue.sweep(lambda session: True)
    queue.sweep(lambda session: session != "ada")
    assert not job.cancel.is_set(), "The tab was gone for one sweep at a time."
    queue.sweep(lambda session: session != "ada")
    assert job.cancel.is_set()


def test_the_server_sweeps(queue: JobQueue, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jobs, "QUEUE", queue)
    monkeypatch.setattr(jobs, "SWEEP_INTERVAL_S", 0.01)
    monkeypatch.setattr(CREW, "trains_everything", CREW.trains_everything)
    monkeypatch.setattr(CREW, "stop", lambda: None)
    monkeypatch.setattr(jobs.runtime, "exists", lambda: True)
    sessions = SimpleNamespace(is_active_session=lambda session: session == "ada")
    monkeypatch.setattr(jobs.runtime, "get_instance", lambda: sessions)
    here, gone = queue.request("here", "ada", Gate()), queue.request("gone", "bob", Gate())

    async def serve() -> None:
        async with jobs.lifespan(None):
            while not gone.cancel.is_set():
                await asyncio.sleep(0.01)
            assert not here.cancel.is_set()

    finish(asyncio.wait_for(serve(), SECONDS))
    assert here.future.done(), "The server's end waits for its jobs."


# How soon -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("in_worker", [False, True])
def test_an_abandoned_fit_trains_no_further_round(queue: JobQueue, monkeypatch: pytest.MonkeyPatch, in_worker: bool):
    monkeypatch.setattr(CREW, "trains_everything", in_worker)
    monkeypatch.setenv("BDLVIZ_WORKERS", "1" if in_worker else "0")
    dataset = load("x_sin_x")
    config = fits.configure("mc_dropout", dataset, num_steps=40_000)
    steps: list[int] = []

    def train(look: Any, cancel: Any) -> Any:
        def note(snapshot: Snapshot[fits.Fit]) -> bool:
            steps.append(snapshot.step)
            return look(snapshot)

        return fits.run(config, dataset, on_snapshot=note, cancel=cancel)

    job = queue.request("key", "ada", train)
    wait_until(lambda: job.progress is not None, "The fit shows nothing.", SECONDS)
    queue.leave("ada")
    num_rounds = len(steps)
    ended(job)
    assert len(steps) <= num_rounds + 1, "Only the round that was under way may end."
    assert steps[-1] < config.num_steps


# Errors and counters --------------------------------------------------------------------------------------------------


def test_the_log_of_a_failure_says_where_but_quotes_nothing(queue: JobQueue, caplog: pytest.LogCaptureFixture):
    def fail(look: Any, cancel: Any) -> Any:
        try:
            float("secret 17")
        except ValueError as error:
            raise RuntimeError("secret 18") from error

    with caplog.at_level(logging.ERROR):
        ended(queue.request("secret key", "secret visitor", fail))
    assert "ValueError" in caplog.text and "RuntimeError" in caplog.text and "in fail" in caplog.text
    assert not any(word in caplog.text for word in ("secret 17\n", "secret 18\n", "secret key", "secret visitor"))


def test_what_happens_to_jobs_is_counted(one_at_a_time: JobQueue):
    def fail(look: Any, cancel: Any) -> Any:
        raise ZeroDivisionError

    def counted() -> list[float]:
        found = [counters.REGISTRY.get_sample_value(f"bdlviz_{name}", {"kind": "test"}) for name in names]
        return [value or 0.0 for value in found]

    def present() -> list[float | None]:
        return [counters.REGISTRY.get_sample_value(f"bdlviz_jobs_{name}") for name in ("running", "waiting")]

    names = [f"jobs_{name}_total" for name in ("started", "finished", "failed", "cancelled")]
    names += ["job_run_seconds_count", "job_wait_seconds_count"]
    before, gate = counted(), Gate()
    running = one_at_a_time.request("running", "ada", gate, "test")
    waiting = [one_at_a_time.request(n, f"visitor {n}", w, "test") for n, w in enumerate((fail, Gate()))]
    assert gate.started.wait(SECONDS)
    assert present() == [1, 2]
    one_at_a_time.leave("visitor 1")
    gate.opened.set()
    for job in (running, *waiting):
        ended(job)
    one_at_a_time.close()
    assert [now - then for now, then in zip(counted(), before, strict=True)] == [2, 1, 1, 1, 2, 2]
    assert present() == [0, 0]
