"""The seeds of curves: the bundle is that of today's settings, and its first seed is the fit that the page shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bdlviz.fitted import bundles, shelf
from bdlviz.topics.regression.in_between import study as in_between_study
from bdlviz.topics.regression.in_between.study import CURVE, GAP, NAME, NUM_INPUTS, SEEDS, cases, name_of, settings
from bdlviz.types import Array

CURVES = {name + CURVE: case for name, case in cases().items() if name.startswith(GAP)}


@pytest.fixture(scope="module")
def found() -> dict[str, Array]:
    return bundles.shipped(NAME, settings())


def test_every_case_has_at_least_ten_seeds(found: dict[str, Array]) -> None:
    assert found.keys() == cases().keys() | CURVES.keys() and len(SEEDS) >= 10
    for name in cases():
        assert found[name].shape == (len(SEEDS), 2) and np.isfinite(found[name]).all() and (found[name] > 0).all()


@pytest.mark.parametrize("name", CURVES)
def test_curves_hold_the_minimum_the_median_and_the_maximum(name: str, found: dict[str, Array]) -> None:
    low, median, high = found[name]
    assert found[name].shape == (3, NUM_INPUTS)
    assert (low >= 0).all() and (low <= median).all() and (median <= high).all()
    case = CURVES[name]
    dataset = case.load()
    shown = shelf.find(case.config)
    assert shown is not None
    curve = case.curve(shown, dataset)  # of half-precision weights
    assert ((curve > 0.8 * low) & (curve < 1.25 * high)).mean() > 0.95


def test_a_fit_of_any_seed_finds_its_case() -> None:
    for name, case in cases().items():
        config = case.config
        assert name_of(config) == name_of(replace(config, seeds=(7,), num_snapshots=5)) == name
        assert name_of(replace(config, num_steps=config.num_steps + 1)) is None


@pytest.mark.parametrize("name", [name for name in cases() if not name.endswith("gap-ensemble")])
def test_the_first_seed_is_the_shipped_fit(name: str, found: dict[str, Array]) -> None:
    case = cases()[name]
    shown = shelf.find(case.config)
    assert shown is not None
    # The shipped fits have weights in half precision, and some were trained on another processor.
    np.testing.assert_allclose(found[name][0], case.measured(case.curve(shown, case.load()), case.load()), rtol=0.15)


def test_a_seed_in_the_bundle_is_that_seed_trained_alone(found: dict[str, Array]) -> None:
    from bdlviz.fits import run

    name = "in_between.one-layer.deep_ensemble"
    case = cases()[name]
    dataset = case.load()
    alone = run(replace(case.config, seeds=SEEDS[3:4]), dataset)
    np.testing.assert_allclose(found[name][3], case.measured(case.curve(alone, dataset), dataset), rtol=0.05)


@pytest.mark.parametrize("scene", in_between_study.GAPS)
def test_in_the_gap_ensembles_differ_most_between_seeds(scene: str, found: dict[str, Array]) -> None:
    """As the page says: several times over, and more than any other method."""
    ratios = {}
    for method in in_between_study.GAP_METHODS:
        in_the_gap = found[f"in_between.{scene}.{method}"][:, 1]
        ratios[method] = in_the_gap.max() / in_the_gap.min()
    assert ratios["deep_ensemble"] == max(ratios.values()) > 3


def test_an_ensemble_is_mostly_more_certain_than_bayes_by_backprop_between_clusters(found: dict[str, Array]) -> None:
    """As the page on Bayes by Backprop says; its standard deviation differs several times over between seeds."""
    ensemble, backprop = (found[f"backprop.two_clusters.{name}"][:, 1] for name in ("ensemble", "backprop"))
    assert np.mean(ensemble < backprop) > 0.6 and np.median(ensemble) < np.median(backprop)
    assert ensemble.max() > 3 * ensemble.min()
