"""Minibatches and masks: one seeded stream of random numbers per seed, which all grid cells share.

Every stream is a fast bit generator (SFC64) whose key is the seed and the purpose. A seed in a stack therefore has the
same random numbers as the seed alone. All cells of a grid have the same noise (common random numbers), so that they
differ only in their hyper-parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bdlviz.models.random_words import random_words
from bdlviz.types import Array

CHUNK_NUMBERS = 2**18  # numbers that are prepared together: a megabyte of float32, which fits into the cache
MAX_CHUNK_STEPS = 64


def generator(seed: int, purpose: str) -> np.random.Generator:
    """The generator of one seed for one purpose; different purposes have independent streams."""
    return np.random.Generator(np.random.SFC64([seed, *purpose.encode()]))


def _chunk_steps(numbers_per_step: int) -> int:
    return max(1, min(MAX_CHUNK_STEPS, CHUNK_NUMBERS // max(1, numbers_per_step)))


class MinibatchStream:
    """An infinite stream of minibatches: permutations of the data, one after the other, in pieces of B points.

    Every point is used equally often. ``next()`` returns x (R, 1, B, D) and y (R, 1, B, K). A full batch is the data in
    their order, (1, 1, N, D); it is the same object at every step.
    """

    def __init__(self, x: Array, y: Array, batch_size: int, seeds: Sequence[int]) -> None:
        """``batch_size`` is B, which is at most N."""
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
        """Indices of the points of a chunk of minibatches, (T, B); the rest of a permutation starts the next chunk."""
        num_indices, left, rng = self._chunk * self.batch_size, self._left[seed], self._generators[seed]
        missing = -(-max(0, num_indices - len(left)) // len(self._x))
        order = np.concatenate([left, *(rng.permutation(len(self._x)) for _ in range(missing))])
        self._left[seed] = order[num_indices:]
        return order[:num_indices].reshape(self._chunk, self.batch_size)


class MaskStream:
    """An infinite stream of dropout masks for the hidden layers, divided by the keep probability.

    A unit is dropped if a random 16-bit word is below the threshold ``dropout_rate * 65536``, rounded. Random bits are
    the expensive part of dropout. Two bytes per unit are enough, because masks are divided by the keep probability of
    the rounded threshold. Cells share the words and differ in the threshold.
    """

    def __init__(self, shapes: Sequence[tuple[int, int]], dropout_rates: Array, seeds: Sequence[int]) -> None:
        """``shapes`` are (B, H) per hidden layer; ``dropout_rates`` (C,)."""
        self._shapes = shapes
        self._sizes = [batch * width for batch, width in shapes]
        thresholds = np.rint(np.asarray(dropout_rates) * 65536).astype(np.uint16)
        if (thresholds == thresholds[0]).all():
            thresholds = thresholds[:1]  # all cells share one mask
        self._thresholds = thresholds
        self._scales = (65536 / (65536 - thresholds.astype(np.float64))).astype(np.float32)
        self._generators = [generator(seed, "masks") for seed in seeds]
        self._raw_per_step = -(-sum(self._sizes) // 4)  # whole 64-bit words, so that masks do not depend on the chunks
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
        """One mask per hidden layer, (R, C or 1, B, H), valid until the buffer is filled again."""
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
    """The initial weights of all seeds, (R, 1, in, out); the cells of a seed share them."""
    starts = [init(generator(seed, "init")) for seed in seeds]
    return {name: np.stack([start[name] for start in starts])[:, None] for name in starts[0]}
