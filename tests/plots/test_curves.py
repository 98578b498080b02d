"""Curves over weight decay and over training."""

from typing import Any

import numpy as np
import pytest

from bdlviz import plots
from bdlviz.errors import InvalidInput
from tests.told import numbers_in

DECAYS = np.logspace(-6, -2, 5)
VALUES = np.array([[3.0, 2.0, 1.0, 2.0, 3.0], [3.0, 2.5, 1.5, 2.0, 5.0], [3.0, 1.5, 0.5, 2.0, 4.0]])


def trace(fig: Any, name: str) -> Any:
    return next(one for one in fig.data if one.name == name)


def test_the_held_out_curve() -> None:
    fig: Any = plots.held_out_curve(DECAYS, VALUES, metric="NLL in nats", chosen=3)
    np.testing.assert_allclose(trace(fig, "Mean of 3 seeds").y, [3, 2, 1, 2, 4])
    np.testing.assert_array_equal(trace(fig, "Mean of 3 seeds").customdata, range(5))
    np.testing.assert_allclose(trace(fig, "± 1 sd").y[:5], VALUES.mean(0) + VALUES.std(0), rtol=1e-6)
    assert np.isnan(trace(fig, "One seed").y).sum() == 2
    note, title = fig.layout.annotations
    assert (note.x, note.y, "10⁻⁴" in note.text) == (pytest.approx(-4), 1, True)
    assert trace(fig, "chosen: 0.001").y[0] == 2 and numbers_in(title.text) == [0.001]
    fig: Any = plots.held_out_curve(DECAYS, VALUES, metric="NLL in nats", chosen=4, y_range=(0.0, 3.5))
    assert trace(fig, "chosen: 0.01").y[0] == 3.5, "A point above the axis stays in sight."
    fig: Any = plots.held_out_curve(DECAYS, VALUES, metric="RMSE in ppm")
    assert fig.layout.xaxis.type == "log" and "RMSE in ppm" in fig.layout.yaxis.title.text
    assert fig.layout.xaxis.range[0] < -6 and fig.layout.xaxis.range[1] > -2
    np.testing.assert_allclose(fig.layout.xaxis.tickvals, DECAYS)
    layouts = [plots.held_out_curve(DECAYS, VALUES, metric="NLL", chosen=k).to_dict()["layout"] for k in (0, 4)]
    assert layouts[0]["yaxis"]["range"] == layouts[1]["yaxis"]["range"]
    text = plots.describe_held_out_curve(DECAYS, VALUES, metric="NLL in nats")
    assert {1, 1e-4, 3} <= set(numbers_in(text))


def test_failed_fits_one_seed_and_zero() -> None:
    broken = VALUES.copy()
    broken[0, 2] = np.nan
    broken[:, 4] = np.inf
    fig: Any = plots.held_out_curve(DECAYS, broken, metric="NLL")
    np.testing.assert_allclose(trace(fig, "Mean of 3 seeds").y, [3, 2, 1, 2, np.nan])
    assert np.isfinite(trace(fig, "± 1 sd").y).all()
    fig: Any = plots.held_out_curve(np.array([1e-4]), np.array([[2.0]]), metric="NLL", chosen=0)
    assert [one.name for one in fig.data if one.showlegend is not False] == ["Held-out", "chosen: 10⁻⁴"]
    assert fig.layout.yaxis.range[0] < 2 < fig.layout.yaxis.range[1]
    with pytest.raises(InvalidInput, match="positive"):
        plots.held_out_curve(np.array([0.0, 1.0]), VALUES[:, :2], metric="NLL")
    with pytest.raises(InvalidInput, match="NaN"):
        plots.held_out_curve(DECAYS, np.full_like(VALUES, np.nan), metric="NLL")


def test_learning_curves() -> None:
    steps = np.arange(0, 100, 10)
    history = {"Train, with dropout": 1 / (1 + steps), "Train, without": 0.5 / (1 + steps)}
    fig: Any = plots.learning_curves(history, steps)
    assert fig.layout.yaxis.type == "log" and fig.layout.xaxis.range == (0, 90)
    assert {"0.01", "0.05", "0.1", "1"} <= set(fig.layout.yaxis.ticktext)
    assert [one.line.dash for one in fig.data] == ["solid", "dash"]
    np.testing.assert_allclose(fig.data[0].y, history["Train, with dropout"], rtol=1e-6)
    fig: Any = plots.learning_curves({"Train": np.array([1.0, -1.0])}, np.array([0, 10]))
    assert fig.layout.yaxis.type is None and fig.layout.yaxis.range[0] < -1
