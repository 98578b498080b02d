"""Standardisation: mean 0 and sd 1 over the training set, except what keeps its units."""

import numpy as np

from bdlviz.data import from_points
from bdlviz.models.scaling import Scaling
from bdlviz.types import Dataset

RNG = np.random.default_rng(0)


def test_standardisation():
    dataset = from_points(RNG.normal(7, 3, 50), RNG.normal(-200, 40, 50))
    scaling = Scaling.of(dataset)
    for values in (scaling.standardise_x(dataset.x), scaling.standardise_y(dataset.y)):
        assert values.dtype == np.float32
        np.testing.assert_allclose(values.mean(0), 0, atol=1e-5)
        np.testing.assert_allclose(values.std(0), 1, rtol=1e-5)
    x = np.column_stack([np.arange(10.0), np.full(10, 3.0)])
    scaling = Scaling.of(Dataset("constant", "Constant", x, np.arange(10.0)[:, None]))
    np.testing.assert_array_equal(scaling.standardise_x(x + np.array([0, 2]))[:, 1], 2)
    x = RNG.random((20, 784), np.float32)
    dataset = Dataset("noise", "Noise", x, np.arange(20) % 10, task="classification", image_shape=(28, 28))
    assert Scaling.of(dataset).standardise_x(x) is x
    assert Scaling.of(dataset).standardise_x(x.astype(float)).dtype == np.float32
