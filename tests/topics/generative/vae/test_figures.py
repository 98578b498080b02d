"""Figures of a VAE's training: the right numbers at the right places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bdlviz.topics.generative.vae import figures, figures_bounds
from tests.told import numbers_in

EPOCHS = np.arange(1, 8)
VALUES = {"elbo": -300.0 / EPOCHS - 100, "reconstruction": -310.0 / EPOCHS - 80, "kl": 20.0 - 10 / EPOCHS}
HISTORY = figures.History(EPOCHS, VALUES)


def test_the_axes_hold_every_epoch_and_one_epoch_or_one_panel_is_enough() -> None:
    fig: Any = figures.elbo_curves(HISTORY, num_epochs=7)
    low, high = fig.layout.yaxis.range
    assert low < VALUES["elbo"][0] < VALUES["elbo"][-1] < high
    assert [trace.name for trace in fig.data] == ["training"] * 3
    one = figures.History(EPOCHS[:1], {name: values[:1] for name, values in VALUES.items()})
    low, high = figures.elbo_curves(one, num_epochs=100, stacked=True).to_dict()["layout"]["yaxis"]["range"]
    assert low < VALUES["elbo"][0] < high
    plain = figures.History(EPOCHS, {"reconstruction": VALUES["reconstruction"]})
    assert len(figures.elbo_curves(plain, num_epochs=7).to_dict()["data"]) == 1, "A plain autoencoder has no bound."


def test_held_out_is_dashed_and_the_published_log_is_rings() -> None:
    fig: Any = figures.elbo_curves(HISTORY, HISTORY, published=[-400, -220], num_epochs=7, chosen=3)
    assert {trace.line.dash for trace in fig.data if trace.name == "held out"} == {"dash"}
    rings = fig.data[-1]
    np.testing.assert_array_equal(rings.x, [1, 2])
    assert rings.marker.symbol == "circle-open" and [shape.x0 for shape in fig.layout.shapes] == [3, 3, 3]


def test_the_staircase_ends_at_the_evidence() -> None:
    fig: Any = figures_bounds.identity_bars(-70.0, 25.0, 3.0)
    kl, gap = (trace for trace in fig.data if trace.type == "bar")
    assert (kl.base[0], kl.y[0], gap.base[0], gap.y[0]) == (-70, -25, -95, 3)
    assert [note.text for note in fig.layout.annotations] == ["−70.0", "−95.0", "−92.0", "−25.0", "+3.0"]


def test_a_chosen_k_is_marked_on_the_line_between_two_others() -> None:
    samples, bounds = np.array([1, 10, 100]), np.array([-100.0, -96.0, -94.0])
    assert figures_bounds.bound_at(samples, bounds, 10) == -96
    assert figures_bounds.bound_at(samples, bounds, 31) == pytest.approx(-96 + 2 * np.log10(3.1))
    settings: dict[str, Any] = {"error": np.ones(3), "truth": -93.0, "chosen": 10}
    fig: Any = figures_bounds.bounds_against_samples(samples, bounds, -100.0, -95.0, **settings)
    curve, ring = fig.data
    np.testing.assert_array_equal(curve.error_y.array, [2, 2, 2])
    assert (ring.x[0], ring.y[0]) == (10, -96)
    notes = [note.text for note in fig.layout.annotations]
    assert any("−96.0" in note for note in notes) and any("−93.0" in note for note in notes)
    low, high = fig.layout.yaxis.range
    assert low < -100 and high > -93


def test_collapsed_dimensions_are_told_apart() -> None:
    kl = np.stack([np.full(7, 2.0), np.full(7, 0.01)], axis=1)
    fig: Any = figures.kl_by_dimension(EPOCHS, kl, num_epochs=7)
    assert [numbers_in(trace.name) for trace in fig.data] == [[1], [1]]
