"""A digit that the visitor draws or uploads, converted to the format of the data."""

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
FORMATS = ("PNG", "JPEG", "GIF", "WEBP")  # other formats are not allowed: for EPS files PIL runs an external program
WORKING_SIDE = 400  # px; larger pictures are reduced, because a digit needs no more detail
FAINT = 0.15  # pixels below this share of the maximum are background
MIN_CONTRAST = 0.08  # as a share of the range from black to white
INK, PROBLEM = "own_ink", "own_problem"  # keys in the session state


def read_image(content: bytes) -> Array:
    """The ink of an uploaded picture, (H, W) from 0 (background) to 1.

    Raises:
    The picture may have any size, colours and transparency, and be dark on light or light on dark.

    Raises:
        InvalidInput: the file is no picture, too large, or blank.
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
    except Exception:  # PIL raises many types of exceptions for damaged files
        raise InvalidInput("This is not a picture that can be read: use a PNG, JPEG, GIF or WebP file.") from None
    return _ink(rgba)


def _ink(rgba: Array) -> Array:
    """The distance of every pixel from the median of the border (the background), divided by the largest distance."""
    grey, alpha = rgba[..., :3] @ (0.299, 0.587, 0.114), rgba[..., 3]
    on_white = grey * alpha + 1 - alpha
    ink = np.abs(on_white - np.median(_border(on_white)))
    if ink.max() < MIN_CONTRAST:  # the ink may be white on a transparent background
        ink = np.abs(alpha - np.median(_border(alpha)))
    if ink.max() < MIN_CONTRAST:
        raise InvalidInput("This picture is blank: there is no digit on it.")
    return ink / ink.max()


def _border(values: Array) -> Array:
    return np.concatenate([values[0], values[-1], values[:, 0], values[:, -1]])


def to_digit(ink: Array, shape: tuple[int, int]) -> Array:
    """Ink (H, W) as an image of ``shape``, normalised like the data.

    Digits of MNIST fill 20 of 28 pixels and are centred at their centre of mass; the 8x8 digits fill their square.

    Raises:
        InvalidInput: there is no ink.
    """
    rows, columns = (np.flatnonzero((ink > FAINT).any(axis)) for axis in (1, 0))
    if not len(rows):
        raise InvalidInput("There is no digit in the picture yet.")
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
    """The digit, moved by whole pixels so that its centre of mass is in the middle."""
    total = digit.sum()
    centre_of_mass = [(digit.sum(axis) @ np.arange(28)) / total for axis in (1, 0)]
    shift = [round(13.5 - centre) for centre in centre_of_mass]
    return np.roll(digit, shift, axis=(0, 1))


def ask(sketch_key: str, upload_key: str) -> None:
    """Let the visitor draw or upload a digit; its ink is stored in the session state."""
    sketch.show(_remember, key=sketch_key)
    file = st.file_uploader("… or a picture of one digit, at most 2 MB", type=None, key=upload_key)
    last_file = f"{upload_key}_read"  # key of the identifier of the file that was read last
    if file is not None and st.session_state.get(last_file) != file.file_id:
        st.session_state[last_file] = file.file_id
        _read(file.getvalue())


def _remember(ink: Array | None) -> None:
    st.session_state[INK] = ink if ink is not None and (ink > FAINT).any() else None
    st.session_state[PROBLEM] = None


def _read(content: bytes) -> None:
    try:
        _remember(read_image(content))
    except InvalidInput as error:
        st.session_state[PROBLEM] = str(error)
