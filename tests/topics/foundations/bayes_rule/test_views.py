"""The views of Bayes' rule: their numbers are the library's, their snippets run, bad input gets a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import streamlit as st
from scipy.stats import norm

from bdlviz.data.tables import MAX_ROWS
from bdlviz.errata.bayes import MASSES
from bdlviz.errors import InvalidInput
from bdlviz.models import four_networks
from bdlviz.models.bayes_rule import log_normal
from bdlviz.topics.foundations.bayes_rule import controls, grid_posterior, inference, points, two_parameters
from bdlviz.topics.foundations.bayes_rule.figures import SPREAD
from bdlviz.topics.foundations.bayes_rule.two_parameters import FAMILIES, LINE, NETWORK
from bdlviz.topics.foundations.bayes_rule.views_networks import points_of, table
from bdlviz.topics.results.figure_index.entries import ENTRIES
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.own_points import OwnPoints
from bdlviz.ui.frame.tabs import TAB
from bdlviz.ui.model import Result, Setting, Table
from tests.told import numbers_in
from tests.topics.shared.page_results import (
    curve,
    names_in,
    number,
    plain,
    reading,
    result_of,
    run_snippet,
)
from tests.ui.harness import axis_ranges, numbers, trace

PAGE = "bayes_rule"
FOUR = {"look": "four"}
HIGH = [[0.1, 95.0], [-0.1, 90.0]]


def maps_of(own: list[list[float]] | None = None, **values: str) -> Result:
    """The maps at a setting, or with the visitor's points."""
    return (
        result_of(PAGE, values) if own is None else result_of(PAGE, {"data": "own"} | values, OwnPoints(np.array(own)))
    )


def heats(result: Result) -> list[dict[str, Any]]:
    return [each for each in plain(result)["data"] if each["type"] == "heatmap"]


# Numbers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "result",
    [maps_of(), maps_of(family="network", points_seen="10"), maps_of(prior_std="inf"), maps_of([[1, 2]])],
    ids=["line", "network", "flat", "own"],
)
def test_the_snippet_gives_the_numbers_of_the_view(result: Result):
    evidence = run_snippet(result)["posterior"].terms.log_evidence
    assert number(result, "Evidence") == pytest.approx(evidence, abs=0.006)


def test_the_snippet_of_four_networks():
    result = result_of(PAGE, FOUR | {"odds_2": "20"})
    found = run_snippet(result)["found"]
    assert number(result, "Evidence") == pytest.approx(found.terms.log_evidence, abs=0.006)
    assert [row[4] for row in table(found, 3.5)[1]][:4] == [f"{share:.4f}" for share in found.terms.posterior]


def test_the_losses_are_those_of_the_new_points():
    made = points.made_points(LINE, 3, 0, False)
    mle = two_parameters.most_likely(LINE, made.x, made.y, ridge_weight=0.0)
    errors = made.y_test - LINE.at(mle, made.x_test)
    result = maps_of(points_seen="3")
    assert number(result, "MLE") == pytest.approx(-log_normal(errors**2, 1, 0.7).mean(), abs=0.006)
    posterior = grid_posterior.grid_posterior(LINE, made.x, made.y, noise_std=0.7, prior_std=1.0)
    average = -posterior.log_predictive(made.x_test, made.y_test).mean()
    assert number(result, "average") == pytest.approx(average, abs=0.006)


def test_a_table_adds_up():
    found = four_networks.infer(np.array([0.5]), np.array([0.6]), np.array([1.0, 2.0, 3.0, 4.0]), 0.5)
    heads, rows = table(found, 1.0)
    prior, likelihood, numerator = ([float(row[column].replace("−", "-")) for row in rows[:4]] for column in (1, 2, 3))
    assert float(rows[4][3].split(" ")[0]) == pytest.approx(sum(numerator), abs=2e-4)
    np.testing.assert_allclose(np.multiply(prior, likelihood), numerator, atol=1e-4)
    assert heads[5] == "f(1.0)" and rows[4][5].startswith(f"{found.predict(np.array([1.0])).mean[0, 0]:.2f} ±")


