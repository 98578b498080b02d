"""The queue of background jobs. Visitors who want the same result share a job; a job that nobody wants is cancelled.

A job runs on a thread of the queue and makes no Streamlit calls; pages read its progress. The number of running jobs is
bounded, and their order is fair between visitors. The place of a waiting job in the queue is known.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from streamlit import runtime

from bdlviz.errors import InvalidInput
from bdlviz.ops import counters
from bdlviz.processes.crew import CREW
from bdlviz.threads import num_cores, one_blas_thread
from bdlviz.types import Snapshot
from bdlviz.ui.cache import Cache
from bdlviz.ui.jobs.turns import Ledger, Turn, displaceable, session_of, turns

MAX_RUNNING = max(2, num_cores())
MAX_WAITING = 3  # waiting jobs of one visitor; a newer one replaces the oldest
SNAPSHOT_INTERVAL_S = 0.1  # between two copies of the unfinished result
ABANDON_AFTER_S = 90.0  # without an update of a page, a job has no visitor; browsers update hidden tabs once a minute
QUIET_BEFORE_BACKGROUND_S = 5.0  # background work starts after so long without a job of another visitor
SWEEP_INTERVAL_S = 2.0  # a tab missing in two consecutive sweeps is closed; in one, it may be reconnecting
WORKER_START_DELAY_S = 5.0  # after the start of the server, so that the first page is not delayed
FAILED_JOB = "The fit failed because of an error in bdlviz; change a setting and try again."
STOPPED = "The fit was stopped before it started."

Result = TypeVar("Result")
log = logging.getLogger(__name__)


Look = Callable[[Snapshot[Result]], bool]  # gets the progress of the work; returns whether it is to continue
Work = Callable[[Look[Result], threading.Event], Result]  # the event is set when the work must stop


@dataclass(eq=False)
class Job(Generic[Result]):
    """A waiting, running or finished piece of work, and the visitors that wait for it."""

    key: Hashable
    kind: str = "fit"
    is_background: bool = False
    cancel: threading.Event = field(default_factory=threading.Event)  # no visitor wants the job any more
    halt: threading.Event = field(default_factory=threading.Event)  # the current run must stop: cancelled or displaced
    waiting: set[str] = field(default_factory=set)
    left: frozenset[str] = frozenset()  # the last names that waited before it was cancelled
    progress: tuple[Snapshot[Result], Result] | None = None  # the latest copy of the unfinished result
    asked: float = field(default_factory=time.monotonic)
    started: float | None = None  # start of the current run
    seen: float = field(default_factory=time.monotonic)  # last update of a page
    future: Future[Result] = field(default_factory=Future)

    @property
    def names(self) -> frozenset[str]:
        """The names that wait for the job, or waited when it was cancelled."""
        return self.left or frozenset(self.waiting)

    @property
    def sessions(self) -> frozenset[str]:
        """The visitors behind these names."""
        return frozenset(map(session_of, self.names))

    def result(self, timeout: float) -> Result | None:
        """The result of the work, or None if it is not finished within ``timeout`` seconds.

        Raises:
            InvalidInput: the work failed; the page shows the message.
        """
        try:
            return self.future.result(timeout)
        except TimeoutError:
            return None

    def look(self, progress: Snapshot[Result]) -> bool:
        """Keep a copy of the unfinished result at intervals. False if the work must stop: cancelled or displaced."""
        if self.halt.is_set():
            return False
        if self.progress is None or progress.seconds - self.progress[0].seconds > SNAPSHOT_INTERVAL_S:
            # Copied between two rounds: during a round, weights of different steps would be mixed.
            self.progress = (progress, progress.take())
        if time.monotonic() - self.seen > ABANDON_AFTER_S:
            self.give_up()
        return not self.halt.is_set()

    def give_up(self) -> None:
        """Cancel the job: no visitor waits for it any more."""
        self.left = frozenset(self.waiting) or self.left
        self.cancel.set()
        self.halt.set()


class JobQueue:
    """All jobs of the process, and the results of recent ones.

    A worker thread chooses the next job only when it becomes free, so that the choice uses the latest state.
    """

    def __init__(self, max_running: int = MAX_RUNNING, results: Cache | None = None) -> None:
        self.max_running = max_running
        self._lock = threading.RLock()
        self._pool = ThreadPoolExecutor(max_running, thread_name_prefix="bdlviz-job")
        self._jobs: dict[Hashable, Job[Any]] = {}  # by key, the job that visitors can join
        self._waiting: list[tuple[Job[Any], Work[Any]]] = []
        self._running: list[Job[Any]] = []  # in the order of starts; includes cancelled jobs that have not ended yet
        self._results = results or Cache(max_bytes=300_000_000, max_results=64)
        self._ledger = Ledger()
        self._missing: set[str] = set()  # names whose tab was not connected at the last sweep
        self._served: deque[tuple[float, frozenset[str]]] = deque(maxlen=8)  # end time and visitors of recent jobs

    def finished(self, key: Hashable) -> Any | None:
        """The cached result of that key, or None."""
        with self._lock:
            return self._results.find(key)

    def request(
        self, key: Hashable, visitor: str, work: Work[Result], kind: str = "fit", is_background: bool = False
    ) -> Job[Result]:
        """Join the job of that key, or queue a new one.

        ``kind`` is the label of the job in the counters. Work ``is_background`` while no page shows it; it runs after
        all other work.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.cancel.is_set():
                job = self._jobs[key] = Job(key, kind, is_background)
                self._waiting.append((job, work))
                self._pool.submit(self._run_all)
                counters.RESULTS.labels("trained").inc()
            elif visitor not in job.waiting:
                counters.RESULTS.labels("joined").inc()
            job.is_background = job.is_background and is_background
            job.waiting.add(visitor)
            job.seen = time.monotonic()
            self._bound(session_of(visitor))
            self._make_room()
            self._count()
            return job

    def leave(self, visitor: str, *, keep: Hashable = None) -> None:
        """Remove the visitor from all jobs but ``keep``; jobs that nobody waits for are cancelled."""
        with self._lock:
            for job in list(self._jobs.values()):
                if job.key != keep and visitor in job.waiting:
                    self._leave(job, visitor)
            self._count()

    def sweep(self, is_there: Callable[[str], bool]) -> None:
        """Remove visitors whose tab is not connected now and was not at the last sweep: the tab was closed.

        Also start background work if it may run now.
        """
        with self._lock:
            names = {name for job in self._jobs.values() for name in job.waiting}
            missing = {name for name in names if not is_there(session_of(name))}
            for name in missing & self._missing:
                self.leave(name)
            self._missing = missing - self._missing
            if self._waiting:
                self._pool.submit(self._run_all)

    def names_of(self, session: str) -> frozenset[str]:
        """The names under which a visitor waits for jobs."""
        with self._lock:
            return frozenset(name for job in self._jobs.values() for name in job.waiting if session_of(name) == session)

    def place(self, job: Job[Any]) -> int:
        """The number of jobs that must end before this one starts; 0 if it runs."""
        with self._lock:
            order = [each for _, each in self._turns()]
            free = self.max_running - len(self._running)
            return max(0, order.index(job) - free + 1) if job in order else 0

    def load(self) -> tuple[int, int]:
        """The numbers of running and of waiting jobs."""
        with self._lock:
            return len(self._running), len(self._waiting)

    def num_watching(self) -> int:
        """The number of visitors that wait for jobs, counted once for each job."""
        with self._lock:
            return sum(len(job.waiting) for job in self._jobs.values())

    def close(self) -> None:
        """Cancel all jobs, and wait until none runs."""
        with self._lock:
            for job in list(self._jobs.values()):
                self._cancel(job)
        self._pool.shutdown(cancel_futures=True)

    # Order of jobs ----------------------------------------------------------------------------------------------------

    def _turns(self) -> list[tuple[Turn, Job[Any]]]:
        return turns([job for job, _ in self._waiting], self._running, self._ledger.ready)

    def _take_next(self) -> tuple[Job[Any], Work[Any]] | None:
        """Start the next job and return it; None if no job may start."""
        with self._lock:
            has_background = any(job.is_background for job in self._running)
            ending = Counter(name for job in self._running if job.cancel.is_set() for name in job.names)
            for _, job in self._turns():
                # A visitor's new fit starts when the cancelled one has ended: fits of one visitor run one at a time.
                if all(ending[name] for name in job.names):
                    continue
                if job.is_background and (has_background or not self._is_quiet_for(job)):
                    continue
                [taken] = [each for each in self._waiting if each[0] is job]
                self._waiting.remove(taken)
                self._running.append(job)
                job.started = time.monotonic()
                self._count()
                return taken
            return None

    def _is_quiet_for(self, job: Job[Any]) -> bool:
        """True if no other visitor's job ended in the last `QUIET_BEFORE_BACKGROUND_S` seconds.

        Otherwise that visitor is likely to request another job soon, which would interrupt the background work.
        """
        others = [ended for ended, sessions in self._served if not sessions <= job.sessions]
        return time.monotonic() - max(others, default=-math.inf) >= QUIET_BEFORE_BACKGROUND_S

    def _bound(self, session: str) -> None:
        """Remove a visitor with too many waiting jobs from the oldest ones."""
        waits = [job for job, _ in self._waiting if session in job.sessions]
        for job in waits[: max(0, len(waits) - MAX_WAITING)]:
            for name in [name for name in job.waiting if session_of(name) == session]:
                self._leave(job, name)

    def _make_room(self) -> None:
        """Interrupt background jobs and second jobs while visitors without a running job wait."""
        firsts = sum(turn[:2] == (False, 0) for turn, _ in self._turns())
        free = self.max_running - len(self._running) + sum(job.halt.is_set() for job in self._running)
        for _ in range(firsts - free):
            job = displaceable([job for job in self._running if not job.halt.is_set()])
            if job is None:
                return
            job.halt.set()

    def _leave(self, job: Job[Any], visitor: str) -> None:
        if job.waiting == {visitor}:
            self._cancel(job)
        job.waiting.discard(visitor)

    def _cancel(self, job: Job[Any]) -> None:
        job.give_up()
        waits = [each for each in self._waiting if each[0] is job]
        if waits:
            self._waiting.remove(waits[0])
            self._forget(job)
            counters.JOBS_CANCELLED.labels(job.kind).inc()
            job.future.set_exception(InvalidInput(STOPPED))

    # Running ---------------------------------------------------------------------------------------------------------

    def _run_all(self) -> None:
        """Run jobs until none may start."""
        while (taken := self._take_next()) is not None:
            self._run(*taken)

    def _run(self, job: Job[Any], work: Work[Any]) -> None:
        started = time.monotonic()
        counters.JOBS_STARTED.labels(job.kind).inc()
        counters.WAIT_SECONDS.labels(job.kind).observe(started - job.asked)
        result, error = _outcome(job, work)
        seconds = time.monotonic() - started
        counters.RUN_SECONDS.labels(job.kind).observe(seconds)
        with self._lock:
            self._running.remove(job)
            self._ledger.charge(job.sessions, seconds)
            if not job.is_background:
                self._served.append((time.monotonic(), job.sessions))
            if job.halt.is_set() and not job.cancel.is_set():
                self._wait_again(job, work)
                return
            # Removed before its future is set, so that no request joins a finished job.
            self._forget(job)
            if error is None and not job.cancel.is_set():
                self._results.keep(job.key, result)
            self._count()
        _count_end(job, error)
        if error is None:
            job.future.set_result(result)
        else:
            job.future.set_exception(error)

    def _wait_again(self, job: Job[Any], work: Work[Any]) -> None:
        """Queue a displaced job again; it starts from the beginning at its turn."""
        counters.JOBS_DISPLACED.labels(job.kind).inc()
        job.halt, job.progress, job.started = threading.Event(), None, None
        self._waiting.append((job, work))
        self._count()

    def _forget(self, job: Job[Any]) -> None:
        if self._jobs.get(job.key) is job:
            del self._jobs[job.key]

    def _count(self) -> None:
        counters.RUNNING.set(len(self._running))
        counters.WAITING.set(len(self._waiting))


