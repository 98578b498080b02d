"""Sizes of buffers that are multiples of a vector register.

Kernels process the elements after the last whole register with other instructions, which round differently. With
padding there are no such elements, so that the numbers of a network do not depend on its index in the stack.
"""

from __future__ import annotations

VECTOR_NUMBERS = 64  # float32 numbers; kernels process at most this many together


def whole(count: int) -> int:
    """The smallest multiple of `VECTOR_NUMBERS` that is at least ``count``."""
    return count + -count % VECTOR_NUMBERS
