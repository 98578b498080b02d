"""Fits in the background: joined by everybody who wants the same one, cancelled when nobody does.

A job runs on a thread of its own that makes no Streamlit call; pages look at it. The number of jobs running in the
process is bounded, whatever the number of visitors, and a waiting job knows its place in the queue.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, Snapshot
from bdlviz.threads import num_cores
from bdlviz.workers.crew import CREW

MAX_RUNNING = max(2, num_cores())
MAX_RESULTS = 64
MAX_RESULT_BYTES = 300_000_000
LOOK_EVERY = 0.1  # seconds
ABANDONED = 90.0  # seconds without a look after which nobody is there; a browser looks in hidden tabs once a minute
WARM_UP = 5.0  # seconds after the server's start: the first visitor's first picture goes before

Work = Callable[[Callable[[Snapshot], bool], threading.Event], Fit]
log = logging.getLogger(__name__)


@dataclass(eq=False)
class Job:
    """One fit under way (or just done), and the visitors waiting for it."""

    key: Hashable
    cancel: threading.Event = field(default_factory=threading.Event)
    waiting: set[str] = field(default_factory=set)
    progress: tuple[Snapshot, Fit] | None = None  # the latest look at it
    seen: float = field(default_factory=time.monotonic)  # when a page last looked
    future: Future[Fit] = field(default_factory=Future)

    def result(self, timeout: float) -> Fit | None:
        """The fit, or None when it is not done within ``timeout`` seconds.

        Raises:
            InvalidInput: the fit failed; the message is for the visitor.
        """
        try:
            return self.future.result(timeout)
        except TimeoutError:
            return None

    def look(self, snapshot: Snapshot) -> bool:
        """Keep a copy of the fit as it stands, now and then; stop when cancelled."""
        if self.progress is None or snapshot.seconds - self.progress[0].seconds > LOOK_EVERY:
            # Taken here, between two rounds: while a round runs, weights of different steps would mix.
            self.progress = (snapshot, snapshot.take())
        if time.monotonic() - self.seen > ABANDONED:
            self.cancel.set()
        return not self.cancel.is_set()


class FitQueue:
    """All jobs of the process and the results of the last ones."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._pool = ThreadPoolExecutor(MAX_RUNNING, thread_name_prefix="bdlviz-job")
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._results: OrderedDict[Hashable, Fit] = OrderedDict()

    def finished(self, key: Hashable) -> Fit | None:
        """A result that is still remembered."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
            return self._results.get(key)

    def request(self, key: Hashable, visitor: str, work: Work) -> Job:
        """Join the job of that key, or start one."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.cancel.is_set():
                self._jobs.pop(key, None)  # a cancelled one: its successor waits at the end of the queue
                job = self._jobs[key] = Job(key)
                self._pool.submit(self._run, job, work)
            job.waiting.add(visitor)
            job.seen = time.monotonic()
            return job

    def leave(self, visitor: str, *, keep: Hashable = None) -> None:
        """The visitor no longer waits for anything but ``keep``; what nobody waits for is cancelled."""
        with self._lock:
            for job in self._jobs.values():
                if job.key != keep and visitor in job.waiting:
                    job.waiting.discard(visitor)
                    if not job.waiting:
                        job.cancel.set()

    def place(self, job: Job) -> int:
        """How many jobs must end before this one starts; 0 when it runs."""
        with self._lock:
            wanted = [other for other in self._jobs.values() if not other.cancel.is_set()]
            return max(0, wanted.index(job) - MAX_RUNNING + 1) if job in wanted else 0

    def close(self) -> None:
        """Cancel every job, and return when none runs any more."""
        with self._lock:
            for job in self._jobs.values():
                job.cancel.set()
        self._pool.shutdown(cancel_futures=True)

    def _run(self, job: Job, work: Work) -> None:
        try:
            if job.cancel.is_set():
                raise InvalidInput("The fit was stopped before it started.")
            fit = work(job.look, job.cancel)
            self._end(job, fit)
            job.future.set_result(fit)
        except InvalidInput as error:
            self._end(job)
            job.future.set_exception(error)
        except BaseException:
            log.exception("A fit failed.")
            self._end(job)
            sentence = "The fit failed for a reason of ours; change a setting and try again."
            job.future.set_exception(InvalidInput(sentence))

    def _end(self, job: Job, fit: Fit | None = None) -> None:
        """Take a job off the list, before anybody learns that it is done, and remember the whole fit."""
        with self._lock:
            if fit is not None and not job.cancel.is_set():
                self._remember(job.key, fit)
            if self._jobs.get(job.key) is job:
                del self._jobs[job.key]

    def _remember(self, key: Hashable, fit: Fit) -> None:
        self._results[key] = fit
        while len(self._results) > 1 and (
            len(self._results) > MAX_RESULTS or sum(map(_size, self._results.values())) > MAX_RESULT_BYTES
        ):
            self._results.popitem(last=False)


def _size(fit: Fit) -> int:
    return sum(array.nbytes for group in (fit.params, fit.snapshots) for array in group.values())


QUEUE = FitQueue()


@asynccontextmanager
async def lifespan(app: object) -> AsyncIterator[None]:
    """For `st.App`: fits train in worker processes, and a server that is told to end does not wait for them."""
    CREW.trains_everything = True
    warm_up = threading.Timer(WARM_UP, CREW.start)
    warm_up.daemon = True
    warm_up.start()
    yield
    warm_up.cancel()
    QUEUE.close()
    CREW.stop()
