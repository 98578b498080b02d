"""One loop for every method: parts of a fit advance side by side, in rounds, until done, cancelled or diverged."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from bdlviz.training.method import Method, State
from bdlviz.training.noise import MinibatchStream
from bdlviz.types import Array

BLOCK_NUMBERS = 120_000  # parameters of one block: with gradient and moments they still fit a core's cache
MAX_BLOCK_NETWORKS = 32
MIN_BLOCK_NETWORKS = 8  # below, the cost of calling shows


@dataclass(frozen=True)
class BlockIndex:
    """Which seeds and which cells of a fit a block trains."""

    seeds: slice
    cells: slice


Losses = list[tuple[BlockIndex, Array]]  # of one round: the mean (R, C) of each block over its steps
Pieces = list[tuple[BlockIndex, dict[str, Array]]]  # parameters (R, C, ...) of each block


class Part(Protocol):
    """What one thread advances: a block in this process, or all the blocks that another process trains."""

    @property
    def step(self) -> int:
        """Steps taken."""
        ...

    def take_rounds(self, lengths: Sequence[int], cancel: threading.Event) -> list[Losses]:
        """Take the first of the next rounds, or more of them, each of so many steps; stop within one if cancelled.

        Only a part that is all of a fit may take several: others stay in step. Returns the losses of every round that
        ended.
        """
        ...

    def params(self) -> Pieces:
        """The parameters as they stand, views where possible."""
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
        with np.errstate(over="ignore", invalid="ignore"):  # divergence is looked for, and said, at the round's end
            for step in range(num_steps):
                if cancel.is_set():
                    return False
                wants_loss = self.tracks_every_loss or step == num_steps - 1
                self.state = self.method.update(self.state, self.minibatches.next(), wants_loss)
                if wants_loss and self.state.loss is not None:
                    self._losses.append(self.state.loss)
        return True

    def take_rounds(self, lengths: Sequence[int], cancel: threading.Event) -> list[Losses]:
        """Take one round."""
        has_ended = self.advance(lengths[0], cancel)
        losses, self._losses = self._losses, []
        return [[(self.index, np.mean(losses, 0))] if losses else []] if has_ended else []

    def params(self) -> Pieces:
        return [(self.index, self.method.params(self.state))]


def _pieces(length: int, count: int) -> list[slice]:
    """Cut a range into ``count`` slices of nearly the same length."""
    ends = np.linspace(0, length, count + 1).round().astype(int).tolist()
    return [slice(start, end) for start, end in itertools.pairwise(ends)]


def plan_blocks(num_seeds: int, num_cells: int, numbers_per_network: int, side_by_side: int = 1) -> list[BlockIndex]:
    """Cut seeds x cells into rectangles small enough for the cache, nearly equal in size.

    Cells of one block share their masks, so a block takes many cells of one seed before it takes a second seed.
    A grid gets a multiple of ``side_by_side`` blocks where that leaves them large enough: no processor idles then.
    """
    size = int(np.clip(BLOCK_NUMBERS // numbers_per_network, 1, MAX_BLOCK_NETWORKS))
    if num_cells < min(size, side_by_side * MIN_BLOCK_NETWORKS):
        seeds = _pieces(num_seeds, -(-num_seeds // (size // num_cells)))
        return [BlockIndex(rows, slice(0, num_cells)) for rows in seeds]
    count = -(-num_cells // size)
    if num_seeds % side_by_side and num_cells >= side_by_side * MIN_BLOCK_NETWORKS:
        count = -(-count // side_by_side) * side_by_side
    return [
        BlockIndex(rows, columns) for rows in _pieces(num_seeds, num_seeds) for columns in _pieces(num_cells, count)
    ]


def run_rounds(
    parts: Sequence[Part],
    rounds: Sequence[int],
    pauses: Collection[int],
    record: Callable[[int, Losses], None],
    on_pause: Callable[[int], bool],
    cancel: threading.Event,
    map_parts: Callable[[Callable[[Part], list[Losses]], Sequence[Part]], list[list[Losses]]],
) -> None:
    """Advance all parts round by round; ``rounds`` are the steps at which a round ends.

    ``map_parts`` applies a function to all parts side by side. They pause after one or more rounds, and in any case
    after a round that ends at one of ``pauses``. Then ``record(step, losses)`` is called in this thread for each round,
    and ``on_pause(step)`` for the last one, unless the fit was cancelled; False stops the fit.
    """
    lengths, done = np.diff(rounds, prepend=0).tolist(), 0
    while done < len(rounds):
        pause = next((number for number in range(done, len(rounds)) if rounds[number] in pauses), len(rounds) - 1)
        ahead = lengths[done : pause + 1]
        taken = map_parts(lambda part, ahead=ahead: part.take_rounds(ahead, cancel), parts)
        for losses in zip(*taken, strict=False):  # the rounds that all parts ended: one that was cancelled ends fewer
            record(rounds[done], list(itertools.chain(*losses)))
            done += 1
        if cancel.is_set() or not on_pause(rounds[done - 1]):
            return
