"""Messages on a pipe between two processes of one program: a JSON header and numpy arrays. Never pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from bdlviz.types import Array

LENGTH_BYTES = 8
MAX_BYTES = 2**34  # of a part of a message; a larger length shows that other bytes got into the pipe


class NotAMessage(ValueError):
    """The bytes that arrived were not written by `send`; the following bytes cannot be read either."""


class Message(NamedTuple):
    """A header of plain JSON values, and arrays by name."""

    header: dict[str, Any]
    arrays: dict[str, Array]


def send(stream: BinaryIO, header: Mapping[str, Any], arrays: Mapping[str, Array] | None = None) -> None:
    """Write one complete message.

    Raises:
        OSError: the other end of the pipe is closed.
    """
    text = json.dumps(dict(header)).encode()
    content = save({name: np.ascontiguousarray(array) for name, array in (arrays or {}).items()})
    for piece in (text, content):
        stream.write(len(piece).to_bytes(LENGTH_BYTES, "little"))
        stream.write(piece)
    stream.flush()


def receive(stream: BinaryIO) -> Message | None:
    """Read one message; None if the other end was closed.

    Raises:
        NotAMessage: the bytes are not a message.
    """
    text, content = _piece(stream), _piece(stream)
    if text is None or content is None:
        return None
    try:
        return Message(dict(json.loads(text)), load(content))
    except (SafetensorError, ValueError, TypeError, RecursionError) as error:
        raise NotAMessage(f"invalid message: {type(error).__name__}") from None


def _piece(stream: BinaryIO) -> bytes | None:
    length = stream.read(LENGTH_BYTES)
    if len(length) < LENGTH_BYTES:
        return None
    size = int.from_bytes(length, "little")
    if size > MAX_BYTES:
        raise NotAMessage(f"a message of {size} bytes is larger than any that is sent")
    piece = stream.read(size)
    return piece if len(piece) == size else None
