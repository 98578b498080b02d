"""The shipped noise of gradients: what a page would measure of the shipped network."""

from __future__ import annotations

import numpy as np

from bdlviz import data
from bdlviz.fits import configure
from bdlviz.fitted import shelf
from bdlviz.predictive import weight_gradients
from bdlviz.topics.weights.bayes_by_backprop.study import SETTINGS, from_arrays, gradient_noise, to_arrays


def test_a_measurement_survives_its_arrays():
    rng = np.random.default_rng(0)
    course = weight_gradients.VarianceCourse(
        np.array([1, 4]),
        {group: rng.random((2, 3)) for group in weight_gradients.GROUPS},
        {(k, g): rng.random((2, 3)) for k in weight_gradients.ESTIMATORS for g in weight_gradients.GROUPS},
    )
    again = from_arrays(to_arrays(course))
    assert again.noise.keys() == course.noise.keys() and again.minibatch.keys() == course.minibatch.keys()
    for kind, group in course.noise:
        np.testing.assert_array_equal(again.total(kind, group), course.total(kind, group))


def test_the_shipped_measurement_is_that_of_the_shipped_network():
    dataset = data.load("blundell")
    config = configure("bayes_by_backprop", dataset, **SETTINGS)
    trained, extra = shelf.find(config), shelf.extra(config)
    assert trained is not None and extra
    shipped, now = from_arrays(extra), gradient_noise(trained, dataset)
    for kind, group in now.noise:
        np.testing.assert_allclose(shipped.noise[kind, group], now.noise[kind, group], rtol=1e-3)
