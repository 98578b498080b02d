"""Execution of independent jobs: in this process, in local processes, on a Dask cluster, or on a given executor.

Every place provides an executor of `concurrent.futures`, so that one loop, `run`, serves all of them. A job is a
function of a module and plain arguments. In another process or on another machine it trains with one process and one
BLAS thread. Its result is the same, bit for bit.
"""

from __future__ import annotations

import functools
import hashlib
import multiprocessing
import os
import platform
import signal
import socket
import threading
import time
import traceback
import uuid
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import urlsplit

from bdlviz.errors import InvalidInput
from bdlviz.processes.safe_pool import SafePool
from bdlviz.threads import draw_here

Result = TypeVar("Result")

MAX_LOSSES = 3  # of workers by one job; the last time it runs alone, so that no other job can be the cause
CONNECT_SECONDS = 10.0  # to a Dask scheduler, and for its first worker
# Code that changes no result: these packages, and files of topics whose names begin like this.
PICTURES_AND_WORDS = {"ui", "ops", "plots", "export", "lectures"}
PICTURES_AND_WORDS_OF_TOPICS = ("views", "figures", "exercises", "derivation")
_THIS_PROGRAM = uuid.uuid4().hex


@dataclass(frozen=True)
class Job(Generic[Result]):
    """A call that can be sent to a process: a function of a module, its arguments, its amount of work in any unit."""

    name: str
    call: Callable[..., Result]
    arguments: tuple[Any, ...]
    work: float = 1.0


@dataclass(frozen=True)
class Failure:
    """The error of a job: a sentence, and for unexpected errors the traceback as text."""

    sentence: str
    trace: str = ""


@dataclass(frozen=True)
class Progress:
    """The progress of all jobs together."""

    num_done: int
    num_jobs: int
    fraction: float  # of the work, 0 to 1
    seconds: float

    @property
    def seconds_left(self) -> float:
        """The estimated time left, at the average speed so far."""
        return self.seconds * (1 / self.fraction - 1)

    def __str__(self) -> str:
        left = f", about {_duration(self.seconds_left)} left" if self.num_done < self.num_jobs else ""
        return f"{self.num_done} of {self.num_jobs}{left}"


@dataclass(frozen=True)
class Outcome(Generic[Result]):
    """The result or the failure of a job, and the progress of all jobs."""

    job: Job[Result]
    value: Result | None
    failure: Failure | None
    progress: Progress


class Place(Protocol):
    """A place where jobs run. ``width`` is the number of jobs submitted at once; None submits all."""

    @property
    def width(self) -> int | None: ...

    def open(self) -> AbstractContextManager[Executor]:
        """A context with an executor; if it is left by an exception, running jobs are abandoned."""
        ...


# The places -----------------------------------------------------------------------------------------------------------


class ThisProcess:
    """This process, which runs one job after another."""

    width = 1

    @contextmanager
    def open(self) -> Iterator[Executor]:
        yield _Inline()


