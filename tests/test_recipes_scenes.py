"""Recipes of scenes: the configurations that pages ask for, and measurements that are what a page would measure."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bdlviz import data
from bdlviz.errors import InvalidInput
from bdlviz.fits import configure
from bdlviz.fitted import bundles, shelf
from bdlviz.models import targets
from bdlviz.predictive import weight_gradients
from bdlviz.studies import registry, scenes
from bdlviz.topics.foundations.variational_or_mcmc import race
from bdlviz.topics.weights.bayes_by_backprop.study import SETTINGS
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.jobs import queue as jobs
from tests.ui.harness import open_page

COMPARED = (*scenes.recipes_compare.usual(), scenes.recipes_compare.REFERENCE)
ASKED_BY = {  # page and query -> recipes of scenes
    ("function_draws", "gap"): ["draws_gap"],
    ("function_draws", "tanh"): ["draws_tanh"],
    ("function_draws", "record-relu"): ["draws_record_relu"],
    ("function_draws", "record-tanh"): ["draws_record_tanh"],
    ("function_draws", "against-exact"): ["draws_one_layer"],
    ("compare", "own"): [f"compare_own_{method}" for method in COMPARED],
    ("in_between", "wide"): [f"compare_wide_{method}" for method in COMPARED],
    ("in_between", "few"): [f"compare_few_{method}" for method in COMPARED],
    ("bayes_by_backprop", "mixture"): ["backprop_mixture"],
    ("bayes_by_backprop", "more-data"): ["backprop_more_data"],
    ("kinds_of_uncertainty", "one-point"): ["kinds_one_point"],
    ("sparsity", "few"): ["pruned_few"],
}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Hashable]:
    """What pages ask the queue for where no fit is shipped; every job fails at once."""
    found: list[Hashable] = []

    def fail(queue: jobs.JobQueue, key: Hashable, *rest: Any) -> jobs.Job:
        found.append(key)
        job = jobs.Job(key)
        job.future.set_exception(InvalidInput("Nothing trains in this test."))
        return job

    monkeypatch.setattr(jobs.JobQueue, "request", fail)
    monkeypatch.setattr(jobs.JobQueue, "finished", lambda queue, key: None)
    monkeypatch.setattr(shelf, "find", lambda config: None)
    return found


@pytest.mark.parametrize(("page", "scene"), ASKED_BY)
def test_recipes_are_what_a_scene_asks_for(page: str, scene: str, asked: list[Hashable]):
    open_page(page, {"scene": scene, "guess": "no"})
    assert set(asked) == {scenes.FITS[name].config for name in ASKED_BY[page, scene]}


def test_the_noise_that_follows_is_the_calculators(asked: list[Hashable]):
    open_page("function_draws", {"follows": "noise"})
    assert asked == [scenes.FITS["draws_noise_follows"].config]


def test_the_grid_of_the_gap_is_what_its_scene_asks_for(asked: list[Hashable]):
    open_page("effect_of_lambda", {"scene": "gap", "guess": "no"})
    whole = registry.lambda_config(data.load("two_clusters"))
    assert asked == [replace(whole, seeds=registry.LAMBDA_SEEDS[:1])]  # the scores beside it are of all seeds


@pytest.mark.parametrize(("scene", "name"), [("free", "vae_digits_free"), ("collapse", "vae_digits_collapse")])
def test_a_vae_is_what_its_scene_asks_for(scene: str, name: str, asked: list[Hashable]):
    open_page("vae", {"scene": scene, "guess": "no"})
    [config] = asked
    assert isinstance(config, FitConfig)
    expected = scenes.vae_config(data.load("digits"), scenes.BETAS[name])
    assert replace(config, num_snapshots=0) == expected


def test_every_fit_of_a_scene_is_asked_for():
    named = {name for names in ASKED_BY.values() for name in names} | {"draws_noise_follows"}
    assert named == scenes.FITS.keys()


def test_the_points_are_those_of_the_empty_table():
    points = scenes.own_points()
    assert (points.num_data, len(points.x_test)) == (5, 1)


def test_chains_are_thinned_and_kept_by_chain(monkeypatch: pytest.MonkeyPatch):
    def short(method: str, dataset: Dataset) -> FitConfig:
        return configure(method, dataset, hidden=(3,), num_steps=16, num_leapfrog=2, num_chains=2)

    monkeypatch.setattr(scenes.recipes_compare, "KEPT", 5)
    wanted = replace(scenes.FITS["compare_own_hmc"], settings=short)
    made, extra = wanted.make()
    assert made.params["weight0"].shape == (1, 1, 10, 1, 3) and not extra


# Measurements ---------------------------------------------------------------------------------------------------------


def test_a_measurement_survives_its_arrays():
    rng = np.random.default_rng(0)
    course = weight_gradients.VarianceCourse(
        np.array([1, 4]),
        {group: rng.random((2, 3)) for group in weight_gradients.GROUPS},
        {(k, g): rng.random((2, 3)) for k in weight_gradients.ESTIMATORS for g in weight_gradients.GROUPS},
    )
    again = scenes.from_arrays(scenes.to_arrays(course))
    assert again.noise.keys() == course.noise.keys() and again.minibatch.keys() == course.minibatch.keys()
    for kind, group in course.noise:
        np.testing.assert_array_equal(again.total(kind, group), course.total(kind, group))


def test_the_shipped_measurement_is_that_of_the_shipped_network():
    dataset = data.load("blundell")
    config = configure("bayes_by_backprop", dataset, **SETTINGS)
    trained, extra = shelf.find(config), shelf.extra(config)
    assert trained is not None and extra
    shipped, now = scenes.from_arrays(extra), scenes.gradient_noise(trained, dataset)
    for kind, group in now.noise:
        np.testing.assert_allclose(shipped.noise[kind, group], now.noise[kind, group], rtol=1e-3)


def test_the_shipped_race_is_what_a_page_would_run():
    shipped = bundles.shipped(scenes.RACE, scenes.race_settings())
    for target in race.STEP_SIZES:
        runs = scenes.race_of(shipped, target)
        assert runs.keys() == race.RUNNERS.keys()
        assert all(run.std.shape == (len(run.evaluations), race.NUM_SEEDS) for run in runs.values())
    now = race.run(targets.find("line"), "mean_field")
    then = scenes.race_of(shipped, "line")["mean_field"]
    assert now is not None
    np.testing.assert_array_equal(then.evaluations, now.evaluations)
    np.testing.assert_allclose(then.mean, now.mean, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(then.std, now.std, rtol=1e-3, atol=1e-5)


def test_another_race_makes_the_shipped_one_stale(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(race, "EVALUATIONS", 400)
    with pytest.raises(InvalidInput, match="stale"):
        bundles.shipped(scenes.RACE, scenes.race_settings())


def test_beyond_the_record_relu_grows_unsure_and_tanh_does_not():
    """What the two scenes say of the real record, as in Gal & Ghahramani 2016, Fig. 2."""
    dataset = data.load("mauna_loa_co2")
    years = np.array([*dataset.x.ravel()[::10], 2015.0, 2025.0, 2035.0, 2045.0])[:, None]
    sds, covered = {}, {}
    for activation in ("relu", "tanh"):
        fit, _ = shelf.shipped(f"scene_draws_record_{activation}")
        assert fit.config.data_fingerprint == dataset.fingerprint
        sds[activation] = fit.predict(years, 200).draws.std(0)[:, 0]
        later = fit.predict(dataset.x_test, 200)
        sd = np.hypot(later.draws.std(0), fit.config.noise_std or 0)
        covered[activation] = float((np.abs(later.mean - dataset.y_test) < 2 * sd).mean())
    among = {name: float(sd[:-4].mean()) for name, sd in sds.items()}
    assert (np.diff(sds["relu"][-4:]) > 0).all() and sds["relu"][-1] > 4 * among["relu"]
    assert np.ptp(sds["tanh"][-4:]) < 0.1 * among["tanh"] and sds["tanh"][-1] < 1.5 * among["tanh"]
    assert covered["relu"] > 0.9 and covered["tanh"] < 0.3, "Of the years held out."
