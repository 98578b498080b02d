"""Write the images of MNIST that come with the package, from the full files in BDLVIZ_DATA or the cache folder.

`python scripts/pack_images.py [FOLDER]`; without a folder into the package. tests/data/test_included.py compares.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from bdlviz.data import files, images
from bdlviz.types import Array


def contents() -> dict[str, dict[str, Array]]:
    """The arrays of both files: images (N, 28, 28), labels (N,), and rows (N,) among MNIST's training images."""
    whole = images.mnist()
    small = np.concatenate([_take_turns(whole.y, start) for start in (0, images.NUM_PER_CLASS)])
    rest = np.setdiff1d(np.arange(images.NUM_FIRST), small)
    rows_of = {images.SMALL_FILE: small, images.FIRST_FILE: rest}
    arrays = {name: _part(whole.x, whole.y, rows) for name, rows in rows_of.items()}
    held_out = _part(whole.x_test, whole.y_test, np.arange(images.NUM_FIRST))
    arrays[images.FIRST_FILE] |= {"test_images": held_out["images"], "test_labels": held_out["labels"]}
    return arrays


def _take_turns(labels: Array, start: int) -> Array:
    """Rows of images ``start`` to ``start + 99`` of each class, with the classes alternating."""
    rows = [np.flatnonzero(labels == digit)[start : start + images.NUM_PER_CLASS] for digit in range(10)]
    return np.stack(rows, axis=1).ravel()


def _part(x: Array, labels: Array, rows: Array) -> dict[str, Array]:
    return {
        "images": np.rint(255 * x[rows]).astype(np.uint8).reshape(-1, 28, 28),
        "labels": labels[rows].astype(np.uint8),
        "rows": rows.astype(np.uint16),
    }


def main(folder: Path = files.INCLUDED) -> int:
    """Write both files to a folder."""
    for name, arrays in contents().items():
        np.savez_compressed(folder / name, allow_pickle=False, **arrays)
        print(f"{name}: {(folder / name).stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:2])))
