"""Standard normal numbers, four times as fast as with numpy; a step needs thousands for the pre-activations."""

from __future__ import annotations

import numpy as np

from bdlviz.models.random_words import random_words
from bdlviz.types import Array

UNIT = np.float32(2.0**-32)
TURN = np.float32(2 * np.pi * 2.0**-32)


class Normals:
    r"""Fills rows of ``count`` numbers with standard normal noise, from the bits of a generator.

    Two words of 32 bits give two numbers of at most 6.8 in absolute value. All operations work on whole vectors, while
    numpy's method rejects or accepts each number separately. Source: Box & Muller 1958.

    $$ \epsilon_1 = \sqrt{-2 \log u_1}\, \cos(2 \pi u_2), \qquad \epsilon_2 = \sqrt{-2 \log u_1}\, \sin(2 \pi u_2) $$
    """

    def __init__(self, count: int) -> None:
        self._half = -(-count // 2)
        self._radius, self._angle, self._wave = np.empty((3, self._half), np.float32)

    def fill(self, rng: np.random.Generator, row: Array) -> None:
        """Overwrite ``row`` (count,), float32."""
        words = random_words(rng, self._half).view(np.uint32)
        radius, angle, half = self._radius, self._angle, self._half
        np.add(words[:half], np.float32(0.5), out=radius, dtype=np.float32, casting="unsafe")
        np.multiply(radius, UNIT, out=radius)
        np.log(radius, out=radius)
        np.multiply(radius, np.float32(-2), out=radius)
        np.sqrt(radius, out=radius)
        np.multiply(words[half:], TURN, out=angle, dtype=np.float32, casting="unsafe")
        for wave, piece in ((np.cos, row[:half]), (np.sin, row[half:])):
            wave(angle, out=self._wave)
            np.multiply(self._wave[: len(piece)], radius[: len(piece)], out=piece)
