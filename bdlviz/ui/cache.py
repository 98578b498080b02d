"""Caches of pages, shared by all visitors: results by key, bounded in bytes and in number.

`functools.cache` remains where a function has few possible arguments and small values, such as a style sheet.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import wraps
from operator import itemgetter
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
from cachetools import LRUCache
from cachetools.keys import hashkey

from bdlviz.checks import digest
from bdlviz.fits import Fit
from bdlviz.types import Dataset

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Cache:
    """A thread-safe LRU cache. The least recently used result is removed first; the latest one is always kept.

    Args:
        max_bytes: bound on the bytes of all arrays in results and keys.
        max_results: bound on the number of results.
    """

    def __init__(self, max_bytes: int, max_results: int) -> None:
        self._max_bytes, self._max_results = max_bytes, max_results
        self._kept: LRUCache[Hashable, tuple[Any, int]] = LRUCache(max_bytes, getsizeof=itemgetter(1))
        self._lock = threading.Lock()

    def find(self, key: Hashable) -> Any | None:
        """The result of that key, or None."""
        with self._lock:
            return self._kept.get(key, (None, 0))[0]

    def keep(self, key: Hashable, result: Any) -> None:
        """Store a result, and remove others beyond the bounds."""
        # A result larger than the bound counts as the whole bound. It is kept until the next one is stored.
        size = min(num_bytes((key, result)), self._max_bytes)
        with self._lock:
            self._kept.pop(key, None)
            while len(self._kept) >= self._max_results:
                self._kept.popitem()
            self._kept[key] = (result, size)

    def obtain(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """The result of that key; computed and stored if there is none. The lock is not held during the computation."""
        with self._lock:
            found = self._kept.get(key)
        if found is not None:
            return cast(Result, found[0])
        result = compute()
        self.keep(key, result)
        return result

    def forget(self, key: Hashable) -> None:
        """Remove one result."""
        with self._lock:
            self._kept.pop(key, None)

    def clear(self) -> None:
        """Remove all results."""
        with self._lock:
            self._kept.clear()


RESULTS = Cache(200_000_000, 400)  # computed from fits; not the fits, which are large
VALUES = Cache(100_000_000, 500)  # values of pure functions
DATA = Cache(300_000_000, 16)  # data sets: all of MNIST takes 220 MB


def remembered(fit: Fit, what: Hashable, compute: Callable[[], Result]) -> Result:
    """The value of ``compute`` for this fit at its number of steps, computed once; ``what`` is its key."""
    return RESULTS.obtain((fit.config, fit.num_steps_done, what), compute)


def forget(fit: Fit, what: Hashable) -> None:
    """Remove the value that `remembered` stored for a fit under the key ``what``."""
    RESULTS.forget((fit.config, fit.num_steps_done, what))


def data_key(dataset: Dataset) -> Hashable:
    """A key that changes with every byte of a data set, held-out points included, and with all else that is drawn.

    A fit's configuration names the training data only. Values that also depend on other parts of the data set, such as
    held-out scores or predictions over ``x_range``, need this key beside it. The true function counts as an object.
    """
    arrays = (dataset.x, dataset.y, dataset.x_test, dataset.y_test)
    words = (dataset.name, dataset.title, dataset.x_label, dataset.y_label, dataset.source, dataset.classes)
    sizes = (dataset.x_range, dataset.y_range, dataset.noise_std, dataset.image_shape, dataset.columns, dataset.task)
    return digest(arrays, words, sizes), dataset.truth


def memoised(cache: Cache = VALUES) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """A decorator that caches the values of a function by its arguments, which must be hashable."""

    def decorate(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        @wraps(function)
        def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            return cache.obtain((function, hashkey(*args, **kwargs)), lambda: function(*args, **kwargs))

        return call

    return decorate


def num_bytes(value: Any) -> int:
    """The bytes of all arrays and byte strings in nested dataclasses, mappings and sequences, each counted once."""
    seen: set[int] = set()

    def weigh(part: Any) -> int:
        if id(part) in seen:
            return 0
        seen.add(id(part))
        if isinstance(part, np.ndarray):
            return part.nbytes
        if isinstance(part, bytes):
            return len(part)
        if isinstance(part, Mapping):
            return sum(map(weigh, part.values()))
        if isinstance(part, list | tuple):
            return sum(map(weigh, part))
        if is_dataclass(part) and not isinstance(part, type):
            return sum(weigh(getattr(part, each.name)) for each in fields(part))
        return 0

    return weigh(value)
