"""One loop for every method: parts of a fit advance side by side, in rounds, until done, cancelled or diverged."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
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


class Part(Protocol):
    """What one thread advances: a block in this process, or all the blocks that another process trains."""

    @property
    def step(self) -> int:
        """Steps taken."""
        ...

    def advance(self, num_steps: int, cancel: threading.Event) -> None:
        """Take steps until done or cancelled, also in the middle of a round."""
        ...

    def take_losses(self) -> list[tuple[BlockIndex, Array]]:
        """Mean loss (R, C) of each block over the steps since it was last taken."""
        ...

    def params(self) -> list[tuple[BlockIndex, dict[str, Array]]]:
        """The parameters (R, C, ...) of each block as they stand, views where possible."""
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

    def advance(self, num_steps: int, cancel: threading.Event) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # divergence is looked for, and said, at the round's end
            for step in range(num_steps):
                if cancel.is_set():
                    return
                wants_loss = self.tracks_every_loss or step == num_steps - 1
                self.state = self.method.update(self.state, self.minibatches.next(), wants_loss)
                if wants_loss and self.state.loss is not None:
                    self._losses.append(self.state.loss)

    def take_losses(self) -> list[tuple[BlockIndex, Array]]:
        losses, self._losses = self._losses, []
        return [(self.index, np.mean(losses, 0))] if losses else []

    def params(self) -> list[tuple[BlockIndex, dict[str, Array]]]:
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
    on_round: Callable[[int], bool],
    cancel: threading.Event,
    map_parts: Callable[[Callable[[Part], None], Sequence[Part]], object],
) -> bool:
    """Advance all parts round by round; ``rounds`` are the steps at which a round ends.

    ``map_parts`` applies a function to all parts side by side. ``on_round(step)`` is called in this thread after each
    round; False stops the fit. Returns whether it ran to the end.
    """
    done = 0
    for end in rounds:
        count = end - done
        map_parts(lambda part, count=count: part.advance(count, cancel), parts)
        if cancel.is_set():
            return False
        done = end
        if not on_round(end) and end != rounds[-1]:
            return False
    return True
