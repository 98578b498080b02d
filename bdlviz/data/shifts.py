r"""Distribution shifts of images, made by gradual changes of images of the training distribution.

All take images (N, H, W) with values from 0 (ground) to 1 (ink) and return new ones of the same shape, clipped to
[0, 1] and float32. Lengths are pixels, angles degrees; pixels from outside the picture are ground. Rotation as a
test of uncertainty follows Ovadia et al. (2019), Can you trust your model's uncertainty? (arXiv 1906.02530).
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from bdlviz.data.built_in import part_of
from bdlviz.data.sampling import generator
from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Dataset


def rotate(images: Array, degrees: float) -> Array:
    r"""Images rotated counter-clockwise about the centre of the picture, bilinearly interpolated.

    $$ \tilde x(u) = x\bigl(R(-\theta)\, u\bigr), \qquad
       R(\theta) = \begin{pmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{pmatrix} $$

    Corners are cut off; rotations of square pictures by multiples of 90° are exact.

    Args:
        images: (N, H, W) from 0 to 1.
        degrees: any finite angle.

    Raises:
        InvalidInput: wrong shape or values, or an angle that is not finite.
    """
    images, degrees = _checked(images), _number("degrees", degrees)
    return _clipped(ndimage.rotate(images, degrees, axes=(2, 1), reshape=False, order=1))


def translate(images: Array, down: float, right: float) -> Array:
    r"""Images translated by a number of pixels, with bilinear interpolation; negative numbers move up and left.

    Args:
        images: (N, H, W) from 0 to 1.
        down: rows.
        right: columns.

    Raises:
        InvalidInput: wrong shape or values, or a distance that is not finite.
    """
    images, offset = _checked(images), (0.0, _number("down", down), _number("right", right))
    return _clipped(ndimage.shift(images, offset, order=1))


def blur(images: Array, std: float) -> Array:
    r"""Images convolved with a Gaussian of standard deviation ``std`` in pixels, cut off at four of them.

    $$ \tilde x = x * \mathcal{N}(0, \sigma^2 I) $$

    Args:
        images: (N, H, W) from 0 to 1.
        std: 0 leaves the images as they are.

    Raises:
        InvalidInput: wrong shape or values, or a negative ``std``.
    """
    images, std = _checked(images), _number("std", std, low=0.0)
    return _clipped(ndimage.gaussian_filter(images, (0.0, std, std), mode="constant"))


def add_noise(images: Array, std: float, seed: int = 0) -> Array:
    r"""Images with independent Gaussian noise on every pixel, then clipped.

    $$ \tilde x = \min\bigl(1, \max(0,\; x + \sigma \varepsilon)\bigr), \qquad \varepsilon \sim \mathcal{N}(0, I) $$

    The same seed gives the same noise at every ``std``, scaled by it.

    Args:
        images: (N, H, W) from 0 to 1.
        std: of the noise, in units of the grey scale.
        seed: of the noise.

    Raises:
        InvalidInput: wrong shape or values, or a negative ``std``.
    """
    images, std = _checked(images), _number("std", std, low=0.0)
    noise = generator(seed, "shifts/noise").standard_normal(images.shape, np.float32)
    return _clipped(images + np.float32(std) * noise)


def occlude(images: Array, share: float) -> Array:
    r"""Images whose lower part is hidden: a ``share`` of their height, from the bottom up, becomes ground.

    The row at the edge is faded, so that the effect is continuous in ``share``.

    Args:
        images: (N, H, W) from 0 to 1.
        share: 0 hides nothing, 1 everything.

    Raises:
        InvalidInput: wrong shape or values, or a share outside [0, 1].
    """
    images, share = _checked(images), _number("share", share, low=0.0, high=1.0)
    height = images.shape[1]
    visible = np.clip((1 - share) * height - np.arange(height), 0, 1).astype(np.float32)
    return _clipped(images * visible[:, None])


def blend(first: Array, second: Array, share: float) -> Array:
    r"""Mixtures of two sets of images, pixel by pixel.

    $$ \tilde x = (1 - \gamma)\, x + \gamma\, x' $$

    Args:
        first: (N, H, W) from 0 to 1.
        second: (N, H, W), or (1, H, W) for one image mixed into all.
        share: of the second, 0 to 1.

    Raises:
        InvalidInput: wrong shapes or values, or a share outside [0, 1].
    """
    first, second, share = _checked(first), _checked(second), _number("share", share, low=0.0, high=1.0)
    if second.shape[1:] != first.shape[1:] or len(second) not in (1, len(first)):
        raise InvalidInput(f"Images to blend need one shape, not {first.shape} and {second.shape}.")
    return _clipped(np.float32(1 - share) * first + np.float32(share) * second)


def shuffle_patches(images: Array, patch: int, seed: int = 0) -> Array:
    r"""Images whose squares of ``patch`` pixels are shuffled, in a different order for every image.

    Local strokes and all grey values are kept, but the shape is destroyed.

    Args:
        images: (N, H, W) from 0 to 1.
        patch: side of a square; it must divide height and width.
        seed: of the orders.

    Raises:
        InvalidInput: wrong shape or values, or a patch that does not divide the picture.
    """
    images = _checked(images)
    count, height, width = images.shape
    if patch < 1 or height % patch or width % patch:
        raise InvalidInput(f"Patches of {patch} pixels do not fill a picture of {height}×{width}.")
    rows, columns = height // patch, width // patch
    cut = images.reshape(count, rows, patch, columns, patch).swapaxes(2, 3).reshape(count, rows * columns, -1)
    places = np.tile(np.arange(rows * columns), (count, 1))
    order = generator(seed, "shifts/patches").permuted(places, axis=1)
    moved = np.take_along_axis(cut, order[..., None], axis=1)
    return moved.reshape(count, rows, columns, patch, patch).swapaxes(2, 3).reshape(images.shape)


def without_class(dataset: Dataset, label: int) -> Dataset:
    """The data set without the training images of one class; held-out images keep all classes.

    Raises:
        InvalidInput: no training image has that class, or all have.
    """
    keep = dataset.y != label
    if dataset.task != "classification" or keep.all() or not keep.any():
        raise InvalidInput(f"{dataset.title} has no class {label} to leave out of training.")
    return part_of(dataset, keep, title=f"{dataset.title} without {label}")


def _checked(images: Array) -> Array:
    """Images as float32; `InvalidInput` if they are invalid."""
    try:
        found = np.asarray(images, np.float32)
    except (TypeError, ValueError):
        raise InvalidInput("Images must be an array of numbers, (N, height, width).") from None
    if found.ndim != 3 or not found.size:
        raise InvalidInput(f"Images must have the shape (N, height, width), not {found.shape}.")
    if not (found.min() >= 0 and found.max() <= 1):
        raise InvalidInput("Images need pixels between 0 and 1.")
    return found


def _number(name: str, value: float, *, low: float = -np.inf, high: float = np.inf) -> float:
    if not (np.isfinite(value) and low <= value <= high):
        wanted = "a finite number" if high == np.inf else f"between {low:g} and {high:g}"
        wanted = "0 or more" if low == 0 and high == np.inf else wanted
        raise InvalidInput(f"{name} must be {wanted}, not {value:g}.")
    return float(value)


def _clipped(images: Array) -> Array:
    return np.clip(images, 0, 1).astype(np.float32, copy=False)
