"""The view of decisions: whom each rule treats, what that costs, and what the sentence says of it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from bdlviz import data
from bdlviz.data import noisy_curves
from bdlviz.fitted import shelf
from bdlviz.topics.foundations.deciding import views_decision
from bdlviz.topics.foundations.noise_or_ignorance import study
from bdlviz.topics.shared import noisy_curve
from bdlviz.ui.controls.own_points import OwnPoints
from tests.told import numbers_in
from tests.topics.shared.page_results import plain, quick_result, reading, result_of, run_snippet, short_fit

PAGE = "deciding"
OWN = OwnPoints(np.array([[0.0, 1.0], [0.0, -1.0], [1.0, 0.5], [2.0, 0.0]]))


def counted(values: dict[str, str]) -> list[tuple[int, int, int]]:
    """Of both panels: who lies above the limit outside of the shades, below it inside, and inside at all."""
    figure: Any = result_of(PAGE, values).figures[0].figure
    found = []
    for axis in ("x", "x2"):
        own = [each for each in figure.data if (each.xaxis or "x") == axis]
        [limit] = {float(each.y[0]) for each in own if each.name == "limit"}
        dots = np.concatenate([np.transpose([each.x, each.y])[:-1] for each in own if each.mode == "markers"])
        step = 0.5 * np.diff(next(each.x for each in own if each.name == "Mean"))[0] + 1e-5
        shades = [shade for shade in figure.layout.shapes if shade.xref == axis]
        inside = np.zeros(len(dots), bool)
        for shade in shades:
            inside |= (dots[:, 0] > shade.x0 - step) & (dots[:, 0] < shade.x1 + step)
        is_ill = dots[:, 1] > limit
        assert len(dots) == 100
        found.append((int((is_ill & ~inside).sum()), int((inside & ~is_ill).sum()), int(inside.sum())))
    return found


def sums(values: dict[str, str]) -> list[list[float]]:
    """The sums of both panels: missed people, the cost of one, treated people, the cost of one, and all of it."""
    texts = [note["text"] for note in plain(result_of(PAGE, values))["layout"]["annotations"]]
    return [numbers_in(re.sub("<[^>]*>", " ", text)) for text in texts if "missed" in text]


@pytest.mark.parametrize("method", study.SHIPPED)
def test_the_snippet_gives_the_fit(method: str):
    result = quick_result(PAGE, {"method": method, "num_data": "20"})
    assert len(result.numbers) == 4
    found = run_snippet(replace(result, call=result.call.replace("study.run(", "run(")), run=short_fit)
    assert found["fit"].config.method == method


@pytest.mark.parametrize(
    ("own", "values"), [(OWN, {"data": "own"}), (None, {"treat": "10", "miss": "1"}), (None, {"treat": "0"})]
)
def test_what_cannot_be_computed_or_is_trivial_gets_a_sentence(own: OwnPoints | None, values: dict[str, str]):
    result = quick_result(PAGE, values, own)
    assert set(result.words) - set(quick_result(PAGE).words) and result.figures


def test_no_rule_is_better_than_the_truth():
    paid = {name: [float(part) for part in value.split(" ± ")] for name, value in result_of(PAGE).numbers.items()}
    best = paid.pop(next(label for label in paid if "truth" in label))
    assert all(mean >= best[0] - 4 * np.hypot(error, best[1]) for mean, error in paid.values())


@pytest.mark.parametrize("values", [{}, {"miss": "50"}, {"people": "everywhere"}, {"limit": "-1"}, {"miss": "2"}])
def test_the_sentence_and_the_labels_count_the_dots_that_one_sees(values: dict[str, str]):
    alone, both = seen = counted(values)
    miss = float(values.get("miss", "10"))
    paid = [told for missed, _, treated in (both, alone) for told in (miss * missed + treated, missed)]
    assert numbers_in(result_of(PAGE, values).says) == [miss, 100 / miss, *paid]
    assert sums(values) == [[lost, miss, treated, 1, miss * lost + treated] for lost, _, treated in seen]


@pytest.mark.parametrize("miss", ["10", "50"])
def test_the_hundred_people_are_near_the_expected_ones(miss: str):
    """At other people, by probabilities instead of quantiles, and without the grid of the picture."""
    dataset = data.load(study.DATASET)
    fit = shelf.shipped("kinds_deep_ensemble_heteroscedastic")[0]
    x = np.random.default_rng(1).uniform(*dataset.x_range, (4000, 1))
    found = fit.predict(x, noisy_curve.NUM_SAMPLES)
    assert dataset.truth is not None and found.variances is not None
    ill = norm.sf(1, dataset.truth(x), noisy_curves.noise_and_gap_noise_std(x))[:, 0]
    told = norm.sf(1, found.draws, np.sqrt(found.variances)).mean(0)[:, 0]
    for treated, seen in zip(
        (found.mean[:, 0] > 1, told > 1 / float(miss)), counted({"miss": miss, "people": "everywhere"}), strict=True
    ):
        expected = [100 * np.mean(each) for each in (ill * ~treated, (1 - ill) * treated, treated)]
        assert seen == pytest.approx(expected, abs=2.5)


@pytest.mark.parametrize("miss", ["1", "2", "5", "20", "100"])
def test_a_rule_is_cheaper_only_if_the_simulated_people_show_it(miss: str):
    result = result_of(PAGE, {"miss": miss})
    alone, both = (numbers_in(reading(result, name)) for name in ("mean only", "both"))
    is_clear = abs(alone[0] - both[0]) > alone[1] + both[1]
    assert is_clear == ("no clear difference" not in result.says)


def test_people_are_the_same_for_every_rule():
    dataset = data.load(study.DATASET)
    first, again = (views_decision.people(dataset, everywhere=True) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert np.isin(views_decision.people(dataset, everywhere=False), dataset.x_test).all()
