"""A fit that predicts a constant although y depends on x says so; one of data without signal does not."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons

import bdlviz
from bdlviz.fitted.trivial import neighbour_correlation

RNG = np.random.default_rng(0)
NOTHING = RNG.standard_normal((100, 2)), RNG.integers(0, 2, 100)
COLLAPSED: dict[str, Any] = {"kl_warm_up": 0.0, "task": "classification"}
MOONS: Any = make_moons(200, noise=0.2, random_state=0)


@pytest.mark.parametrize("method", ["ard", "sparse_variational_dropout"])
@pytest.mark.parametrize("data", [load_iris(return_X_y=True), MOONS])
def test_without_a_warm_up_all_weights_are_removed_and_a_sentence_says_so(method: str, data: Any) -> None:
    with pytest.warns(UserWarning, match="^This fit predicts the same at every point, .* kl_warm_up .*\\.$") as said:
        fit = bdlviz.fit(method, data, **COLLAPSED)
    assert len(said) == 1 and said[0].filename == __file__
    assert np.ptp(fit.predict(data[0], 20).mean, axis=0).max() < 0.01
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = bdlviz.fit(method, data, task="classification")
    assert np.mean(fit.predict(data[0], 100).mean.argmax(1) == data[1]) > 0.9


def test_a_network_whose_weight_decay_removes_everything() -> None:
    x = np.linspace(-2, 2, 60)
    settings: dict[str, Any] = {"hidden": (8,), "weight_decay": 100.0, "learning_rate": 0.01, "num_steps": 500}
    with pytest.warns(UserWarning, match=r"^This fit predicts the same at every point, .* weaker regularisation\.$"):
        bdlviz.fit("map", (x, np.sin(2 * x)), **settings)


@pytest.mark.filterwarnings("error")
def test_data_without_signal_few_points_grids_and_unfinished_fits_raise_no_alarm() -> None:
    fit = bdlviz.fit("ard", NOTHING, **COLLAPSED)
    assert np.ptp(fit.predict(NOTHING[0], 20).mean, axis=0).max() < 0.01  # a constant is the right answer
    x = np.linspace(-2, 2, 60)
    settings: dict[str, Any] = {"hidden": (8,), "weight_decay": 100.0, "learning_rate": 0.01}
    grid: dict[str, Any] = settings | {"weight_decay": (0.0, 100.0)}
    bdlviz.fit("map", (x[::4], np.sin(2 * x[::4])), num_steps=500, **settings)
    bdlviz.fit("map", (x, np.sin(2 * x)), num_steps=500, **grid)
    bdlviz.fit("map", (x, np.sin(2 * x)), num_steps=600, on_snapshot=lambda now: now.step < 500, **settings)
    bdlviz.fit("ard", MOONS, task="classification", num_steps=1)


def test_neighbours_know_a_signal_and_no_other() -> None:
    """In 300 data sets without signal the correlation is never above four standard errors, 4 / sqrt(N)."""
    rng = np.random.default_rng(1)
    largest = [
        np.sqrt(size) * neighbour_correlation(rng.standard_normal((size, 3)), rng.standard_normal((size, 1)))
        for size in (20, 60, 200)
        for _ in range(100)
    ]
    assert max(largest) < 4
    x = rng.standard_normal((200, 3))
    assert neighbour_correlation(x, np.sin(2 * x[:, :1])) > 0.5
    assert neighbour_correlation(x, np.zeros((200, 1))) == 0
    y = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 2.0])[:, None]  # the mean of five others is (3 - y) / 5: a falling line
    assert neighbour_correlation(np.arange(6.0)[:, None], y) == pytest.approx(-1)
