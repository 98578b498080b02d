"""Training of dense prediction in small, and what the shipped networks and studies must say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bdlviz.fitted import bundles
from bdlviz.topics.foundations.depth_and_edges import study_dense
from bdlviz.topics.foundations.depth_and_edges.dense_network import DenseSettings
from bdlviz.topics.foundations.depth_and_edges.dense_training import train_dense
from bdlviz.topics.foundations.depth_and_edges.scenes import make_scenes

SMALL = DenseSettings(("depth", "edges", "classes"), 8, num_steps=30, widths=(4, 6, 8))


def shipped(name: str) -> dict:
    return bundles.shipped(name, study_dense.ARRAYS[name].settings)


def test_training_lowers_the_loss_and_learns_every_sigma():
    trained = train_dense(replace(SMALL, is_heteroscedastic=False), make_scenes(8))
    assert np.isfinite(trained.losses).all() and trained.losses[-5:].mean() < trained.losses[:5].mean()
    assert trained.log_sigma.keys() == {"depth", "edges", "classes"} and all(trained.log_sigma.values())
    assert {name: each.shape for name, each in trained.params.items()} == SMALL.network.shapes()


def test_the_same_seed_trains_the_same_network_and_training_can_be_stopped():
    scenes = make_scenes(8)
    one, two = train_dense(SMALL, scenes), train_dense(SMALL, scenes)
    other = train_dense(replace(SMALL, seed=1), scenes)
    np.testing.assert_array_equal(one.params["up2.weight"], two.params["up2.weight"])
    assert not np.array_equal(one.params["up2.weight"], other.params["up2.weight"])
    stopped = train_dense(SMALL, scenes, on_step=lambda step: step < 3)
    assert np.flatnonzero(stopped.losses).tolist() == [0, 1, 2]


def test_regions_share_out_all_pixels():
    scenes = make_scenes(20)
    found = study_dense.regions(scenes)
    np.testing.assert_array_equal(np.sum(list(found.values()), 0), 1)
    assert (scenes.depth[found["near"]] <= study_dense.FAR).all() and not scenes.glossy[found["far"]].any()


def test_more_draws_begin_like_fewer():
    settings = study_dense.settings_of("depth", study_dense.NUM_SCENES[-1])
    params, image = (
        study_dense.params_of(shipped(study_dense.SCENES), "depth", settings.num_scenes),
        make_scenes(1, 99).images[0],
    )
    few, many = (study_dense.outputs_of(settings, params, image, count) for count in (3, 12))
    np.testing.assert_allclose(many[:3], few, atol=1e-4)


@pytest.mark.parametrize("name", study_dense.ARRAYS)
def test_bundles_are_there_small_and_whole(name: str):
    arrays = shipped(name)
    assert sum(array.nbytes for array in arrays.values()) < 1_000_000
    for tasks in study_dense.TASKS_OF if name == study_dense.SCENES else ():
        for count in study_dense.NUM_SCENES:
            shapes = {key: each.shape for key, each in study_dense.params_of(arrays, tasks, count).items()}
            assert shapes == study_dense.settings_of(tasks, count).network.shapes()


def test_aleatoric_uncertainty_is_where_the_noise_is():
    """Outlines, glossy things and far things have more noise than near and matte ones; the networks learn this."""
    found = shipped(study_dense.SIZES)
    outlines, glossy, far, near = found["aleatoric_by"].mean(0)[study_dense.STUDIED.index(300)]
    assert min(outlines, glossy, far) > 2.5 * near
    assert found["correlation"].mean(0)[study_dense.STUDIED.index(300)] > 0.75


def test_bands_are_calibrated_with_enough_scenes():
    found = shipped(study_dense.SIZES)
    few, many = found["coverage_total"].mean(0)[[0, study_dense.STUDIED.index(300)]]
    assert few < 0.9 and abs(many - 0.95) < 0.02


def test_a_green_thing_is_wrong_and_only_the_ensemble_notices():
    found, networks = shipped(study_dense.SIZES), shipped(study_dense.SCENES)
    at, green = study_dense.NUM_SCENES.index(300), study_dense.CHANGES.index("green")
    error = found["front_error"].mean(0)[study_dense.STUDIED.index(300)]
    epistemic = found["front_epistemic"].mean(0)[study_dense.STUDIED.index(300)]
    assert error[green] > 4 * error[0] and epistemic[green] < 1.5 * epistemic[0]
    assert networks["networks_front"][at, green] > 2 * networks["networks_front"][at, 0]


def test_the_second_task_moves_the_noise_of_depth_by_little():
    found = shipped(study_dense.TASKS)
    assert found["sigma"].shape == (len(study_dense.TASK_SEEDS), len(study_dense.TASKS_OF))
    assert np.isnan(found["second"][:, 0]).all() and np.isfinite(found["second"][:, 1:]).all()
    change = (found["sigma"][:, 1:] - found["sigma"][:, :1]).mean(0)
    assert (np.abs(change) < 0.05).all()
