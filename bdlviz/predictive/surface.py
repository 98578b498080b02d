"""A grid of fits as one small block of bytes: function draws of every cell, as coefficients on a shared basis.

A view that redraws while a slider is dragged needs the draws of all cells at once. They are similar curves, so they are
sums of a few dozen principal curves. Coefficients of the leading curves are sent as 16-bit, the others as 8-bit
integers. The view computes the mean and the standard deviation of a cell from its draws.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bdlviz.digits import compact
from bdlviz.errors import InvalidInput
from bdlviz.types import Array

ALIGNMENT = 8  # bytes; typed arrays in a browser must start at multiples of their item size
NAME_DIGITS = 16
PIXELS = 460  # height of the picture for which an error is "below a pixel"
MAX_ERROR = 0.5  # pixels
GROWTH = 8  # principal curves added until the error is small enough
FINE, COARSE = np.int16, np.int8


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves (M, X) as ``centre + (fine, coarse) * scale @ basis``, where ``scale`` is (K,) and ``basis`` (K, X)."""

    centre: Array
    basis: Array
    scale: Array
    fine: Array  # (M, K1) 16-bit
    coarse: Array  # (M, K2) 8-bit, K1 + K2 = K

    def decode(self) -> Array:
        """The curves, (M, X), as a view decodes them."""
        coefficients = np.concatenate([self.fine, self.coarse], axis=1) * self.scale
        return coefficients @ self.basis + self.centre

    def arrays(self) -> dict[str, Array]:
        """The arrays that are sent, by name."""
        return {name: getattr(self, name) for name in ("centre", "basis", "scale", "fine", "coarse")}


def compress(curves: Array, tolerance: float) -> Curves:
    r"""Curves (M, X) on the smallest number of principal curves with an error of at most ``tolerance``.

    $$ f_m(x) \approx \bar f(x) + \sum_{k=1}^{K} c_{mk}\, b_k(x) $$

    Raises:
        InvalidInput: the curves are not finite, or the tolerance is not positive.
    """
    curves = np.asarray(curves, np.float64)
    if not np.isfinite(curves).all() or not tolerance > 0:
        raise InvalidInput("Only finite curves can be packed, within a positive tolerance.")
    mean = curves.mean(0)
    _, vectors = np.linalg.eigh((curves - mean).T @ (curves - mean))
    basis = vectors[:, ::-1].T  # largest first
    coefficients = ((curves - mean) @ basis.T).astype(np.float32)
    centre = compact(mean, tolerance / MAX_ERROR * PIXELS)
    target, counts = curves.astype(centre.dtype), range(GROWTH, len(basis) + GROWTH, GROWTH)

    def attempt(count: int) -> Curves:
        return _quantise(centre, basis[:count], coefficients[:, :count], tolerance)

    def error(count: int) -> float:
        return float(np.abs(attempt(count).decode() - target).max(initial=0.0))

    enough = bisect_left(counts, True, key=lambda count: error(count) <= tolerance)  # the error falls with the count
    if enough == len(counts):
        raise InvalidInput("These curves differ too much in size to be packed within the tolerance.")
    return attempt(counts[enough])


def _quantise(centre: Array, basis: Array, coefficients: Array, tolerance: float) -> Curves:
    """Integer coefficients (M, K): 16 bits where 8 bits would exceed the tolerance."""
    largest = np.maximum(np.abs(coefficients).max(0, initial=0.0), np.finfo(np.float32).tiny)
    is_fine = largest / np.iinfo(COARSE).max > tolerance / 2
    num_fine = int(np.flatnonzero(is_fine).max(initial=-1)) + 1
    limits = np.where(np.arange(len(basis)) < num_fine, np.iinfo(FINE).max, np.iinfo(COARSE).max)
    scale = (largest / limits).astype(np.float32)
    rounded = np.rint(coefficients / scale)
    return Curves(
        centre,
        basis.astype(np.float32),
        scale,
        rounded[:, :num_fine].astype(FINE),
        rounded[:, num_fine:].astype(COARSE),
    )


def pixel(limits: tuple[float, float]) -> float:
    """The height of one pixel in units of y, in a picture with these limits of y."""
    return abs(limits[1] - limits[0]) / PIXELS


def pack_surface(
    axes: Sequence[tuple[str, Sequence[float]]],
    draws: Array,
    limits: tuple[float, float],
    extra: Mapping[str, Array] | None = None,
) -> bytes:
    """The draws of every cell of a grid, for a view whose y axis has these limits.

    Args:
        axes: (name, stops) of each grid axis; the cells run over them in this order.
        draws: (cells, S, X) function values.
        limits: of y in the picture; they determine the error that is below a pixel.
        extra: further arrays by name, such as a score for each cell.
    """
    cells, num_draws, num_x = draws.shape
    if cells != int(np.prod([len(stops) for _, stops in axes])):
        raise InvalidInput(f"{cells} cells do not fill a grid with axes {axes}.")
    curves = compress(draws.reshape(cells * num_draws, num_x), MAX_ERROR * pixel(limits))
    header = {
        "axes": [{"key": name, "stops": [float(stop) for stop in stops]} for name, stops in axes],
        "draws": num_draws,
        "x": num_x,
    }
    return pack(header, curves.arrays() | {name: np.asarray(a, np.float32) for name, a in (extra or {}).items()})


def pack(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> bytes:
    """A header and numeric arrays as one block: the length of the header's JSON, that JSON, then the aligned arrays."""
    places, body = {}, b""
    for name, array in arrays.items():
        little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
        body += b"\0" * (-len(body) % ALIGNMENT)
        places[name] = {"type": array.dtype.name, "shape": list(array.shape), "start": len(body)}
        body += little.tobytes()
    identity = hashlib.sha256(json.dumps([header, places]).encode() + body).hexdigest()[:NAME_DIGITS]
    text = json.dumps({"id": identity, **header, "arrays": places}, separators=(",", ":")).encode()
    text += b" " * (-(4 + len(text)) % ALIGNMENT)
    return len(text).to_bytes(4, "little") + text + body


def unpack(block: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """The header and the arrays of a block that `pack` made."""
    end = 4 + int.from_bytes(block[:4], "little")
    header = json.loads(block[4:end])
    arrays = {}
    for name, place in header.pop("arrays").items():
        count = int(np.prod(place["shape"]))
        flat = np.frombuffer(block, np.dtype(place["type"]).newbyteorder("<"), count, end + place["start"])
        arrays[name] = flat.reshape(place["shape"])
    return header, arrays


def name_of(block: bytes) -> str:
    """The name of a block, which changes with its content."""
    return unpack(block)[0]["id"]
