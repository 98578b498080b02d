"""Shifted images: exact where a shift is a permutation of pixels, unchanged at zero, never outside [0, 1]."""

from collections.abc import Callable

import numpy as np
import pytest

from bdlviz.data import load, shifts
from bdlviz.errors import InvalidInput
from bdlviz.types import Array

SIDE = 28


@pytest.fixture
def images() -> Array:
    """Three smooth blobs on an empty ground, away from the border."""
    rows, columns = np.mgrid[:SIDE, :SIDE]
    places = [(13, 13, 3.0), (11, 16, 2.0), (16, 12, 1.5)]
    return np.stack(
        [np.exp(-((rows - r) ** 2 + (columns - c) ** 2) / (2 * s**2)) for r, c, s in places], dtype=np.float32
    )


IDENTITIES: dict[str, Callable[[Array], Array]] = {
    "rotate": lambda x: shifts.rotate(x, 0),
    "translate": lambda x: shifts.translate(x, 0, 0),
    "blur": lambda x: shifts.blur(x, 0),
    "noise": lambda x: shifts.add_noise(x, 0, 3),
    "occlude": lambda x: shifts.occlude(x, 0),
    "blend": lambda x: shifts.blend(x, 1 - x, 0),
    "shuffle": lambda x: shifts.shuffle_patches(x, SIDE, 3),
}
STRONG: dict[str, Callable[[Array], Array]] = {
    "rotate": lambda x: shifts.rotate(x, 37),
    "translate": lambda x: shifts.translate(x, -3.3, 200),
    "blur": lambda x: shifts.blur(x, 5),
    "noise": lambda x: shifts.add_noise(x, 10, 3),
    "occlude": lambda x: shifts.occlude(x, 1),
    "blend": lambda x: shifts.blend(x, 1 - x, 0.5),
    "shuffle": lambda x: shifts.shuffle_patches(x, 7, 3),
}


def test_nothing_changes_at_zero_and_images_stay_images(images: Array):
    for name in IDENTITIES:
        np.testing.assert_array_equal(IDENTITIES[name](images), images)
    for name in STRONG:
        before = images.copy()
        shifted = STRONG[name](images)
        assert shifted.shape == images.shape and shifted.dtype == np.float32
        assert shifted.min() >= 0 and shifted.max() <= 1
        np.testing.assert_array_equal(images, before)
        np.testing.assert_array_equal(STRONG[name](images), shifted)  # the same again


def test_shifts_of_known_effect(images: Array):
    turned = shifts.rotate(images, 30)
    np.testing.assert_allclose(turned.sum((1, 2)), images.sum((1, 2)), rtol=0.01)
    angle = np.radians(30)
    right, up = centre(images).T
    expected = np.stack([right * np.cos(angle) - up * np.sin(angle), right * np.sin(angle) + up * np.cos(angle)], 1)
    np.testing.assert_allclose(centre(turned), expected, atol=0.05)
    wide = np.random.default_rng(0).random((2, 6, 8), np.float32)
    np.testing.assert_allclose(shifts.rotate(wide, 180), wide[:, ::-1, ::-1], atol=1e-5)
    assert shifts.shuffle_patches(wide, 2, 0).shape == wide.shape
    for turns in [1, 2, 3, 4]:
        np.testing.assert_allclose(shifts.rotate(images, 90 * turns), np.rot90(images, turns, (1, 2)), atol=1e-6)
    moved = shifts.translate(images, 2, -3)
    np.testing.assert_allclose(moved[:, 2:, :-3], images[:, :-2, 3:], atol=1e-6)
    assert not moved[:, :2].any() and not moved[:, :, -3:].any()
    half = shifts.translate(images, 0.5, 0)
    np.testing.assert_allclose(half[:, 1:], (images[:, 1:] + images[:, :-1]) / 2, atol=1e-6)
    grey = np.full((20, SIDE, SIDE), 0.5, np.float32)
    added = shifts.add_noise(grey, 0.1, 0) - grey
    count = added.size
    assert abs(added.mean()) < 4 * 0.1 / np.sqrt(count)
    assert abs(added.std() - 0.1) < 4 * 0.1 / np.sqrt(2 * count)
    np.testing.assert_allclose(shifts.add_noise(grey, 0.05, 0) - grey, added / 2, atol=1e-6)  # one noise, scaled
    assert not np.allclose(shifts.add_noise(grey, 0.1, 1) - grey, added)
    full = np.ones_like(images)
    for share in (0.25, 1 / 3, 1.0):
        hidden = shifts.occlude(full, share)
        np.testing.assert_allclose(1 - hidden.mean((1, 2)), share, atol=1e-6)
        np.testing.assert_array_equal(np.sort(hidden, axis=1)[:, ::-1], hidden)  # never more ink further down
    np.testing.assert_array_equal(shifts.occlude(images, 0.5)[:, :14], images[:, :14])
    other = images[::-1].copy()
    np.testing.assert_array_equal(shifts.blend(images, other, 1), other)
    np.testing.assert_allclose(shifts.blend(images, other, 0.25), 0.75 * images + 0.25 * other, atol=1e-6)
    np.testing.assert_array_equal(shifts.blend(images, other[:1], 1), np.repeat(other[:1], 3, axis=0))
    twice = np.repeat(images[:1], 2, axis=0)
    first, second = shifts.shuffle_patches(twice, 7, 0)
    assert not np.allclose(first, second)
    for std in [0.7, 1.5]:
        point = np.zeros((1, 41, 41), np.float32)
        point[0, 20, 20] = 1
        blurred = shifts.blur(point, std)[0]
        assert blurred.sum() == pytest.approx(1, abs=1e-5)
        variance = blurred.sum(0) @ (np.arange(41) - 20) ** 2
        assert variance == pytest.approx(std**2, rel=0.01)  # less what is cut off at four standard deviations
    for patch in [1, 4, 7]:
        moved = shifts.shuffle_patches(images, patch, 0)
        assert not np.allclose(moved, images)
        assert patches(moved, patch) == patches(images, patch)
        assert not np.allclose(shifts.shuffle_patches(images, patch, 1), moved)


