"""Images: the small handwritten digits that scikit-learn bundles, MNIST, and Fashion-MNIST."""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from typing import Any

import numpy as np

from bdlviz.data import files, idx, openml
from bdlviz.data.openml import OnProgress
from bdlviz.data.sampling import Split, check_num_data, generator
from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Dataset

NUM_DIGITS = 1437  # for training; the other 360 of the 1,797 are held out
NUM_MNIST = 60_000
NUM_CLASSES = 10  # of each set, however few of its images are taken
NUM_PER_CLASS = 100  # in each part of MNIST-1000
NUM_FIRST = 2000  # of MNIST's training and held-out images each, that come with the package
SMALL_FILE, FIRST_FILE = "mnist_1000.npz", "mnist_first.npz"

IDX_NAMES = (
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)
TRAIN_IMAGES, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS = (f"mnist/{name}" for name in IDX_NAMES)
FASHION_FILES = tuple(f"fashion-mnist/{name}" for name in IDX_NAMES)

# Sums of the unpacked files: mirrors pack the same content differently.
MD5 = {
    TRAIN_IMAGES: "6bbc9ace898e44ae57da46a324031adb",
    TRAIN_LABELS: "a25bea736e30d166cdddb491f175f624",
    TEST_IMAGES: "2646ac647ad5339dbf082846283269ea",
    TEST_LABELS: "27ae3e4e09519cfbb04c329615203637",
}
# Of Fashion-MNIST the sums of the packed files are published. What we pack ourselves, after a download from openml.org
# (which states a sum of its own), is compared with the sums noted then, in a file beside the four.
FASHION_PACKED_MD5 = dict(
    zip(
        FASHION_FILES,
        (
            "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
            "25c81989df183df01b3e8a0aad5dffbe",
            "bef4ecab320f06d8554ea6380940ec79",
            "bb300cfdad3c16e7a12a480ee83cd310",
        ),
        strict=True,
    )
)
FASHION_NOTED = "fashion-mnist/MD5SUMS"
FASHION_CLASSES = (
    "T-shirt",
    "trousers",
    "pullover",
    "dress",
    "coat",
    "sandal",
    "shirt",
    "sneaker",
    "bag",
    "ankle boot",
)


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


def mnist(num_data: int | None = None, *, download: bool = False, on_progress: OnProgress | None = None) -> Dataset:
    """MNIST: 60,000 images of 28x28 pixels for training, the first ``num_data`` of which are used, and 10,000 held out.

    Reads the four IDX files from the folder mnist in BDLVIZ_DATA or the cache folder; where one is in neither,
    ``download=True`` fetches them from openml.org. `InvalidInput` where a file is missing, truncated or altered.
    Source: LeCun, Bottou, Bengio & Haffner (1998).
    """
    _download_missing([*MD5], download, on_progress)
    return _mnist_dataset("mnist", "MNIST", _split([_read(name) for name in MD5], num_data))


def fashion_mnist(
    num_data: int | None = None, *, download: bool = False, on_progress: OnProgress | None = None
) -> Dataset:
    """Fashion-MNIST: 28x28 pixels of clothes in ten classes (`FASHION_CLASSES`), as many as in `mnist`.

    Files and errors as in `mnist`, in the folder fashion-mnist. Source: Xiao, Rasul & Vollgraf (2017).
    """
    if download and not all(map(files.is_available, FASHION_FILES)):
        _download_fashion(on_progress)
    source = "Xiao, Rasul & Vollgraf (2017), Fashion-MNIST (arXiv 1708.07747)."
    split = _split([_read_fashion(name) for name in FASHION_FILES], num_data)
    return _dataset("fashion-mnist", "Fashion-MNIST", split, (28, 28), source, y_label="class")


def _split(parts: list[Array], num_data: int | None) -> Split:
    """Training and held-out data from the four IDX arrays."""
    images, labels, test_images, test_labels = parts
    train = slice(check_num_data(num_data, NUM_MNIST))
    return Split(
        x=_scaled(images[train]),
        y=_classes(labels[train]),
        x_test=_scaled(test_images),
        y_test=_classes(test_labels),
    )


def mnist_1000(num_data: int | None = None) -> Dataset:
    """A small MNIST: the first 100 training images of each class, with the next 100 of each class held out.

    Both parts come from MNIST's training images. Classes take turns (0, 1, ..., 9, 0, 1, ...), so that the first
    ``num_data`` images are balanced. The images come with the package; ``rows`` in `SMALL_FILE` says which they are.
    """
    parts = _included(SMALL_FILE)
    images, labels, half = parts["images"], parts["labels"], 10 * NUM_PER_CLASS
    train = slice(check_num_data(num_data, half))
    split = Split(
        x=_scaled(images[train]),
        y=_classes(labels[train]),
        x_test=_scaled(images[half:]),
        y_test=_classes(labels[half:]),
    )
    return _mnist_dataset("mnist-1000", "MNIST-1000", split)