def test_numbers_too_small_for_a_float_stand_in_the_table():
    assert result_of(PAGE, FOUR | {"four_points": "100", "four_noise": "0.2"}).numbers
    made = points.points_of_networks(0, 100, 0)
    _, rows = table(four_networks.infer(made.x, made.y, np.ones(4), 0.05), 0.0)
    mantissa, exponent = rows[3][2].replace("−", "-").split("e")
    assert int(exponent) < -400 and 1 <= float(mantissa) < 10


def test_minus_the_log_likelihood_of_gaussian_noise_is_the_sum_of_squares_and_a_constant():
    """So the most likely network and the most likely line have the least squares."""
    result = result_of(PAGE, FOUR | {"four_noise": "2"})
    found, made = run_snippet(result)["found"], points.points_of_networks(0, 3, 0)
    squares = np.square(made.y - four_networks.evaluate(made.x)).sum(1)
    np.testing.assert_allclose(-found.terms.log_likelihood - squares / (2 * 2.0**2), 3 * np.log(2 * np.sqrt(2 * np.pi)))
    assert found.most_likely == squares.argmin()
    for noise in ("0.3", "3"):
        x, y = trace(plain(shown := maps_of(points_seen="5", assumed_std=noise)), "Data")
        inputs = np.linspace(-4, 4, len(curve(shown, "MLE")))
        np.testing.assert_allclose(curve(shown, "MLE"), np.polyval(np.polyfit(x, y, 1), inputs), atol=1e-5)


# What the scenes say --------------------------------------------------------------------------------------------------


def test_without_data_the_posterior_is_the_prior():
    result = maps_of(points_seen="0")
    prior, _, posterior = heats(result)
    np.testing.assert_array_equal(prior["z"], posterior["z"])
    assert reading(result, "MLE") == "–"
    assert "MLE" not in names_in(result)


def test_priors_and_data_move_the_estimates_together():
    """A flat prior makes MAP the MLE, a strong prior flattens the line, and much data make the two agree."""
    flat, ridge, few, many = (
        (curve(result, "MAP"), curve(result, "MLE"))
        for result in (
            maps_of(points_seen="3", prior_std="inf"),
            result_of(PAGE, {"scene": "ridge"}),
            maps_of(points_seen="3"),
            maps_of(points_seen="20"),
        )
    )
    np.testing.assert_allclose(*flat)
    assert np.ptp(ridge[0]) < 0.6 * np.ptp(ridge[1])
    gaps = [np.abs(np.subtract(*each)).max() for each in (few, many)]
    assert gaps[1] < 0.15 and gaps[1] < gaps[0]


def test_mean_weights_of_a_network_are_the_function_zero():
    result = result_of(PAGE, {"scene": "network"})
    assert np.abs(curve(result, "Mean parameters")).max() < 1e-5
    assert np.ptp(curve(result, "Posterior average")) > 2


@pytest.mark.parametrize("family", list(FAMILIES))
def test_updates_one_by_one_end_at_the_same_posterior(family: str):
    at_once, by_last = (maps_of(family=family, points_seen="4", update_by=by) for by in ("all", "last"))
    (first, _, end), (other_first, _, other_end) = heats(at_once), heats(by_last)
    np.testing.assert_array_equal(end["z"], other_end["z"])
    assert not np.array_equal(first["z"], other_first["z"])
    titles = [note["text"] for note in plain(by_last)["layout"]["annotations"]]
    assert [numbers_in(title) for title in titles[:2]] == [[3], [4]]


def test_the_prior_of_the_next_point_is_the_posterior_of_those_before():
    found, before = (inference.infer(LINE, points.made_points(LINE, count, 0, False), 0.7, 1.0) for count in (5, 4))
    prior, _, _ = inference.three_maps(found, 3.0, by_last=True)
    np.testing.assert_array_equal(prior.density, before.posterior.density)


