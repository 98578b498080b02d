"""The worker processes of this program.

Training small networks makes many short calls, and two threads that do so compete for the interpreter's lock. Processes
train in parallel, and leave the lock to the threads that draw pages.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from bdlviz.fitted import checkpoints
from bdlviz.processes.share import RemoteShare
from bdlviz.processes.worker import Worker, WorkerLost
from bdlviz.threads import num_cores
from bdlviz.training.loop import MapParts, Part, one_by_one
from bdlviz.training.run import Task
from bdlviz.types import MethodSpec

MAX_WORKERS = 4  # each takes about 250 MB once torch is loaded
MIN_UPDATES_TO_START = 5e8  # parameter updates of a grid; below, starting processes takes longer than they save


def num_workers() -> int:
    """The number of workers: BDLVIZ_WORKERS if it is set, else one per core, at most `MAX_WORKERS`.

    With 0 workers, fits train in this process.
    """
    wish = os.environ.get("BDLVIZ_WORKERS", "")
    return int(wish) if wish.isdecimal() else min(num_cores(), MAX_WORKERS)


class Crew:
    """All workers of this program, started when they are first needed.

    With ``trains_everything`` they train single fits, too. A server sets it, so that its threads stay free for pages.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._workers: list[Worker] = []
        self._num_stops = 0
        self.num_lost = 0  # processes that ended or hung without being told to end
        self.trains_everything = False

    def start(self) -> None:
        """Start the processes without waiting until they are ready, which takes seconds."""
        with self._lock:
            self._running()

    def stop(self) -> None:
        """End the processes; the next fit that needs workers starts new ones."""
        with self._lock:
            self._num_stops += 1
            while self._workers:
                self._workers.pop().close()

    def wants(self, task: Task, spec: MethodSpec) -> bool:
        """True if this fit is to train in worker processes. The user's own code trains in this process."""
        if not (checkpoints.is_built_in(task.model) and spec.build.__module__.startswith("bdlviz.methods.")):
            return False
        if not num_workers():
            return False
        can_share = len(task.blocks(num_workers())) > 1 and num_workers() > 1
        is_worth_it = bool(self._workers) or task.num_updates > MIN_UPDATES_TO_START
        return (self.trains_everything or (can_share and is_worth_it)) and self._can_start()

    @contextlib.contextmanager
    def parts(self, task: Task) -> Iterator[Sequence[Part]]:
        """The blocks of the fit, distributed over the workers."""
        blocks = task.blocks(num_workers())
        with self._lock:
            workers = sorted(self._running(), key=_num_fits)[: len(blocks)]
            num_stops = self._num_stops
        with contextlib.ExitStack() as stack:
            shares = []
            for number, worker in enumerate(workers):
                own = blocks[number :: len(workers)]
                share = RemoteShare(worker, task, own, lambda: self._replacement(num_stops))
                stack.callback(share.close)
                shares.append(share)
            yield shares

    def _replacement(self, num_stops: int) -> Worker:
        """A running worker, for a fit that began after ``num_stops`` stops.

        Raises:
            WorkerLost: the crew was stopped since then, or no process can be started.
        """
        with self._lock:
            if self._num_stops != num_stops:
                raise WorkerLost
            try:
                return min(self._running(), key=_num_fits)
            except OSError:
                raise WorkerLost from None

    def _can_start(self) -> bool:
        try:
            self.start()
        except OSError:  # the system does not allow new processes
            return False
        return True

    def _running(self) -> list[Worker]:
        for worker in [worker for worker in self._workers if not worker.is_alive]:
            worker.close()
            self._workers.remove(worker)
            self.num_lost += 1
        self._workers += [Worker() for _ in range(num_workers() - len(self._workers))]
        return self._workers


CREW = Crew()
atexit.register(CREW.stop)


@contextlib.contextmanager
def mapping(parts: Sequence[Part]) -> Iterator[MapParts]:
    """A ``map`` that applies a function to all parts in parallel; its threads only wait for other processes."""
    if len(parts) == 1:
        yield one_by_one
        return
    with ThreadPoolExecutor(len(parts), thread_name_prefix="bdlviz-share") as pool:
        yield lambda function, items: list(pool.map(function, items))


def _num_fits(worker: Worker) -> int:
    return worker.num_fits