def _outcome(job: Job[Any], work: Work[Any]) -> tuple[Any, InvalidInput | None]:
    """The result of the work and None, or None and the error."""
    try:
        return work(job.look, job.halt), None
    except InvalidInput as error:
        return None, error
    except BaseException as error:
        log.error("A job failed: %s\n%s", job.kind, _where(error))
        return None, InvalidInput(FAILED_JOB)


def _where(error: BaseException) -> str:
    """The tracebacks of an error and its cause. Messages are left out, since they may quote a visitor's input."""
    before, cause = "", error.__cause__ or error.__context__
    if cause is not None:
        before = f"{_where(cause)}which led to\n"
    return f"{before}{''.join(traceback.format_tb(error.__traceback__))}{type(error).__name__}\n"


def _count_end(job: Job[Any], error: InvalidInput | None) -> None:
    if job.cancel.is_set():
        counters.JOBS_CANCELLED.labels(job.kind).inc()
    elif error is not None:
        counters.JOBS_FAILED.labels(job.kind).inc()
    else:
        counters.JOBS_FINISHED.labels(job.kind).inc()


QUEUE = JobQueue()
counters.WORKERS_LOST.set_function(lambda: CREW.num_lost)


def is_connected(session: str) -> bool:
    """True if this browser tab is connected. Without a server, as in tests of a page, always True."""
    return not runtime.exists() or runtime.get_instance().is_active_session(session)


async def _sweep() -> None:
    while True:
        await asyncio.sleep(SWEEP_INTERVAL_S)
        QUEUE.sweep(is_connected)


@asynccontextmanager
async def lifespan(app: object) -> AsyncIterator[None]:
    """The lifespan of `st.App`: fits train in worker processes, pages use one BLAS thread, the end cancels all fits."""
    CREW.trains_everything = True
    warm_up = threading.Timer(WORKER_START_DELAY_S, CREW.start)
    warm_up.daemon = True
    warm_up.start()
    sweeps = asyncio.create_task(_sweep())
    with one_blas_thread():
        yield
    sweeps.cancel()
    with suppress(asyncio.CancelledError):
        await sweeps
    warm_up.cancel()
    QUEUE.close()
    CREW.stop()
