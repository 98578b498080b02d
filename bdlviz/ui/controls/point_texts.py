"""Points as the text of a link, which gives them back exactly."""

from __future__ import annotations

import base64
import binascii
import zlib

import numpy as np

from bdlviz.data.tables import MAX_MAGNITUDE
from bdlviz.digits import exact
from bdlviz.errors import InvalidInput
from bdlviz.types import Array

MAX_POINTS_IN_LINK = 150
MAX_TEXT = 3300  # characters of points in a link; enough for 150 points
DECIMALS, DOUBLES = "t", "d"  # first letters of points in a link; zlib's text, as in older links, begins with e
LONGEST_NUMBER = 26  # characters of a number and its comma


def encode_points(points: Array) -> str:
    """Points (N, 2) as URL text that gives them back exactly: as decimals or as float64, whichever is shorter."""
    decimals = ",".join(map(exact, points.ravel())).encode()
    # The first bytes of all numbers come first: they are most alike.
    doubles = np.ascontiguousarray(points, "<f8").view(np.uint8).reshape(-1, 8).T.tobytes()
    return min((kind + _packed(raw) for kind, raw in ((DECIMALS, decimals), (DOUBLES, doubles))), key=len)


def _packed(raw: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(raw, 9)).decode().rstrip("=")


def decode_points(text: str) -> Array:
    """The points that `encode_points` wrote, exactly. Older links have single precision and no first letter.

    Raises:
        InvalidInput: the text is not the result of `encode_points`.
    """
    kind = text[:1] if text[:1] in (DECIMALS, DOUBLES) else ""
    packed = text.removeprefix(kind)
    try:
        if len(text) > MAX_TEXT:
            raise ValueError
        content = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        raw = zlib.decompressobj().decompress(content, MAX_POINTS_IN_LINK * 2 * LONGEST_NUMBER)
        points = _numbers(kind, raw).reshape(-1, 2)
    except (binascii.Error, zlib.error, ValueError):
        raise InvalidInput("The points in this link are damaged; showing other points.") from None
    if not 1 <= len(points) <= MAX_POINTS_IN_LINK or not (np.abs(points) <= MAX_MAGNITUDE).all():
        raise InvalidInput("The points in this link are damaged; showing other points.")
    return points


def _numbers(kind: str, raw: bytes) -> Array:
    if kind == DECIMALS:
        return np.array([float(number) for number in raw.split(b",")])
    if kind == DOUBLES:
        return np.frombuffer(raw, np.uint8).reshape(8, -1).T.copy().view("<f8").astype(float)
    return np.frombuffer(raw, "<f4").astype("U").astype(float)  # 0.1, not 0.10000000149
