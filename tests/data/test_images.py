"""Digit images: IDX files made by the test, and MNIST where BDLVIZ_DATA has it."""

import gzip
import hashlib
import os
import struct
import threading

import numpy as np
import pytest

from bdlviz.data import available, idx, images, load
from bdlviz.errors import InvalidInput
from tests.idx_files import encode, pack
from tests.mirror import Mirror, published

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


def test_idx_round_trip(tmp_path, monkeypatch):
    path = tmp_path / "small.gz"
    path.write_bytes(gzip.compress(CONTENT))
    np.testing.assert_array_equal(idx.read(path, md5(CONTENT)), ARRAY)
    assert encode(ARRAY) == CONTENT
    assert gzip.decompress(pack(CONTENT)) == CONTENT
    monkeypatch.setattr(idx, "MAX_BYTES", 1000)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(100_000)))
    with pytest.raises(InvalidInput, match=r"bomb\.gz .*too large"):
        idx.read(path, md5(CONTENT))


@pytest.mark.parametrize(
    ("packed", "reason"),
    [
        (b"", "truncated"),
        (b"not a gzip archive", "not a sound gzip archive"),
        (pack(CONTENT)[:-9], "truncated"),
        (pack(CONTENT)[:12] + b"\xff" + pack(CONTENT)[13:], "gzip archive"),
        (pack(CONTENT[:-1] + b"!"), "MD5 sum differs"),
        (pack(CONTENT[:-1]), "announces 24 values and holds 23"),
        (pack(CONTENT + b"!"), "announces 24 values and holds 25"),
        (pack(CONTENT[:9]), "ends inside its header"),
        (pack(bytes([0, 0, 8, 3]) + b"\xff" * 12 + b"!"), "announces more axes or longer ones"),
        (pack(b"\x00\x00\x0d\x01" + bytes(8)), "not an IDX file of bytes"),
        (pack(b"\x00"), "not an IDX file of bytes"),
    ],
)
def test_damaged_idx_names_the_file(tmp_path, packed, reason):
    path = tmp_path / "small.gz"
    path.write_bytes(packed)
    with pytest.raises(InvalidInput, match=rf"small\.gz .*{reason}"):
        idx.read(path, md5(CONTENT))


def test_missing_mnist_is_a_sentence_and_altered_files_are_named(monkeypatch, tmp_path):
    monkeypatch.delenv("BDLVIZ_DATA", raising=False)
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path))
    assert not available("mnist")
    with pytest.raises(InvalidInput, match=r"mnist/train-images-idx3-ubyte\.gz was not found"):
        load("mnist")
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


@pytest.mark.parametrize(("name", "constant"), [("mnist", "MNIST"), ("fashion-mnist", "FASHION_MNIST")])
def test_a_download_is_loaded_and_an_altered_file_is_refused(monkeypatch, tmp_path, name, constant):
    monkeypatch.delenv("BDLVIZ_DATA", raising=False)
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path))
    monkeypatch.setattr(images, "NUM_MNIST", 2800)
    pixels, labels = small_mnist()
    parts = [pixels[:2800].reshape(-1, 28, 28), labels[:2800], pixels[2800:].reshape(-1, 28, 28), labels[2800:]]
    names = getattr(images, constant).names
    contents = dict(zip(names, map(encode, parts), strict=True))
    with Mirror({each: pack(content) for each, content in contents.items()}) as mirror:
        threading.Thread(target=mirror.serve_forever, args=(0.01,), daemon=True).start()
        remote = published("A set", (mirror.url,), {each: pack(content) for each, content in contents.items()})
        monkeypatch.setattr(images, constant, remote)
        with pytest.raises(InvalidInput, match=r"train-images-idx3-ubyte\.gz was not found"):
            load(name)
        if name == "mnist":
            monkeypatch.setattr(images, "MD5", {each: md5(content) for each, content in contents.items()})
        data = load(name, download=True)
        mirror.shutdown()
    assert (data.x.shape, data.x_test.shape) == ((2800, 784), (200, 784))
    np.testing.assert_array_equal(np.round(data.x * 255), pixels[:2800])
    np.testing.assert_array_equal(data.y_test, labels[2800:])
    assert load(name).fingerprint == data.fingerprint

    altered = bytearray(contents[names[0]])
    altered[-1] ^= 1
    (tmp_path / names[0]).write_bytes(pack(bytes(altered)))
    with pytest.raises(InvalidInput, match=r"train-images-idx3-ubyte\.gz is not the published one"):
        load(name)


@needs_mnist
def test_real_mnist():
    data = load("mnist")
    assert (data.x.shape, data.x.dtype, data.x_test.shape) == ((60_000, 784), np.float32, (10_000, 784))
    assert (data.x.min(), data.x.max(), data.image_shape) == (0, 1, (28, 28))
    assert data.y[:5].tolist() == [5, 0, 4, 1, 9] and data.y_test[:5].tolist() == [7, 2, 1, 0, 4]
    assert data.y.dtype == np.int64
    assert data.x.mean(dtype=float) == pytest.approx(0.1307, abs=1e-4)
