"""Figures of a VAE's training: the right numbers at the right places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bdlviz import plots
from bdlviz.plots.published import Compared

EPOCHS = np.arange(1, 8)
VALUES = {"elbo": -300.0 / EPOCHS - 100, "reconstruction": -310.0 / EPOCHS - 80, "kl": 20.0 - 10 / EPOCHS}
COURSE = plots.Course(EPOCHS, VALUES)


def test_the_first_epoch_may_leave_the_axes_and_no_other() -> None:
    fig: Any = plots.elbo_curves(COURSE, num_epochs=7)
    low, high = fig.layout.yaxis.range
    assert VALUES["elbo"][0] < low < VALUES["elbo"][1] < VALUES["elbo"][-1] < high
    assert [trace.name for trace in fig.data] == ["training"] * 3


def test_held_out_is_dashed_and_the_published_log_is_rings() -> None:
    fig: Any = plots.elbo_curves(COURSE, COURSE, published=[-400, -220], num_epochs=7, chosen=3)
    assert {trace.line.dash for trace in fig.data if trace.name == "held out"} == {"dash"}
    rings = fig.data[-1]
    np.testing.assert_array_equal(rings.x, [1, 2])
    assert rings.marker.symbol == "circle-open" and [shape.x0 for shape in fig.layout.shapes] == [3, 3, 3]


def test_one_epoch_is_enough() -> None:
    one = plots.Course(EPOCHS[:1], {name: values[:1] for name, values in VALUES.items()})
    fig: Any = plots.elbo_curves(one, num_epochs=100, stacked=True)
    low, high = fig.layout.yaxis.range
    assert low < VALUES["elbo"][0] < high


def test_a_plain_autoencoder_has_one_panel() -> None:
    fig: Any = plots.elbo_curves(plots.Course(EPOCHS, {"reconstruction": VALUES["reconstruction"]}), num_epochs=7)
    assert len(fig.data) == 1


def test_the_staircase_ends_at_the_evidence() -> None:
    fig: Any = plots.identity_bars(-70.0, 25.0, 3.0)
    kl, gap = (trace for trace in fig.data if trace.type == "bar")
    assert (kl.base[0], kl.y[0], gap.base[0], gap.y[0]) == (-70, -25, -95, 3)
    assert [note.text for note in fig.layout.annotations] == ["-70.0", "-95.0", "-92.0", "-25.0", "+3.0"]


def test_collapsed_dimensions_are_told_apart() -> None:
    kl = np.stack([np.full(7, 2.0), np.full(7, 0.01)], axis=1)
    fig: Any = plots.kl_by_dimension(EPOCHS, kl, num_epochs=7)
    assert [trace.name for trace in fig.data] == ["1 in use", "1 collapsed: its posterior is the prior"]


@pytest.mark.parametrize(("accepted", "symbol"), [(True, "circle"), (False, "x")])
def test_a_verdict_is_seen_without_colour(accepted: bool, symbol: str) -> None:
    fig: Any = plots.differences([Compared("a", 1.5, 0.2, 2, np.inf, accepted)], unit="nats")
    assert fig.data[0].marker.symbol == symbol
    assert fig.layout.shapes[0].x0 == -2


def test_the_coverage_adds_up() -> None:
    fig: Any = plots.coverage([("a", 3, 2), ("b", 0, 4)])
    here, missing = fig.data
    np.testing.assert_array_equal(here.x + missing.x, [5, 4])
    np.testing.assert_array_equal(missing.base, here.x)
