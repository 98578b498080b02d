"""Median and range over training seeds stand under the pictures of single fits, where they are shipped."""

from __future__ import annotations

import re

import numpy as np
import pytest

from bdlviz.fitted import bundles, shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.predictive import in_between
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.in_between import study as in_between_study
from bdlviz.topics.regression.in_between import views as in_between_views
from bdlviz.topics.shared import compare_choice, compare_fits, seeds, study_seeds
from bdlviz.topics.shared.study_seeds import CURVE_SEEDS, CURVES, GAP_METHODS, GENERATIVE, WEIGHTS
from bdlviz.types import Array
from tests.told import numbers_in
from tests.topics.shared.page_results import curve, names_in, result_of, said

OF_CURVES = [  # page, link, the cases whose ranges the caption tells
    ("function_draws", {}, ("function_draws.good",)),
    ("function_draws", {"scene": "high-dropout"}, ("function_draws.high-dropout",)),
    ("function_draws", {"scene": "ensemble"}, ("function_draws.ensemble",)),
    ("function_draws", {"scene": "gap"}, ("function_draws.gap",)),
    ("bayes_by_backprop", {}, ("backprop.blundell.backprop",)),
    ("bayes_by_backprop", {"scene": "wide"}, ("backprop.blundell.wide-prior",)),
    ("bayes_by_backprop", {"scene": "gap"}, ("backprop.two_clusters.backprop", "backprop.two_clusters.ensemble")),
]
OF_ARRAYS = [  # page, link, study, array, its columns, decimals
    ("compression", {"compressed_images": "digits"}, WEIGHTS, "group_normal_jeffreys_left", None, 0),
    ("compression", {"scene": "single"}, WEIGHTS, "sparse_variational_dropout_units", 0, 0),
    ("sparsity", {"scene": "few"}, WEIGHTS, "few_paid", 1, 2),
    ("sparsity", {"look": "size"}, WEIGHTS, "thousand_paid", 1, 2),
    ("variational_dropout", {"scene": "functions"}, WEIGHTS, "noise_nll", 0, 2),
    ("variational_dropout", {"scene": "drowned"}, WEIGHTS, "noise_nll", 1, 2),
    ("likelihood", {"look": "likelihoods", "images": "digits"}, GENERATIVE, "rmse_digits", 2, 1),
    ("autoencoder", {"look": "planes"}, GENERATIVE, "codes_std_mnist", 0, 2),
]
OTHER = [  # settings for which no other seeds are shipped
    ("bayes_by_backprop", {"scene": "tight"}),
    ("compression", {"compressed_images": "digits", "prune_at": "2"}),
    ("compression", {"scene": "network"}),  # on MNIST
    ("sparsity", {"scene": "ard"}),
    ("autoencoder", {"look": "planes", "images": "mnist60000"}),
]


def arrays(name: str) -> dict[str, Array]:
    return bundles.shipped(name, study_seeds.ARRAYS[name].settings)


def captions(page: str, link: dict[str, str]) -> list[str]:
    """The sentences with a median and its range."""
    return [each for each in result_of(page, link).words if re.search(r"\S+ \(\S+ – \S+\)", each)]


@pytest.mark.parametrize(("page", "link", "names"), OF_CURVES)
def test_median_and_range_of_curves(page: str, link: dict[str, str], names: tuple[str, ...]):
    [caption] = captions(page, link)
    for values in (column for name in names for column in arrays(CURVES)[name].T):
        assert len(values) == len(CURVE_SEEDS) >= 10
        assert f"{np.median(values):.2g} ({values.min():.2g} – {values.max():.2g})" in caption
    assert len(CURVE_SEEDS) in numbers_in(caption)


