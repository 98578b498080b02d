"""Work in the background: joined by everybody who wants the same, cancelled when nobody does, fair between visitors.

A job runs on a thread of the queue's that makes no Streamlit call; pages look at it. The number of jobs running in the
process is bounded, whatever the number of visitors, and a waiting job knows its place in the queue.
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
MAX_WAITING = 3  # jobs of one visitor; an older one is given up for a newer
SNAPSHOT_INTERVAL_S = 0.1  # seconds
ABANDON_AFTER_S = 90.0  # seconds without a look after which nobody is there; a browser looks in hidden tabs once a minute
QUIET_BEFORE_BACKGROUND_S = 5.0  # seconds without anybody else's work after which work begins that nobody looks at
SWEEP_INTERVAL_S = 2.0  # seconds; a tab that is gone in two sweeps one after the other is closed, not reconnecting
WORKER_START_DELAY_S = 5.0  # seconds after the server's start: the first visitor's first picture goes before
FAILED_JOB = "The fit failed for a reason of ours; change a setting and try again."
STOPPED = "The fit was stopped before it started."

Result = TypeVar("Result")
log = logging.getLogger(__name__)


Look = Callable[[Snapshot[Result]], bool]  # told how far the work is; says whether to go on
Work = Callable[[Look[Result], threading.Event], Result]  # the event is set when the work is to stop


@dataclass(eq=False)
class Job(Generic[Result]):
    """Work under way (or just done), and the visitors waiting for it."""

    key: Hashable
    kind: str = "fit"
    is_background: bool = False
    cancel: threading.Event = field(default_factory=threading.Event)  # nobody wants it any more
    halt: threading.Event = field(default_factory=threading.Event)  # this run of it stops: cancelled or displaced
    waiting: set[str] = field(default_factory=set)
    left: frozenset[str] = frozenset()  # who waited last, when it was cancelled
    progress: tuple[Snapshot[Result], Result] | None = None  # the latest look at it
    asked: float = field(default_factory=time.monotonic)
    started: float | None = None  # when its present run began
    seen: float = field(default_factory=time.monotonic)  # when a page last looked
    future: Future[Result] = field(default_factory=Future)

    @property
    def names(self) -> frozenset[str]:
        """Who waits for it, or did when it was cancelled."""
        return self.left or frozenset(self.waiting)

    @property
    def sessions(self) -> frozenset[str]:
        """The visitors behind these names."""
        return frozenset(map(session_of, self.names))

    def result(self, timeout: float) -> Result | None:
        """What the work gave, or None when it is not done within ``timeout`` seconds.

        Raises:
            InvalidInput: the work failed; the message is for the visitor.
        """
        try:
            return self.future.result(timeout)
        except TimeoutError:
            return None

    def look(self, progress: Snapshot[Result]) -> bool:
        """Keep a copy of the result as it stands, now and then; stop when nobody wants it or it has to make room."""
        if self.halt.is_set():
            return False
        if self.progress is None or progress.seconds - self.progress[0].seconds > SNAPSHOT_INTERVAL_S:
            # Taken here, between two rounds: while a round runs, weights of different steps would mix.
            self.progress = (progress, progress.take())
        if time.monotonic() - self.seen > ABANDON_AFTER_S:
            self.give_up()
        return not self.halt.is_set()

    def give_up(self) -> None:
        """Nobody waits any more."""
        self.left = frozenset(self.waiting) or self.left
        self.cancel.set()
        self.halt.set()


class JobQueue:
    """All jobs of the process and the results of the last ones.

    Its worker threads take the next job when one has ended, so who is next is decided as late as possible.
    """

    def __init__(self, max_running: int = MAX_RUNNING, results: Cache | None = None) -> None:
        self.max_running = max_running
        self._lock = threading.RLock()
        self._pool = ThreadPoolExecutor(max_running, thread_name_prefix="bdlviz-job")
        self._jobs: dict[Hashable, Job[Any]] = {}  # the one that is wanted of each key
        self._waiting: list[tuple[Job[Any], Work[Any]]] = []
        self._running: list[Job[Any]] = []  # in the order of their starts; cancelled ones until they have ended
        self._results = results or Cache(max_bytes=300_000_000, max_results=64)
        self._ledger = Ledger()
        self._missing: set[str] = set()  # visitors who were not there at the last sweep
        self._served: deque[tuple[float, frozenset[str]]] = deque(maxlen=8)  # when somebody's work ended, and whose

    def finished(self, key: Hashable) -> Any | None:
        """A result that is still remembered."""
        with self._lock:
            return self._results.find(key)

    def request(
        self, key: Hashable, visitor: str, work: Work[Result], kind: str = "fit", is_background: bool = False
    ) -> Job[Result]:
        """Join the job of that key, or put one into the queue.

        ``kind`` is what counters call it. Work ``is_background`` while nobody looks at it: it waits for all other.
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
        """The visitor no longer waits for anything but ``keep``; what nobody waits for is cancelled."""
        with self._lock:
            for job in list(self._jobs.values()):
                if job.key != keep and visitor in job.waiting:
                    self._leave(job, visitor)
            self._count()

    def sweep(self, is_there: Callable[[str], bool]) -> None:
        """Let everybody leave who was not there now and at the last sweep: a tab that was closed asks no more.

        Work that waits for a quiet moment looks whether there is one.
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
        """The names under which a visitor waits for something."""
        with self._lock:
            return frozenset(name for job in self._jobs.values() for name in job.waiting if session_of(name) == session)

    def place(self, job: Job[Any]) -> int:
        """How many jobs must end before this one starts; 0 when it runs."""
        with self._lock:
            order = [each for _, each in self._turns()]
            free = self.max_running - len(self._running)
            return max(0, order.index(job) - free + 1) if job in order else 0

    def load(self) -> tuple[int, int]:
        """How many jobs run, and how many wait."""
        with self._lock:
            return len(self._running), len(self._waiting)

    def num_watching(self) -> int:
        """How many visitors wait for something."""
        with self._lock:
            return sum(len(job.waiting) for job in self._jobs.values())

    def close(self) -> None:
        """Cancel every job, and return when none runs any more."""
        with self._lock:
            for job in list(self._jobs.values()):
                self._cancel(job)
        self._pool.shutdown(cancel_futures=True)

    # Whose turn it is ------------------------------------------------------------------------------------------------

    def _turns(self) -> list[tuple[Turn, Job[Any]]]:
        return turns([job for job, _ in self._waiting], self._running, self._ledger.ready)

    def _take_next(self) -> tuple[Job[Any], Work[Any]] | None:
        """The next job, which now runs; None when none may start."""
        with self._lock:
            has_background = any(job.is_background for job in self._running)
            ending = Counter(name for job in self._running if job.cancel.is_set() for name in job.names)
            for _, job in self._turns():
                # Who has moved on waits for the end of what was left: a visitor's fits run one at a time.
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
        """Has nobody else had work done lately? Who has will soon want more, and this would have to make room."""
        others = [ended for ended, sessions in self._served if not sessions <= job.sessions]
        return time.monotonic() - max(others, default=-math.inf) >= QUIET_BEFORE_BACKGROUND_S

    def _bound(self, session: str) -> None:
        """A visitor with too many jobs that wait leaves the oldest."""
        waits = [job for job, _ in self._waiting if session in job.sessions]
        for job in waits[: max(0, len(waits) - MAX_WAITING)]:
            for name in [name for name in job.waiting if session_of(name) == session]:
                self._leave(job, name)

    def _make_room(self) -> None:
        """Halt jobs that run while visitors wait who have none: background work, and second jobs."""
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
        """Run jobs as long as any may start."""
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
            # Off the list before anybody learns that it is done.
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
        """A job that has made room starts anew when it is its turn."""
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
    """What the work gave, or the sentence that says why it gave nothing."""
    try:
        return work(job.look, job.halt), None
    except InvalidInput as error:
        return None, error
    except BaseException as error:
        log.error("A job failed: %s\n%s", job.kind, _where(error))
        return None, InvalidInput(FAILED_JOB)


def _where(error: BaseException) -> str:
    """The traceback of an error and of what caused it: places and types only, since messages may quote a visitor."""
    told, cause = "", error.__cause__ or error.__context__
    if cause is not None:
        told = f"{_where(cause)}which led to\n"
    return f"{told}{''.join(traceback.format_tb(error.__traceback__))}{type(error).__name__}\n"


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
    """Is this browser tab open? Where there is no server, as in tests of a page, everybody is there."""
    return not runtime.exists() or runtime.get_instance().is_active_session(session)


async def _sweep() -> None:
    while True:
        await asyncio.sleep(SWEEP_INTERVAL_S)
        QUEUE.sweep(is_connected)


@asynccontextmanager
async def lifespan(app: object) -> AsyncIterator[None]:
    """For `st.App`: fits train in worker processes, pages compute on one thread each, and the end waits for no fit."""
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
