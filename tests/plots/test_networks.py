"""The diagram of one draw and the two spikes of one weight."""

from typing import Any

import numpy as np
import pytest

from bdlviz import plots
from tests.told import numbers_in

MASK = np.array([1, 0, 2, 2, 0, 1, 0, 1])


def test_dropped_units_lose_their_edges() -> None:
    fig: Any = plots.network((1, 8, 1), [MASK])
    edges, dropped, kept = fig.data
    kept_units = int(np.count_nonzero(MASK))
    assert np.isfinite(edges.x).sum() / 2 == kept_units * 2
    assert (len(dropped.x), len(kept.x)) == (8 - kept_units, kept_units + 2)
    assert dropped.marker.symbol == "circle-x"
    assert not set(dropped.y) & set(edges.y[edges.x == 1])
    fig: Any = plots.network((1, 64, 1), [np.r_[np.zeros(10), np.ones(54)]])
    assert len(fig.data[1].x) + len(fig.data[2].x) == 16 + 2
    assert {1, 16, 64, 10} <= set(numbers_in(fig.layout.annotations[1].text))
    fig: Any = plots.network((2, 3, 1), [np.zeros(3)], input_mask=np.array([0, 1]))
    assert not np.isfinite(fig.data[0].x).any()
    assert len(fig.data[1].x) == 4
    assert "5 of 8" in plots.describe_network((1, 8, 1), [MASK])


def test_the_two_spikes_share_the_mass() -> None:
    fig: Any = plots.two_spikes(np.array([-1.0, 0.5]), 0.3, chosen=1)
    stems = [trace for trace in fig.data if trace.mode == "lines"]
    assert [(stem.x[1], stem.y[1]) for stem in stems] == [(0, pytest.approx(0.3)), (0.5, pytest.approx(0.7))]
    labels = [trace.text[0] for trace in fig.data if trace.text]
    assert "0.3" in labels[0] and "0.5" in labels[1] and "0.7" in labels[1]
    assert fig.layout.xaxis.range == (-1.9, 1.9)
    fig: Any = plots.two_spikes(np.zeros(1), 0.5)
    assert fig.layout.xaxis.range == (-1, 1)