def test_points_at_one_x_leave_a_ridge():
    result = result_of(PAGE, {"scene": "same-x"})
    x, y = trace(plain(result), "Data")
    assert np.ptp(x) == 0 and np.ptp(y) > 1


def test_too_little_noise_costs():
    good, bad = maps_of(points_seen="3"), result_of(PAGE, {"scene": "sure"})
    for label in ("MLE", "average"):  # a narrow prior would not change that of the MLE
        assert number(bad, label) > 3 * number(good, label)


def test_the_posterior_is_on_a_wrong_network():
    result = result_of(PAGE, {"scene": "four-wrong"})
    assert number(result, "average") > 1


@pytest.mark.parametrize(
    ("count", "noise", "prior"), [(0, "0.7", "1"), (1, "0.7", "1"), (3, "1", "2"), (20, "0.7", "1")]
)
def test_the_area_that_is_left_and_how_often_the_average_wins(count: int, noise: str, prior: str):
    """In closed form; the area is in the sentence and beside the outline of the posterior."""
    result = maps_of(points_seen=str(count), assumed_std=noise, prior_std=prior)
    made = [points.made_points(LINE, count, seed, False) for seed in range(10)]
    found = [inference.infer(LINE, each, float(noise), float(prior)) for each in made]
    wins = sum((each.loss("map") or np.inf) > each.loss_of_average() for each in found)
    assert numbers_in(reading(result, "better")) == [wins, 10]
    design = np.column_stack([made[0].x, np.ones(count)]) * float(prior) / float(noise)
    share = np.linalg.det(design.T @ design + np.eye(2)) ** -0.5
    notes = plain(result)["layout"]["annotations"]
    marked = [numbers_in(note["text"])[-1] for note in notes if note["xref"] == "x3" and note["text"].endswith("%")]
    of_prior = [100] * (prior == "1")  # a wide prior's outline is outside the map
    assert marked == [*of_prior, pytest.approx(100 * share, rel=0.06)]
    assert numbers_in(result.says)[:2] == [count, marked[-1]]


def test_the_losses_of_a_line_in_closed_form_are_those_of_the_grid():
    made = points.made_points(LINE, 4, 2, False)
    found = inference.infer(LINE, made, 0.5, 1.5)
    expected = found.loss("map"), found.loss_of_average()
    assert inference.losses_of_line(made, 0.5, 1.5) == pytest.approx(expected, abs=1e-4)


def test_the_sentence_of_one_more_point_compares_with_the_points_before():
    after, before = (inference.infer(LINE, points.made_points(LINE, n, 0, False), 0.7, 1.0) for n in (4, 3))
    share = np.sqrt(np.linalg.det(after.posterior.covariance) / np.linalg.det(before.posterior.covariance))
    told = numbers_in(maps_of(points_seen="4", update_by="last").says)
    assert told == [4, pytest.approx(100 * share, rel=0.06), 3]


def test_the_sentence_of_two_peaks_tells_what_the_mean_weights_cost():
    result = result_of(PAGE, {"scene": "network"})
    made = points.made_points(NETWORK, 10, 0, False)
    flat = -log_normal(made.y_test**2, 1, 0.7).mean()
    told = numbers_in(result.says)
    assert told == [0, 0, pytest.approx(flat, abs=0.01), pytest.approx(number(result, "average"), abs=0.006)]


@pytest.mark.parametrize("values", [{}, {"four_truth": "between", "four_points": "100"}, {"odds_2": "20"}])
def test_the_sentence_of_four_networks_has_the_largest_of_the_table(values: dict[str, str]):
    result = result_of(PAGE, FOUR | values)
    [shown] = [part for part in result.parts if isinstance(part, Table)]
    shares = [float(row[4]) for row in shown.rows[:4]]
    told = numbers_in(result.says)
    assert told[1:3] == [1 + int(np.argmax(shares)), pytest.approx(100 * max(shares), rel=0.02)]
    assert values.get("odds_2") or told[-1] == pytest.approx(number(result, "average"), abs=0.006)


