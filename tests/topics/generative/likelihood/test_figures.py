"""Figures of likelihoods: grey values and collapsed dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bdlviz.topics.generative.likelihood import figures


def test_grey_values_are_shares_of_pixels() -> None:
    fig: Any = figures.grey_values({"black and white": np.array([0.0, 0, 0, 1])}, np.array([0.5, 0.5]))
    images, drawn = fig.data
    at = {round(float(x), 2): float(y) for x, y in zip(drawn.x, drawn.y, strict=True) if y > 1e-4}
    assert at == {0.0: 0.75, 1.0: 0.25}
    assert images.name == "images" and images.x[np.argmax(images.y)] == pytest.approx(0.5)


def test_dimensions_are_sorted_and_none_leaves_the_axis() -> None:
    fig: Any = figures.collapse_by_weight(["0", "1"], np.array([[1.0, 30.0], [1e-9, 2.0]]), chosen=1)
    lines = fig.data[0].y
    np.testing.assert_allclose(lines[~np.isnan(lines)], [30, 2, 1, 1e-3], rtol=1e-6)
    low, high = fig.layout.yaxis.range
    assert low <= -3 and high > np.log10(30)
    assert list(fig.layout.xaxis.ticktext) == ["0", "1"]