class _Inline(Executor):
    """Runs each submitted call before `submit` returns."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))  # `_work` raises only exceptions that are meant to end the program
        return future


@dataclass(frozen=True)
class Processes:
    """``width`` processes of this machine. They end when this process ends, also when it is killed."""

    width: int

    @contextmanager
    def open(self) -> Iterator[Executor]:
        context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
        watched, lifeline = context.Pipe(duplex=False)
        pool = SafePool(self.width, context, initializer=_begin_worker, initargs=(watched,))
        try:
            yield pool
        except BaseException:
            lifeline.close()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
            lifeline.close()
            watched.close()


def _begin_worker(lifeline: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is meant for the parent, which ends this one
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True, name="bdlviz-lifeline").start()


def _end_with(lifeline: Connection) -> None:
    """End this process when the other end of the pipe is closed, by the parent or by the end of the parent."""
    lifeline.poll(None)
    os._exit(1)


@dataclass(frozen=True)
class Dask:
    """The workers of a Dask cluster whose scheduler listens at ``address``, such as ``tcp://host:8786``.

    The scheduler runs a job again when its worker is lost, at most as often as its setting ``allowed-failures`` says.
    """

    address: str
    width: None = None

    @contextmanager
    def open(self) -> Iterator[Executor]:
        try:
            from distributed import Client
        except ImportError:
            raise InvalidInput("A Dask cluster needs distributed: pip install -r requirements/dask.txt.") from None
        self._knock()
        try:
            client = Client(self.address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise InvalidInput(f"No Dask scheduler answers at {self.address}: {error}.") from None
        with client:
            self._check_workers(client)
            executor = client.get_executor(pure=False)  # a job that is submitted again must run again
            try:
                yield executor
            finally:
                executor.shutdown(wait=False)

    def _knock(self) -> None:
        """Try to connect once. A Dask client that cannot connect would retry, and log errors at the program's end."""
        try:
            parts = urlsplit(self.address)
            host, port = parts.hostname, parts.port
            if parts.scheme not in ("tcp", "tls") or not host or not port:
                raise ValueError
        except ValueError:
            raise InvalidInput(
                f"A Dask scheduler has an address such as tcp://host:8786, not {self.address}."
            ) from None
        try:
            socket.create_connection((host, port), CONNECT_SECONDS).close()
        except OSError as error:
            raise InvalidInput(f"No Dask scheduler answers at {self.address}: {error.strerror or error}.") from None

    def _check_workers(self, client: Any) -> None:
        try:
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError:
            raise InvalidInput(f"The Dask scheduler at {self.address} has no workers.") from None
        for worker, found in client.run(versions, on_error="return").items():
            if isinstance(found, Exception):
                raise InvalidInput(f"The Dask worker {worker} cannot run bdlviz: {found}.")
            _check_versions(found)


@dataclass(frozen=True)
class GivenExecutor:
    """An executor that the caller opened and will close. When its workers are lost, the jobs that they ran fail."""

    executor: Executor
    width: None = None

    @contextmanager
    def open(self) -> Iterator[Executor]:
        yield self.executor


# The loop -------------------------------------------------------------------------------------------------------------


def run(jobs: Sequence[Job[Result]], place: Place) -> Generator[Outcome[Result], None, None]:
    """Run all jobs, and yield the outcome of each when it finishes.

    A pool breaks when one of its processes is killed. It is then replaced, and its unfinished jobs run again. Close the
    generator to abandon the remaining jobs (`contextlib.closing`).

    Raises:
        InvalidInput: the place cannot be reached or was lost, or computes with other versions than this process.
    """
    batch = _Batch(jobs, isinstance(place, GivenExecutor))
    while batch.waiting or batch.suspects:
        queue, width = (batch.suspects, 1) if batch.suspects else (batch.waiting, place.width)
        with place.open() as executor:
            yield from batch.drain(queue, executor, width or len(jobs))


