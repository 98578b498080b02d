"""The queue of jobs is fair between visitors: turns, second jobs, background work, many requests at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from bdlviz.ui.jobs import queue as jobs
from bdlviz.ui.jobs.queue import Job, JobQueue
from tests.ui.gates import SECONDS, Gate, ended


def test_a_visitor_with_many_jobs_does_not_delay_others(one_at_a_time: JobQueue):
    order: list[str] = []

    def noted(name: str) -> Callable[..., Any]:
        return lambda look, cancel: order.append(name)

    gate = Gate()
    one_at_a_time.request("running", "greedy", gate)
    assert gate.started.wait(SECONDS)
    greedy = [one_at_a_time.request(name, name, noted(name)) for name in ("greedy:a", "greedy:b")]
    others = [one_at_a_time.request(name, name, noted(name)) for name in ("bob", "cy")]
    assert [one_at_a_time.place(job) for job in (*others, *greedy)] == [1, 2, 3, 4]
    gate.opened.set()
    for job in (*greedy, *others):
        ended(job)
    assert order == ["bob", "cy", "greedy:a", "greedy:b"]


def test_a_second_job_makes_room_for_the_first_job_of_another_visitor(queue: JobQueue):
    gates = [Gate(f"result {index}") for index in range(queue.max_running)]
    held = [queue.request(index, f"ada:{index}", gate) for index, gate in enumerate(gates)]
    assert all(gate.started.wait(SECONDS) for gate in gates)
    gates[-1].started.clear()
    other = Gate("bob's")
    job = queue.request("bob", "bob", other)
    assert other.started.wait(SECONDS), "Bob waits although Ada runs several."
    assert not held[-1].cancel.is_set() and queue.place(held[-1]) == 1
    assert not gates[0].opened.is_set() and not held[0].halt.is_set(), "One job stays hers."
    other.opened.set()
    assert job.result(SECONDS) == "bob's"
    assert gates[-1].started.wait(SECONDS)
    gates[-1].opened.set()
    assert held[-1].result(SECONDS) == f"result {queue.max_running - 1}"


def test_background_work_runs_last_alone_and_makes_room(queue: JobQueue, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jobs, "QUIET_BEFORE_BACKGROUND_S", 0.0)
    grids = [Gate("grid"), Gate("grid")]
    first, second = (
        queue.request(f"grid {index}", f"visitor {index}:grid", gate, "grid", True) for index, gate in enumerate(grids)
    )
    assert grids[0].started.wait(SECONDS)
    assert not grids[1].started.wait(0.05), "Two grids at once."
    looked_at = [Gate() for _ in range(queue.max_running)]
    for index, gate in enumerate(looked_at):
        queue.request(index, f"other {index}", gate)
    assert all(gate.started.wait(SECONDS) for gate in looked_at), "A fit waits for a grid."
    assert queue.place(first) and queue.place(second)
    for gate in (*grids, *looked_at):
        gate.opened.set()
    assert first.result(SECONDS) == second.result(SECONDS) == "grid"


def test_background_work_waits_until_others_have_been_quiet(queue: JobQueue, monkeypatch: pytest.MonkeyPatch):
    for visitor in ("ada", "bob"):
        assert queue.request(visitor, visitor, lambda look, cancel: "a fit").result(SECONDS)
    grid = Gate("grid")
    job = queue.request("grid", "ada:grid", grid, "grid", True)
    assert not grid.started.wait(0.05), "Bob has just had a fit."
    monkeypatch.setattr(jobs, "QUIET_BEFORE_BACKGROUND_S", 0.0)
    queue.sweep(lambda session: True)
    assert grid.started.wait(SECONDS)
    grid.opened.set()
    assert job.result(SECONDS) == "grid"


def test_background_work_follows_the_same_visitors_fit_at_once(queue: JobQueue):
    assert queue.request("fit", "ada", lambda look, cancel: "a fit").result(SECONDS)
    assert queue.request("grid", "ada:grid", lambda look, cancel: "grid", "grid", True).result(SECONDS) == "grid"


def test_a_grid_that_a_page_shows_is_no_background_work(one_at_a_time: JobQueue):
    gate, fit = Gate(), Gate()
    one_at_a_time.request("running", "ada", gate)
    assert gate.started.wait(SECONDS)
    grid = one_at_a_time.request("grid", "bob:grid", Gate(), "grid", True)
    job = one_at_a_time.request("fit", "cy", fit)
    assert (one_at_a_time.place(job), one_at_a_time.place(grid)) == (1, 2)
    one_at_a_time.request("grid", "bob", Gate())
    assert (one_at_a_time.place(grid), one_at_a_time.place(job)) == (1, 2)


def test_only_the_newest_waiting_jobs_of_a_visitor_stay(one_at_a_time: JobQueue):
    gate = Gate()
    one_at_a_time.request("running", "ada", gate)
    assert gate.started.wait(SECONDS)
    waiting = [one_at_a_time.request(index, f"bob:{index}", Gate()) for index in range(jobs.MAX_WAITING + 2)]
    assert [job.cancel.is_set() for job in waiting] == [True] * 2 + [False] * jobs.MAX_WAITING
    assert one_at_a_time.load() == (1, jobs.MAX_WAITING)


def test_fifty_moves_of_a_slider_leave_one_fit_and_no_thread(queue: JobQueue):
    before, running, most = threading.active_count(), [0], [0]
    lock = threading.Lock()

    def slow_fit(look: Callable[..., bool], cancel: threading.Event) -> str:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        while not cancel.wait(0.005) and not wanted.is_set():
            pass
        with lock:
            running[0] -= 1
        return "a fit"

    wanted = threading.Event()

    def move(slider: int) -> Job[str]:
        queue.leave("ada", keep=slider)
        time.sleep(0.01)
        return queue.request(slider, "ada", slow_fit)

    job = [move(slider) for slider in range(50)][-1]
    assert threading.active_count() <= before + queue.max_running
    wanted.set()
    assert job.result(SECONDS) == "a fit"
    assert most == [1], "Two fits of one visitor trained at the same time."
    queue.close()
    assert running == [0] and queue.load() == (0, 0)
    assert threading.active_count() <= before


def test_the_same_request_of_many_visitors_trains_once(queue: JobQueue):
    starts: list[int] = []
    together = threading.Barrier(40)

    def count(look: Any, cancel: Any) -> str:
        starts.append(1)
        time.sleep(0.05)
        return "a fit"

    def visit(number: int) -> Any:
        together.wait(SECONDS)
        return queue.request("key", f"visitor {number}", count).result(SECONDS)

    with ThreadPoolExecutor(40) as visitors:
        assert list(visitors.map(visit, range(40))) == ["a fit"] * 40
    assert starts == [1]
