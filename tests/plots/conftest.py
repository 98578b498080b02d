"""Small data sets and predictives that every test of the figures can build."""

from collections.abc import Callable

import numpy as np
import pytest

from bdlviz.types import Array, Dataset, Predictive


def _truth(x: Array) -> Array:
    return np.sin(x)


@pytest.fixture
def data() -> Dataset:
    x = np.linspace(-1, 2, 12)[:, None]
    return Dataset(
        name="sine",
        title="Sine",
        x=x,
        y=np.sin(x) + 0.1,
        x_test=x[::3] + 0.1,
        y_test=np.sin(x[::3]),
        truth=_truth,
        x_label="Time in s",
        y_label="Height in m",
        x_range=(-3.0, 4.0),
        y_range=(-2.0, 2.0),
    )


@pytest.fixture
def make_predictive() -> Callable[..., Predictive]:
    """A factory: S draws over N points, with the standard deviations wanted."""

    def make(num_draws: int = 50, num_points: int = 200, epistemic: float = 0.3, aleatoric: float = 0.2) -> Predictive:
        x = np.linspace(-3, 4, num_points)[:, None]
        mean = np.cos(x)
        noise = np.random.default_rng(0).normal(size=(num_draws, 1, 1))
        sd = np.full_like(x, epistemic) * (1 + np.abs(x))
        return Predictive(x, mean + noise * sd, mean, sd, np.full_like(x, aleatoric), num_draws)

    return make


@pytest.fixture
def predictive(make_predictive: Callable[..., Predictive]) -> Predictive:
    return make_predictive()
