"""A visitor's own digit: images of any kind are converted, and a bad file is refused in one sentence."""

from __future__ import annotations

import io
from typing import Any, cast

import numpy as np
import pytest
from PIL import Image

from bdlviz import data
from bdlviz.errors import InvalidInput
from bdlviz.fits import GenerativeFit
from bdlviz.fitted import shelf
from bdlviz.topics.generative.decode import views_own
from bdlviz.topics.shared import own_digit
from bdlviz.topics.shared.autoencoders import Autoencoder
from bdlviz.types import Array
from bdlviz.ui.model import Result
from bdlviz.ui.scrub import sketch
from tests.topics.shared.page_results import number


def png(pixels: Array, mode: str = "L") -> bytes:
    """The bytes of a picture."""
    buffer = io.BytesIO()
    Image.fromarray(pixels, mode).save(buffer, format="PNG")  # type: ignore[arg-type]
    return buffer.getvalue()


def seven(height: int = 90, width: int = 60) -> Array:
    """Ink of a 7 on a sheet, from 0 to 255."""
    sheet = np.zeros((height, width), np.uint8)
    sheet[height // 6 : height // 4, width // 5 : -width // 5] = 255
    sheet[height // 6 : -height // 6, width // 2 : width // 2 + width // 8] = 255
    return sheet


@pytest.mark.parametrize("ink", [None, [], [1, 2, 3], "x", [float("inf")] * sketch.SIDE**2])
def test_a_sheet_without_ink(ink: Any):
    assert sketch.drawn({"ink": ink}) is None


@pytest.mark.parametrize("shape", [(28, 28), (8, 8)])
@pytest.mark.parametrize("size", [(9, 6), (90, 60), (60, 90), (1200, 700)])
def test_a_digit_of_any_size_takes_the_form_of_the_data(shape: tuple[int, int], size: tuple[int, int]):
    digit = own_digit.to_digit(own_digit.read_image(png(seven(*size))), shape)
    assert digit.shape == shape and digit.dtype == np.float32
    assert digit.min() == 0 and digit.max() == 1
    if shape == (28, 28):
        rows, columns = (np.flatnonzero((digit > 0).any(axis)) for axis in (1, 0))
        assert max(np.ptp(rows), np.ptp(columns)) + 1 in (19, 20, 21)
        middle = (digit.sum(1) @ np.arange(28) / digit.sum(), digit.sum(0) @ np.arange(28) / digit.sum())
        np.testing.assert_allclose(middle, 13.5, atol=0.6)


def test_colour_alpha_and_inversion_make_no_difference():
    ink, none = seven(), np.zeros((90, 60), np.uint8)
    blue, white, black = (
        np.stack(layers, -1) for layers in ([none, none, ink], [*[none + 255] * 3, ink], [none, none, none, ink])
    )
    others = [png(255 - ink), png(blue, "RGB"), png(white, "RGBA"), png(black, "RGBA")]  # on a transparent ground
    for other in map(own_digit.read_image, others):
        np.testing.assert_allclose(other, own_digit.read_image(png(ink)), atol=0.02)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "picture"),
        (b"hello, world", "picture"),
        (png(seven())[:60], "picture"),
        (b"\0" * 3_000_000, "3 MB"),
        (png(np.full((30, 30), 128, np.uint8)), "blank"),
        (png(np.zeros((5000, 5000), np.uint8)), "5000×5000"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(content: bytes, words: str):
    with pytest.raises(InvalidInput, match=words):
        own_digit.read_image(content)


def test_an_own_digit_is_encoded_where_its_class_is():
    found = data.load("digits")
    fit, extra = shelf.shipped("vae_digits_20d")
    model = Autoencoder("digits", cast(GenerativeFit, fit), extra)
    row = int(np.flatnonzero(found.y_test == 0)[0])
    large = np.kron(found.x_test[row].reshape(8, 8), np.ones((20, 20)))
    digit = own_digit.to_digit(own_digit.read_image(png((255 * large).astype(np.uint8))), (8, 8))
    shown = Result(views_own.own_code(model, digit))
    [told] = shown.words
    nearest = told.rpartition(": ")[2].removesuffix(".").split(", ")
    assert len(nearest) == 6 and nearest.count("0") >= 5
    assert np.isfinite(number(shown, "ELBO"))
