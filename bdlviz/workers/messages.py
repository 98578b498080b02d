"""Messages on a pipe between two processes of one program: a JSON header and numpy arrays. Never pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from safetensors.numpy import load, save

from bdlviz.types import Array

LENGTH_BYTES = 8


class Message(NamedTuple):
    """A header of plain JSON values, and arrays by name."""

    header: dict[str, Any]
    arrays: dict[str, Array]


def send(stream: BinaryIO, header: Mapping[str, Any], arrays: Mapping[str, Array] | None = None) -> None:
    """Write one message, all of it.

    Raises:
        OSError: nobody reads the other end any more.
    """
    text = json.dumps(dict(header)).encode()
    content = save({name: np.ascontiguousarray(array) for name, array in (arrays or {}).items()})
    for piece in (text, content):
        stream.write(len(piece).to_bytes(LENGTH_BYTES, "little"))
        stream.write(piece)
    stream.flush()


def receive(stream: BinaryIO) -> Message | None:
    """Read one message; None when the other end was closed."""
    text, content = _piece(stream), _piece(stream)
    return None if text is None or content is None else Message(json.loads(text), load(content))


def _piece(stream: BinaryIO) -> bytes | None:
    length = stream.read(LENGTH_BYTES)
    if len(length) < LENGTH_BYTES:
        return None
    size = int.from_bytes(length, "little")
    piece = stream.read(size)
    return piece if len(piece) == size else None
