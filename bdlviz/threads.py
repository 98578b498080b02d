"""The number of threads that compute.

Two threads do not speed up small matrix products, and slow them down when several visitors share the cores. So every
fit and every chunk of draws runs on one intra-op thread, and independent parts run in parallel on a process-wide pool
with one thread per core. The pool also limits the concurrent work: parts of fits of many visitors wait in its queue.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

from threadpoolctl import LibController, OpenBLASController, ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")

DRAWING, TRAINING = "bdlviz-draws", "bdlviz-fit"  # names of the threads

_lock = threading.Lock()
_users = {"blas": 0, "torch": 0}
_restore: dict[str, Callable[[], None]] = {}


def num_cores() -> int:
    """The number of cores that this process may use, or the value of BDLVIZ_CORES."""
    wish = os.environ.get("BDLVIZ_CORES", "")
    if wish.isdecimal() and int(wish) > 0:
        return int(wish)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _drawing_pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(num_cores(), thread_name_prefix=DRAWING)


@cache
def _training_pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(num_cores(), thread_name_prefix=TRAINING, initializer=prepare_training_thread)


def prepare_training_thread() -> None:
    """Set one intra-op thread and the flushing of denormal numbers for torch in the calling thread."""
    import torch

    # The setting belongs to the calling thread. But the first operation of a thread sets it to the last value of any
    # thread, so an operation must run before.
    torch.get_num_threads()
    torch.set_num_threads(1)
    # With a large weight decay, weights and Adam's moments of dead units become denormal numbers, with which processors
    # are 2-7 times slower. This flag also belongs to the thread.
    torch.set_flush_denormal(True)


def map_drawing(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Apply a numpy function to each item, in parallel on the cores, each on one BLAS thread."""
    if _is_worker(DRAWING):
        return [function(item) for item in items]
    with _limited("blas"):
        return list(_drawing_pool().map(function, items))


def map_training(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Apply a torch function to each item on the training threads, at most one a core in the whole process."""
    if _is_worker(TRAINING):
        return [function(item) for item in items]
    with _limited("torch"), _limited("blas"):
        return list(_training_pool().map(function, items))


def _is_worker(pool: str) -> bool:
    """True if this thread belongs to the pool. Then it must not wait for the pool, which could cause a deadlock."""
    return threading.current_thread().name.startswith(pool)


def draw_here(function: Callable[[], Result]) -> Result:
    """Call a numpy function in this thread, on one BLAS thread; for products too small to be split."""
    with one_blas_thread():
        return function()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """A context in which all products of numpy run on the calling threads.

    It is for programs with many visitors: BLAS threads use processor time while they wait for a part of a small
    product. A slider of the page on Bayes' rule took 151 ms of processor time with two BLAS threads, 59 ms with one.
    """
    with _limited("blas"):
        yield


@contextmanager
def _limited(library: str) -> Iterator[None]:
    """Limits the threads of a library to one while any thread is inside; the last one restores the previous number."""
    with _lock:
        _users[library] += 1
        if _users[library] == 1:
            _restore[library] = _limit_blas() if library == "blas" else _remember_torch()
    try:
        yield
    finally:
        with _lock:
            _users[library] -= 1
            if _users[library] == 0:
                _restore.pop(library)()


@cache
def _blas_libraries() -> list[LibController]:
    # Takes milliseconds, since it inspects all loaded libraries; that of numpy is loaded already.
    return ThreadpoolController().select(user_api="blas").lib_controllers


def _limit_blas() -> Callable[[], None]:
    before = [library.get_num_threads() for library in _blas_libraries()]
    _set_blas([1] * len(before))
    return lambda: _set_blas(before)


def _set_blas(numbers: Sequence[int | None]) -> None:
    # For OpenBLAS, threadpoolctl lets one thread change the limit, and silently does nothing for the others. Every
    # visitor has a thread, so each one acquires and releases this control.
    OpenBLASController.clear_controlling_thread(force=True)
    for library, number in zip(_blas_libraries(), numbers, strict=True):
        library.set_num_threads(number)
    OpenBLASController.clear_controlling_thread()


def _remember_torch() -> Callable[[], None]:
    import torch

    # The training threads limit themselves, but torch.set_num_threads also sets MKL's number for the process.
    before = torch.get_num_threads()
    return lambda: torch.set_num_threads(before)
