"""Trainings with further seeds: seed 0 is the shipped network, and comparisons told of single networks hold for all."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bdlviz.fitted import bundles, shelf
from bdlviz.methods.prunable import PRUNERS
from bdlviz.topics.generative.likelihood.study import LIKELIHOODS, name_of
from bdlviz.topics.shared import repeats_study
from bdlviz.topics.shared.repeats_study import FEWER_SEEDS, GENERATIVE, SEEDS, WEIGHTS
from bdlviz.types import Array

HALF = 2e-3  # shipped weights and some arrays are in half precision


def shipped(name: str) -> dict[str, Array]:
    return bundles.shipped(name, repeats_study.BUNDLES[name].settings)


@pytest.mark.parametrize("method", PRUNERS)
def test_the_first_seed_is_the_shipped_network(method: str):
    _, extra = shelf.shipped(f"pruned_digits_{method}")
    found = shipped(WEIGHTS)
    assert found[f"{method}_accuracy"][0] == pytest.approx(extra["seed_accuracy"][0], abs=1 / 360)
    assert all(len(found[f"{method}_{part}"]) == len(SEEDS) for part in ("left", "units", "accuracy"))


@pytest.mark.parametrize("images", ["digits", "mnist"])
def test_the_first_errors_are_those_of_the_page(images: str):
    errors = [float(shelf.shipped(name_of(images, chosen))[1]["test_rmse"][0]) for chosen in LIKELIHOODS]
    np.testing.assert_allclose(shipped(GENERATIVE)[f"rmse_{images}"][0], errors, rtol=HALF)


def test_the_first_plane_is_that_of_the_page():
    _, vae = shelf.shipped("vae_mnist_2d")
    found = shipped(GENERATIVE)
    assert found["codes_std_mnist"][0, 1] == pytest.approx(vae["train_mean"].astype(float).std(), rel=HALF)
    assert found["plane_elbo"][0, 1] == pytest.approx(vae["test_elbo"][-1], abs=0.5)  # over other draws of the codes


def test_single_weights_leave_fewer_weights_in_more_units_with_every_seed():
    found = shipped(WEIGHTS)
    single, groups = "sparse_variational_dropout", "group_normal_jeffreys"
    assert found[f"{single}_left"].max() < found[f"{groups}_left"].min()
    assert (found[f"{single}_units"][:, :-1].min(0) > found[f"{groups}_units"][:, :-1].max(0)).all()


def test_a_warm_up_pays_less_with_every_seed():
    found = shipped(WEIGHTS)
    for name, count in (("few", len(SEEDS)), ("thousand", len(FEWER_SEEDS))):
        without, warmed = found[f"{name}_paid"].T
        assert len(warmed) == count and warmed.max() < without.min() - 0.5
        assert (found[f"{name}_share"][:, 0] == 0).all() and found[f"{name}_share"][:, 1].min() > 0


def test_the_full_bound_follows_the_points_with_no_seed():
    few, full = shipped(WEIGHTS)["noise_nll"].T
    assert full.min() > few.max() + 1


def test_the_continuous_bernoulli_has_the_largest_error_on_mnist_alone():
    found = shipped(GENERATIVE)
    continuous, binarised, gaussian = (
        LIKELIHOODS.index(each) for each in ("continuous_bernoulli", "binarised_bernoulli", "gaussian_pixels")
    )
    assert (found["rmse_mnist"].argmax(1) == continuous).all()
    digits = found["rmse_digits"].astype(float)
    assert (digits.argmin(1) == gaussian).all() and (digits.argmax(1) != continuous).all()
    assert stats.ttest_rel(digits[:, continuous], digits[:, binarised]).pvalue > 0.05


def test_the_plane_and_the_class_cost_and_gain_with_every_seed():
    found = shipped(GENERATIVE)
    _, twenty = shelf.shipped("vae_mnist_20d")
    assert found["plane_elbo"][:, 1].max() < twenty["test_elbo"][-1] - 10
    assert (found["conditional_elbo"] - found["plane_elbo"][:, 1]).min() > np.log(10) + 10
