"""The sentence of the page: its shares and standard deviations are those of the picture, counted here by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bdlviz import data, plots
from bdlviz.fitted import shelf
from bdlviz.plots import Reference
from bdlviz.predictive.functions import dropout_masks
from bdlviz.topics.regression.function_draws import asked, told, views
from bdlviz.topics.shared import coverage, draw_inspector
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.types import Dataset, Predictive
from bdlviz.ui.jobs.obtain import known
from bdlviz.ui.model import Result, Says, Screen, Setting
from bdlviz.ui.scrub import grids, picture
from tests.live.in_node import ask
from tests.told import numbers_in

CURVE, CLUSTERS, RECORD = (data.load(name) for name in ("x_sin_x", "two_clusters", "mauna_loa_co2"))


def functions(dataset: Dataset, sd: float, shift: float = 0.0) -> Predictive:
    """The truth plus a shift, with the same standard deviation everywhere and little noise."""
    x = np.linspace(*dataset.x_range, 200)[:, None]
    mean = (dataset.truth(x) if dataset.truth is not None else 0 * x) + shift
    return Predictive(x, np.stack([mean - sd, mean + sd]), mean, np.full_like(x, sd), np.full_like(x, 1e-6), 2)


def shares_of(predictive: Predictive, dataset: Dataset, ends: list[tuple[float, float]]) -> list[float]:
    """In percent, how much of the truth over each of some intervals is inside the 95 % band."""
    assert dataset.truth is not None
    x, truth = predictive.x[:, 0], dataset.truth(predictive.x)[:, 0]
    sd = np.hypot(predictive.epistemic_std, predictive.aleatoric_std)[:, 0]
    hits = np.abs(truth - predictive.mean[:, 0]) < 1.96 * sd
    return [100 * hits[(low <= x) & (x <= high)].mean() for low, high in ends]


@pytest.mark.parametrize("rate", ["0", "0.1", "0.5", "0.95"])
def test_the_sentence_tells_how_much_of_the_truth_the_shipped_band_covers(rate: str):
    setting = Setting({"dropout_rate": rate})
    fits = [known(need) for need in asked.needs(setting)]
    said = views.draw(setting, Screen(plots.theme("light")), fits).says
    fit, _ = shelf.shipped("function_draws_mc_dropout")
    x = np.linspace(*CURVE.x_range, 200)[:, None]
    predictive = fit.cell(dropout_rate=float(rate), weight_decay=1e-4).predict(x, 50)
    low, high = float(CURVE.x.min()), float(CURVE.x.max())
    expected = shares_of(predictive, CURVE, [(low, high), (high, 10)])
    value, *_, inside, outside = numbers_in(said)
    assert value == float(rate)
    assert [inside, outside] == pytest.approx(expected, abs=0.6)


def test_a_gap_is_a_place_of_its_own():
    wide, shifted = functions(CLUSTERS, 0.5), functions(CLUSTERS, 0.1, 1.0)
    assert numbers_in(told.of_one(wide, CLUSTERS, "M")) == [95, 100, 100]
    assert numbers_in(told.of_one(shifted, CLUSTERS, "M")) == [95, 0, 0]
    assert numbers_in(told.of_two(wide, shifted, CLUSTERS)) == [100, 0]


def test_without_a_truth_it_tells_standard_deviations():
    here, there = functions(RECORD, 2.0), functions(RECORD, 6.0)
    assert set(numbers_in(told.of_one(here, RECORD, "M"))) == {2}
    assert numbers_in(told.of_two(here, there, RECORD)) == [2, 6]


def test_one_function_has_no_epistemic_band():
    assert not set(numbers_in(told.of_one(functions(RECORD, 0.0), RECORD, "M")))
    assert numbers_in(told.of_one(functions(CLUSTERS, 0.0), CLUSTERS, "M"))[0] == 100


@pytest.mark.parametrize(("own", "other", "numbers"), [(0.1, 0.5, [0.1, 0.5, 5]), (0.4, 0.1, [0.4, 0.1, 0.25])])
def test_beside_another_answer_it_tells_both_in_the_gap(own: float, other: float, numbers: list[float]):
    reference = Reference(functions(CLUSTERS, other), "Exact (HMC)")
    assert numbers_in(told.beside(functions(CLUSTERS, own), reference, CLUSTERS, "M")) == numbers


def test_the_best_score_of_the_map_is_without_a_prior():
    """What the page says of the score, which does not see what functions do outside the data."""
    fit, extra = shelf.shipped("function_draws_mc_dropout")
    scores = extra["nll"].mean(0)
    rate, decay = np.unravel_index(scores.argmin(), scores.shape)
    axes = dict(fit.config.axes)
    assert axes["weight_decay"][decay] == 0 and 0 < axes["dropout_rate"][rate] < 0.5
    assert CURVE.x_test.min() > -5 and CURVE.x_test.max() < 5


@pytest.mark.parametrize(("rate", "decay"), [("0.1", "1e-4"), ("0.5", "1e-4"), ("best", "0")])
def test_the_map_tells_the_surprise_of_the_setting_and_the_lowest_one_as_the_browser_does(rate: str, decay: str):
    """The scores of the study, not those of the block that the browser draws."""
    fit, extra = shelf.shipped("function_draws_mc_dropout")
    scores, axes = extra["nll"].mean(0), dict(fit.config.axes)
    best = axes["dropout_rate"][int(scores[:, 0].argmin())]
    values = {"dropout_rate": f"{best:g}" if rate == "best" else rate, "weight_decay": decay}
    setting = Setting(values | {"moves": "yes"})
    fits = [known(need) for need in asked.needs(setting)]
    says, _ = views.draw(setting, Screen(plots.theme("light")), fits).tabs[views.MAP]()
    assert isinstance(says, Says)
    cell = scores[axes["dropout_rate"].index(float(values["dropout_rate"])), axes["weight_decay"].index(float(decay))]
    expected = [scores.min()] if rate == "best" else [cell, scores.min()]
    assert numbers_in(says.text) == pytest.approx(expected, rel=6e-3)
    program = (
        "return sentenceOnMap({ surface: { scores: given.scores, corners: (at) => [[at, 1]] } }, { position: 1 });"
    )
    given = {"scores": [float(scores.min()), float(cell)]}
    assert ask(f"{SCRIPTS}\n{program}", **given) == says.text


@pytest.mark.parametrize("dataset", [CURVE, CLUSTERS, RECORD], ids=lambda dataset: dataset.name)
@pytest.mark.parametrize("sd", [0.0, 4e-4, 0.5, 3.0])
def test_the_browser_says_the_same_while_a_slider_moves(dataset: Dataset, sd: float):
    own, other = functions(dataset, sd, 0.6), functions(dataset, 2.0, 0.1)
    reference = Reference(other, "Exact (HMC)")
    expected = [
        told.of_one(own, dataset, "MC dropout"),
        told.of_two(own, other, dataset),
        told.beside(own, reference, dataset, "MC dropout"),
    ]
    assert said_in_browser(own, other, dataset, reference.name) == expected


def test_every_share_of_the_sentence_stands_where_it_belongs_in_both_pictures():
    """Two clusters divide the axis into five stretches, one curve into three."""
    for dataset, count in ((CURVE, 3), (CLUSTERS, 5)):
        own = functions(dataset, 0.5)
        own = replace(own, mean=own.mean + 2 * np.sin(3 * own.x))
        found = coverage.stretches(own, dataset)
        assert len(found) == count and sum(last - first + 1 for first, last, _, _ in found) == len(own.x)
        shares = {place: share for *_, place, share in found}
        away = "in the gap" if count == 5 else "on the right"
        assert numbers_in(told.of_one(own, dataset, "M"))[1:] == numbers_in(f"{shares['at the data']} {shares[away]}")
        distance = float(np.abs(np.interp(dataset.x, own.x[:, 0], own.mean[:, 0]) - dataset.y).mean())
        said = in_browser("return stretchesOf(view([panels[0]]), panels[0]);", own, own, dataset, "")
        assert [tuple(each[key] for key in ("first", "last", "place", "share")) for each in said] == found
        fig: Any = plots.function_draws(own, dataset)
        coverage.mark_coverage(fig, own, dataset, plots.LIGHT)
        notes = numbers_in(" ".join(note.text for note in fig.layout.annotations))
        assert notes == [pytest.approx(distance, rel=0.06), *numbers_in(" ".join(share for *_, share in found))]


SCRIPTS = "\n".join(
    (picture.base.CLIENT / f"{name}.js").read_text("utf-8")
    for name in ("base/elements", "picture/sliders", "picture/coverage", "picture/told")
)
IN_BROWSER = """
const { axes, unit, reference, panels } = given;
const spec = { axes, unit, told: { title: "MC dropout", reference } };
const [low, high] = axes.x.range;
const view = (shown) => ({
  spec, panels: shown, active: shown[0], sliders: new Map(),
  xAt: (index, numX) => low + (index / (numX - 1)) * (high - low),
});
"""
SENTENCES = """
const { reference_epistemic, ...alone } = panels[0].cell.arrays;
const own = { ...panels[0], cell: { arrays: alone } };
return [[own], [own, panels[1]], [panels[0]]].map((shown) => sentenceOf(view(shown)));
"""


def said_in_browser(own: Predictive, other: Predictive, dataset: Dataset, reference: str) -> list[str]:
    """The sentences of the script for one setting, for two, and beside a reference."""
    return in_browser(SENTENCES, own, other, dataset, reference)


def in_browser(program: str, own: Predictive, other: Predictive, dataset: Dataset, reference: str) -> Any:
    """What a program returns that sees the scripts of the picture, a view and two panels."""
    arrays: dict[str, list[float]] = {"reference_epistemic": other.epistemic_std[:, 0].tolist()}
    if dataset.truth is not None:
        x = np.linspace(*dataset.x_range, grids.TRUTH_POINTS)
        arrays |= {"truth_x": x.tolist(), "truth_y": dataset.truth(x[:, None])[:, 0].tolist()}
    points = np.hstack([dataset.x, dataset.y]).tolist()

    def panel(predictive: Predictive) -> dict[str, object]:
        moments = {"mean": predictive.mean, "epistemic": predictive.epistemic_std, "total": predictive.total_std}
        now = {name: values[:, 0].tolist() for name, values in moments.items()} | {"numX": len(predictive.x)}
        return {"now": now, "points": points, "cell": {"arrays": arrays}}

    axes = {"x": {"range": list(dataset.x_range)}}
    given = {"axes": axes, "unit": unit(dataset), "reference": reference, "panels": [panel(own), panel(other)]}
    return ask(f"{SCRIPTS}\n{IN_BROWSER}\n{program}", **given)


@pytest.mark.parametrize("rate", ["0.1", "0.5", "0.95"])
@pytest.mark.parametrize(("chosen", "draws"), [("0", (1, 2)), ("7", (7, 8)), ("200", (200, 1))])
def test_two_draws_are_two_networks_that_share_units(rate: str, chosen: str, draws: tuple[int, int]):
    """The masks are drawn here from the stream of predictions, and the units counted as sets."""
    setting = Setting({"dropout_rate": rate, "highlighted_draw": chosen})
    fit = known(asked.needs(setting)[0])
    assert fit is not None
    rng = np.random.Generator(np.random.SFC64([0, *b"draws"]))
    widths = fit.config.hidden
    masks = np.concatenate(dropout_masks(rng, widths, float(rate), 200), axis=1)
    one, other = ({*np.flatnonzero(masks[draw - 1])} for draw in draws)
    result = Result(draw_inspector.inside_a_draw(setting, Screen(plots.theme("light")), fit))
    expected = [draws[0], len(one), sum(widths), draws[1], len(other), len(one & other)]
    assert numbers_in(result.says) == expected
    keep, size = 1 - float(rate), sum(widths)
    shared = keep**2
    assert len(one & other) / size == pytest.approx(shared, abs=4 * np.sqrt(shared * (1 - shared) / size))
    [words] = [text for text in result.words if "Srivastava" in text]
    assert numbers_in(words)[1:3] == [pytest.approx(100 * keep), pytest.approx(100 * shared, rel=0.05)]
