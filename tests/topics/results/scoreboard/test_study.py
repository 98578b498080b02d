"""The shipped classifiers: what stands beside their weights is complete, and agrees with itself."""

from __future__ import annotations

import numpy as np
import pytest

from bdlviz import data
from bdlviz.fits import fit
from bdlviz.fitted import shelf
from bdlviz.methods import METHODS
from bdlviz.predictive import calibration
from bdlviz.predictive.summaries import entropy
from bdlviz.studies.registry import GROUPS, STUDIES
from bdlviz.topics.results.scoreboard import study
from bdlviz.topics.results.scoreboard.rows import NEEDED
from bdlviz.topics.results.scoreboard.study import ROTATIONS, SAMPLES, SEEDS, seeds_of

SHIPPED = [study.name_of(m, i) for i in study.IMAGES for m in study.on_board(i)]

SCORES = {
    "accuracy": calibration.accuracy,
    "nll": calibration.negative_log_likelihood,
    "brier": calibration.brier_score,
    "ece": calibration.expected_calibration_error,
}


def test_every_classifier_has_a_study_and_a_method() -> None:
    assert set(SHIPPED) == set(GROUPS["scoreboard"]) <= set(STUDIES)
    assert set(study.METHODS + study.SCORED) <= set(METHODS)
    assert STUDIES["classifier_mnist_map"].needs == "mnist"  # scored on all test images, too
    assert STUDIES["classifier_digits_map"].needs is None


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_scores_agree_with_the_shipped_probabilities(name: str) -> None:
    trained, extra = shelf.shipped(name)
    assert extra.keys() >= NEEDED and trained.config.seeds == SEEDS[:1]
    labels = extra["labels"]
    for suffix, key in (("", "probabilities"), ("_one_pass", "one_pass")):
        for score, of in SCORES.items():
            found = [of(probabilities, labels) for probabilities in extra[key]]
            np.testing.assert_allclose(extra[score + suffix][: len(found)], found, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(extra["predictive_entropy"], entropy(extra["probabilities"]), atol=1e-4)
    outside = zip(extra["predictive_entropy"], extra["entropy_shuffled"], strict=True)
    np.testing.assert_allclose(extra["auroc_shuffled"], [calibration.auroc(*each) for each in outside], atol=1e-5)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_scores_have_their_shapes(name: str) -> None:
    trained, extra = shelf.shipped(name)
    count, seeds = len(extra["labels"]), len(seeds_of(trained.config.method))
    assert seeds >= (10 if trained.config.method == "deep_ensemble" else 5)
    assert extra["probabilities"].shape == (seeds, count, 10)
    assert extra["one_pass"].shape == (len(SEEDS), count, 10)
    assert extra["nll"].shape == extra["nll_one_pass"].shape == (seeds,)
    assert extra["rotation_accuracy"].shape == extra["rotation_entropy"].shape == (seeds, len(ROTATIONS))
    assert extra["accuracy_by_samples"].shape == (seeds, len(SAMPLES))
    assert extra["ece_interval"].shape == extra["auroc_shuffled_interval"].shape == (seeds, 2)
    if trained.params:
        assert extra["num_parameters"].item() == sum(array.size for array in trained.params.values())
    assert bool(trained.params) == (trained.config.method in study.METHODS)
    np.testing.assert_allclose(extra["rotation_accuracy"][:, 0], extra["accuracy"], atol=1e-5)  # no rotation at all
    np.testing.assert_allclose(extra["probabilities"].sum(-1), 1, atol=1e-4)


def test_the_shipped_weights_are_those_of_the_first_seed() -> None:
    dataset = data.load("digits")
    for method in ("map", "mc_dropout", "concrete_dropout"):
        trained, extra = shelf.shipped(study.name_of(method, "digits"))
        found = trained.predict(dataset.x_test, 1, with_dropout=False).mean
        np.testing.assert_allclose(found, extra["one_pass"][0], atol=0.02)  # half precision
        assert trained.config == study.config_of(method, "digits")


def test_averaging_members_and_draws() -> None:
    _, extra = shelf.shipped("classifier_digits_deep_ensemble")
    _, single = shelf.shipped("classifier_digits_map")
    # The first member is the plain network of its seed, here trained on another processor: other seeds differ by more.
    np.testing.assert_allclose(extra["one_pass"], single["one_pass"], atol=0.1)
    assert np.abs(extra["one_pass"] - np.roll(single["one_pass"], 1, 0)).max((1, 2)).min() > 0.25
    np.testing.assert_allclose(extra["nll_one_pass"][: len(SEEDS)], single["nll"], atol=1e-3)
    assert np.isnan(extra["accuracy_by_samples"][:, SAMPLES.index(10) :]).all()  # there are five members
    assert np.isnan(single["accuracy_by_samples"][:, 1:]).all()
    np.testing.assert_array_equal(single["accuracy"], single["accuracy_one_pass"])


def test_scores_of_a_short_fit() -> None:
    dataset = data.load("digits", num_data=100)
    trained = fit("mc_dropout", dataset, hidden=(16,), num_epochs=2)
    found = study.scores(trained, dataset, patch=2)
    assert {"accuracy", "nll_one_pass", "auroc_shuffled", "rotation_expected", "fit_seconds"} <= found.keys()
    assert all(array.dtype == np.float32 and np.isfinite(array).all() for array in found.values())
    assert (found["rotation_expected"] <= found["rotation_entropy"] + 1e-6).all()
    low, high = found["auroc_shuffled_interval"]
    assert low < found["auroc_shuffled"] < high
    # Independent sets of one draw scatter more than sets of a hundred.
    assert found["accuracy_by_samples_sd"][0] > found["accuracy_by_samples_sd"][SAMPLES.index(100)]
