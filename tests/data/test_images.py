"""Digit images: IDX files made by the test, and MNIST where BDLVIZ_DATA has it."""

import gzip
import hashlib
import os
import struct
import threading
import types
from email.message import Message
from http.client import IncompleteRead
from pathlib import Path
from urllib.error import HTTPError, URLError

import numpy as np
import pytest

from bdlviz.data import available, files, idx, images, load, openml
from bdlviz.errors import InvalidInput

needs_mnist = pytest.mark.skipif("BDLVIZ_DATA" not in os.environ, reason="BDLVIZ_DATA is not set")

ARRAY = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
CONTENT = bytes([0, 0, 8, 3]) + struct.pack(">3I", 2, 3, 4) + bytes(range(24))


def md5(content):
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def test_digits():
    data = load("digits")
    assert (data.x.shape, data.x.dtype, data.x_test.shape) == ((1437, 64), np.float32, (360, 64))
    assert (data.y.shape, data.y.dtype, data.num_classes, data.image_shape) == ((1437,), np.int64, 10, (8, 8))
    assert (data.x.min(), data.x.max()) == (0, 1)
    assert (np.bincount(data.y) > 120).all() and (np.bincount(data.y_test) > 20).all()
    np.testing.assert_array_equal(load("digits", num_data=100).x, data.x[:100])
    assert load("digits", seed=1).fingerprint == data.fingerprint


def test_idx_round_trip(tmp_path):
    path = tmp_path / "small.gz"
    path.write_bytes(gzip.compress(CONTENT))
    np.testing.assert_array_equal(idx.read(path, md5(CONTENT)), ARRAY)
    assert idx.encode(ARRAY) == CONTENT
    assert gzip.decompress(idx.pack(CONTENT)) == CONTENT


@pytest.mark.parametrize(
    ("packed", "reason"),
    [
        (b"", "truncated"),
        (b"not a gzip archive", "not a sound gzip archive"),
        (idx.pack(CONTENT)[:-9], "truncated"),
        (idx.pack(CONTENT)[:12] + b"\xff" + idx.pack(CONTENT)[13:], "gzip archive"),
        (idx.pack(CONTENT[:-1] + b"!"), "MD5 sum differs"),
        (idx.pack(CONTENT[:-1]), "announces 24 values and holds 23"),
        (idx.pack(CONTENT + b"!"), "announces 24 values and holds 25"),
        (idx.pack(CONTENT[:9]), "ends inside its header"),
        (idx.pack(bytes([0, 0, 8, 3]) + b"\xff" * 12 + b"!"), "announces more axes or longer ones"),
        (idx.pack(b"\x00\x00\x0d\x01" + bytes(8)), "not an IDX file of bytes"),
        (idx.pack(b"\x00"), "not an IDX file of bytes"),
    ],
)
def test_damaged_idx_names_the_file(tmp_path, packed, reason):
    path = tmp_path / "small.gz"
    path.write_bytes(packed)
    with pytest.raises(InvalidInput, match=rf"small\.gz .*{reason}"):
        idx.read(path, md5(CONTENT))


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(idx, "MAX_BYTES", 1000)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(100_000)))
    with pytest.raises(InvalidInput, match=r"bomb\.gz .*too large"):
        idx.read(path, md5(CONTENT))


def test_missing_mnist_is_a_sentence(monkeypatch, tmp_path):
    monkeypatch.delenv("BDLVIZ_DATA", raising=False)
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path))
    assert not available("mnist")
    with pytest.raises(InvalidInput, match=r"mnist/train-images-idx3-ubyte\.gz was not found"):
        load("mnist")


def test_altered_mnist_names_the_file(monkeypatch, tmp_path):
    monkeypatch.setenv("BDLVIZ_DATA", str(tmp_path))
    (tmp_path / "mnist").mkdir()
    for name in images.MD5:
        (tmp_path / name).write_bytes(gzip.compress(CONTENT))
    assert available("mnist")
    with pytest.raises(InvalidInput, match=r"train-images-idx3-ubyte\.gz is not the published one"):
        load("mnist")


def small_mnist(num_per_class=300):
    """Images whose pixels tell their row in the file, and labels that cycle backwards."""
    labels = np.tile(np.arange(9, -1, -1, dtype=np.uint8), num_per_class)
    rows = np.arange(len(labels))
    pixels = np.zeros((len(labels), 784), dtype=np.uint8)
    pixels[:, 0], pixels[:, 1] = rows // 256, rows % 256
    return pixels, labels


def test_download_checks_and_writes_the_four_files(monkeypatch, tmp_path):
    monkeypatch.delenv("BDLVIZ_DATA", raising=False)
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path))
    monkeypatch.setattr(images, "NUM_MNIST", 2800)
    pixels, labels = small_mnist()
    parts = [pixels[:2800].reshape(-1, 28, 28), labels[:2800], pixels[2800:].reshape(-1, 28, 28), labels[2800:]]
    bunch = types.SimpleNamespace(data=pixels.astype(float), target=labels.astype(str).astype(object))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **_: bunch)
    with pytest.raises(InvalidInput, match="MD5 sum differs"):
        load("mnist", download=True)
    assert not any(map(files.is_available, images.MD5))

    sums = {name: md5(idx.encode(part)) for name, part in zip(images.MD5, parts, strict=True)}
    monkeypatch.setattr(images, "MD5", sums)
    data = load("mnist", download=True)
    assert (data.x.shape, data.x_test.shape) == ((2800, 784), (200, 784))
    np.testing.assert_array_equal(np.round(data.x * 255), pixels[:2800])
    np.testing.assert_array_equal(data.y_test, labels[2800:])


