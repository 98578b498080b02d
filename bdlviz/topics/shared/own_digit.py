"""A digit of the visitor's own: drawn or uploaded, and brought into the form of the data."""

from __future__ import annotations

import io

import numpy as np
import streamlit as st
from PIL import Image

from bdlviz.errors import InvalidInput
from bdlviz.types import Array
from bdlviz.ui.scrub import sketch

MAX_BYTES = 2_000_000
MAX_PIXELS = 20_000_000
FORMATS = ("PNG", "JPEG", "GIF", "WEBP")  # of the others one runs a program on the file
WORKING_SIDE = 400  # px; more detail than any digit needs
FAINT = 0.15  # of the strongest ink: what counts as background
MIN_CONTRAST = 0.08  # of the grey scale
INK, PROBLEM = "own_ink", "own_problem"  # keys in the session state


def read_image(content: bytes) -> Array:
    """The ink of an uploaded picture, (H, W) from 0 to 1: any size, colour or alpha, dark on light or light on dark.

    Raises:
        InvalidInput: it is no picture, too large, or blank.
    """
    if len(content) > MAX_BYTES:
        raise InvalidInput(f"This file has {len(content) / 1e6:.0f} MB; a picture of a digit needs at most 2 MB.")
    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                raise InvalidInput(
                    f"This picture is {picture.width}×{picture.height} pixels large: crop it to the digit."
                )
            picture.load()
            picture.thumbnail((WORKING_SIDE, WORKING_SIDE))
            rgba = np.asarray(picture.convert("RGBA"), float) / 255
    except InvalidInput:
        raise
    except Exception:  # the readers of damaged files raise nearly everything
        raise InvalidInput("This is not a picture that can be read: use a PNG, JPEG, GIF or WebP file.") from None
    return _ink(rgba)


def _ink(rgba: Array) -> Array:
    """How far every pixel is from the ground, which is what stands along the border."""
    grey, alpha = rgba[..., :3] @ (0.299, 0.587, 0.114), rgba[..., 3]
    on_white = grey * alpha + 1 - alpha
    ink = np.abs(on_white - np.median(_border(on_white)))
    if ink.max() < MIN_CONTRAST:  # white ink on a transparent ground
        ink = np.abs(alpha - np.median(_border(alpha)))
    if ink.max() < MIN_CONTRAST:
        raise InvalidInput("This picture is blank: there is no digit on it.")
    return ink / ink.max()


def _border(values: Array) -> Array:
    return np.concatenate([values[0], values[-1], values[:, 0], values[:, -1]])


def to_digit(ink: Array, shape: tuple[int, int]) -> Array:
    """Ink (H, W) as an image of the data's shape, as the data were made: MNIST's digits fill 20 of 28 pixels and are
    centred by their mass, the 8x8 digits fill their square.

    Raises:
        InvalidInput: there is no ink.
    """
    rows, columns = (np.flatnonzero((ink > FAINT).any(axis)) for axis in (1, 0))
    if not len(rows):
        raise InvalidInput("There is no digit on it yet.")
    cut = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    side = shape[0]
    room = 20 if side == 28 else side
    scale = room / max(cut.shape)
    size = tuple(max(1, round(scale * length)) for length in cut.shape[::-1])
    small = np.asarray(Image.fromarray(np.float32(cut)).resize(size, Image.Resampling.BOX))  # type: ignore[arg-type]
    digit = np.zeros(shape, np.float32)
    top, left = ((side - length) // 2 for length in small.shape)
    digit[top : top + small.shape[0], left : left + small.shape[1]] = small
    if side == 28:
        digit = _centred(digit)
    return np.clip(digit / digit.max(), 0, 1)


def _centred(digit: Array) -> Array:
    """Moved by whole pixels until its centre of mass is in the middle."""
    total = digit.sum()
    middle = [(digit.sum(axis) @ np.arange(length)) / total for axis, length in ((1, 28), (0, 28))]
    shift = [round(13.5 - place) for place in middle]
    return np.roll(digit, shift, axis=(0, 1))


def ask(sketch_key: str, upload_key: str) -> None:
    """Let the visitor draw or upload a digit, whose ink is then in the session's state."""
    sketch.show(_remember, key=sketch_key)
    file = st.file_uploader("… or a picture of one digit, at most 2 MB", type=None, key=upload_key)
    read = f"{upload_key}_read"  # which file was the last
    if file is not None and st.session_state.get(read) != file.file_id:
        st.session_state[read] = file.file_id
        _read(file.getvalue())


def _remember(ink: Array | None) -> None:
    st.session_state[INK] = ink if ink is not None and (ink > FAINT).any() else None
    st.session_state[PROBLEM] = None


def _read(content: bytes) -> None:
    try:
        _remember(read_image(content))
    except InvalidInput as error:
        st.session_state[PROBLEM] = str(error)
