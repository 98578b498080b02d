"""Images: the small handwritten digits that scikit-learn bundles, MNIST, and Fashion-MNIST."""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from functools import cache
from typing import Any

import numpy as np

from bdlviz.data import files, idx
from bdlviz.data.fetching import fetch_missing
from bdlviz.data.remote import OnProgress, Remote, RemoteFile
from bdlviz.data.sampling import Split, check_num_data, generator
from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Dataset

NUM_DIGITS = 1437  # for training; the other 360 of the 1,797 are held out
NUM_MNIST = 60_000
NUM_CLASSES = 10  # of each set, also if only a few images are used
NUM_PER_CLASS = 100  # in each part of MNIST-1000
NUM_FIRST = 2000  # of MNIST's training and held-out images each, that come with the package
SMALL_FILE, FIRST_FILE = "mnist_1000.npz", "mnist_first.npz"

MNIST = Remote(
    "MNIST",
    ("https://ossci-datasets.s3.amazonaws.com/mnist", "https://storage.googleapis.com/cvdf-datasets/mnist"),
    (
        RemoteFile(
            "mnist/train-images-idx3-ubyte.gz",
            9_912_422,
            "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        ),
        RemoteFile(
            "mnist/train-labels-idx1-ubyte.gz",
            28_881,
            "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        ),
        RemoteFile(
            "mnist/t10k-images-idx3-ubyte.gz",
            1_648_877,
            "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        ),
        RemoteFile(
            "mnist/t10k-labels-idx1-ubyte.gz",
            4_542,
            "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        ),
    ),
)
# Checksums of the unpacked files, since a file in BDLVIZ_DATA may be compressed differently.
MD5 = dict(
    zip(
        MNIST.names,
        (
            "6bbc9ace898e44ae57da46a324031adb",
            "a25bea736e30d166cdddb491f175f624",
            "2646ac647ad5339dbf082846283269ea",
            "27ae3e4e09519cfbb04c329615203637",
        ),
        strict=True,
    )
)
FASHION_MNIST = Remote(
    "Fashion-MNIST",
    (
        "https://storage.googleapis.com/tensorflow/tf-keras-datasets",
        "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion",
    ),
    (
        RemoteFile(
            "fashion-mnist/train-images-idx3-ubyte.gz",
            26_421_880,
            "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
        ),
        RemoteFile(
            "fashion-mnist/train-labels-idx1-ubyte.gz",
            29_515,
            "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
        ),
        RemoteFile(
            "fashion-mnist/t10k-images-idx3-ubyte.gz",
            4_422_102,
            "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        ),
        RemoteFile(
            "fashion-mnist/t10k-labels-idx1-ubyte.gz",
            5_148,
            "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
        ),
    ),
)
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
    images, labels = _digits()
    order = generator(0, "digits/split").permutation(len(images))
    train, test = order[: check_num_data(num_data, NUM_DIGITS)], order[NUM_DIGITS:]
    return _dataset(
        "digits",
        "Digits (8×8)",
        Split(x=images[train], y=labels[train], x_test=images[test], y_test=labels[test]),
        image_shape=(8, 8),
        source="Alpaydin & Kaynak (1998), Optical Recognition of Handwritten Digits; bundled with scikit-learn.",
    )


@cache
def _digits() -> tuple[Array, Array]:
    """All images of `digits`, (1797, 64), and their classes, read once."""
    from sklearn.datasets import load_digits

    bunch: Any = load_digits()
    return (bunch.data / 16).astype(np.float32), _classes(bunch.target)


def mnist(num_data: int | None = None, *, download: bool = False, on_progress: OnProgress | None = None) -> Dataset:
    """MNIST: 60,000 images of 28x28 pixels for training, the first ``num_data`` of which are used, and 10,000 held out.

    Reads the four IDX files from the folder mnist in BDLVIZ_DATA or the cache folder; if one is in neither,
    ``download=True`` fetches them from a mirror. `InvalidInput` if a file is missing, truncated or altered.
    Source: LeCun, Bottou, Bengio & Haffner (1998).
    """
    if download:
        fetch_missing(MNIST, on_progress)
    return _mnist_dataset("mnist", "MNIST", _split([_read(name) for name in MD5], num_data))


def fashion_mnist(
    num_data: int | None = None, *, download: bool = False, on_progress: OnProgress | None = None
) -> Dataset:
    """Fashion-MNIST: 28x28 pixels of clothes in ten classes (`FASHION_CLASSES`), as many as in `mnist`.

    Files and errors as in `mnist`, in the folder fashion-mnist. Source: Xiao, Rasul & Vollgraf (2017).
    """
    if download:
        fetch_missing(FASHION_MNIST, on_progress)
    source = "Xiao, Rasul & Vollgraf (2017), Fashion-MNIST (arXiv 1708.07747)."
    split = _split([_read_fashion(file) for file in FASHION_MNIST.files], num_data)
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

    Both parts come from MNIST's training images. Classes alternate (0, 1, ..., 9, 0, 1, ...), so that the first
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
    """The arrays of a file that comes with the package; `InvalidInput` with its name if it is damaged."""
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


def _read_fashion(file: RemoteFile) -> Array:
    """The array in a file of Fashion-MNIST; `InvalidInput` with its name if it is not the published one."""
    path = files.locate(file.name)
    packed = files.read(path)
    array = idx.decode(idx.unpack(packed, path.name), path.name)
    if hashlib.sha256(packed).hexdigest() != file.sha256:
        raise InvalidInput(f"The file {path.name} is not the published one (its SHA-256 differs): fetch it again.")
    return array
