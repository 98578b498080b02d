"""One method over a reference: the factor of the sentence is that of the bands drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bdlviz import data, plots
from bdlviz.fitted import shelf
from bdlviz.plots.compare import SIDE, WIDTH
from bdlviz.predictive import convergence
from bdlviz.topics.regression.compare import study
from bdlviz.topics.regression.compare import views as compare_views
from bdlviz.topics.regression.in_between import views as in_between_views
from bdlviz.topics.shared import compare_one
from bdlviz.topics.shared.compare_reference import Reference
from bdlviz.types import Predictive
from bdlviz.ui.jobs.obtain import known
from bdlviz.ui.model import Result, Screen, Setting
from tests.told import numbers_in
from tests.topics.shared.page_results import needs_of, reading
from tests.ui.harness import definition

X = np.linspace(-2, 2, 40)[:, None]
VIEWS = {"compare": compare_views, "in_between": in_between_views}


def functions(left: float, right: float) -> Predictive:
    """With one standard deviation left of 0 and another one right of it."""
    sd = np.where(X < 0, left, right)
    return Predictive(X, np.stack([-sd, sd]), 0 * X, sd, 0 * X, 2)


def chains(r_hat: float) -> convergence.Convergence:
    return convergence.Convergence(np.full(3, r_hat), np.full(3, 900.0), 0.8, 16, 1024)


EXACT = Reference("hmc", functions(0.2, 1.0), chains(1.0))


def told(method: str, own: Predictive, reference: Reference | None) -> str:
    return compare_one.sentence(method, own, reference, "outside", 30, "")


@pytest.mark.parametrize(
    ("sd", "numbers"), [(0.1, [0.2, 2, 10]), (0.25, [0.5, 2, 4]), (1.5, [3, 2, 1.5]), (1.05, [2.1, 2]), (0.99, [2, 2])]
)
def test_the_factor_is_that_of_two_standard_deviations_at_one_place(sd: float, numbers: list[float]):
    """The other half of x does not count; a small factor is not told."""
    said = [told("mc_dropout", functions(left, sd), EXACT) for left in (0.1, 5.0)]
    assert said[0] == said[1] and numbers_in(said[0]) == numbers
    assert ("too wide" in said[0]) == (sd > 1.1) and ("too narrow" in said[0]) == (sd < 0.9)


def test_only_an_exact_answer_of_this_network_tells_whose_band_is_too_narrow():
    own = functions(0.1, 0.1)
    said = {
        method: told("mc_dropout", own, Reference(method, EXACT.predictive))
        for method in ("gaussian_process", "deep_ensemble")
    }
    assert "too" in told("mc_dropout", own, EXACT) and not any("too" in each for each in said.values())


def test_the_factor_is_that_of_the_numbers_shown():
    """Of 1.94 and 0.0384 the factor is 50.5; of the numbers in the sentence, 1.9 and 0.038, it is 50."""
    said = told("mc_dropout", functions(1, 0.0384 / 2), Reference("hmc", functions(1, 1.94 / 2), chains(1.0)))
    assert numbers_in(said) == [0.038, 1.9, 50]


@pytest.mark.parametrize("reference", [None, Reference("hmc", EXACT.predictive, chains(1.5))])
def test_without_a_reference_nothing_is_compared(reference: Reference | None):
    assert told("mc_dropout", functions(1, 1), reference) == compare_one.NOTHING


@pytest.mark.parametrize("method", ["map", "hmc"])
def test_one_function_and_the_reference_itself_have_no_factor(method: str):
    own = functions(0, 0) if method == "map" else EXACT.predictive
    assert [each for each in numbers_in(told(method, own, EXACT)) if each] == [2]


def drawn(page: str, **values: str) -> Result:
    return drawn_on(page, Screen(plots.theme("light")), **values)


def drawn_on(page: str, screen: Screen, **values: str) -> Result:
    setting, views = Setting(values), VIEWS[page]
    found = [known(need) for need in views.needed_in_front(setting)]
    assert all(found)
    return views.in_front(setting, screen, found)


@pytest.mark.parametrize("front", ["bayes_by_backprop", "mc_dropout", "deep_ensemble"])
def test_the_shipped_fits_in_the_gap(front: str):
    """In the middle of the gap, between the points left and right of it."""
    points = np.sort(data.load("two_clusters").x[:, 0])
    split = int(np.diff(points).argmax())
    x = np.linspace(-2, 2, 200)
    at = int(np.abs(x - points[split : split + 2].mean()).argmin())
    widths = []
    for method, draws in ((front, 500), ("hmc", 1000)):
        fit, _ = shelf.shipped(study.name_of(method, "two_clusters"))
        widths.append(2 * float(fit.predict(x[:, None], draws).epistemic_std[at, 0]))
    factor = widths[1] / widths[0]
    assert factor > 5
    for each, where in (("in_between", {}), ("compare", {"data": "two_clusters"})):
        told = numbers_in(drawn(each, front=front, **where).says)
        assert told == [pytest.approx(number, rel=0.06) for number in (*widths, factor)]


def test_laplace_opens_where_a_unit_switches_on():
    """At the words a ReLU of the network has its border; the band is narrower at the next points of the grid."""
    figure: Any = drawn("compare", front="laplace").figures[0].figure
    [note] = [note for note in figure.layout.annotations if "kink" in note.text]
    fit, _ = shelf.shipped(study.name_of("laplace", "x_sin_x"))
    weights = fit.single()
    borders = -weights["bias0"][0] / weights["weight0"][0] * fit.scaling.x_scale + fit.scaling.x_mean
    assert np.abs(np.ravel(borders) - note.x).min() < 0.1
    around = fit.predict(note.x + np.array([[-0.5], [0.0], [0.5]]), 500).epistemic_std[:, 0]
    assert around[1] > 1.5 * max(around[0], around[2])
    others: Any = [drawn("compare", front=front).figures[0].figure for front in ("mc_dropout", "gaussian_process")]
    assert not [note for each in others for note in each.layout.annotations if "kink" in note.text]


@pytest.mark.parametrize("page", VIEWS)
def test_the_axis_holds_the_exact_band_and_bars_show_both_widths(page: str):
    """The bars are as high as the two bands there: in the middle of the gap, or right of the points."""
    result = drawn(page, front="deep_ensemble")
    figure: Any = result.figures[0].figure
    bands = [np.array(trace.y) for trace in figure.data if trace.name.endswith("2 sd")]
    exact, own = ((band[: len(band) // 2], band[: len(band) // 2 - 1 : -1]) for band in bands)
    left, right = figure.layout.xaxis.range
    x = np.linspace(left, right, len(exact[0]))
    points = np.concatenate([trace.x for trace in figure.data if trace.name == "Data"])
    ends = (points.max(), right) if page == "compare" else (points[points < 0].max(), points[points > 0].min())
    at = int(np.abs(x - np.mean(ends)).argmin())
    bars, words = ([each for each in found if each.name == WIDTH] for found in (figure.data, figure.layout.annotations))
    for bar, (top, bottom), word in zip(bars, (exact, own), words, strict=True):
        assert bar.x[0] == pytest.approx(x[at], abs=0.03 * (right - left))
        width = np.ptp(bar.y) / 2
        assert width == pytest.approx((top - bottom)[at] / 2, rel=0.06)
        assert numbers_in(word.text) == [pytest.approx(width, rel=0.06)]
    assert numbers_in(result.says)[-3:-1] == [numbers_in(word.text)[0] for word in reversed(words)]
    low, high = figure.layout.yaxis.range
    assert low <= exact[1][at] and exact[0][at] <= high


@pytest.mark.parametrize("page", VIEWS)
def test_every_stop_of_the_first_slider_is_shipped(page: str):
    defined = definition(page)
    assert defined is not None
    view = defined.views[0]
    slider = view.live_at(Setting({}))[0]
    for option in slider.options:
        assert all(need.shipped and need.shipped() for need in needs_of(view, Setting({slider.key: option}))), option


def test_compare_tells_distance_and_coverage_of_the_one_in_front():
    result = drawn("compare", front="mc_dropout")
    everyone = [known(need) for need in compare_views.needed(Setting({}))]
    all_of_them = compare_views.panels(Setting({}), Screen(plots.theme("light")), everyone)
    compared = compare_views._compared(Setting({}), everyone)
    assert float(reading(result, "Distance")) == pytest.approx(compared.scores["mc_dropout"].distance, rel=0.05)
    nearest = min(compared.scores.values(), key=lambda each: np.nan_to_num(each.distance, nan=np.inf))
    assert numbers_in(all_of_them.says)[0] == pytest.approx(nearest.distance, rel=0.05)


@pytest.mark.parametrize(("page", "front"), [("compare", "laplace"), ("in_between", "map")])
def test_bars_beside_show_the_bands_of_all_methods_at_the_same_place(page: str, front: str):
    figure: Any = drawn(page, front=front).figures[0].figure
    name = "x_sin_x" if page == "compare" else "two_clusters"
    draws = {"hmc": 1000} | dict.fromkeys(study.usual(), 500)
    fits = {method: shelf.shipped(study.name_of(method, name))[0] for method in draws}
    [first, *_] = [trace for trace in figure.data if trace.name == WIDTH]
    at = np.full((1, 1), first.x[0])
    widths = [2 * float(fits[method].predict(at, count).epistemic_std[0, 0]) for method, count in draws.items()]
    [bars] = [trace for trace in figure.data if trace.name == SIDE]
    words = [note for note in figure.layout.annotations if note.name == SIDE]
    assert list(bars.x) == [pytest.approx(width, rel=0.05) for width in widths]
    assert [numbers_in(note.text)[-1] for note in words] == [pytest.approx(width, rel=0.02) for width in bars.x]
    colors, look = list(bars.marker.color), plots.theme("light")
    assert colors[0] == look.exact and colors.index(look.mean) == 1 + study.usual().index(front)
    [line] = [shape for shape in figure.layout.shapes if shape.xref == "x2"]
    assert line.x0 == line.x1 == bars.x[0]
    assert max(bars.x) < figure.layout.xaxis2.range[1]
    narrow: Any = drawn_on(page, Screen(look, is_narrow=True), front=front).figures[0].figure
    assert not [trace for trace in narrow.data if trace.name == SIDE]