def centre(images: Array) -> Array:
    """Centre of mass (right, up) in pixels from the middle of the picture, (N, 2)."""
    along = np.arange(SIDE) - (SIDE - 1) / 2
    mass = images.sum((1, 2))
    return np.stack([images.sum(1) @ along / mass, -(images.sum(2) @ along) / mass], 1)


def patches(images: Array, patch: int) -> list[list[bytes]]:
    """The patches of every image in some fixed order, whatever their places."""
    places = range(0, SIDE, patch)
    return [
        sorted(image[row : row + patch, column : column + patch].tobytes() for row in places for column in places)
        for image in images
    ]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x: shifts.rotate(x[0], 10), "shape"),
        (lambda x: shifts.rotate(x * 255, 10), "between 0 and 1"),
        (lambda x: shifts.rotate(x * np.nan, 10), "between 0 and 1"),
        (lambda x: shifts.rotate(np.array(["seven"]), 10), "array of numbers"),
        (lambda x: shifts.rotate(x, np.inf), "finite"),
        (lambda x: shifts.translate(x, np.nan, 0), "down"),
        (lambda x: shifts.blur(x, -1), "0 or more"),
        (lambda x: shifts.add_noise(x, -1, 0), "0 or more"),
        (lambda x: shifts.add_noise(x, 0.1, -1), "seed"),
        (lambda x: shifts.occlude(x, 1.1), "between 0 and 1"),
        (lambda x: shifts.blend(x, x, -0.1), "between 0 and 1"),
        (lambda x: shifts.blend(x, x[:2], 0.5), "one shape"),
        (lambda x: shifts.shuffle_patches(x, 5, 0), "do not fill"),
        (lambda x: shifts.shuffle_patches(x, 0, 0), "do not fill"),
    ],
)
def test_bad_input_is_one_sentence(call: Callable[[Array], Array], said: str, images: Array):
    with pytest.raises(InvalidInput, match=said):
        call(images)


def test_a_class_is_left_out_of_training_only():
    whole = load("digits")
    part = shifts.without_class(whole, 7)
    assert 7 not in part.y and set(part.y) == set(range(10)) - {7}
    assert len(part.x) == len(part.y) == (whole.y != 7).sum()
    np.testing.assert_array_equal(part.y_test, whole.y_test)
    assert part.fingerprint != whole.fingerprint and part.name == whole.name
    for name in ["digits", "x_sin_x"]:
        with pytest.raises(InvalidInput, match="no class 11"):
            shifts.without_class(load(name), 11)
