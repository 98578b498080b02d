"""Interleaved timing: every contender runs once per round, so that other load affects all of them equally."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

import numpy as np

from bdlviz.types import Array

Contender = Callable[[int], Array]  # (seed) -> the result that is compared, such as the final loss
TRIALS = 2


@dataclass(frozen=True)
class Spread:
    """The median of repeated measurements, with the smallest and the largest."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Spread:
        """The summary of at least one value."""
        return cls(float(median(values)), float(min(values)), float(max(values)))


@dataclass(frozen=True)
class Runs:
    """All runs of one contender, one per round; the seed is the number of the round."""

    seconds: list[float]
    reached: list[Array]

    def over(self, other: Runs, scale: float = 1.0) -> Spread:
        """The ratio of the seconds to those of ``other`` in each round, times ``scale``."""
        return Spread.of([scale * mine / theirs for mine, theirs in zip(self.seconds, other.seconds, strict=True)])


def interleave(contenders: Mapping[str, Contender], rounds: int) -> dict[str, Runs]:
    """The runs of all contenders in the order A B C, A B C, ..., after one untimed round."""
    runs = {name: Runs([], []) for name in contenders}
    for seed in range(-1, rounds):
        for name, run in contenders.items():
            start = time.perf_counter()
            reached = run(max(seed, 0))
            if seed >= 0:
                runs[name].seconds.append(time.perf_counter() - start)
                runs[name].reached.append(np.asarray(reached, np.float64))
    return runs


def fastest(variants: Mapping[int, Callable[[], object]]) -> int:
    """The key of the fastest variant; each is tried twice, in turns."""
    seconds = dict.fromkeys(variants, float("inf"))
    for _ in range(TRIALS):
        for key, run in variants.items():
            start = time.perf_counter()
            run()
            seconds[key] = min(seconds[key], time.perf_counter() - start)
    return min(seconds, key=lambda key: seconds[key])


def seconds_per_call(function: Callable[[], object], at_least: float = 0.02) -> float:
    """Seconds of a short function: the best of five averages."""
    best, calls = float("inf"), 1
    for _ in range(5):
        while True:
            start = time.perf_counter()
            for _ in range(calls):
                function()
            elapsed = time.perf_counter() - start
            if elapsed >= at_least:
                break
            calls *= 2
        best = min(best, elapsed / calls)
    return best


def check_same(what: str, *runs: Runs) -> None:
    """Fail unless the mean results of all contenders agree within four standard errors over seeds."""
    first, *others = (np.array(run.reached) for run in runs)
    for other in others:
        allowed = 4 * np.sqrt(sum(reached.var(0, ddof=1) / len(reached) for reached in (first, other)))
        if np.any(np.abs(first.mean(0) - other.mean(0)) > allowed):
            raise AssertionError(f"{what}: {first.mean(0)} and {other.mean(0)} differ by more than {allowed}.")
