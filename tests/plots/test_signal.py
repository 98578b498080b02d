"""Figures of signal and noise: the right numbers at the right places."""

from typing import Any

import numpy as np
import pytest

from bdlviz import plots
from bdlviz.plots.theme import DARK, LIGHT
from bdlviz.topics.weights.signal_to_noise import figures as signal_to_noise_figures
from bdlviz.topics.weights.signal_to_noise.figures import (
    ERRORS,
    LOWEST_DB,
    NONE_LEFT,
    Line,
    Meaning,
    decibel_range,
    removal_place,
)
from tests.plots.figure_properties import named
from tests.told import numbers_in

FRACTIONS = np.array([0, 0.5, 0.9, 0.99, 1.0])
ERROR = Line("signal to noise", FRACTIONS, np.array([2.0, 2.0, 3.0, 20.0, 90.0]), "bayes")
PLAIN = Line("plain", FRACTIONS, np.array([1.5, 4.0, 40.0, 80.0, 90.0]), "plain")
RATIOS, STAYS = np.array([0.0, 0.02, 0.5, 50.0]), np.array([False, False, False, True])
RISES = [0.99, 0.9]


def test_places_on_the_axis_of_removed_weights():
    np.testing.assert_allclose([removal_place(each) for each in (0, 0.9, 0.99, 0.999)], [0, 1, 2, 3], atol=1e-9)
    assert removal_place(1) == NONE_LEFT > 3

    def ranges(chosen: float) -> list[Any]:
        layout: Any = signal_to_noise_figures.removal_curves([ERROR, PLAIN], chosen, RATIOS, STAYS, RISES).layout
        return [layout[name].range for name in ("xaxis", "yaxis", "xaxis2", "yaxis2")]

    assert ranges(0) == ranges(1)
    assert {1.5, 90} <= set(numbers_in(signal_to_noise_figures.describe_lines([PLAIN])))


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("chosen", FRACTIONS)
def test_removal_curves(chosen: float, stacked: bool):
    fig: Any = signal_to_noise_figures.removal_curves([ERROR, PLAIN], chosen, RATIOS, STAYS, RISES, stacked=stacked)
    [line] = named(fig, "signal to noise")
    np.testing.assert_allclose(line.x, [removal_place(each) for each in FRACTIONS], rtol=1e-6)
    np.testing.assert_allclose(line.y, ERROR.y)
    [mark] = named(fig, "on show")
    assert (mark.x[0], mark.y[0]) == pytest.approx((removal_place(chosen), ERROR.y[list(FRACTIONS).index(chosen)]))
    assert tuple(fig.layout.yaxis.range) == ERRORS
    for name, mask in (("left", STAYS), ("removed", ~STAYS)):
        [bars] = named(fig, name)
        assert np.sum(bars.y) == mask.sum()
    texts = [note.text for note in fig.layout.annotations]
    assert {99, 90} == {number for text in texts if "from" in text for number in numbers_in(text)}


def test_density_and_distribution_of_decibels():
    rng = np.random.default_rng(0)
    values = {"all": np.concatenate([rng.normal(0, 5, 5000), np.full(100, -np.inf)])}
    fig: Any = signal_to_noise_figures.signal_to_noise(values, 3.0, np.array([[-np.inf, 3.0], [5.0, 9.0]]))
    density, distribution = named(fig, "all")
    inside = np.mean(values["all"] >= fig.layout.xaxis.range[0])
    width = density.x[1] - density.x[0]
    assert np.nansum(np.asarray(density.y, float)) * width == pytest.approx(inside, rel=1e-4)
    x, y = (np.asarray(each, float) for each in (distribution.x, distribution.y))
    for at, share in zip(x, y, strict=True):
        assert share == pytest.approx(np.mean(values["all"] < at), abs=1e-3)
    assert {shape.x0 for shape in fig.layout.shapes if shape.line.dash == "dash"} == {3.0}
    assert decibel_range({"a": np.array([-300.0, -200.0, 11.0])}) == (LOWEST_DB, 20.0)
    assert decibel_range({"a": np.array([-12.0, 11.0]), "b": np.array([-np.inf, 25.0])}) == (-20.0, 30.0)


def test_histograms_are_densities():
    edges = np.linspace(-1, 1, 401)
    weights = np.random.default_rng(0).normal(0, 0.1, 20_000)
    count = np.histogram(weights, edges)[0]
    fig: Any = signal_to_noise_figures.weight_histograms(edges, {"plain": (count, "plain")})
    [line] = named(fig, "plain")
    x, y = (np.asarray(each, float) for each in (line.x, line.y))
    assert np.nansum(y) * (x[1] - x[0]) == pytest.approx(1, abs=1e-3)
    middle = np.abs(x) < 0.1
    expected = np.exp(-0.5 * (x[middle] / 0.1) ** 2) / (0.1 * (2 * np.pi) ** 0.5)
    np.testing.assert_allclose(y[middle], expected, rtol=0.25)
    assert fig.layout.xaxis.range[1] == pytest.approx(0.4)  # where nearly all of them are
    edges, count = np.linspace(-1, 1, 401), np.ones(400)
    count[[0, -1]] = 1000
    fig: Any = signal_to_noise_figures.weight_histograms(edges, {"draw": (count, "draw")})
    y = np.asarray(named(fig, "draw")[0].y, float)
    assert np.isnan(y[[0, -1]]).all() and np.isfinite(y[1:-1]).all()


def test_last_values_stand_beside_the_lines_and_apart():
    for theme in [LIGHT, DARK]:
        steps = np.array([1.0, 10.0])
        lines = [
            Line("a", steps, np.array([50.0, 2.0]), "bayes"),
            Line("b", steps, np.array([50.0, 1.99]), "plain"),
            Line("c", np.array([1.0, 5.0]), np.array([50.0, 1.5]), "dropout"),
        ]
        fig: Any = signal_to_noise_figures.errors_over_training(lines, x_label="Epochs", theme=theme)
        assert [note.text for note in fig.layout.annotations] == ["2.00", "1.99", "1.50"]
        places = [note.y for note in fig.layout.annotations]
        assert places[0] == pytest.approx(np.log10(2)) and np.diff(places).max() < -0.04
        assert fig.layout.xaxis.range[1] > 10
    # A note whose place lies below the axis is not drawn at all.
    for theme in [LIGHT, plots.theme("dark", presenter=True)]:
        last: dict[Meaning, float] = {"bayes": 2.44, "dropout": 1.55, "plain": 1.46}
        lines = [Line(of, np.array([1.0, 30.0]), np.array([5.0, y]), of) for of, y in last.items()]
        fig: Any = signal_to_noise_figures.errors_over_training(lines, x_label="Epochs", theme=theme)
        places = [note.y for note in fig.layout.annotations]
        assert [note.text for note in fig.layout.annotations] == ["2.44", "1.55", "1.46"]
        assert min(places) >= fig.layout.yaxis.range[0] and np.diff(places).max() < -0.04