def first_of_mnist() -> Dataset:
    """The first 2,000 training images and the first 2,000 held-out images of MNIST, which come with the package.

    Pages show them beside fits on all of MNIST. Most of the training images are in `SMALL_FILE`; the others, and those
    held out, are in `FIRST_FILE`.
    """
    small, first = _included(SMALL_FILE), _included(FIRST_FILE)
    images, labels, rows = (np.concatenate([small[name], first[name]]) for name in ("images", "labels", "rows"))
    order = np.argsort(rows)[:NUM_FIRST]
    parts = [images[order], labels[order], first["test_images"], first["test_labels"]]
    return _mnist_dataset("mnist", "MNIST", _split(parts, NUM_FIRST))


def _included(name: str) -> dict[str, Array]:
    """The arrays of a file that comes with the package; `InvalidInput`, naming the file, where it is damaged."""
    content = files.included(name)
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as found:
            return dict(found)
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error):
        raise InvalidInput(f"The file {name} is damaged: install the package again.") from None


def _mnist_dataset(name: str, title: str, split: Split) -> Dataset:
    source = "LeCun, Bottou, Bengio & Haffner (1998), Gradient-based learning applied to document recognition."
    return _dataset(name, title, split, image_shape=(28, 28), source=source)


def _dataset(
    name: str, title: str, split: Split, image_shape: tuple[int, int], source: str, y_label: str = "digit"
) -> Dataset:
    return Dataset(
        name=name,
        title=title,
        **split,
        task="classification",
        x_label="pixel (0 to 1)",
        y_label=y_label,
        x_range=(0.0, 1.0),
        y_range=(0.0, 9.0),
        image_shape=image_shape,
        source=source,
        classes=tuple(range(NUM_CLASSES)),
    )


def _scaled(images: Array) -> Array:
    """Images (N, height, width) of bytes as float32 rows (N, height * width) from 0 to 1."""
    return images.reshape(len(images), -1).astype(np.float32) / 255


def _classes(labels: Array) -> Array:
    return labels.astype(np.int64)


def _read(name: str) -> Array:
    return idx.read(files.locate(name), MD5[name])


def _read_fashion(name: str) -> Array:
    """As `_read`, of a file that is either the published one or the one that was downloaded here."""
    path = files.locate(name)
    packed = files.read(path)
    content = idx.unpack(packed, path.name)
    array = idx.decode(content, path.name)
    if _md5(packed) != FASHION_PACKED_MD5[name] and f"{_md5(content)}  {path.name}" not in _noted_sums():
        raise InvalidInput(f"The file {path.name} is not the published one (its MD5 sum differs): fetch it again.")
    return array


def _noted_sums() -> list[str]:
    """The lines of the file of sums that a download wrote."""
    if not files.is_available(FASHION_NOTED):
        return []
    return files.read(files.locate(FASHION_NOTED)).decode("ascii", "replace").splitlines()


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def _download_missing(names: list[str], download: bool, on_progress: OnProgress | None) -> None:
    """Write all four IDX files to the cache folder if asked to and one of ``names`` is missing."""
    if not download or all(map(files.is_available, names)):
        return
    contents = dict(zip(MD5, _fetch(554, "MNIST", on_progress), strict=True))
    for name, content in contents.items():
        idx.check_md5(content, MD5[name], name)
    for name, content in contents.items():
        files.save(name, idx.pack(content))


def _download_fashion(on_progress: OnProgress | None) -> None:
    contents = dict(zip(FASHION_FILES, _fetch(40996, "Fashion-MNIST", on_progress), strict=True))
    lines = [f"{_md5(content)}  {name.rpartition('/')[2]}\n" for name, content in contents.items()]
    files.save(FASHION_NOTED, "".join(lines).encode())
    for name, content in contents.items():
        files.save(name, idx.pack(content))


def _fetch(data_id: int, title: str, on_progress: OnProgress | None) -> list[bytes]:
    """The four IDX files, unpacked, of a data set that openml.org keeps in their order."""
    pixels, labels = openml.fetch(data_id, title, on_progress)
    if pixels.ndim != 2 or pixels.shape[1] != 784 or len(pixels) <= NUM_MNIST:
        raise InvalidInput(f"What openml.org sent is not {title} (its shape is {pixels.shape}): try again later.")
    images, labels = pixels.astype(np.uint8).reshape(-1, 28, 28), labels.astype(np.uint8)
    parts = (images[:NUM_MNIST], labels[:NUM_MNIST], images[NUM_MNIST:], labels[NUM_MNIST:])
    return [idx.encode(part) for part in parts]
