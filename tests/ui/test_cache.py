"""Caches of the explorer: what is forgotten first, what counts towards the bound, and several threads at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pytest

from bdlviz import fits
from bdlviz.ui.cache import Cache, forget, memoised, num_bytes, remembered

ARRAY = np.zeros(10)


class Pair(NamedTuple):
    number: int
    value: Any


@dataclass(frozen=True)
class Holder:
    found: Any
    name: str = ""


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (ARRAY, 80),
        ({"a": ARRAY, "b": [np.zeros(1), (np.zeros(2),)]}, 104),
        (Holder({"x": Holder(ARRAY)}), 80),
        (Pair(3, Holder(ARRAY)), 80),
        ([ARRAY, ARRAY], 80),
        ("text", 0),
        ([b"text", Holder], 4),
    ],
)
def test_bytes_of_every_kind_of_result(value: Any, size: int):
    assert num_bytes(value) == size


def test_bytes_of_a_fit():
    fit = fits.fit("map", "x_sin_x", num_steps=20, hidden=(4,), num_snapshots=3)
    arrays = (fit.params, fit.snapshots)
    assert num_bytes(fit) >= sum(array.nbytes for group in arrays for array in group.values()) > 0


@pytest.fixture
def cache() -> Cache:
    return Cache(max_bytes=200, max_results=10)


def left(cache: Cache, keys: str) -> str:
    """The keys that are not forgotten."""
    return "".join(key for key in keys if cache.find(key) is not None)


def test_the_least_recently_used_result_is_forgotten():
    cache = Cache(max_bytes=1000, max_results=2)
    for key in "abc":
        if key == "c":
            assert cache.find("a") == "a"  # so b is now the oldest
        cache.keep(key, key)
    assert left(cache, "abc") == "ac"


def test_results_stay_within_their_bytes_but_the_last_is_kept(cache: Cache):
    for key, count in (("a", 10), ("b", 10), ("c", 10), ("d", 1000), ("e", 1)):
        cache.keep(key, np.zeros(count))
        assert cache.find(key) is not None
        assert left(cache, "abcde") == {"a": "a", "b": "ab", "c": "bc", "d": "d", "e": "e"}[key]


def test_the_bytes_of_a_key_count(cache: Cache):
    for key in (b"a" * 150, b"b" * 150):
        cache.keep(key, 1)
    assert cache.find(b"a" * 150) is None and cache.find(b"b" * 150) == 1


def test_a_result_kept_anew_counts_once(cache: Cache):
    for key in ("a", "b", "b", "b"):
        cache.keep(key, np.zeros(10))
    assert left(cache, "ab") == "ab"


def test_none_and_false_are_results_too(cache: Cache):
    calls: list[str] = []
    for value in (None, False):
        for _ in range(2):
            assert cache.obtain(value, lambda value=value: calls.append("once") or value) is value
    assert len(calls) == 2
    cache.clear()
    assert cache.obtain(None, lambda: 3) == 3


def test_a_failure_is_not_kept(cache: Cache):
    with pytest.raises(ZeroDivisionError):
        cache.obtain("a", lambda: 1 // 0)
    assert cache.obtain("a", lambda: 1) == 1


def test_functions_are_told_apart_by_themselves_and_their_arguments(cache: Cache):
    calls: list[tuple[str, int]] = []

    @memoised(cache)
    def double(value: int) -> int:
        """Twice as much."""
        calls.append(("double", value))
        return 2 * value

    @memoised(cache)
    def halve(value: int) -> float:
        calls.append(("halve", value))
        return value / 2

    assert [double(2), double(2), double(value=3), double(value=4), halve(2), halve(2)] == [4, 4, 6, 8, 1, 1]
    assert calls == [("double", 2), ("double", 3), ("double", 4), ("halve", 2)]
    assert double.__doc__ == "Twice as much."


def test_a_value_of_a_fit_belongs_to_its_number_of_steps_and_its_key():
    fit = fits.fit("map", "x_sin_x", num_steps=4, hidden=(4,))
    unfinished = replace(fit, num_steps_done=2)

    def steps(of: fits.Fit) -> int:
        return remembered(of, "steps", lambda: of.num_steps_done)

    assert [steps(fit), steps(unfinished), steps(fit)] == [4, 2, 4]
    assert remembered(fit, "other", lambda: "another key") == "another key"
    forget(fit, "steps")
    assert remembered(fit, "steps", lambda: 7) == 7 and remembered(unfinished, "steps", lambda: 7) == 2


def test_several_threads_may_use_it_at_once():
    cache = Cache(max_bytes=800, max_results=5)

    def count_wrong(seed: int) -> int:
        asked = [(7 * step + seed) % 23 for step in range(2000)]
        found = [cache.obtain(number, lambda number=number: np.full(20, number)) for number in asked]
        return sum((array != number).any() for array, number in zip(found, asked, strict=True))

    with ThreadPoolExecutor(4) as threads:
        assert not any(threads.map(count_wrong, range(4)))
    assert sum(cache.find(number) is not None for number in range(23)) <= 5
