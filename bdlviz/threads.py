"""The one place that decides how many threads compute.

Small matrix products gain nothing from two threads each and collapse when several visitors share the cores, so every
fit and every chunk of draws runs on one intra-op thread, and independent pieces run side by side on a process-wide
pool with one worker per core. The pool is also what bounds the work in flight: pieces of many visitors' fits queue
up in it and take turns.
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
    """Number of cores this process may use; or what the environment's BDLVIZ_CORES says."""
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
    """One intra-op thread, and denormal numbers flushed, for whatever torch computes in the calling thread."""
    import torch

    # A setting of the calling thread; but the first operation of a thread sets it to what any thread asked for last,
    # so that has to happen before.
    torch.get_num_threads()
    torch.set_num_threads(1)
    # Weights at a large weight decay and Adam's moments of dead units go denormal, and a processor computes with
    # those 2-7 times slower. The flag, too, belongs to the thread.
    torch.set_flush_denormal(True)


def map_drawing(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Apply a numpy function to each item, side by side on the cores, each on one BLAS thread."""
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
    """Is this thread one of that pool? It must not wait for the pool then: all its threads might be waiting."""
    return threading.current_thread().name.startswith(pool)


def draw_here(function: Callable[[], Result]) -> Result:
    """Call a numpy function in this thread, on one BLAS thread: for products too small to share out."""
    with one_blas_thread():
        return function()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """All of numpy's products on the calling threads meanwhile, also those that are not shared out.

    For a program with many visitors: BLAS threads that wait for a small piece of a product spin, and with a hundred
    visitors a core is wanted elsewhere. A slider of the page on Bayes' rule cost 151 ms of processor time with two BLAS
    threads, 59 ms with one.
    """
    with _limited("blas"):
        yield


@contextmanager
def _limited(library: str) -> Iterator[None]:
    """Limit a library's own threads to one while anybody is inside; the last one out restores what was."""
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
    # Takes milliseconds, since it looks through every loaded library; numpy's, the one that matters, is loaded.
    return ThreadpoolController().select(user_api="blas").lib_controllers


def _limit_blas() -> Callable[[], None]:
    before = [library.get_num_threads() for library in _blas_libraries()]
    _set_blas([1] * len(before))
    return lambda: _set_blas(before)


def _set_blas(numbers: Sequence[int | None]) -> None:
    # Of OpenBLAS, threadpoolctl gives one thread control, and does nothing, silently, for all others. Visitors come
    # in threads of their own: each takes control, and gives it back.
    OpenBLASController.clear_controlling_thread(force=True)
    for library, number in zip(_blas_libraries(), numbers, strict=True):
        library.set_num_threads(number)
    OpenBLASController.clear_controlling_thread()


def _remember_torch() -> Callable[[], None]:
    import torch

    # The training threads limit themselves, but torch.set_num_threads also sets MKL's number for the process.
    before = torch.get_num_threads()
    return lambda: torch.set_num_threads(before)