@dataclass
class _Batch(Generic[Result]):
    """The jobs, those that wait, and how often each of them lost its worker."""

    jobs: Sequence[Job[Result]]
    gives_up_lost: bool
    waiting: deque[int] = field(init=False)
    suspects: deque[int] = field(default_factory=deque)  # each runs alone, since it may be the job that breaks the pool
    _losses: Counter[int] = field(default_factory=Counter)
    _num_done: int = 0
    _work_done: float = 0.0
    _start: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.waiting = deque(range(len(self.jobs)))

    def drain(self, queue: deque[int], executor: Executor, width: int) -> Iterator[Outcome[Result]]:
        """Run the jobs of the queue, at most ``width`` at once, until it is empty or the executor is broken."""
        running: dict[Future[Any], int] = {}
        is_broken = False
        try:
            while running or (queue and not is_broken):
                while queue and len(running) < width and not is_broken:
                    try:
                        running[executor.submit(_work, _home(), self.jobs[queue[0]])] = queue[0]
                        queue.popleft()
                    except BrokenExecutor:  # by a running job, whose future reports it below, or while it was idle
                        is_broken = True
                        if not running:
                            yield from self._lose([queue.popleft()])
                finished = wait(running, return_when=FIRST_COMPLETED).done
                lost = []
                for future in finished:
                    index = running.pop(future)
                    outcome = self._outcome(index, future)
                    if outcome is None:
                        lost.append(index)
                    else:
                        yield outcome
                is_broken = is_broken or bool(lost)
                yield from self._lose(sorted(lost))
        finally:
            for future in running:
                future.cancel()

    def _outcome(self, index: int, future: Future[Any]) -> Outcome[Result] | None:
        """The outcome of a job; None if it was lost together with its pool."""
        try:
            answer: _Answer = future.result()
        except BrokenExecutor:
            return None
        except CancelledError:
            raise InvalidInput("The executor was lost, or cancelled its jobs, before they were done.") from None
        except Exception as error:  # a cluster reports a failed worker, or an argument that it could not send
            return self._done(index, None, _failure(error))
        _check_versions(answer.versions)
        return self._done(index, answer.value, answer.failure)

    def _lose(self, indices: Sequence[int]) -> Iterator[Outcome[Result]]:
        """Queue jobs whose worker was lost again, the last time alone; yield those that fail for good."""
        self._losses.update(indices)
        for index in reversed(indices):
            if self.gives_up_lost or self._losses[index] == MAX_LOSSES:
                times = "" if self.gives_up_lost else f" {MAX_LOSSES} times"
                sentence = f"The process that ran it ended{times}, perhaps because memory ran out."
                yield self._done(index, None, Failure(sentence))
            elif self._losses[index] == MAX_LOSSES - 1:
                self.suspects.appendleft(index)
            else:
                self.waiting.appendleft(index)

    def _done(self, index: int, value: Any, failure: Failure | None) -> Outcome[Result]:
        job = self.jobs[index]
        self._num_done += 1
        self._work_done += job.work
        fraction = self._work_done / sum(each.work for each in self.jobs)
        progress = Progress(self._num_done, len(self.jobs), fraction, time.monotonic() - self._start)
        return Outcome(job, value, failure, progress)


# In the worker --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Answer:
    """The answer of a worker. Errors are text, since not every exception can be sent between processes."""

    value: Any
    failure: Failure | None
    versions: dict[str, str]


def _work(home: str, job: Job[Any]) -> _Answer:
    if home != _home():
        os.environ |= {"BDLVIZ_WORKERS": "0", "BDLVIZ_CORES": "1"}  # the sender distributes the cores
    try:
        # One BLAS thread: otherwise the rounding of sums would depend on the number of cores.
        return _Answer(draw_here(lambda: job.call(*job.arguments)), None, versions())
    except Exception as error:
        return _Answer(None, _failure(error), versions())


def _failure(error: Exception) -> Failure:
    if isinstance(error, InvalidInput):
        return Failure(str(error))
    return Failure(f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))


def _home() -> str:
    """An identifier of this process; a fork has a different one."""
    return f"{_THIS_PROGRAM} {os.getpid()}"


# Versions -------------------------------------------------------------------------------------------------------------


@functools.cache
def versions() -> dict[str, str]:
    """The versions that determine the bits of a result, and the kind of processor."""
    return {
        "bdlviz": f"source {source_fingerprint(Path(__file__).resolve().parents[1])}",
        "python": ".".join(platform.python_version_tuple()[:2]),
        **{name: metadata.version(name) for name in ("torch", "numpy", "scipy")},
        "machine": platform.machine(),
    }


def source_fingerprint(folder: Path) -> str:
    """Twelve hexadecimal digits that change with every change of code that may change results."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder)
        if name.parts[0] not in PICTURES_AND_WORDS and not name.name.startswith(PICTURES_AND_WORDS_OF_TOPICS):
            digest.update(f"{name.as_posix()}\n".encode() + path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:12]


def _check_versions(theirs: dict[str, str]) -> None:
    ours = versions()
    other = [f"{name} {theirs.get(name)} there, {ours[name]} here" for name in ours if theirs.get(name) != ours[name]]
    if other:
        raise InvalidInput(f"A worker computes with other versions, so its bits may differ: {'; '.join(other)}.")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes / 60:.1f} h"
