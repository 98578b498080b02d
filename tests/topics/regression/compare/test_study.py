"""One network, one noise, one prior: what the compared methods share, and the data they are compared on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bdlviz import data, fits
from bdlviz.errors import InvalidInput
from bdlviz.methods import METHODS
from bdlviz.predictive.length_scale import length_scale_for
from bdlviz.topics.regression.compare import study as compare_study

POINTS = data.load("x_sin_x")


@pytest.mark.parametrize("method", compare_study.methods())
def test_every_method_has_a_fit_of_the_same_network_and_noise(method: str) -> None:
    config = compare_study.config_of(method, POINTS, hidden=(20,), activation="tanh", seed=3)
    assert (config.hidden, config.activation, config.seeds) == ((20,), "tanh", (3,))
    assert config.noise_std == POINTS.noise_std


@pytest.mark.parametrize("method", compare_study.methods())
@pytest.mark.parametrize("length_scale", [0.5, 2.0])
def test_the_prior_is_the_same_where_there_is_one(method: str, length_scale: float) -> None:
    config = compare_study.config_of(method, POINTS, length_scale=length_scale)
    values = {name: stops[0] for name, stops in config.axes}
    assert dict(config.options).get("prior_by_width", 0.0) == 0
    if "length_scale" in values:
        assert values["length_scale"] == length_scale
    if "weight_decay" in values:
        precision = float((POINTS.y.std() / (config.noise_std or 1)) ** 2)
        found = length_scale_for(values["weight_decay"], precision, 20, values.get("dropout_rate", 0.0))
        assert found == pytest.approx(length_scale, rel=1e-6)


def test_chains_refuse_data_that_would_take_hours() -> None:
    many = data.load("x_sin_x", num_data=compare_study.MAX_SAMPLED + 1)
    with pytest.raises(InvalidInput, match="500"):
        compare_study.config_of("hmc", many)
    assert compare_study.config_of("map", many).method == "map"


def test_what_is_shipped_is_known_to_the_registry() -> None:
    names = [compare_study.name_of(*each) for each in compare_study.shipped()]
    assert len(set(names)) == len(names)
    assert all(method in METHODS for method, _, _ in compare_study.shipped())
    assert compare_study.REFERENCE in {method for method, _, _ in compare_study.shipped()}


def test_every_fifth_point_is_held_out() -> None:
    split = compare_study.every_fifth_held_out(replace(POINTS, x_test=POINTS.x[:0], y_test=POINTS.y[:0]))
    assert (split.num_data, len(split.x_test)) == (16, 4)
    np.testing.assert_array_equal(split.x_test, POINTS.x[4::5])
    together = np.sort(np.concatenate([split.y, split.y_test]), 0)
    np.testing.assert_array_equal(together, np.sort(POINTS.y, 0))


@pytest.mark.parametrize("count", [1, 4])
def test_too_few_points_to_hold_any_out(count: int) -> None:
    few = data.from_points(np.arange(float(count)), np.zeros(count))
    with pytest.raises(InvalidInput, match=f"not {count}"):
        compare_study.every_fifth_held_out(few)


@pytest.mark.parametrize("gap", [0.3, 1.2, 2.0])
def test_clusters_have_the_gap_and_keep_their_noise(gap: float) -> None:
    usual, moved = data.load("two_clusters"), compare_study.clusters(gap)
    left, right = moved.x[moved.x < 0], moved.x[moved.x > 0]
    bounds = usual.x[usual.x < 0].max(), usual.x[usual.x > 0].min()
    assert right.min() - left.max() == pytest.approx(bounds[1] - bounds[0] + gap - compare_study.CLUSTER_GAP)
    assert moved.truth is not None and usual.truth is not None
    np.testing.assert_allclose(moved.y - moved.truth(moved.x), usual.y - usual.truth(usual.x))
    assert (moved.x_range, moved.y_range) == (usual.x_range, usual.y_range)
    assert moved.x_range[0] < moved.x.min() and moved.x.max() < moved.x_range[1]


def test_the_default_gap_gives_the_data_set() -> None:
    assert compare_study.clusters().fingerprint == data.load("two_clusters").fingerprint


def test_thinned_chains_keep_their_order_and_both_ends() -> None:
    config = compare_study.config_of("hmc", POINTS, hidden=(4,))
    short = replace(config, num_steps=24, options=(("prior_by_width", 0.0), ("num_chains", 3.0), ("num_leapfrog", 2.0)))
    fitted = fits.run(short, POINTS)
    thin = compare_study.thinned(fitted, 4)
    whole, some = (each.params["weight0"][0, 0].reshape(3, -1, 4) for each in (fitted, thin))
    assert some.shape[1] == 4 < whole.shape[1]
    np.testing.assert_array_equal(some[:, [0, -1]], whole[:, [0, -1]])
    np.testing.assert_array_equal(thin.params["acceptance"], fitted.params["acceptance"])
    assert np.isfinite(thin.predict(POINTS.x, 10).mean).all()
