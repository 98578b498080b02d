"""Median and range over training seeds stand under the pictures of single fits, where they are shipped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from tests.ui.harness import assert_works, figures, open_page, trace

OF_CURVES = [  # page, link, the cases whose ranges the caption tells
    ("function_draws", {}, ("function_draws.good",)),
    ("function_draws", {"scene": "high-dropout"}, ("function_draws.high-dropout",)),
    ("function_draws", {"scene": "ensemble"}, ("function_draws.ensemble",)),
    ("function_draws", {"scene": "gap"}, ("function_draws.gap",)),
    ("bayes_by_backprop", {}, ("backprop.blundell.backprop",)),
    ("bayes_by_backprop", {"scene": "wide"}, ("backprop.blundell.wide-prior",)),
    ("bayes_by_backprop", {"scene": "gap"}, ("backprop.two_clusters.backprop", "backprop.two_clusters.ensemble")),
]


SHOWN = [  # page, link, study, array, its columns, decimals
    ("compression", {"scene": "network"}, WEIGHTS, "group_normal_jeffreys_left", None, 0),
    ("compression", {"scene": "single"}, WEIGHTS, "sparse_variational_dropout_units", 0, 0),
    ("sparsity", {"scene": "few"}, WEIGHTS, "few_paid", 1, 2),
    ("sparsity", {"look": "size"}, WEIGHTS, "thousand_paid", 1, 2),
    ("variational_dropout", {"scene": "functions"}, WEIGHTS, "noise_nll", 0, 2),
    ("variational_dropout", {"scene": "drowned"}, WEIGHTS, "noise_nll", 1, 2),
    ("likelihood", {"images": "digits"}, GENERATIVE, "rmse_digits", 2, 1),
    ("autoencoder", {}, GENERATIVE, "codes_std_mnist", 0, 2),
]
OTHER = [  # where nothing is known of other seeds
    ("compression", {"look": "network", "prune_at": "2"}),
    ("sparsity", {"scene": "ard"}),
    ("autoencoder", {"images": "mnist60000"}),
]


def arrays(name: str) -> dict[str, Array]:
    return bundles.shipped(name, study_seeds.ARRAYS[name].settings)


@pytest.mark.parametrize(("page", "link", "names"), OF_CURVES)
def test_the_caption_tells_median_and_range(page: str, link: dict[str, str], names: tuple[str, ...]):
    app = open_page(page, link)
    assert_works(app)
    found = arrays(CURVES)
    [caption] = [each.value for each in app.caption if "training seeds, median and range" in each.value]
    for name in names:
        for values in found[name].T:
            low, median, high = values.min(), np.median(values), values.max()
            assert len(values) == len(CURVE_SEEDS)
            assert f"{median:.2g} ({low:.2g} – {high:.2g})" in caption
    assert f"over {len(CURVE_SEEDS)} training seeds" in caption and len(CURVE_SEEDS) >= 10


@pytest.mark.parametrize("scene", in_between_study.GAPS)
def test_ratios_in_the_gap_are_medians_and_ranges_over_training_seeds(scene: str):
    """In every scene, for every method whose training has a seed; the other methods have none."""
    app = open_page("in_between", {"scene": scene})
    assert_works(app)
    said = app.get("plotly_chart")[0].proto.alt  # type: ignore[attr-defined]
    exact = in_the_gap_of_the_reference(scene)
    found = arrays(CURVES)
    for method in GAP_METHODS:
        ratios = found[f"in_between.{scene}.{method}"][:, 1] / exact
        low, median, high = ratios.min(), np.median(ratios), ratios.max()
        assert len(ratios) == len(CURVE_SEEDS)
        name = compare_choice.title(method)
        assert (
            f"{name} {median:.2g} ({low:.2g} to {high:.2g} over {len(CURVE_SEEDS)} training seeds) times the exact"
            in said
        )
    assert said.count("times the exact sd") == 3 + len(GAP_METHODS)  # and MAP, GP, HMC
    for method in GAP_METHODS:
        low, median, high = found[f"in_between.{scene}.{method}" + study_seeds.CURVE]
        name, floor = compare_choice.title(method), in_between_views.SD_RANGE[0]
        drawn, band = trace(figures(app)[0], name)[1], trace(figures(app)[0], f"{name}: range over training seeds")[1]
        np.testing.assert_allclose(drawn, np.maximum(median, floor), rtol=1e-5)
        band = band[np.isfinite(band)]
        assert band.min() == pytest.approx(max(low.min(), floor), rel=1e-5)
        assert band.max() == pytest.approx(high.max(), rel=1e-5)
    names = {trace.get("name") for trace in figures(app)[0]["data"]}
    assert f"range over {len(CURVE_SEEDS)} training seeds" in names
    assert any(f"median and range over {len(CURVE_SEEDS)} training seeds" in each.value for each in app.caption)


def in_the_gap_of_the_reference(scene: str) -> float:
    dataset = study_seeds.cases()[f"in_between.{scene}.laplace"].load()
    exact = shelf.find(compare_study.config_of("hmc", dataset, **of_fit(scene)))
    assert exact is not None
    x = np.linspace(*dataset.x_range, study_seeds.NUM_INPUTS)
    std = exact.predict(x[:, None], compare_fits.REFERENCE_SAMPLES).epistemic_std[:, 0]
    return in_between.at_the_points_and_in_the_middle(x, std, dataset.x[:, 0])[1]


def of_fit(scene: str) -> dict[str, Any]:
    return {name: each for name, each in in_between_study.GAPS[scene].items() if name in ("hidden", "length_scale")}


def test_a_single_training_seed_is_called_one(monkeypatch: pytest.MonkeyPatch):
    """Without the study there is no range on the picture, and the page says what the ratios stand on."""
    monkeypatch.setattr(seeds, "_of_case", lambda config, suffix: None)
    app = open_page("in_between")
    assert not any("training seeds" in str(trace.get("name")) for trace in figures(app)[0]["data"])
    assert any("Of one training seed" in each.value and "Deep ensemble" in each.value for each in app.caption)


def test_another_setting_has_no_caption():
    app = open_page("bayes_by_backprop", {"scene": "tight"})
    assert not any("training seeds" in each.value for each in app.caption)


def test_told():
    assert seeds.told(np.array([1.0, 2.0, 4.0]), ".2g") == "2 (1 – 4)"


def said(page: str, link: Mapping[str, str]) -> list[str]:
    return [each.value for each in open_page(page, link).caption if "training seeds, median and range" in each.value]


@pytest.mark.parametrize(("page", "link", "study", "name", "column", "digits"), SHOWN)
def test_median_and_range_stand_under_the_picture(
    page: str, link: dict[str, str], study: str, name: str, column: int | None, digits: int
):
    values = arrays(study)[name].astype(float)
    chosen = values if column is None else values[:, column]
    scale = 255 if name.startswith("rmse") else 1
    median, low, high = (f"{scale * float(of(chosen)):.{digits}f}" for of in (np.median, np.min, np.max))
    [caption] = said(page, link)
    assert caption.startswith(f"{len(values)} training seeds") and f"{median} ({low} – {high})" in caption


@pytest.mark.parametrize(("page", "link"), OTHER)
def test_nothing_is_said_of_another_setting(page: str, link: dict[str, str]):
    assert not said(page, link)


MISSING = [("compression", {"scene": "network"}, WEIGHTS), ("function_draws", {}, CURVES)]


@pytest.mark.parametrize(("page", "link", "study"), MISSING)
def test_a_missing_study_is_a_sentence(page: str, link: dict[str, str], study: str, monkeypatch: pytest.MonkeyPatch):
    def gone(*_: object) -> None:
        raise CheckpointError(f"No checkpoint called {study} is shipped.")

    monkeypatch.setattr(seeds.bundles, "shipped", gone)
    app = open_page(page, link)
    assert_works(app)
    assert any(f"{study} is shipped. `python -m bdlviz train {study}`" in each.value for each in app.caption)
