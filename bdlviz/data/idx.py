"""The IDX format of the MNIST files: two zero bytes, a type, the number of axes, their lengths, the values.

Source: LeCun, Cortes & Burges, The MNIST database. Only unsigned bytes (type 8) are read.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from pathlib import Path

import numpy as np

from bdlviz.data import files
from bdlviz.errors import InvalidInput
from bdlviz.types import Array

UNSIGNED_BYTE = 8
MAX_BYTES = 64_000_000  # the largest MNIST file has 47 million; a crafted archive could unpack to far more

MAX_AXES = 3


def read(path: Path, md5: str) -> Array:
    """The uint8 array in a gzip-compressed IDX file whose unpacked content has the given MD5 sum.

    Raises `InvalidInput` with the name of the file if it is unreadable, truncated or altered.
    """
    content = unpack(files.read(path), path.name)
    array = decode(content, path.name)
    check_md5(content, md5, path.name)
    return array


def unpack(packed: bytes, name: str) -> bytes:
    """The content of a gzip archive, at most `MAX_BYTES` of it."""
    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)  # 16: with a gzip header
    try:
        content = unpacker.decompress(packed, MAX_BYTES)
    except zlib.error:
        raise InvalidInput(f"The file {name} is not a sound gzip archive: fetch it again.") from None
    if not unpacker.eof:
        raise InvalidInput(f"The file {name} is truncated, or too large for an MNIST file: fetch it again.")
    return content


def check_md5(content: bytes, md5: str, name: str) -> None:
    """Raise `InvalidInput` with the name of the file unless ``content`` has the given MD5 sum."""
    if hashlib.md5(content, usedforsecurity=False).hexdigest() != md5:
        raise InvalidInput(f"The file {name} is not the published one (its MD5 sum differs): fetch it again.")


def decode(content: bytes, name: str) -> Array:
    """The read-only uint8 array in unpacked IDX bytes; `InvalidInput` if header and size disagree."""
    if len(content) < 4 or content[:3] != bytes([0, 0, UNSIGNED_BYTE]):
        raise InvalidInput(f"The file {name} is not an IDX file of bytes: fetch it again.")
    start = 4 + 4 * content[3]
    if len(content) < start:
        raise InvalidInput(f"The file {name} ends inside its header: fetch it again.")
    shape = struct.unpack(f">{content[3]}I", content[4:start])
    if len(shape) > MAX_AXES or max(shape, default=0) > MAX_BYTES:
        raise InvalidInput(f"The file {name} announces more axes or longer ones than MNIST has: fetch it again.")
    num_values = 1
    for length in shape:  # Python integers: a crafted header must not overflow
        num_values *= length
    if len(content) - start != num_values:
        raise InvalidInput(
            f"The file {name} announces {num_values:,} values and holds {len(content) - start:,}: fetch it again."
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