def average_of(values: dict[str, str]) -> tuple[str, dict[str, Any]]:
    """The sentence and the figure of the further picture of the average."""
    found = Result(result_of(PAGE, FOUR | values).tabs["Average of the networks"]())
    return found.says, plain(found)


SURE = {"four_truth": "4", "four_points": "100"}


@pytest.mark.parametrize("values", [{}, SURE, {"odds_2": "20", "four_points": "1"}])
def test_the_average_is_off_the_most_probable_network_by_what_is_told(values: dict[str, str]):
    says, figure = average_of(values)
    setting = Setting(FOUR | values)
    made = points_of(setting)
    prior = np.array([setting.number(control) for control in controls.ODDS])
    x = np.linspace(-4, 4, 161)
    functions = four_networks.evaluate(x)
    mass = prior * norm.pdf(made.y, four_networks.evaluate(made.x), 0.5).prod(1)
    mass /= mass.sum()
    best = int(mass.argmax())
    gap = mass @ functions - functions[best]
    np.testing.assert_allclose(trace(figure, f"average − {best + 1}")[1], gap, atol=1e-6)
    expected = [best + 1, 100 * min(mass[best], 0.999)]
    if np.abs(gap).max() > 1e-3:
        expected += [np.abs(gap).max(), x[np.abs(gap).argmax()]]
    assert numbers_in(says) == [pytest.approx(each, rel=0.06) for each in expected]
    assert len(expected) == (2 if values is SURE else 4)


def test_the_figure_index_opens_the_masses_of_the_example():
    [entry] = [each for each in ENTRIES if ("four_points", "0") in each.query]
    values = {key: value for key, value in entry.query if key != TAB}
    found = run_snippet(result_of(PAGE, values))["found"]
    np.testing.assert_allclose(found.terms.posterior, MASSES)
    says, figure = average_of(values)
    functions = four_networks.evaluate(np.linspace(-4, 4, 161))
    gaps = np.abs(MASSES @ functions - functions[[1, 3]]).max(1)
    assert numbers_in(says) == [2, 4, 33, *(pytest.approx(gap, rel=0.06) for gap in gaps)]
    assert {f"average − {name}" for name in "24"} <= {each["name"] for each in figure["data"]}


# Axes, points and bad input -------------------------------------------------------------------------------------------


def test_axes_stay_while_sliders_move():
    first = axis_ranges(plain(maps_of()))
    for key, options in (("points_seen", ("0", "20")), ("data_seed", ("9",)), ("assumed_std", ("0.1", "5"))):
        for option in options:
            assert axis_ranges(plain(maps_of(None, **{key: option}))) == first, f"{key} = {option} moves the axes."


@pytest.mark.parametrize("by", ["map", "mle", "mean"])
def test_a_single_choice_has_a_band_of_noise_alone(by: str):
    names = names_in(maps_of(predict_by=by))
    assert "Noise of the points" in names and not {SPREAD, "Draws of the posterior"} & names


def test_no_choice_to_predict_with():
    by_nothing, by_average = (maps_of(predict_by=by, points_seen="0") for by in ("mle", "average"))
    assert set(by_nothing.words) - set(by_average.words)


@pytest.mark.parametrize(
    "own",
    [[[0.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]], [[1.0, -1.0], [1.0, 2.0]], [[0.1, 95.0], [-0.1, 90.0]], [[9.9, 0.0]]],
    ids=["one", "twice", "same x", "high", "far"],
)
@pytest.mark.parametrize("family", list(FAMILIES))
def test_own_points(own: list[list[float]], family: str):
    result = maps_of(own, family=family)
    np.testing.assert_allclose(np.column_stack(trace(plain(result), "Data")), own, rtol=1e-6)
    ranges = axis_ranges(plain(result))
    for x, y in own:
        assert ranges["xaxis4"][0] <= x <= ranges["xaxis4"][1] and ranges["yaxis4"][0] <= y <= ranges["yaxis4"][1]
    assert len(result.numbers) == 3 and result.figures[0].on_select is not None


