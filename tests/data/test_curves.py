"""Synthetic curves: known laws, nested points, and the same bits for the same seed."""

import copy

import numpy as np
import pytest

from bdlviz.data import DATASETS, curves, load
from bdlviz.errors import InvalidInput

SAMPLED = ("x_sin_x", "two_clusters", "blundell", "step", "heteroscedastic")
SYNTHETIC = (*SAMPLED, "trend_and_season")
WITH_KNOWN_NOISE = ("x_sin_x", "two_clusters", "step", "trend_and_season")


@pytest.mark.parametrize("name", SYNTHETIC)
def test_seeds_and_held_out_points(name):
    first, again, other = load(name, seed=3), load(name, seed=3), load(name, seed=4)
    np.testing.assert_array_equal(first.x, again.x)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.y, other.y)
    one, two = load(name, seed=1), load(name, seed=2, num_data=7)
    np.testing.assert_array_equal(one.x_test, two.x_test)
    np.testing.assert_array_equal(one.y_test, two.y_test)
    assert not np.isin(one.y_test, one.y).any()
    data = load(name, seed=5)
    assert (data.x_range, data.y_range) == (load(name).x_range, load(name).y_range)
    assert data.x_range[0] < data.x.min() and data.x.max() < data.x_range[1]
    assert data.y_range[0] < data.y.min() and data.y.max() < data.y_range[1]
    data = load(name)
    assert copy.deepcopy(data).fingerprint == data.fingerprint
    assert load(name, num_data=1).x.shape == (1, 1)


@pytest.mark.parametrize("name", SAMPLED)
def test_more_points_keep_the_earlier_ones(name):
    few, many = load(name, num_data=13), load(name, num_data=31)
    np.testing.assert_array_equal(few.x, many.x[:13])
    np.testing.assert_array_equal(few.y, many.y[:13])
    assert len(few.x_test) == 500


@pytest.mark.parametrize("name", WITH_KNOWN_NOISE)
def test_noise_scales_and_has_the_stated_size(name):
    data, louder = load(name, num_data=480), load(name, num_data=480, noise_std=0.7)
    assert data.truth is not None and data.noise_std is not None
    assert data.noise_std == DATASETS[name].noise_std
    assert louder.noise_std == 0.7
    noise, louder_noise = data.y - data.truth(data.x), louder.y - data.truth(louder.x)
    np.testing.assert_allclose(louder_noise * data.noise_std, noise * 0.7, atol=1e-10)
    standard_error = data.noise_std / np.sqrt(2 * noise.size)
    assert abs(noise.std() - data.noise_std) < 4 * standard_error
    assert abs(noise.mean()) < 4 * data.noise_std / np.sqrt(noise.size)


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("x_sin_x", np.pi / 2, np.pi / 2),
        ("two_clusters", -0.2, 1.0),
        ("blundell", 0.5, 0.5),
        ("blundell", 0.25, 0.55),
        ("step", -0.01, 0.0),
        ("step", 0.0, 1.0),
        ("heteroscedastic", np.pi / 4, 1.0),
        ("trend_and_season", 1960.12, 317 + 0.75 * 0.12 + 0.0145 * 0.12**2),
    ],
)
def test_truth_at_known_points(name, x, y):
    truth = load(name).truth
    assert truth is not None
    np.testing.assert_allclose(truth(np.array([[x]])), [[y]], atol=1e-9)


def test_known_laws():
    x = load("two_clusters", num_data=1000).x
    left, right = x[x < 0], x[x > 0]
    assert len(left) == len(right) == 500
    assert left.min() >= -1 and left.max() <= -0.7
    assert right.min() >= 0.5 and right.max() <= 1
    data = load("trend_and_season")
    assert data.x.max() < 2000 < data.x_test.min()
    assert len(data.x) == 480 and len(data.x_test) == 240
    thinned = load("trend_and_season", num_data=60)
    assert np.isin(thinned.x, data.x).all() and np.isin(thinned.y, data.y).all()
    assert "Synthetic" in data.source
    data = load("blundell", num_data=10_000, noise_std=1e-4)
    assert data.noise_std is None and data.truth is not None
    standard = (data.y - data.truth(data.x)) / curves.blundell_noise_std(data.x, 1e-4)
    steep = curves.blundell_noise_std(data.x, 1.0) > 0.5  # the expansion fails where the slope vanishes
    assert abs(standard[steep].std() - 1) < 4 / np.sqrt(2 * steep.sum())
    data = load("heteroscedastic", num_data=10_000)
    assert data.noise_std is None and data.truth is not None
    standard = (data.y - data.truth(data.x)) / curves.heteroscedastic_noise_std(data.x)
    for half in (data.x < 2.5, data.x >= 2.5):
        assert abs(standard[half].std() - 1) < 4 / np.sqrt(2 * half.sum())


def test_impossible_settings():
    for num_data in [0, -1, 10_001, 2.5, "20"]:
        with pytest.raises(InvalidInput, match=r"num_data must be a whole number between 1 and 10,000, not"):
            load("x_sin_x", num_data=num_data)
    for noise_std in [0, -0.1, float("nan"), float("inf"), 1e9, "loud"]:
        with pytest.raises(InvalidInput, match="noise_std must be"):
            load("step", noise_std=noise_std)
    for seed in [-1, 0.5, "zero"]:
        with pytest.raises(InvalidInput, match="seed must be a whole number from 0"):
            load("x_sin_x", seed=seed)
