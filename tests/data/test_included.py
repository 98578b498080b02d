"""The data that come with the package: values, sizes, the originals where they are here, and the wheel."""

import io
import runpy
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from bdlviz.data import available, files, images, load
from bdlviz.errors import InvalidInput

NAMES = ("mnist_1000.npz", "mnist_first.npz", "mauna_loa_co2.csv")
needs_mnist = pytest.mark.skipif(not available("mnist"), reason="MNIST's files are not here")


@pytest.fixture
def nothing_else(monkeypatch, tmp_path):
    """Neither a folder of data nor anything in the cache."""
    monkeypatch.delenv("BDLVIZ_DATA", raising=False)
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path))


def test_both_sets_open_without_files_and_with_the_fingerprints_of_the_shipped_fits(
    nothing_else, monkeypatch, tmp_path
):
    """A fit is found by the fingerprint of its data, so that one other bit would leave all of them unused."""
    assert not available("mnist") and available("mnist-1000") and available("mauna_loa_co2")
    digits, record = load("mnist-1000"), load("mauna_loa_co2")
    assert (digits.fingerprint, record.fingerprint) == ("94e9ee6b0120bdd6", "eb7aa7737f90838b")
    assert (digits.x.shape, digits.x_test.shape, digits.x.dtype) == ((1000, 784), (1000, 784), np.float32)
    np.testing.assert_array_equal(digits.y, np.tile(np.arange(10), 100))
    np.testing.assert_array_equal(digits.y_test, digits.y)
    np.testing.assert_array_equal(load("mnist-1000", num_data=30).x, digits.x[:30])
    with np.load(files.INCLUDED / "mnist_1000.npz") as found:
        rows, pixels, labels = found["rows"], found["images"], found["labels"]
    assert pixels.shape == (2000, 28, 28) and pixels.dtype == labels.dtype == np.uint8
    assert len(set(rows.tolist())) == 2000 and rows.max() < images.NUM_MNIST
    for digit in range(10):  # the first hundred of a class are trained on, the next are held out
        of_class = rows[labels == digit].astype(int)
        assert (np.diff(of_class) > 0).all() and len(of_class) == 200
    expected = load("mauna_loa_co2").fingerprint
    (tmp_path / "mauna_loa_co2.csv").write_text("year,co2_ppm\n1990.1,315\n1990.2,316\n1990.3,317\n")
    monkeypatch.setenv("BDLVIZ_DATA", str(tmp_path))
    assert load("mauna_loa_co2").fingerprint == expected


def test_sizes_and_notice(root):
    assert (files.INCLUDED / "mnist_1000.npz").stat().st_size < 600_000
    assert sum((files.INCLUDED / name).stat().st_size for name in NAMES) < 700_000
    told = (root / "NOTICE").read_text(encoding="utf-8")
    assert all(f"bdlviz/data/included/{name}" in told for name in NAMES)
    assert "Attribution-ShareAlike 3.0" in told and "public domain" in told
    assert {path.name for path in files.INCLUDED.iterdir()} == set(NAMES)
    # The checkpoints, the package with its data, and the pages.
    paths = [path for part in ("checkpoints", "bdlviz", "pages") for path in (root / part).rglob("*")]
    shipped = [path for path in paths if path.is_file() and "__pycache__" not in path.parts]
    assert 50_000_000 < sum(path.stat().st_size for path in shipped) <= 90_000_000


@needs_mnist
def test_the_script_makes_the_same_arrays_from_the_full_files(root):
    made = runpy.run_path(str(root / "scripts" / "pack_images.py"))["contents"]()
    assert set(made) == {images.SMALL_FILE, images.FIRST_FILE}
    for name, arrays in made.items():
        with np.load(files.INCLUDED / name) as found:
            assert set(found) == set(arrays)
            for key, array in arrays.items():
                assert found[key].dtype == array.dtype
                np.testing.assert_array_equal(found[key], array)


@needs_mnist
def test_the_sets_are_parts_of_mnist():
    small, first, whole = load("mnist-1000"), images.first_of_mnist(), load("mnist", num_data=5000)
    for digit in range(10):
        of_class = whole.x[whole.y == digit]
        np.testing.assert_array_equal(small.x[small.y == digit], of_class[:100])
        np.testing.assert_array_equal(small.x_test[small.y_test == digit], of_class[100:200])
    np.testing.assert_array_equal(first.x, whole.x[:2000])
    np.testing.assert_array_equal(first.y, whole.y[:2000])
    np.testing.assert_array_equal(first.x_test, whole.x_test[:2000])
    np.testing.assert_array_equal(first.y_test, whole.y_test[:2000])


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 no archive", "truncated", "pickle"])
def test_a_damaged_file_is_one_sentence(monkeypatch, tmp_path, damage):
    content = (files.INCLUDED / "mnist_1000.npz").read_bytes()[:5000] if damage == "truncated" else damage
    if damage == "pickle":
        stream = io.BytesIO()
        np.savez_compressed(stream, images=np.array([{}], dtype=object))
        content = stream.getvalue()
    (tmp_path / "mnist_1000.npz").write_bytes(content)
    monkeypatch.setattr(files, "INCLUDED", tmp_path)
    with pytest.raises(InvalidInput, match=r"^The file mnist_1000\.npz is damaged: install the package again\.$"):
        load("mnist-1000")


def test_a_missing_file_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(files, "INCLUDED", tmp_path)
    for name, file in (("mnist-1000", "mnist_1000.npz"), ("mauna_loa_co2", "mauna_loa_co2.csv")):
        with pytest.raises(InvalidInput, match=file):
            load(name)


def test_a_wheel_holds_the_data_and_their_notice(root, tmp_path):
    copy = tmp_path / "source"
    shutil.copytree(root / "bdlviz", copy / "bdlviz", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("requirements.txt", "pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(root / name, copy)
    build = f"from setuptools import build_meta; print(build_meta.build_wheel({str(tmp_path)!r}))"
    made = subprocess.run([sys.executable, "-c", build], cwd=copy, capture_output=True, text=True, check=True)
    with zipfile.ZipFile(tmp_path / made.stdout.splitlines()[-1]) as wheel:
        inside = wheel.namelist()
    assert {f"bdlviz/data/included/{name}" for name in NAMES} <= set(inside)
    assert {Path(name).name for name in inside if "/licenses/" in name} == {"LICENSE", "NOTICE"}
