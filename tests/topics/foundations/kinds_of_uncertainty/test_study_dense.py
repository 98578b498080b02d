"""Training of dense prediction in small, and what the shipped networks and studies must say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bdlviz.fitted import bundles
from bdlviz.topics.foundations.kinds_of_uncertainty import study_dense
from bdlviz.topics.foundations.kinds_of_uncertainty.dense_network import DenseSettings
from bdlviz.topics.foundations.kinds_of_uncertainty.dense_training import train_dense
from bdlviz.topics.foundations.kinds_of_uncertainty.scenes import make_scenes
from bdlviz.topics.foundations.kinds_of_uncertainty.study_dense import (
    ARRAYS,
    NUM_SCENES,
    SCENES,
    SIZES,
    STUDIED,
    TASKS,
    TASKS_OF,
    params_of,
    settings_of,
)

SMALL = DenseSettings(("depth", "edges", "classes"), 8, num_steps=30, widths=(4, 6, 8))


def shipped(name: str) -> dict:
    return bundles.shipped(name, ARRAYS[name].settings)


def test_training_lowers_the_loss_and_learns_every_sigma():
    trained = train_dense(replace(SMALL, is_heteroscedastic=False), make_scenes(8))
    assert np.isfinite(trained.losses).all() and trained.losses[-5:].mean() < trained.losses[:5].mean()
    assert trained.log_sigma.keys() == {"depth", "edges", "classes"} and all(trained.log_sigma.values())
    assert {name: each.shape for name, each in trained.params.items()} == SMALL.network.shapes()


def test_the_same_seed_trains_the_same_network():
    scenes = make_scenes(8)
    one, two = train_dense(SMALL, scenes), train_dense(SMALL, scenes)
    other = train_dense(replace(SMALL, seed=1), scenes)
    np.testing.assert_array_equal(one.params["up2.weight"], two.params["up2.weight"])
    assert not np.array_equal(one.params["up2.weight"], other.params["up2.weight"])


def test_training_can_be_stopped():
    trained = train_dense(SMALL, make_scenes(8), on_step=lambda step: step < 3)
    assert np.flatnonzero(trained.losses).tolist() == [0, 1, 2]


def test_regions_share_out_all_pixels():
    scenes = make_scenes(20)
    found = study_dense.regions(scenes)
    np.testing.assert_array_equal(np.sum(list(found.values()), 0), 1)
    assert (scenes.depth[found["near"]] <= study_dense.FAR).all() and not scenes.glossy[found["far"]].any()


def test_more_draws_begin_like_fewer():
    settings = settings_of("depth", NUM_SCENES[-1])
    params, image = params_of(shipped(SCENES), "depth", settings.num_scenes), make_scenes(1, 99).images[0]
    few, many = (study_dense.outputs_of(settings, params, image, count) for count in (3, 12))
    np.testing.assert_allclose(many[:3], few, atol=1e-4)


@pytest.mark.parametrize("name", ARRAYS)
def test_bundles_are_there_small_and_whole(name: str):
    arrays = shipped(name)
    assert sum(array.nbytes for array in arrays.values()) < 1_000_000
    for tasks in TASKS_OF if name == SCENES else ():
        for count in NUM_SCENES:
            shapes = {key: each.shape for key, each in params_of(arrays, tasks, count).items()}
            assert shapes == settings_of(tasks, count).network.shapes()


def test_aleatoric_uncertainty_is_where_the_noise_is():
    """Known: outlines, glossy things and what is far are noisier than what is near and matte; so the networks say."""
    found = shipped(SIZES)
    outlines, glossy, far, near = found["aleatoric_by"].mean(0)[STUDIED.index(300)]
    assert min(outlines, glossy, far) > 2.5 * near
    assert found["correlation"].mean(0)[STUDIED.index(300)] > 0.75


def test_bands_are_honest_once_there_are_scenes_enough():
    found = shipped(SIZES)
    few, many = found["coverage_total"].mean(0)[[0, STUDIED.index(300)]]
    assert few < 0.9 and abs(many - 0.95) < 0.02


def test_a_green_thing_is_wrong_and_only_the_ensemble_notices():
    found, networks = shipped(SIZES), shipped(SCENES)
    at, green = NUM_SCENES.index(300), study_dense.CHANGES.index("green")
    error = found["front_error"].mean(0)[STUDIED.index(300)]
    epistemic = found["front_epistemic"].mean(0)[STUDIED.index(300)]
    assert error[green] > 4 * error[0] and epistemic[green] < 1.5 * epistemic[0]
    assert networks["networks_front"][at, green] > 2 * networks["networks_front"][at, 0]


def test_the_second_task_moves_the_noise_of_depth_by_little():
    found = shipped(TASKS)
    assert found["sigma"].shape == (len(study_dense.TASK_SEEDS), len(TASKS_OF))
    assert np.isnan(found["second"][:, 0]).all() and np.isfinite(found["second"][:, 1:]).all()
    change = (found["sigma"][:, 1:] - found["sigma"][:, :1]).mean(0)
    assert ((change > 0) & (change < 0.05)).all()  # and upwards: the second task helps nobody here
