"""Further seeds: what is shipped has today's settings, seed 0 is the shipped fit, and what pages say holds for all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from bdlviz.fits import run
from bdlviz.fitted import bundles, shelf
from bdlviz.methods.prunable import PRUNERS
from bdlviz.topics.generative.likelihood import study as likelihood_study
from bdlviz.topics.generative.likelihood.study import LIKELIHOODS
from bdlviz.topics.regression.in_between import study as in_between_study
from bdlviz.topics.shared import study_seeds
from bdlviz.topics.shared.study_seeds import CURVE, CURVE_SEEDS, CURVES, GAP_METHODS, GENERATIVE, SEEDS, WEIGHTS, cases
from bdlviz.types import Array

OF_GAPS = {name + CURVE: case for name, case in cases().items() if name.startswith(study_seeds.GAP)}
HALF = 2e-3  # shipped weights and some arrays are in half precision


def shipped(name: str) -> dict[str, Array]:
    return bundles.shipped(name, study_seeds.ARRAYS[name].settings)


def test_quantities_have_an_axis_for_the_seeds() -> None:
    one = study_seeds.Quantity.of_each(lambda seed: {"twice": 2 * seed, "pair": (seed, 1)}, (3, 4))
    found = study_seeds.measured(lambda: [one])
    assert found["twice"].tolist() == [6, 8] and found["pair"].tolist() == [[3, 1], [4, 1]]
    assert all(array.dtype == np.float32 for array in found.values())


# Curves ---------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found() -> dict[str, Array]:
    return shipped(CURVES)


def test_every_case_has_at_least_ten_seeds_and_is_found_from_a_fit_of_any_seed(found: dict[str, Array]) -> None:
    assert found.keys() == cases().keys() | OF_GAPS.keys() and len(CURVE_SEEDS) >= 10
    for name, config in ((name, case.config) for name, case in cases().items()):
        assert found[name].shape == (len(CURVE_SEEDS), 2) and np.isfinite(found[name]).all() and (found[name] > 0).all()
        other_seed = replace(config, seeds=(7,), num_snapshots=5)
        assert study_seeds.name_of(config) == study_seeds.name_of(other_seed) == name
        assert study_seeds.name_of(replace(config, num_steps=config.num_steps + 1)) is None


@pytest.mark.parametrize("name", OF_GAPS)
def test_curves_hold_the_minimum_the_median_and_the_maximum(name: str, found: dict[str, Array]) -> None:
    low, median, high = found[name]
    assert found[name].shape == (3, study_seeds.NUM_INPUTS)
    assert (low >= 0).all() and (low <= median).all() and (median <= high).all()
    case = OF_GAPS[name]
    shown = shelf.find(case.config)
    assert shown is not None
    curve = case.curve(shown, case.load())  # of half-precision weights
    assert ((curve > 0.8 * low) & (curve < 1.25 * high)).mean() > 0.95


@pytest.mark.parametrize("name", [name for name in cases() if not name.endswith("gap-ensemble")])
def test_the_first_seed_is_the_shipped_fit(name: str, found: dict[str, Array]) -> None:
    case = cases()[name]
    shown = shelf.find(case.config)
    assert shown is not None
    # The shipped fits have weights in half precision, and some were trained on another processor.
    np.testing.assert_allclose(found[name][0], case.measured(case.curve(shown, case.load()), case.load()), rtol=0.15)


def test_a_seed_in_the_bundle_is_that_seed_trained_alone(found: dict[str, Array]) -> None:
    name = "in_between.one-layer.deep_ensemble"
    case, dataset = cases()[name], cases()[name].load()
    alone = run(replace(case.config, seeds=CURVE_SEEDS[3:4]), dataset)
    np.testing.assert_allclose(found[name][3], case.measured(case.curve(alone, dataset), dataset), rtol=0.05)


@pytest.mark.parametrize("scene", in_between_study.GAPS)
def test_in_the_gap_ensembles_differ_most_between_seeds(scene: str, found: dict[str, Array]) -> None:
    """As the page says: several times over, and more than any other method."""
    ratios = {}
    for method in GAP_METHODS:
        in_the_gap = found[f"in_between.{scene}.{method}"][:, 1]
        ratios[method] = in_the_gap.max() / in_the_gap.min()
    assert ratios["deep_ensemble"] == max(ratios.values()) > 3


def test_an_ensemble_is_mostly_more_certain_than_bayes_by_backprop_between_clusters(found: dict[str, Array]) -> None:
    """As the page on Bayes by Backprop says; its standard deviation differs several times over between seeds."""
    ensemble, backprop = (found[f"backprop.two_clusters.{name}"][:, 1] for name in ("ensemble", "backprop"))
    assert np.mean(ensemble < backprop) > 0.6 and np.median(ensemble) < np.median(backprop)
    assert ensemble.max() > 3 * ensemble.min()


# Weights and generative models ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", PRUNERS)
def test_the_first_seed_is_the_shipped_pruned_network(method: str):
    _, extra = shelf.shipped(f"pruned_digits_{method}")
    found = shipped(WEIGHTS)
    assert found[f"{method}_accuracy"][0] == pytest.approx(extra["seed_accuracy"][0], abs=1 / 360)
    assert all(len(found[f"{method}_{part}"]) == len(SEEDS) for part in ("left", "units", "accuracy"))


@pytest.mark.parametrize("images", ["digits", "mnist"])
def test_the_first_errors_are_those_of_the_page(images: str):
    extras = [shelf.shipped(likelihood_study.name_of(images, chosen))[1] for chosen in LIKELIHOODS]
    errors = [float(extra["test_rmse"][0]) for extra in extras]
    np.testing.assert_allclose(shipped(GENERATIVE)[f"rmse_{images}"][0], errors, rtol=HALF)


def test_the_first_plane_is_that_of_the_page():
    _, vae = shelf.shipped("vae_mnist_2d")
    found = shipped(GENERATIVE)
    assert found["codes_std_mnist"][0, 1] == pytest.approx(vae["train_mean"].astype(float).std(), rel=HALF)
    assert found["plane_elbo"][0, 1] == pytest.approx(vae["test_elbo"][-1], abs=0.5)  # over other draws of the codes


def test_single_weights_leave_fewer_weights_in_more_units_and_a_warm_up_pays_less_with_every_seed():
    found = shipped(WEIGHTS)
    single, groups = "sparse_variational_dropout", "group_normal_jeffreys"
    assert found[f"{single}_left"].max() < found[f"{groups}_left"].min()
    assert (found[f"{single}_units"][:, :-1].min(0) > found[f"{groups}_units"][:, :-1].max(0)).all()
    for name, count in (("few", len(SEEDS)), ("thousand", len(study_seeds.FEWER_SEEDS))):
        without, warmed = found[f"{name}_paid"].T
        assert len(warmed) == count and warmed.max() < without.min() - 0.5
        assert (found[f"{name}_share"][:, 0] == 0).all() and found[f"{name}_share"][:, 1].min() > 0


def test_the_full_bound_fits_the_points_with_no_seed():
    few, full = shipped(WEIGHTS)["noise_nll"].T
    assert full.min() > few.max() + 1


def test_the_continuous_bernoulli_has_the_largest_error_on_mnist_alone():
    found = shipped(GENERATIVE)
    names = ("continuous_bernoulli", "binarised_bernoulli", "gaussian_pixels")
    continuous, binarised, gaussian = map(LIKELIHOODS.index, names)
    assert (found["rmse_mnist"].argmax(1) == continuous).all()
    digits = found["rmse_digits"].astype(float)
    assert (digits.argmin(1) == gaussian).all() and (digits.argmax(1) != continuous).all()
    assert stats.ttest_rel(digits[:, continuous], digits[:, binarised]).pvalue > 0.05


def test_the_plane_and_the_class_cost_and_gain_with_every_seed():
    found = shipped(GENERATIVE)
    _, twenty = shelf.shipped("vae_mnist_20d")
    assert found["plane_elbo"][:, 1].max() < twenty["test_elbo"][-1] - 10
    assert (found["conditional_elbo"] - found["plane_elbo"][:, 1]).min() > np.log(10) + 10
