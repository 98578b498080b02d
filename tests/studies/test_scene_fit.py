"""The shipped fits of scenes have the configurations that pages ask for."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import pytest

from bdlviz import data
from bdlviz.errors import InvalidInput
from bdlviz.fits import configure
from bdlviz.fitted import shelf
from bdlviz.studies import registry, scene_fit
from bdlviz.topics.generative.vae import study as vae_study
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.effect_of_lambda import study as lambda_study
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.cache import data_key
from bdlviz.ui.jobs import queue as jobs
from tests.ui.harness import open_page

FITS: dict[str, scene_fit.SceneFit] = {
    name: each for module in registry.study_modules() for name, each in getattr(module, "SCENE_FITS", {}).items()
}
COMPARED = (*compare_study.usual(), compare_study.REFERENCE)
ASKED_BY = {  # page and scene -> fits of scenes
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
    ("noise_or_ignorance", "one-point"): ["kinds_one_point"],
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
def test_scenes_need_the_configurations_of_studies(page: str, scene: str, asked: list[Hashable]):
    open_page(page, {"scene": scene, "guess": "no"})
    wanted = {FITS[name].config for name in ASKED_BY[page, scene]}
    outlined = {key for key in asked if isinstance(key, FitConfig) and key.method == compare_study.REFERENCE}
    assert wanted <= set(asked) <= wanted | outlined  # an outlined answer is shipped with the comparison


def test_the_noise_that_follows_is_the_calculators(asked: list[Hashable]):
    open_page("function_draws", {"follows": "noise"})
    assert asked == [FITS["draws_noise_follows"].config]


def test_the_scene_of_the_gap_needs_the_shipped_grid(asked: list[Hashable]):
    open_page("effect_of_lambda", {"scene": "gap", "guess": "no"})
    dataset = data.load("two_clusters")
    whole = lambda_study.lambda_config(dataset)
    first = replace(whole, seeds=lambda_study.LAMBDA_SEEDS[:1])
    assert asked == [("grid of weight decays", first, data_key(dataset))]  # the scores beside it are of all seeds


@pytest.mark.parametrize(("scene", "name"), [("free", "vae_digits_free"), ("collapse", "vae_digits_collapse")])
def test_the_vae_of_a_scene_has_the_shipped_configuration(scene: str, name: str, asked: list[Hashable]):
    open_page("vae", {"scene": scene, "guess": "no"})
    [config] = asked
    assert isinstance(config, FitConfig)
    expected = vae_study.beta_config(data.load("digits"), vae_study.SCENE_BETAS[name])
    assert replace(config, num_snapshots=0) == expected


def test_every_fit_of_a_scene_is_asked_for():
    named = {name for names in ASKED_BY.values() for name in names} | {"draws_noise_follows"}
    assert named == FITS.keys()
    assert {f"scene_{name}" for name in FITS} < set(registry.GROUPS["scenes"])


def test_the_points_are_those_of_the_empty_table():
    points = compare_study.own_points()
    assert (points.num_data, len(points.x_test)) == (5, 1)


def test_chains_are_thinned_and_kept_by_chain(monkeypatch: pytest.MonkeyPatch):
    def short(method: str, dataset: Dataset) -> FitConfig:
        return configure(method, dataset, hidden=(3,), num_steps=16, num_leapfrog=2, num_chains=2)

    monkeypatch.setattr(scene_fit, "KEPT", 5)
    wanted = replace(FITS["compare_own_hmc"], settings=short)
    made, extra = wanted.make()
    assert made.params["weight0"].shape == (1, 1, 10, 1, 3) and not extra
