"""The view of decisions: whom each rule treats, what that costs, and what the sentence says of it."""

from __future__ import annotations

from dataclasses import replace

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


def captions(**values: str) -> dict[str, list[float]]:
    """What each rule does, by its name: how many it treats, and the cost."""
    texts = [note["text"] for note in plain(result_of(PAGE, values))["layout"]["annotations"]]
    parted = [text.removeprefix("<b>").partition("</b>: ") for text in texts]
    return {name: numbers_in(words) for name, found, words in parted if found}


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


@pytest.mark.parametrize("miss", ["10", "50"])
def test_the_sentence_has_the_expected_cost_of_ignoring_uncertainty(miss: str):
    """At other people, by expected costs instead of simulated illness, and without the grid of the page."""
    dataset = data.load(study.DATASET)
    fit = shelf.shipped("kinds_deep_ensemble_heteroscedastic")[0]
    x = np.random.default_rng(1).uniform(*dataset.x_range, (4000, 1))
    found = fit.predict(x, noisy_curve.NUM_SAMPLES)
    assert dataset.truth is not None and found.variances is not None
    ill = norm.sf(1, dataset.truth(x), noisy_curves.noise_and_gap_noise_std(x))[:, 0]
    told = norm.sf(1, found.draws, np.sqrt(found.variances)).mean(0)[:, 0]
    by_mean, by_both = found.mean[:, 0] > 1, told > 1 / float(miss)
    paid = [np.where(treated, 1, float(miss) * ill).mean() for treated in (by_mean, by_both)]
    says = numbers_in(result_of(PAGE, {"miss": miss, "people": "everywhere"}).says)
    assert [says[0], says[2]] == pytest.approx([100 * each for each in paid], rel=0.1) and says[1] == 100
    found = captions(miss=miss, people="everywhere")
    treats = [each[0] for each in found.values()]
    assert treats == pytest.approx([100 * by_mean.mean(), 100 * by_both.mean()], abs=2)


@pytest.mark.parametrize("values", [{}, {"miss": "50"}, {"people": "everywhere"}, {"limit": "-1"}, {"miss": "2"}])
def test_the_costs_that_are_told_stand_at_the_bars_and_among_the_numbers(values: dict[str, str]):
    result = result_of(PAGE, values)
    first, people, second = numbers_in(result.says)
    assert [each[1] for each in captions(**values).values()] == [first, second] and people == 100
    paid = [numbers_in(reading(result, name)) for name in ("mean only", "both")]
    assert [each[0] for each in paid] == pytest.approx([first, second], abs=0.51)
    assert values.get("miss") != "2" or abs(first - second) < paid[0][1] + paid[1][1], "No difference is shown."


def test_people_are_the_same_for_every_rule():
    dataset = data.load(study.DATASET)
    first, again = (views_decision.people(dataset, everywhere=True) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert np.isin(views_decision.people(dataset, everywhere=False), dataset.x_test).all()
