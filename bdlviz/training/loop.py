"""One loop for every method: blocks of networks advance side by side, in rounds, until done, cancelled or diverged."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from bdlviz.threads import map_training
from bdlviz.training.method import Method, State
from bdlviz.training.noise import MinibatchStream
from bdlviz.types import Array

BLOCK_NUMBERS = 200_000  # parameters of one block: with gradient and moments they still fit a core's cache
MAX_BLOCK_NETWORKS = 16


@dataclass(frozen=True)
class BlockIndex:
    """Which seeds and which cells of a fit a block trains."""

    seeds: slice
    cells: slice


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

    def advance(self, num_steps: int, cancel: threading.Event) -> None:
        """Take steps until done or cancelled, also in the middle of a round."""
        with np.errstate(over="ignore", invalid="ignore"):  # divergence is looked for, and said, at the round's end
            for step in range(num_steps):
                if cancel.is_set():
                    return
                wants_loss = self.tracks_every_loss or step == num_steps - 1
                self.state = self.method.update(self.state, self.minibatches.next(), wants_loss)
                if wants_loss and self.state.loss is not None:
                    self._losses.append(self.state.loss)

    def take_loss(self) -> Array | None:
        """Mean loss (R, C) over the steps since it was last taken."""
        losses, self._losses = self._losses, []
        return np.mean(losses, 0) if losses else None


def plan_blocks(num_seeds: int, num_cells: int, numbers_per_network: int) -> list[BlockIndex]:
    """Cut seeds x cells into rectangles small enough for the cache.

    Cells of one block share their masks, so a block takes many cells of one seed before it takes a second seed.
    """
    size = int(np.clip(BLOCK_NUMBERS // numbers_per_network, 1, MAX_BLOCK_NETWORKS))
    cells_per_block = min(size, num_cells)
    seeds_per_block = max(1, size // num_cells)
    return [
        BlockIndex(
            slice(seed, min(seed + seeds_per_block, num_seeds)), slice(cell, min(cell + cells_per_block, num_cells))
        )
        for seed in range(0, num_seeds, seeds_per_block)
        for cell in range(0, num_cells, cells_per_block)
    ]


def run_rounds(
    blocks: Sequence[Block],
    rounds: Sequence[int],
    on_round: Callable[[int], bool],
    cancel: threading.Event,
) -> bool:
    """Advance all blocks round by round; ``rounds`` are the steps at which a round ends.

    ``on_round(step)`` is called in this thread after each; False stops the fit. Returns whether it ran to the end.
    """
    done = 0
    for end in rounds:
        count = end - done
        map_training(lambda block, count=count: block.advance(count, cancel), blocks)
        if cancel.is_set():
            return False
        done = end
        if not on_round(end) and end != rounds[-1]:
            return False
    return True
