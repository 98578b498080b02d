"""Files in the IDX format, as the tests need them."""

from __future__ import annotations

import gzip
import struct

from bdlviz.types import Array


def encode(array: Array) -> bytes:
    """The IDX bytes of a uint8 array; the inverse of `bdlviz.data.idx.decode`."""
    return bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


def pack(content: bytes) -> bytes:
    """A gzip archive of ``content``, the same bytes at any time of day."""
    return gzip.compress(content, mtime=0)