def test_download_of_fashion_mnist_notes_its_sums(monkeypatch, tmp_path):
    """What we packed is not the published archive, and is known again; an altered file is not."""
    monkeypatch.delenv("BDLVIZ_DATA", raising=False)
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path))
    monkeypatch.setattr(images, "NUM_MNIST", 2800)
    pixels, labels = small_mnist()
    bunch = types.SimpleNamespace(data=pixels.astype(float), target=labels.astype(str).astype(object))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **_: bunch)
    assert not available("fashion-mnist")
    with pytest.raises(InvalidInput, match=r"fashion-mnist/train-images-idx3-ubyte\.gz was not found"):
        load("fashion-mnist")
    data = load("fashion-mnist", download=True)
    assert (data.x.shape, data.x_test.shape, data.y_label) == ((2800, 784), (200, 784), "class")
    assert load("fashion-mnist").fingerprint == data.fingerprint
    assert len(images.FASHION_CLASSES) == data.num_classes

    name = images.FASHION_FILES[0]
    altered = bytearray(gzip.decompress((tmp_path / name).read_bytes()))
    altered[-1] ^= 1
    (tmp_path / name).write_bytes(gzip.compress(bytes(altered)))
    with pytest.raises(InvalidInput, match=r"train-images-idx3-ubyte\.gz is not the published one"):
        load("fashion-mnist")
    (tmp_path / images.FASHION_NOTED).unlink()
    with pytest.raises(InvalidInput, match="is not the published one"):
        load("fashion-mnist")


def test_published_archives_of_fashion_mnist_are_recognised(monkeypatch, tmp_path):
    monkeypatch.setenv("BDLVIZ_DATA", str(tmp_path))
    (tmp_path / "fashion-mnist").mkdir()
    pixels, labels = small_mnist(10)
    contents = [idx.encode(part) for part in (pixels.reshape(-1, 28, 28), labels, pixels.reshape(-1, 28, 28), labels)]
    packed = dict(zip(images.FASHION_FILES, map(gzip.compress, contents), strict=True))
    for name, content in packed.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.setattr(images, "NUM_MNIST", 100)
    with pytest.raises(InvalidInput, match="is not the published one"):
        load("fashion-mnist")
    monkeypatch.setattr(images, "FASHION_PACKED_MD5", {name: md5(content) for name, content in packed.items()})
    assert load("fashion-mnist").x.shape == (100, 784)


def test_progress_of_a_download(monkeypatch):
    """A file that grows is seen to grow; when it stops, it is being unpacked."""
    monkeypatch.setattr(openml, "SECONDS_BETWEEN_LOOKS", 0.005)
    seen, step = [], threading.Event()

    def look(progress):
        seen.append(progress)
        step.set()

    def fetch_openml(data_home, **_):
        for size in (1000, 3000, 3000):
            (Path(data_home) / "part").write_bytes(bytes(size))
            for _ in range(3):  # looks, the last of which began after the file was written
                step.clear()
                assert step.wait(10)
        return types.SimpleNamespace(data=np.zeros((2, 3)), target=np.zeros(2))

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    features, _ = openml.fetch(1, "A set", look)
    assert features.shape == (2, 3)
    assert {progress.num_bytes for progress in seen} >= {1000, 3000}
    assert openml.Progress(3000, True) in seen and seen[-1] == (3000, False)
    assert not any(thread.name == "bdlviz-download" for thread in threading.enumerate())


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (URLError("no route"), r"^MNIST could not be downloaded \(URLError\): check the connection"),
        (TimeoutError(), r"^MNIST could not be downloaded \(TimeoutError\): check the connection"),
        (IncompleteRead(b"abc", 10), "^The download of MNIST broke off or was altered on the way: try again"),
        (EOFError("Compressed file ended"), "^The download of MNIST broke off or was altered"),
        (ValueError("The md5 checksum of the file does not match"), "^The download of MNIST broke off or was altered"),
        (HTTPError("https://openml.org", 503, "busy", Message(), None), "openml.org did not answer as usual"),
        (KeyError("data"), "openml.org did not answer as usual"),
    ],
)
def test_every_failed_download_is_one_sentence(monkeypatch, tmp_path, error, sentence):
    monkeypatch.delenv("BDLVIZ_DATA", raising=False)
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path))

    def fetch_openml(**_):
        raise error

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    with pytest.raises(InvalidInput, match=sentence):
        load("mnist", download=True, on_progress=lambda progress: None)
    assert not any(map(files.is_available, images.MD5))


def test_an_answer_of_another_shape_is_refused(monkeypatch, tmp_path):
    monkeypatch.delenv("BDLVIZ_DATA", raising=False)
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path))
    bunch = types.SimpleNamespace(data=np.zeros((70_000, 3)), target=np.zeros(70_000))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **_: bunch)
    with pytest.raises(InvalidInput, match=r"not MNIST \(its shape is \(70000, 3\)\)"):
        load("mnist", download=True)


@needs_mnist
def test_real_mnist():
    data = load("mnist")
    assert (data.x.shape, data.x.dtype, data.x_test.shape) == ((60_000, 784), np.float32, (10_000, 784))
    assert (data.x.min(), data.x.max(), data.image_shape) == (0, 1, (28, 28))
    assert data.y[:5].tolist() == [5, 0, 4, 1, 9] and data.y_test[:5].tolist() == [7, 2, 1, 0, 4]
    assert data.y.dtype == np.int64
    assert data.x.mean(dtype=float) == pytest.approx(0.1307, abs=1e-4)
