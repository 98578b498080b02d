"""How far decoded digits lean, a part of their style, and as which digits they are read."""

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


def read_as(images: Array, known: Array, labels: Array) -> Array:
    r"""The class of the known image (N, D) that is most similar to each of some images (M, D), (M,).

    $$ \hat y = y_n, \quad n = \arg\max_n \frac{x^T x_n}{\lVert x_n \rVert} $$
    """
    return labels[(images @ (known / np.linalg.norm(known, axis=1, keepdims=True)).T).argmax(1)]
