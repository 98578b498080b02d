"""The figure of one image's bound given each class."""

from __future__ import annotations

from typing import Any

import numpy as np

from bdlviz.topics.generative.conditional import figures


def test_the_own_class_is_told_apart_from_the_best() -> None:
    fig: Any = figures.bounds_by_class(np.array([-30.0, -20.0, -25.0]), 2)
    rods, others, own = fig.data
    assert list(own.x) == [2] and list(others.x) == [0, 1] and len(rods.x) == 9
    [note] = fig.layout.annotations
    assert (note.x, note.text) == (1, "−20.0")
