"""Numbers, arrays and JSON in a short form that can be compared."""

from __future__ import annotations

import base64
import hashlib
import io
from typing import Any

import numpy as np
from PIL import Image

Part = dict[str, Any]

FULL, CHUNKS = 48, 24  # values kept of a short array; samples and means kept of a longer one


def short(value: float) -> float | str:
    """A number with five significant digits, for JSON."""
    return float(f"{value:.5g}") if np.isfinite(value) else str(value)


def fingerprint(values: Any) -> Part:
    """Shape, hash after rounding to five digits, extremes, samples and means of chunks of an array of numbers."""
    array = np.asarray(values, float)
    flat = array.ravel()
    found: Part = {"array": list(array.shape), "hash": hashlib.sha256(_rounded(flat)).hexdigest()[:12]}
    if len(flat) <= FULL:
        return found | {"values": [short(value) for value in flat]}
    finite = np.where(np.isfinite(flat), flat, 0.0)
    found["not_finite"] = int((~np.isfinite(flat)).sum())
    found["extremes"] = [short(finite.min()), short(finite.max())]
    found["samples"] = [short(float(flat[i])) for i in np.linspace(0, len(flat) - 1, CHUNKS).astype(int)]
    found["means"] = [short(float(chunk.mean())) for chunk in np.array_split(finite, CHUNKS)]
    return found


def _rounded(flat: np.ndarray[Any, Any]) -> bytes:
    """The first five digits of numbers, and their magnitudes."""
    finite = np.where(np.isfinite(flat), flat, 0.0)
    magnitude = np.floor(np.log10(np.maximum(np.abs(finite), 1e-30)))
    digits = np.round(finite / 10.0 ** (magnitude - 4))
    return digits.tobytes() + magnitude.tobytes() + np.isnan(flat).tobytes() + np.isposinf(flat).tobytes()


def condensed(value: Any) -> Any:
    """JSON in which every array is replaced by its fingerprint and every number has five digits."""
    if isinstance(value, dict):
        if "bdata" in value:
            kind = {"f4": np.float32, "f8": np.float64}.get(value["dtype"], value["dtype"])
            flat = np.frombuffer(base64.b64decode(value["bdata"]), kind)
            return fingerprint(
                flat.reshape([int(n) for n in str(value["shape"]).split(",")]) if "shape" in value else flat
            )
        return {key: condensed(each) for key, each in value.items()}
    if isinstance(value, list):
        return _condensed_list(value)
    if isinstance(value, str) and value.startswith("data:image/"):
        return pixels(base64.b64decode(value.partition(",")[2]))
    return short(value) if isinstance(value, float) else value


def pixels(picture: bytes) -> Part:
    """The fingerprint of the pixels of an image file."""
    return {"pixels": fingerprint(np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")))}


def _condensed_list(values: list[Any]) -> Any:
    leaves = [leaf for each in values for leaf in (each if isinstance(each, list) else [each])]
    if len(leaves) > 3 and all(each is None or isinstance(each, int | float) for each in leaves):
        try:
            return fingerprint(
                [[np.nan if x is None else x for x in v] if isinstance(v, list) else _nan(v) for v in values]
            )
        except ValueError:  # rows of different lengths
            return fingerprint([_nan(each) for each in leaves])
    if len(leaves) > FULL and all(isinstance(each, str) for each in leaves):
        joined = "\n".join(leaves)
        return {"texts": len(leaves), "text": leaves[:3], "hash": hashlib.sha256(joined.encode()).hexdigest()[:12]}
    return [condensed(each) for each in values]


def _nan(value: float | None) -> float:
    return np.nan if value is None else value
