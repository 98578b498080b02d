"""What pages keep for all visitors: results by key, bounded in bytes and in number.

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

from bdlviz.fits import Fit

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Cache:
    """Results by key. The least recently used is forgotten first, the last one that was kept never. Thread-safe.

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
        """Keep a result, and forget others where there are too many."""
        # A result beyond the bound takes all of it, so that it is kept until the next one comes.
        size = min(num_bytes((key, result)), self._max_bytes)
        with self._lock:
            self._kept.pop(key, None)
            while len(self._kept) >= self._max_results:
                self._kept.popitem()
            self._kept[key] = (result, size)

    def obtain(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """The result of that key; computed and kept where there is none, without holding the lock."""
        with self._lock:
            found = self._kept.get(key)
        if found is not None:
            return cast(Result, found[0])
        result = compute()
        self.keep(key, result)
        return result

    def forget(self, key: Hashable) -> None:
        """Forget one result."""
        with self._lock:
            self._kept.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()


RESULTS = Cache(200_000_000, 400)  # of fits: never the fits themselves, which are large
VALUES = Cache(100_000_000, 500)  # of functions whose value depends on their arguments alone
DATA = Cache(300_000_000, 16)  # data sets: all of MNIST takes 220 MB


def remembered(fit: Fit, what: Hashable, compute: Callable[[], Result]) -> Result:
    """What ``compute`` gives for this fit as far as it is trained, computed once; ``what`` names it."""
    return RESULTS.obtain((fit.config, fit.num_steps_done, what), compute)


def forget(fit: Fit, what: Hashable) -> None:
    """Forget what `remembered` has kept of a fit under this name."""
    RESULTS.forget((fit.config, fit.num_steps_done, what))


def memoised(cache: Cache = VALUES) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """A decorator: the values of a function are kept by its arguments, which must be hashable."""

    def decorate(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        @wraps(function)
        def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            return cache.obtain((function, hashkey(*args, **kwargs)), lambda: function(*args, **kwargs))

        return call

    return decorate


def num_bytes(value: Any) -> int:
    """Bytes of all arrays and byte strings in dataclasses, mappings and sequences, at any depth, each counted once."""
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