@pytest.mark.parametrize(("page", "link", "study", "name", "column", "digits"), OF_ARRAYS)
def test_median_and_range_of_other_quantities(
    page: str, link: dict[str, str], study: str, name: str, column: int | None, digits: int
):
    values = arrays(study)[name].astype(float) * (255 if name.startswith("rmse") else 1)
    chosen = values if column is None else values[:, column]
    median, low, high = (f"{float(of(chosen)):.{digits}f}" for of in (np.median, np.min, np.max))
    [caption] = captions(page, link)
    assert len(values) in numbers_in(caption) and f"{median} ({low} – {high})" in caption


@pytest.mark.parametrize(("page", "link"), OTHER)
def test_another_setting_has_no_caption(page: str, link: dict[str, str]):
    assert not captions(page, link)


def test_told():
    assert seeds.told(np.array([1.0, 2.0, 4.0]), ".2g") == "2 (1 – 4)"


@pytest.mark.parametrize("scene", in_between_study.GAPS)
def test_ratios_in_the_gap_are_medians_and_ranges_over_training_seeds(scene: str):
    """In every scene, for every method whose training has a seed; the other methods have none."""
    result = result_of("in_between", {"scene": scene})
    alt, found, exact = result.figures[0].alt, arrays(CURVES), in_the_gap_of_the_reference(scene)
    count, floor = len(CURVE_SEEDS), in_between_views.SD_RANGE[0]
    for method in GAP_METHODS:
        ratios, name = found[f"in_between.{scene}.{method}"][:, 1] / exact, compare_choice.title(method)
        assert len(ratios) == count
        [told] = re.findall(rf"{re.escape(name)} [^()]*\([^()]*\)", alt)
        expected = [f"{each:.2g}" for each in (np.median(ratios), ratios.min(), ratios.max())]
        assert {*map(float, expected), count} <= set(numbers_in(told))
        low, median, high = found[f"in_between.{scene}.{method}" + study_seeds.CURVE]
        np.testing.assert_allclose(curve(result, name), np.maximum(median, floor), rtol=1e-5)
        band = curve(result, f"{name}: range over training seeds")
        band = band[np.isfinite(band)]
        assert band.min() == pytest.approx(max(low.min(), floor), rel=1e-5)
        assert band.max() == pytest.approx(high.max(), rel=1e-5)
    assert count in numbers_in(said(result))


def in_the_gap_of_the_reference(scene: str) -> float:
    dataset = study_seeds.cases()[f"in_between.{scene}.laplace"].load()
    of_fit = {key: each for key, each in in_between_study.GAPS[scene].items() if key in ("hidden", "length_scale")}
    exact = shelf.find(compare_study.config_of("hmc", dataset, **of_fit))
    assert exact is not None
    x = np.linspace(*dataset.x_range, study_seeds.NUM_INPUTS)
    std = exact.predict(x[:, None], compare_fits.REFERENCE_SAMPLES).epistemic_std[:, 0]
    return in_between.at_the_points_and_in_the_middle(x, std, dataset.x[:, 0])[1]


def test_a_single_training_seed_is_called_one(monkeypatch: pytest.MonkeyPatch):
    """Without the study there is no range on the picture, and the page says what the ratios stand on."""
    usual = result_of("in_between", {"look": "gap"})
    monkeypatch.setattr(seeds, "_of_case", lambda config, suffix: None)
    result = result_of("in_between", {"look": "gap"})
    assert len(names_in(result)) < len(names_in(usual)) and set(result.words) - set(usual.words)


@pytest.mark.parametrize(
    ("page", "link", "study"),
    [("compression", {"compressed_images": "digits"}, WEIGHTS), ("function_draws", {}, CURVES)],
)
def test_a_missing_study_is_a_sentence(page: str, link: dict[str, str], study: str, monkeypatch: pytest.MonkeyPatch):
    def missing(*_: object) -> None:
        raise CheckpointError(f"No checkpoint called {study} is shipped.")

    monkeypatch.setattr(seeds.bundles, "shipped", missing)
    result = result_of(page, link)
    assert result.figures and f"python -m bdlviz train {study}" in said(result)
