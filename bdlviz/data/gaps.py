"""Which inputs are at the data, and which lie in a gap between them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bdlviz.types import Array

FEW = 4  # of the gaps between points; of fewer the median says nothing
WIDE_GAP = 0.2  # relative to the range of the data; a wider interval without points is a gap


def at_the_data(x: Array, points: Array) -> Array:
    """Which x (N,) are at the data: between two neighbours of the points (M,) with no wide gap between them.

    A gap is wide if it is more than `WIDE_GAP` of the range of all points and, from `FEW` gaps on, more than twice as
    wide as the median one: evenly spread points have none. The pictures in the browser use the same definition
    (client/picture/coverage.js).
    """
    ordered = np.sort(points)
    gaps = np.diff(ordered)
    widest = WIDE_GAP * (ordered[-1] - ordered[0])
    is_near = gaps <= (max(widest, 2 * np.median(gaps)) if len(gaps) >= FEW else widest)
    left, right = ordered[:-1][is_near], ordered[1:][is_near]
    return np.any((left <= x[:, None]) & (x[:, None] <= right), axis=1)


def places(x: Array, points: Array) -> dict[str, Array]:
    """Which x (N,) lie at the data, in a gap between the points (M,), and on each side; only places that have some."""
    near, left, right = at_the_data(x, points), x < points.min(), x > points.max()
    found = {"at the data": near, "in the gap": ~(near | left | right), "on the left": left, "on the right": right}
    return {name: where for name, where in found.items() if where.any()}


def away(named: Iterable[str]) -> str:
    """Of the names of `places` the one where methods differ most: the gap if there is one, else a side."""
    found = [*named]
    return "in the gap" if "in the gap" in found else found[-1]


def middle(place: Array) -> int:
    """The index in the middle of the x (N,) at which a place is."""
    inside = np.flatnonzero(place)
    return int(inside[len(inside) // 2])
