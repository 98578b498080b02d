"""Figures of learned dropout rates: the right numbers at the right places."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from bdlviz.plots.theme import LIGHT
from bdlviz.predictive.relaxation import relaxed_density, relaxed_distribution
from bdlviz.topics.digits.concrete_dropout import figures
from tests.told import numbers_in
from tests.topics.shared.page_results import named

STEPS = np.array([0, 10, 20])
QUANTILES = np.linspace(0, 1, 30).reshape(3, 2, 5)
SCORES = np.array([[[0.9, 0.5, 0.7], [0.8, 0.3, 0.4]], [[0.7, 0.5, 0.9], [0.6, 0.3, 0.2]]])  # (R, W, P)
RATES = np.array([0.0, 0.5, 0.9])
LEARNED = (np.array([[0.1, 0.4], [0.3, 0.4]]), np.array([[0.6, 0.25], [0.6, 0.35]]))
RATED: dict[str, Any] = {"chosen": 0, "concrete": LEARNED, "label": "NLL"}


def test_a_path_has_its_median_and_both_bands_in_every_panel() -> None:
    fig: Any = figures.rate_paths(STEPS, QUANTILES, names=["Pixels", "Hidden"])
    for layer, median in enumerate(named(fig, "median unit")):
        np.testing.assert_allclose(median.y, QUANTILES[:, layer, 2], rtol=1e-6)
    for name, (low, high) in {"90 % of units": (0, 4), "half of the units": (1, 3)}.items():
        for layer, area in enumerate(named(fig, name)):
            y = np.asarray(area.y)
            np.testing.assert_allclose([y.min(), y.max()], [QUANTILES[0, layer, low], QUANTILES[-1, layer, high]])
    assert [sum(t.showlegend is True for t in named(fig, name)) for name in ("median unit", "90 % of units")] == [1, 1]
    fig: Any = figures.rate_paths(STEPS, QUANTILES, names=["a", "b"], other=(STEPS[:2], QUANTILES[:2], "other"))
    assert {trace.line.dash for trace in named(fig, "other")} == {"dash"}
    np.testing.assert_array_equal(named(fig, "other")[0].x, STEPS[:2])
    told = figures.describe_rates(["Pixels", "Hidden layer 1"], [np.array([0.2, 0.4]), np.array([0.5])])
    assert re.findall(r"\d\.\d+", told) == ["0.30", "0.50"]


@pytest.mark.parametrize("temperature", [0.001, 0.1, 10.0])
@pytest.mark.parametrize("stacked", [False, True])
def test_the_hard_mask_steps_up_at_both_ends(temperature: float, stacked: bool) -> None:
    z = np.linspace(1e-4, 1 - 1e-4, 99)
    curves = [function(z, 0.12, temperature) for function in (relaxed_density, relaxed_distribution)]
    fig: Any = figures.relaxed_bernoulli(z, *curves, dropout_rate=0.12, stacked=stacked)
    [limit] = named(fig, "hard mask, t → 0")
    np.testing.assert_allclose(limit.x, [0, 0, 1, 1])
    np.testing.assert_allclose(limit.y, [0, 0.12, 0.12, 1], rtol=1e-6)
    assert fig.layout.yaxis.type == "log" and tuple(fig.layout.yaxis.range) == figures.DENSITIES
    assert all(np.isfinite(trace.y).all() for trace in named(fig, "relaxed mask"))
    hard = [note.text for note in fig.layout.annotations if "hard" in note.text]
    assert [numbers_in(each) for each in hard] == [[0.12, 0], [0.88, 1]]


def test_the_best_of_the_grid_is_ringed_and_the_learned_rate_is_a_diamond() -> None:
    settings: dict[str, Any] = RATED | {"y_range": (0.0, 1.0)}
    fig: Any = figures.score_against_rate(RATES, SCORES, (16, 64), **settings)
    [ring] = [trace for trace in fig.data if trace.marker.symbol == "circle-open"]
    assert (ring.x[0], ring.y[0]) == pytest.approx((0.5, 0.5))
    [diamond] = [trace for trace in fig.data if trace.marker.symbol == "diamond"]
    assert (diamond.x[0], diamond.y[0], diamond.error_x.array[0]) == pytest.approx((0.2, 0.6, 0.1))
    highest: Any = figures.score_against_rate(RATES, SCORES, (16, 64), lower_is_better=False, **settings)
    [ring] = [trace for trace in highest.data if trace.marker.symbol == "circle-open"]
    assert ring.x[0] == 0  # the first of equals


def test_widths_stand_beside_their_lines() -> None:
    settings: dict[str, Any] = RATED | {"y_range": (0.0, 0.75)}
    fig: Any = figures.score_against_rate(RATES, SCORES, (16, 2048), **settings)
    first, second = fig.layout.annotations
    assert (first.text, second.text) == ("16", "2,048")
    assert second.x > RATES[-1] and second.y == pytest.approx(0.3)
    assert first.x > RATES[-1] and first.y == pytest.approx(0.75)  # its first point is outside already
    steep = SCORES + np.array([-0.3, 0.0, 0.4])
    fig = figures.score_against_rate(RATES, steep, (16, 2048), **settings)
    label = fig.layout.annotations[0]
    assert (label.xanchor, label.yanchor) == ("right", "bottom")  # so the rising line runs below and to the right of it
    assert label.x == pytest.approx(0.5 + 0.4 * (label.y - 0.5) / 0.7)  # on the line
    height = 1.3 * LIGHT.font_size / (fig.layout.height - 100) * 0.75
    assert label.y == pytest.approx(0.75 - height)  # as low as the label is high
    rising = np.array([0.1, 0.2, 1.0])
    fig: Any = figures.score_against_rate(RATES, np.stack([[rising, rising + 0.02]]), (16, 64), **settings)
    first, second = fig.layout.annotations
    assert (first.text, second.text) == ("16", "64")
    assert first.y - second.y == pytest.approx(0.75 - first.y)  # one label's height


def test_histograms_of_keep_probabilities_count_shares() -> None:
    fig: Any = figures.keep_histograms({"Input": np.array([0.01, 0.99, 0.99, 1.0]), "Hidden 1": np.full(7, 0.5)})
    first, second = fig.data
    assert (first.y[0], first.y[-1], second.y.max()) == (0.25, 0.75, 1)
    assert (first.xaxis, second.xaxis) == ("x", "x2")
    assert {0.75, 4} <= set(numbers_in(fig.layout.annotations[0].text))
