"""How far decoded digits lean, a part of their style."""

from __future__ import annotations

import numpy as np

from bdlviz.types import Array


def lean(images: Array) -> Array:
    r"""How far the strokes of images (..., h, w) lean to the right, in degrees, (...).

    With the ink w of each pixel and its place from the middle of the ink, x to the right and y upwards:

    $$ \arctan\frac{\sum_d w_d\, x_d\, y_d}{\sum_d w_d\, y_d^2} $$
    """
    ink = images / images.sum((-2, -1), keepdims=True)
    rows, columns = np.mgrid[: images.shape[-2], : images.shape[-1]]
    x, y = (each - (ink * each).sum((-2, -1), keepdims=True) for each in (columns, -rows))
    return np.degrees(np.arctan((ink * x * y).sum((-2, -1)) / (ink * y**2).sum((-2, -1))))
