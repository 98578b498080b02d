"""Figures of noise on weights: the right numbers at the right places."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bdlviz.plots.theme import luminance
from bdlviz.topics.weights.variational_dropout import figures as variational_dropout_figures
from bdlviz.topics.weights.variational_dropout import figures_pixels, weight_noise
from bdlviz.topics.weights.variational_dropout.figures import DIVERGENCES, SUMS, TALLEST, TALLEST_SUM, _inner_ticks
from bdlviz.types import Dataset, Predictive
from tests.plots.figure_properties import named
from tests.told import numbers_in

NOISES = np.linspace(-4.5, 8, 801)
LOG_ALPHA = np.linspace(-10, 8, 37)
EDGES = np.linspace(-3, 0, 4)


def pair(num_inputs: int, rate: float, **look: Any) -> Any:
    density, atoms = weight_noise.noise_density(NOISES, rate), weight_noise.bernoulli_sum(num_inputs, rate)
    return variational_dropout_figures.noise_pair(
        NOISES, density, atoms, num_inputs=num_inputs, dropout_rate=rate, **look
    )


def divergence(chosen: float, **look: Any) -> Any:
    readings = {name: float(values[0]) for name, values in weight_noise.divergence_curves(np.array([chosen])).items()}
    curves = weight_noise.divergence_curves(LOG_ALPHA)
    return variational_dropout_figures.divergence_curves(LOG_ALPHA, curves, chosen=chosen, readings=readings, **look)


@pytest.mark.parametrize("stacked", [False, True])
def test_stems_stand_at_the_values_of_a_mask_and_of_its_sum(stacked: bool):
    fig = pair(3, 0.2, stacked=stacked)
    one, many = (trace for trace in named(fig, "Bernoulli mask") if trace.mode == "markers")
    np.testing.assert_allclose(one.x, [0, 1.25])
    np.testing.assert_allclose(one.y, [0.2, 0.8], rtol=1e-6)
    at, probability = weight_noise.bernoulli_sum(3, 0.2)
    np.testing.assert_allclose(many.x, at, rtol=1e-5)
    np.testing.assert_allclose(many.y, probability / (at[1] - at[0]), rtol=1e-5)


def test_many_masks_are_gaussian_and_the_cubic_has_its_range():
    """Probability over spacing is a density: at 500 inputs it is the Gaussian's."""
    fig = pair(500, 0.5)
    [tops] = [trace for trace in named(fig, "Bernoulli mask") if trace.mode == "markers" and trace.xaxis == "x2"]
    np.testing.assert_allclose(tops.y, np.exp(-(tops.x**2) / 2) / np.sqrt(2 * np.pi), atol=2e-3)
    fig = divergence(-2)
    holds, beyond = named(fig, "Kingma et al., α ≤ 1")[0], named(fig, "the same past its range")[0]
    assert max(holds.x) == min(beyond.x) == 0 and holds.line.color != beyond.line.color
    assert "past α = 1" in " ".join(note.text for note in fig.layout.annotations)
    curves = weight_noise.divergence_curves(LOG_ALPHA)
    error = named(divergence(0), "Molchanov et al.")[1]
    np.testing.assert_allclose(error.y, curves["sigmoidal"] - curves["exact"], atol=1e-6)
    fig: Any = figures_pixels.noise_of_pixels(
        np.full((8, 8), 0.3), "mean", {"without": np.ones((8, 8)), "with": np.zeros((8, 8))}
    )
    heat, *digits = fig.data
    assert (heat.zmin, heat.zmax) == (0, 1) and [digit.z[0][0] for digit in digits[1::2]] == [1, 0]
    assert luminance(heat.colorscale[0][1]) < 0.1 < 0.8 < luminance(heat.colorscale[-1][1]), "Little noise is dark."
    told = variational_dropout_figures.describe_alphas(["Layer 1"], np.array([0.25]), np.array([0.1]))
    assert {1, 0.25, 10} <= set(numbers_in(told))


def test_readings_and_ticks():
    for chosen, count in [(-10, 4), (0, 4), (1, 3), (8, 3)]:
        [marks] = named(divergence(chosen), f"log α = {chosen:g}")
        assert len(marks.x) == count and set(marks.x) == {chosen}
        assert all(DIVERGENCES[0] <= y <= DIVERGENCES[1] for y in marks.y)
    for limits in [(-10, 10), (0, 1), (1958, 2021), (-0.3, 0.9), (-3, 4)]:
        ticks, span = _inner_ticks(limits), limits[1] - limits[0]
        assert 2 <= len(ticks) <= 9
        assert limits[0] + 0.09 * span < min(ticks) and max(ticks) < limits[1] - 0.09 * span
    for num_inputs in [1, 500]:
        for rate in [0.05, 0.5, 0.8]:
            fig = pair(num_inputs, rate)
            assert tuple(fig.layout.yaxis.range) == (0, TALLEST) and tuple(fig.layout.yaxis2.range) == (0, TALLEST_SUM)
            assert tuple(fig.layout.xaxis2.range) == SUMS
            for axis, top in (("y", TALLEST), ("y2", TALLEST_SUM)):
                assert max(np.nanmax(trace.y) for trace in fig.data if trace.yaxis == axis) < top


@pytest.mark.parametrize("stacked", [False, True])
def test_histograms_have_their_shares_and_a_cap(stacked: bool):
    shares = np.array([[0.0, 0.25, 0.75], [1.0, 0.0, 0.0]])
    fig: Any = variational_dropout_figures.alpha_histograms(
        shares, EDGES, names=["Layer 1", "Layer 2"], capped=np.array([0.5, 0.0]), stacked=stacked
    )
    bars = [trace for trace in fig.data if trace.type == "bar"]
    for bar, share in zip(bars, shares, strict=True):
        np.testing.assert_allclose(bar.y, share)
        np.testing.assert_allclose(bar.x, [-2.5, -1.5, -0.5])
    assert {x for trace in named(fig, "cap: α = 1") for x in trace.x} == {0}
    assert {1, 50} <= set(numbers_in(fig.layout.annotations[0].text))


def test_a_row_of_functions_has_ticks_that_do_not_collide(data: Dataset, make_predictive: Callable[..., Predictive]):
    panels = [(name, make_predictive()) for name in "abcde"]
    fig: Any = variational_dropout_figures.functions_in_a_row(panels, data)
    assert fig.layout.xaxis.tickvals == fig.layout.xaxis5.tickvals == tuple(_inner_ticks(data.x_range))
    below: Any = variational_dropout_figures.functions_in_a_row(panels, data, stacked=True)
    assert below.layout.xaxis.tickvals is None
