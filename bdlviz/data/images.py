"""Images of handwritten digits: the small set that scikit-learn bundles, and MNIST."""

from __future__ import annotations

from typing import Any

import numpy as np

from bdlviz.data import files, idx, openml
from bdlviz.data.sampling import Split, check_num_data, generator
from bdlviz.types import Array, Dataset

NUM_DIGITS = 1437  # for training; the other 360 of the 1,797 are held out
NUM_MNIST = 60_000
NUM_PER_CLASS = 100  # in each part of MNIST-1000

TRAIN_IMAGES = "mnist/train-images-idx3-ubyte.gz"
TRAIN_LABELS = "mnist/train-labels-idx1-ubyte.gz"
TEST_IMAGES = "mnist/t10k-images-idx3-ubyte.gz"
TEST_LABELS = "mnist/t10k-labels-idx1-ubyte.gz"

# Sums of the unpacked files: mirrors pack the same content differently.
MD5 = {
    TRAIN_IMAGES: "6bbc9ace898e44ae57da46a324031adb",
    TRAIN_LABELS: "a25bea736e30d166cdddb491f175f624",
    TEST_IMAGES: "2646ac647ad5339dbf082846283269ea",
    TEST_LABELS: "27ae3e4e09519cfbb04c329615203637",
}


def digits(num_data: int | None = None) -> Dataset:
    """1,797 images of 8x8 pixels, 1,437 of them for training; always the same split.

    The first ``num_data`` of the training images are used. Pixels run from 0 to 1 in steps of 1/16. Source: Alpaydin
    & Kaynak (1998), Optical Recognition of Handwritten Digits; bundled with scikit-learn.
    """
    from sklearn.datasets import load_digits

    bunch: Any = load_digits()
    images, labels = (bunch.data / 16).astype(np.float32), _classes(bunch.target)
    order = generator(0, "digits/split").permutation(len(images))
    train, test = order[: check_num_data(num_data, NUM_DIGITS)], order[NUM_DIGITS:]
    return _dataset(
        "digits",
        "Digits (8×8)",
        Split(x=images[train], y=labels[train], x_test=images[test], y_test=labels[test]),
        image_shape=(8, 8),
        source="Alpaydin & Kaynak (1998), Optical Recognition of Handwritten Digits; bundled with scikit-learn.",
    )


def mnist(num_data: int | None = None, *, download: bool = False) -> Dataset:
    """MNIST: 60,000 images of 28x28 pixels for training, the first ``num_data`` of which are used, and 10,000 held out.

    Reads the four IDX files from the folder mnist in BDLVIZ_DATA or the cache folder; where one is in neither,
    ``download=True`` fetches them from openml.org. `InvalidInput` where a file is missing, truncated or altered.
    Source: LeCun, Bottou, Bengio & Haffner (1998).
    """
    _download_missing([*MD5], download)
    images, labels = _read(TRAIN_IMAGES), _read(TRAIN_LABELS)
    train = slice(check_num_data(num_data, NUM_MNIST))
    split = Split(
        x=_scaled(images[train]),
        y=_classes(labels[train]),
        x_test=_scaled(_read(TEST_IMAGES)),
        y_test=_classes(_read(TEST_LABELS)),
    )
    return _mnist_dataset("mnist", "MNIST", split)


def mnist_1000(num_data: int | None = None, *, download: bool = False) -> Dataset:
    """A small MNIST: the first 100 training images of each class, with the next 100 of each class held out.

    Both parts come from MNIST's training images. Classes take turns (0, 1, ..., 9, 0, 1, ...), so that the first
    ``num_data`` images are balanced. Files and errors as in `mnist`.
    """
    _download_missing([TRAIN_IMAGES, TRAIN_LABELS], download)
    images, labels = _read(TRAIN_IMAGES), _read(TRAIN_LABELS)
    train = _take_turns(labels, 0)[: check_num_data(num_data, 10 * NUM_PER_CLASS)]
    test = _take_turns(labels, NUM_PER_CLASS)
    split = Split(
        x=_scaled(images[train]),
        y=_classes(labels[train]),
        x_test=_scaled(images[test]),
        y_test=_classes(labels[test]),
    )
    return _mnist_dataset("mnist-1000", "MNIST-1000", split)


def _mnist_dataset(name: str, title: str, split: Split) -> Dataset:
    source = "LeCun, Bottou, Bengio & Haffner (1998), Gradient-based learning applied to document recognition."
    return _dataset(name, title, split, image_shape=(28, 28), source=source)


def _dataset(name: str, title: str, split: Split, image_shape: tuple[int, int], source: str) -> Dataset:
    return Dataset(
        name=name,
        title=title,
        **split,
        task="classification",
        x_label="pixel (0 to 1)",
        y_label="digit",
        x_range=(0.0, 1.0),
        y_range=(0.0, 9.0),
        image_shape=image_shape,
        source=source,
    )


def _scaled(images: Array) -> Array:
    """Images (N, height, width) of bytes as float32 rows (N, height * width) from 0 to 1."""
    return images.reshape(len(images), -1).astype(np.float32) / 255


def _classes(labels: Array) -> Array:
    return labels.astype(np.int64)


def _take_turns(labels: Array, start: int) -> Array:
    """Rows of the images number ``start`` to ``start + 99`` of each class, one of each class in turn."""
    rows = [np.flatnonzero(labels == digit)[start : start + NUM_PER_CLASS] for digit in range(10)]
    return np.stack(rows, axis=1).ravel()


def _read(name: str) -> Array:
    return idx.read(files.locate(name), MD5[name])


def _download_missing(names: list[str], download: bool) -> None:
    """Write all four IDX files to the cache folder if asked to and one of ``names`` is missing."""
    if not download or all(map(files.is_available, names)):
        return
    pixels, labels = openml.fetch(554, "MNIST")  # in the order of the IDX files
    images, labels = pixels.astype(np.uint8).reshape(-1, 28, 28), labels.astype(np.uint8)
    parts = (images[:NUM_MNIST], labels[:NUM_MNIST], images[NUM_MNIST:], labels[NUM_MNIST:])
    for (name, md5), part in zip(MD5.items(), parts, strict=True):
        content = idx.encode(part)
        idx.check_md5(content, md5, name)
        files.save(name, idx.pack(content))
