"""One loop for every method: parts of a fit advance side by side, in rounds, until done, cancelled or diverged."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from bdlviz.training.method import Method, State
from bdlviz.training.noise import MinibatchStream
from bdlviz.types import Array

BLOCK_NUMBERS = 300_000  # parameters of one block; with more of them, fewer calls save no more time
MAX_BLOCK_NETWORKS = 32
MIN_BLOCK_NETWORKS = 8  # below, the cost of calling shows
MIN_SPLIT_NETWORKS = 4  # below, it costs more than a second processor saves


@dataclass(frozen=True)
class BlockIndex:
    """Which seeds and which cells of a fit a block trains."""

    seeds: slice
    cells: slice


Losses = list[tuple[BlockIndex, Array]]  # of one round: the mean (R, C) of each block over its steps
Pieces = list[tuple[BlockIndex, dict[str, Array]]]  # parameters (R, C, ...) of each block
MapParts = Callable[[Callable[[Any], list[Losses]], Sequence[Any]], list[list[Losses]]]  # side by side


class Part(Protocol):
    """What one thread advances: a block in this process, or all the blocks that another process trains."""

    @property
    def step(self) -> int:
        """Steps taken."""
        ...

    def take_rounds(self, lengths: Sequence[int], cancel: threading.Event) -> list[Losses]:
        """Take the next rounds, each of so many steps; stop within one if cancelled.

        Returns the losses of every round that ended. The last one is that in which all diverged, if there is one.
        """
        ...

    def params(self) -> Pieces:
        """The present parameters, views where possible."""
        ...


@dataclass
class Block:
    """Some seeds and cells of a fit, trained as one program on one thread."""

    index: BlockIndex
    method: Method
    minibatches: MinibatchStream
    tracks_every_loss: bool
    state: State = field(init=False)
    _losses: list[Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.state = self.method.init()

    @property
    def step(self) -> int:
        return self.state.step

    def advance(self, num_steps: int, cancel: threading.Event) -> bool:
        """Take so many steps, or fewer if cancelled; returns whether it took all."""
        with np.errstate(over="ignore", invalid="ignore"):  # divergence is checked and reported at the end of the round
            for step in range(num_steps):
                if cancel.is_set():
                    return False
                wants_loss = self.tracks_every_loss or step == num_steps - 1
                self.state = self.method.update(self.state, self.minibatches.next(), wants_loss)
                if wants_loss and self.state.loss is not None:
                    self._losses.append(self.state.loss)
        return True

    def take_rounds(self, lengths: Sequence[int], cancel: threading.Event) -> list[Losses]:
        rounds: list[Losses] = []
        for num_steps in lengths:
            if not self.advance(num_steps, cancel):
                break
            rounds.append([(self.index, np.mean(self._losses, 0))] if self._losses else [])
            self._losses = []
            if have_diverged(rounds[-1]):
                break
        return rounds

    def params(self) -> Pieces:
        return [(self.index, self.method.params(self.state))]


def _pieces(length: int, count: int) -> list[slice]:
    """Cut a range into ``count`` slices of nearly the same length."""
    ends = np.linspace(0, length, count + 1).round().astype(int).tolist()
    return [slice(start, end) for start, end in itertools.pairwise(ends)]


def plan_blocks(num_seeds: int, num_cells: int, numbers_per_network: int, side_by_side: int = 1) -> list[BlockIndex]:
    """Cut seeds x cells into rectangles, nearly equal in size, and large enough that the overhead of calls is small.

    Cells of one block share their masks, so a block takes many cells of one seed before it takes a second seed.
    A grid gets a multiple of ``side_by_side`` blocks where that leaves them large enough: no processor idles then.
    """
    size = int(np.clip(BLOCK_NUMBERS // numbers_per_network, 1, MAX_BLOCK_NETWORKS))
    splits_seeds = num_seeds % side_by_side > 0 and num_cells >= side_by_side * MIN_SPLIT_NETWORKS
    if not splits_seeds and num_cells < min(size, side_by_side * MIN_BLOCK_NETWORKS):
        seeds = _pieces(num_seeds, -(-num_seeds // (size // num_cells)))
        return [BlockIndex(rows, slice(0, num_cells)) for rows in seeds]
    count = -(-num_cells // size)
    if splits_seeds:
        count = -(-count // side_by_side) * side_by_side
    return [
        BlockIndex(rows, columns) for rows in _pieces(num_seeds, num_seeds) for columns in _pieces(num_cells, count)
    ]


def have_diverged(losses: Losses) -> bool:
    """True if no network has a finite loss."""
    return not any(np.isfinite(loss).any() for _, loss in losses)


def run_rounds(
    parts: Sequence[Part],
    rounds: Sequence[int],
    pauses: Collection[int],
    record: Callable[[int, Losses], None],
    on_pause: Callable[[int], bool],
    cancel: threading.Event,
    map_parts: MapParts,
    pause_seconds: float = 0.0,
) -> None:
    """Advance all parts round by round; ``rounds`` are the steps at which a round ends.

    They pause after about ``pause_seconds``, or after one round if that takes longer, and in any case after a
    round that ends at one of ``pauses``, or in which all diverged. Then ``record(step, losses)`` is called in this
    thread for each round, and ``on_pause(step)`` for the last one, unless the fit was cancelled; False stops the fit.
    """
    lengths, done, affordable = np.diff(rounds, prepend=0).tolist(), 0, 1
    while done < len(rounds):
        pause = next((number for number in range(done, len(rounds)) if rounds[number] in pauses), len(rounds) - 1)
        start = time.perf_counter()
        taken = take_rounds(parts, lengths[done : min(pause + 1, done + affordable)], cancel, map_parts)
        affordable = max(1, int(pause_seconds * len(taken) / (time.perf_counter() - start)))
        for losses in taken:
            record(rounds[done], losses)
            done += 1
        if cancel.is_set() or not on_pause(rounds[done - 1]):
            return


def one_by_one(function: Callable[[Any], list[Losses]], parts: Sequence[Any]) -> list[list[Losses]]:
    """A `MapParts` that runs all parts on the calling thread."""
    return [function(part) for part in parts]


def take_rounds(
    parts: Sequence[Part], lengths: Sequence[int], cancel: threading.Event, map_parts: MapParts = one_by_one
) -> list[Losses]:
    """The losses of the rounds that all parts took, after which they are at the same step unless cancelled.

    A part that diverged stops; while others go on, it goes with them: a fit ends in the round in which no part has a
    finite loss left, however many parts there are, and that is the last round of each.
    """
    taken = map_parts(lambda part: part.take_rounds(lengths, cancel), parts)
    furthest = max(map(len, taken))
    while not cancel.is_set() and (behind := [n for n, rounds in enumerate(taken) if len(rounds) < furthest]):
        more = map_parts(lambda n: parts[n].take_rounds(lengths[len(taken[n]) : furthest], cancel), behind)
        for number, rounds in zip(behind, more, strict=True):
            taken[number] += rounds
    return [list(itertools.chain(*losses)) for losses in zip(*taken, strict=False)]
