"""Random bits by the word, for whoever makes masks or normal numbers of them."""

from __future__ import annotations

import numpy as np

from bdlviz.types import Array

LARGEST = 2**64 - 1


def random_words(rng: np.random.Generator, count: int) -> Array:
    """The generator's next ``count`` words, (count,) uint64.

    Those of ``bit_generator.random_raw``, which takes one and a half times as long.
    """
    return rng.integers(0, LARGEST, count, np.uint64, endpoint=True)
