"""Standard deviations over training seeds stand under the pictures of single fits, where they are shipped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bdlviz.fitted import bundles, shelf
from bdlviz.predictive import in_between
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.in_between import study as in_between_study
from bdlviz.topics.regression.in_between import views as in_between_views
from bdlviz.topics.regression.in_between.study import SEEDS
from bdlviz.topics.shared import compare_choice, compare_fits, over_seeds, repeats
from tests.ui.harness import assert_works, figures, open_page, trace

SHOWN = [  # page, link, the cases whose ranges the caption tells
    ("function_draws", {}, ("function_draws.good",)),
    ("function_draws", {"scene": "high-dropout"}, ("function_draws.high-dropout",)),
    ("function_draws", {"scene": "ensemble"}, ("function_draws.ensemble",)),
    ("function_draws", {"scene": "gap"}, ("function_draws.gap",)),
    ("bayes_by_backprop", {}, ("backprop.blundell.backprop",)),
    ("bayes_by_backprop", {"scene": "wide"}, ("backprop.blundell.wide-prior",)),
    ("bayes_by_backprop", {"scene": "gap"}, ("backprop.two_clusters.backprop", "backprop.two_clusters.ensemble")),
]


@pytest.mark.parametrize(("page", "link", "names"), SHOWN)
def test_the_caption_tells_median_and_range(page: str, link: dict[str, str], names: tuple[str, ...]):
    app = open_page(page, link)
    assert_works(app)
    found = bundles.shipped(in_between_study.NAME, in_between_study.settings())
    [caption] = [each.value for each in app.caption if "training seeds, median and range" in each.value]
    for name in names:
        for values in found[name].T:
            low, median, high = values.min(), np.median(values), values.max()
            assert len(values) == len(SEEDS)
            assert f"{median:.2g} ({low:.2g} – {high:.2g})" in caption
    assert f"over {len(SEEDS)} training seeds" in caption and len(SEEDS) >= 10


@pytest.mark.parametrize("scene", in_between_study.GAPS)
def test_ratios_in_the_gap_are_medians_and_ranges_over_training_seeds(scene: str):
    """In every scene, for every method whose training has a seed; the other methods have none."""
    app = open_page("in_between", {"scene": scene})
    assert_works(app)
    said = app.get("plotly_chart")[0].proto.alt  # type: ignore[attr-defined]
    exact = in_the_gap_of_the_reference(scene)
    found = bundles.shipped(in_between_study.NAME, in_between_study.settings())
    for method in in_between_study.GAP_METHODS:
        ratios = found[f"in_between.{scene}.{method}"][:, 1] / exact
        low, median, high = ratios.min(), np.median(ratios), ratios.max()
        assert len(ratios) == len(SEEDS)
        name = compare_choice.title(method)
        assert f"{name} {median:.2g} ({low:.2g} to {high:.2g} over {len(SEEDS)} training seeds) times the exact" in said
    assert said.count("times the exact sd") == 3 + len(in_between_study.GAP_METHODS)  # and MAP, GP, HMC
    for method in in_between_study.GAP_METHODS:
        low, median, high = found[f"in_between.{scene}.{method}" + in_between_study.CURVE]
        name, floor = compare_choice.title(method), in_between_views.SD_RANGE[0]
        drawn, band = trace(figures(app)[0], name)[1], trace(figures(app)[0], f"{name}: range over training seeds")[1]
        np.testing.assert_allclose(drawn, np.maximum(median, floor), rtol=1e-5)
        band = band[np.isfinite(band)]
        assert band.min() == pytest.approx(max(low.min(), floor), rel=1e-5)
        assert band.max() == pytest.approx(high.max(), rel=1e-5)
    names = {trace.get("name") for trace in figures(app)[0]["data"]}
    assert f"range over {len(SEEDS)} training seeds" in names
    assert any(f"median and range over {len(SEEDS)} training seeds" in each.value for each in app.caption)


def in_the_gap_of_the_reference(scene: str) -> float:
    dataset = in_between_study.cases()[f"in_between.{scene}.laplace"].load()
    exact = shelf.find(compare_study.config_of("hmc", dataset, **of_fit(scene)))
    assert exact is not None
    x = np.linspace(*dataset.x_range, in_between_study.NUM_INPUTS)
    std = exact.predict(x[:, None], compare_fits.REFERENCE_SAMPLES).epistemic_std[:, 0]
    return in_between.at_the_points_and_in_the_middle(x, std, dataset.x[:, 0])[1]


def of_fit(scene: str) -> dict[str, Any]:
    return {name: each for name, each in in_between_study.GAPS[scene].items() if name in ("hidden", "length_scale")}


def test_a_single_training_seed_is_called_one(monkeypatch: pytest.MonkeyPatch):
    """Without the study there is no range on the picture, and the page says what the ratios stand on."""
    monkeypatch.setattr(over_seeds, "_shipped", lambda config, suffix: None)
    app = open_page("in_between")
    assert not any("training seeds" in str(trace.get("name")) for trace in figures(app)[0]["data"])
    assert any("Of one training seed" in each.value and "Deep ensemble" in each.value for each in app.caption)


def test_another_setting_has_no_caption():
    app = open_page("bayes_by_backprop", {"scene": "tight"})
    assert not any("training seeds" in each.value for each in app.caption)


def test_a_missing_study_is_a_sentence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(in_between_study, "NAME", "not_shipped")
    app = open_page("function_draws")
    assert_works(app)
    assert any("No checkpoint called not_shipped is shipped" in each.value for each in app.caption)


def test_told():
    assert repeats.told(np.array([1.0, 2.0, 4.0]), ".2g") == "2 (1 – 4)"
