"""Buffers that end on whole vector registers.

Kernels treat what is left over behind whole registers with other instructions, which round otherwise. Padding leaves
nothing over: a network's numbers do not depend on its place among others.
"""

from __future__ import annotations

VECTOR_NUMBERS = 64  # float32, at least as many as a kernel treats at once


def whole(count: int) -> int:
    """So many numbers or a few more: the next multiple of `VECTOR_NUMBERS`."""
    return count + -count % VECTOR_NUMBERS
