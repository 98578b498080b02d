"""The training loop of all methods: the parts of a fit are trained in parallel, in rounds."""

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

BLOCK_NUMBERS = 300_000  # most parameters of one block; larger blocks are not faster per parameter
MAX_BLOCK_NETWORKS = 32
MIN_BLOCK_NETWORKS = 8  # smaller blocks are slow, because the overhead of calls dominates
MIN_SPLIT_NETWORKS = 4  # smaller parts cost more overhead than a second processor saves


@dataclass(frozen=True)
class BlockIndex:
    """The seeds and the cells of a fit that a block trains."""

    seeds: slice
    cells: slice


Losses = list[tuple[BlockIndex, Array]]  # the mean loss (R, C) of each block over the steps of one round
Pieces = list[tuple[BlockIndex, dict[str, Array]]]  # parameters (R, C, ...) of each block
MapParts = Callable[[Callable[[Any], list[Losses]], Sequence[Any]], list[list[Losses]]]  # a map, possibly in parallel


class Part(Protocol):
    """The part of a fit that one thread trains: a block in this process, or all blocks of another process."""

    @property
    def step(self) -> int:
        """Steps taken."""
        ...

    def take_rounds(self, lengths: Sequence[int], cancel: threading.Event) -> list[Losses]:
        """Take rounds of these numbers of steps; stop within a round if cancelled.

        Returns the losses of every round that ended. If all networks diverge, no rounds follow.
        """
        ...

    def params(self) -> Pieces:
        """The current parameters, as views if possible."""
        ...


@dataclass
class Block:
    """Some seeds and cells of a fit, which one thread trains together."""

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
        """Take ``num_steps`` steps, or fewer if cancelled; returns True if all were taken."""
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
    """``count`` slices of nearly the same length that cover a range."""
    ends = np.linspace(0, length, count + 1).round().astype(int).tolist()
    return [slice(start, end) for start, end in itertools.pairwise(ends)]


def plan_blocks(num_seeds: int, num_cells: int, numbers_per_network: int, side_by_side: int = 1) -> list[BlockIndex]:
    """Blocks (rectangles of seeds x cells) of nearly equal size, large enough for a small overhead of calls.

    Cells of one block share their masks, so a block has all cells of one seed before it has a second seed. A grid has a
    multiple of ``side_by_side`` blocks, if they are then large enough, so that no processor is idle.
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
    """Train all parts round by round; ``rounds`` are the steps at which a round ends.

    Training pauses after about ``pause_seconds`` (at least one round), after a round that ends at one of ``pauses``,
    and after a round in which all networks diverged. Then ``record(step, losses)`` is called in this thread for each
    round, and ``on_pause(step)`` for the last one, unless the fit was cancelled; if it returns False, the fit stops.
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
    """Train all parts for some rounds; returns the losses of every round. All parts end at the same step.

    A part stops after a round in which all its networks diverged. If other parts have taken more rounds, it is trained
    for the missing rounds as well, so that a fit ends in the first round in which no part has a finite loss. If the fit
    is cancelled, parts may end at different steps.
    """
    taken = map_parts(lambda part: part.take_rounds(lengths, cancel), parts)
    furthest = max(map(len, taken))
    while not cancel.is_set() and (behind := [n for n, rounds in enumerate(taken) if len(rounds) < furthest]):
        more = map_parts(lambda n: parts[n].take_rounds(lengths[len(taken[n]) : furthest], cancel), behind)
        for number, rounds in zip(behind, more, strict=True):
            taken[number] += rounds
    return [list(itertools.chain(*losses)) for losses in zip(*taken, strict=False)]
