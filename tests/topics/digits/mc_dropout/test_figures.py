"""The plane of noise and ignorance: every image is drawn at its two entropies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bdlviz.plots.theme import LIGHT
from bdlviz.topics.digits.mc_dropout import figures


def named(fig: Any, name: str) -> Any:
    return next(trace for trace in fig.data if trace.name == name)


def test_the_plane_tells_right_from_wrong() -> None:
    expected, mutual = np.array([0.1, 1.0, 0.4]), np.array([0.05, 0.2, 0.6])
    wrong = np.array([False, True, True])
    path = (np.array([0.0, 1.4]), np.array([0.0, 0.3]), "rotated")
    fig: Any = figures.uncertainty_plane(expected, mutual, wrong, hover=list("abc"), chosen=[2], course=path)
    np.testing.assert_array_equal(named(fig, "right").customdata, [0])
    np.testing.assert_array_equal(named(fig, "wrong").customdata, [1, 2])
    assert named(fig, "wrong").marker.color == LIGHT.warning and tuple(named(fig, "wrong").text) == ("b", "c")
    assert (named(fig, "chosen").x[0], named(fig, "rotated").x[1]) == pytest.approx((0.4, 1.4))
    assert fig.layout.xaxis.range[1] >= 1.4
    sums = named(fig, "equal predictive entropy")
    total = sums.x + sums.y
    np.testing.assert_allclose(total[~np.isnan(total)] % 0.5, 0, atol=1e-6)
    assert "3 images" in figures.describe_uncertainty_plane(expected, mutual, wrong)
    zero = np.zeros(4)
    fig: Any = figures.uncertainty_plane(zero, zero, np.zeros(4, bool))
    assert fig.layout.xaxis.range[1] == fig.layout.yaxis.range[1] == 0.5
    assert "wrong" not in figures.describe_uncertainty_plane(zero, zero, np.zeros(4, bool))