@pytest.mark.parametrize(
    ("own", "values", "told", "reach"),
    [
        (None, {"prior_std": "3", "points_seen": "0"}, [3, 12], 12),
        (
            HIGH,
            {"prior_std": "3", "assumed_std": "0.1"},
            [100, 3, 96],
            96,
        ),
        (HIGH, {"prior_std": "inf"}, [10], 12),
    ],
)
def test_maps_follow_the_posterior(
    own: list[list[float]] | None, values: dict[str, str], told: list[float], reach: float
):
    result = maps_of(own, **values)
    assert any(set(told) <= set(numbers_in(words)) for words in result.words)
    assert tuple(axis_ranges(plain(result))["xaxis3"]) == (-reach, reach)
    if reach == 96:  # the third map shows the intercepts near the high points only
        low, high = numbers(heats(result)[2]["y"])[[0, -1]]
        assert 80 < low < high < 96
    assert ("MAP" in names_in(result)) == (values["prior_std"] != "inf")


@pytest.mark.parametrize("family", [LINE, NETWORK], ids=lambda family: family.name)
def test_made_points_stay_in_the_picture_and_at_their_places(family: two_parameters.Family):
    for seed in range(10):
        made = points.made_points(family, points.MAX_POINTS, seed, False)
        assert np.abs(made.y).max() <= points.USUAL[1]
    few, many = (points.made_points(family, count, 3, False) for count in (2, 9))
    np.testing.assert_array_equal(few.x, many.x[:2])
    np.testing.assert_array_equal(few.y, many.y[:2])


def test_points_too_far_away_are_left_out_with_a_sentence():
    result = maps_of([[0.0, 1.0], [500.0, 1.0], [1.0, 1e6]])
    assert any({2, 3} <= set(numbers_in(words)) for words in result.words)
    assert len(trace(plain(result), "Data")[0]) == 1
    assert not len(trace(plain(maps_of([[500.0, 1.0]])), "Data")[0])


def test_more_points_than_the_page_uses():
    assert points.MAX_OWN < MAX_ROWS
    used = points.own_points(np.zeros((points.MAX_OWN + 5, 2)))
    assert len(used.x) == points.MAX_OWN and points.MAX_OWN in numbers_in(used.note)


def test_some_network_needs_a_prior():
    with pytest.raises(InvalidInput, match="prior"):
        result_of(PAGE, FOUR | {f"odds_{name}": "0" for name in "1234"})
    assert result_of(PAGE, FOUR | {"odds_1": "0"}).numbers


def test_a_click_makes_the_points_the_visitors_own(monkeypatch: pytest.MonkeyPatch):
    """The first click adds to two made points, the second removes one of them."""
    made = points.made_points(LINE, 2, 0, False)
    state: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", state)
    expected = np.column_stack([made.x, made.y])
    for at in ((2.0, 1.0000000046), (made.x[0] + 0.01, made.y[0])):
        figure = (maps_of(points_seen="2") if not state else maps_of(data_choice.own_points().tolist())).figures[0]
        lattice = len(figure.figure.to_dict()["data"]) - 1
        clicked = {"curve_number": lattice, "x": at[0], "y": at[1]}
        state[figure.key] = {"selection": {"points": [clicked]}}
        assert callable(figure.on_select)
        figure.on_select()
        expected = np.vstack([expected, [2, 1]]) if len(expected) == 2 else expected[1:]
        np.testing.assert_array_equal(data_choice.own_points(), expected)
        assert state["data"] == data_choice.OWN
