"""Randomness as an argument: minibatches and masks, one seeded stream per seed, shared by all grid cells.

Every stream is a fast bit generator (SFC64) keyed by seed and purpose, so a seed in a stack gives the same bits as
that seed alone, and all cells of a grid see the same noise (common random numbers): a slider then compares
hyper-parameters, not luck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bdlviz.models.random_words import random_words
from bdlviz.types import Array

CHUNK_NUMBERS = 2**18  # numbers prepared at once: a megabyte of float32, which stays in the cache
MAX_CHUNK_STEPS = 64


def generator(seed: int, purpose: str) -> np.random.Generator:
    """The generator of one seed for one purpose; different purposes never share bits."""
    return np.random.Generator(np.random.SFC64([seed, *purpose.encode()]))


def _chunk_steps(numbers_per_step: int) -> int:
    return max(1, min(MAX_CHUNK_STEPS, CHUNK_NUMBERS // max(1, numbers_per_step)))


class MinibatchStream:
    """Endless minibatches: permutations of the data, one after the other, cut into pieces of B.

    Every point is visited equally often. ``next()`` gives x (R, 1, B, D) and y (R, 1, B, K); a full batch is the
    data in their order, (1, 1, N, D), the same object at every step.
    """

    def __init__(self, x: Array, y: Array, batch_size: int, seeds: Sequence[int]) -> None:
        """``batch_size`` is B, at most N."""
        self._x, self._y, self.batch_size = x, y, batch_size
        self.is_full = self.batch_size == len(x)
        self._generators = [generator(seed, "minibatches") for seed in seeds]
        self._left = [np.empty(0, np.int64) for _ in seeds]
        self._chunk = _chunk_steps(self.batch_size * (x.shape[1] + 1) * len(seeds))
        self._prepared = iter(())

    def next(self) -> tuple[Array, Array]:
        """The minibatch of the next step."""
        if self.is_full:
            return self._x[None, None], self._y[None, None]
        batch = next(self._prepared, None)
        if batch is None:
            self._prepared = self._prepare()
            batch = next(self._prepared)
        return batch

    def _prepare(self) -> Iterator[tuple[Array, Array]]:
        indices = np.stack([self._indices(seed) for seed in range(len(self._generators))], axis=1)
        return zip(self._x[indices][:, :, None], self._y[indices][:, :, None], strict=True)

    def _indices(self, seed: int) -> Array:
        """The points of a chunk of minibatches, (T, B); what a permutation has left over begins the next chunk."""
        wanted, left, rng = self._chunk * self.batch_size, self._left[seed], self._generators[seed]
        missing = -(-max(0, wanted - len(left)) // len(self._x))
        order = np.concatenate([left, *(rng.permutation(len(self._x)) for _ in range(missing))])
        self._left[seed] = order[wanted:]
        return order[:wanted].reshape(self._chunk, self.batch_size)


class MaskStream:
    """Endless dropout masks for the hidden layers, already divided by the keep probability.

    A unit is dropped when a 16-bit random word is below ``dropout_rate * 65536``: making the bits is the expensive
    part of dropout, and two bytes a unit are enough when the mask is scaled by the keep probability that the
    rounded threshold really gives. Cells share the words and differ in the threshold.
    """

    def __init__(self, shapes: Sequence[tuple[int, int]], dropout_rates: Array, seeds: Sequence[int]) -> None:
        """``shapes`` are (B, H) per hidden layer; ``dropout_rates`` (C,)."""
        self._shapes = shapes
        self._sizes = [batch * width for batch, width in shapes]
        thresholds = np.rint(np.asarray(dropout_rates) * 65536).astype(np.uint16)
        if (thresholds == thresholds[0]).all():
            thresholds = thresholds[:1]  # one mask serves every cell
        self._thresholds = thresholds
        self._scales = (65536 / (65536 - thresholds.astype(np.float64))).astype(np.float32)
        self._generators = [generator(seed, "masks") for seed in seeds]
        self._raw_per_step = -(-sum(self._sizes) // 4)  # 64-bit words; whole per step, so the chunking never shows
        cells = len(thresholds)
        self._chunk = _chunk_steps(len(seeds) * cells * sum(self._sizes))
        self._masks = np.empty((self._chunk, len(seeds), cells, 4 * self._raw_per_step), np.float32)
        self._views = [self._views_of(step) for step in self._masks]
        self._position = self._chunk

    def _views_of(self, step: Array) -> list[Array]:
        pieces = np.split(step[..., : sum(self._sizes)], np.cumsum(self._sizes)[:-1], axis=-1)
        return [
            piece.reshape(*piece.shape[:2], *shape, copy=False)
            for piece, shape in zip(pieces, self._shapes, strict=True)
        ]

    def next(self) -> list[Array]:
        """One mask per hidden layer, (R, C or 1, B, H), valid until the stream has gone round its buffer."""
        if self._position == self._chunk:
            self._refill()
        views = self._views[self._position]
        self._position += 1
        return views

    def _refill(self) -> None:
        count = self._chunk * self._raw_per_step
        for seed, rng in enumerate(self._generators):
            words = random_words(rng, count).view(np.uint16).reshape(self._chunk, -1)
            for cell, (threshold, scale) in enumerate(zip(self._thresholds, self._scales, strict=True)):
                masks = self._masks[:, seed, cell]
                np.greater_equal(words, threshold, out=masks, casting="unsafe")
                np.multiply(masks, scale, out=masks)
        self._position = 0


def first_params(init: Callable[[np.random.Generator], dict[str, Array]], seeds: Sequence[int]) -> dict[str, Array]:
    """Stack the starting weights of every seed: (R, 1, in, out). Cells share them."""
    starts = [init(generator(seed, "init")) for seed in seeds]
    return {name: np.stack([start[name] for start in starts])[:, None] for name in starts[0]}
