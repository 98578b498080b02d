"""The page on Bayes' rule: its numbers are the library's, its snippets run, its claims hold, bad input gets words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bdlviz.models import four_networks
from bdlviz.models.bayes_rule import log_normal
from bdlviz.topics.foundations.bayes_rule import grid_posterior, two_parameters
from bdlviz.topics.foundations.bayes_rule import views_maps as bayes_rule_views_maps
from bdlviz.topics.foundations.bayes_rule import views_networks as bayes_rule_views_networks
from bdlviz.topics.foundations.bayes_rule import views_setting as bayes_rule_views_setting
from bdlviz.topics.foundations.bayes_rule.two_parameters import FAMILIES, LINE, NETWORK
from bdlviz.types import Array
from bdlviz.ui.controls import data_choice
from tests.ui.harness import assert_works, axis_ranges, figures, move, numbers, open_page, trace

PAGE = "bayes_rule"
FOUR = {"look": "four"}


def shown(app: Any, label: str) -> float:
    """The number that the page shows under this label."""
    [metric] = [each for each in app.metric if each.label.startswith(label)]
    return float(metric.value.replace("−", "-"))


def captions(app: Any) -> str:
    return " ".join(each.value for each in app.caption)


def run_snippet(app: Any) -> dict[str, Any]:
    app.session_state["tabs"] = "Reproduce"
    app.run()
    names: dict[str, Any] = {}
    exec(compile(app.code[0].value, "snippet", "exec"), names)
    return names


def own(points: list[list[float]]) -> dict[str, str]:
    return {"data": "own", "points": data_choice.encode_points(np.array(points))}


def curve(figure: Any, name: str) -> Array:
    """The curve of that name in the prediction."""
    return trace(figure, name)[1]


# Numbers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [{}, {"family": "network", "points_seen": "10"}, {"prior_std": "inf"}, own([[1, 2]])])
def test_the_snippet_gives_the_numbers_of_the_page(given: dict[str, str]):
    app = open_page(PAGE, given)
    assert_works(app)
    evidence = shown(app, "Evidence")
    names = run_snippet(app)
    assert names["posterior"].belief.log_evidence == pytest.approx(evidence, abs=0.006)


def test_the_snippet_of_four_networks():
    app = open_page(PAGE, FOUR | {"odds_2": "20"})
    evidence = shown(app, "Evidence")
    found = run_snippet(app)["found"]
    assert found.belief.log_evidence == pytest.approx(evidence, abs=0.006)
    assert [row["Posterior p(w|D)"] for row in bayes_rule_views_networks.table(found, 3.5)][:4] == [
        f"{share:.4f}" for share in found.belief.posterior
    ]


def test_the_losses_are_those_of_the_new_points():
    app = open_page(PAGE)
    points = bayes_rule_views_setting.made_points(LINE, 3, 0, False)
    mle = two_parameters.most_likely(LINE, points.x, points.y, ridge_weight=0.0)
    errors = points.y_test - LINE.at(mle, points.x_test)
    assert shown(app, "Loss, MLE") == pytest.approx(-log_normal(errors**2, 1, 0.7).mean(), abs=0.006)
    posterior = grid_posterior.grid_posterior(LINE, points.x, points.y, noise_std=0.7, prior_std=1.0)
    average = -posterior.log_predictive(points.x_test, points.y_test).mean()
    assert shown(app, "Loss, average") == pytest.approx(average, abs=0.006)


def test_a_table_adds_up():
    found = four_networks.believe(np.array([0.5]), np.array([0.6]), np.array([1.0, 2.0, 3.0, 4.0]), 0.5)
    rows = bayes_rule_views_networks.table(found, 1.0)
    numerators = [float(row["Numerator"].replace("−", "-")) for row in rows[:4]]
    assert float(rows[4]["Numerator"].split(" ")[0]) == pytest.approx(sum(numerators), abs=2e-4)
    products = [float(row["Prior p(w)"]) * float(row["Likelihood p(D|w)"].replace("−", "-")) for row in rows[:4]]
    np.testing.assert_allclose(products, numerators, atol=1e-4)
    assert rows[4]["f(1.0)"].startswith(f"{found.predict(np.array([1.0])).mean[0, 0]:.2f} ±")


def test_numbers_too_small_for_a_float_stand_in_the_table():
    app = open_page(PAGE, FOUR | {"four_points": "100", "four_noise": "0.2"})
    assert_works(app)
    points = bayes_rule_views_networks.made_points("1", 100, 0)
    rows = bayes_rule_views_networks.table(four_networks.believe(points.x, points.y, np.ones(4), 0.05), 0.0)
    mantissa, exponent = rows[3]["Likelihood p(D|w)"].replace("−", "-").split("e")
    assert int(exponent) < -400 and 1 <= float(mantissa) < 10


# What the scenes say --------------------------------------------------------------------------------------------------


def test_without_data_the_posterior_is_the_prior():
    app = open_page(PAGE, {"scene": "none"})
    heats = [each for each in figures(app)[0]["data"] if each["type"] == "heatmap"]
    prior, _, posterior = (each["z"]["bdata"] for each in heats)
    assert prior == posterior
    assert "nothing is the MLE" in captions(app) and app.metric[1].value == "–"
    assert not [each for each in figures(app)[0]["data"] if each.get("name") == "MLE"]


def test_a_flat_prior_makes_map_the_mle():
    figure = figures(open_page(PAGE, {"scene": "flat"}))[0]
    np.testing.assert_allclose(curve(figure, "MAP"), curve(figure, "MLE"))


def test_a_strong_prior_flattens_the_line():
    figure = figures(open_page(PAGE, {"scene": "ridge"}))[0]
    assert np.ptp(curve(figure, "MAP")) < 0.6 * np.ptp(curve(figure, "MLE"))


def test_much_data_make_the_choices_agree():
    few, many = (figures(open_page(PAGE, {"points_seen": n}))[0] for n in ("3", "20"))
    gaps = [np.abs(curve(figure, "MAP") - curve(figure, "MLE")).max() for figure in (few, many)]
    assert gaps[1] < 0.15 and gaps[1] < gaps[0]


def test_mean_weights_of_a_network_are_the_function_zero():
    app = open_page(PAGE, {"scene": "network"})
    figure = figures(app)[0]
    assert np.abs(curve(figure, "Mean parameters")).max() < 1e-5
    assert np.ptp(curve(figure, "Posterior average")) > 2
    assert "Averages are to be taken of functions" in captions(app)


@pytest.mark.parametrize("family", list(FAMILIES))
def test_updates_one_by_one_end_at_the_same_posterior(family: str):
    given = {"family": family, "points_seen": "4"}
    at_once, by_last = (open_page(PAGE, given | {"update_by": by}) for by in ("all", "last"))
    ends = [[each for each in figures(app)[0]["data"] if each["type"] == "heatmap"] for app in (at_once, by_last)]
    assert ends[0][2] == ends[1][2] and ends[0][0] != ends[1][0]
    titles = [note["text"] for note in figures(by_last)[0]["layout"]["annotations"]]
    assert titles[:2] == ["After 3 points", "× Point 4"]


def test_the_prior_of_the_next_point_is_the_posterior_of_those_before():
    found = bayes_rule_views_maps.find(LINE, bayes_rule_views_setting.made_points(LINE, 5, 0, False), 0.7, 1.0)
    before = bayes_rule_views_maps.find(LINE, bayes_rule_views_setting.made_points(LINE, 4, 0, False), 0.7, 1.0)
    prior, _, _ = bayes_rule_views_maps.three_maps(found, 3.0, by_last=True)
    np.testing.assert_array_equal(prior.density, before.posterior.density)


def test_points_at_one_x_leave_a_ridge():
    app = open_page(PAGE, {"scene": "same-x"})
    x, y = trace(figures(app)[0], "Data")
    assert np.ptp(x) == 0 and np.ptp(y) > 1
    assert "20 points at one x cannot fix two parameters" in captions(app)


def test_too_little_noise_costs():
    good, bad = (shown(open_page(PAGE, {"assumed_std": std}), "Loss, average") for std in ("0.7", "0.1"))
    assert bad > 3 * good


def test_the_prior_of_four_networks_can_outvote_the_points():
    app = open_page(PAGE, {"scene": "four-prior"})
    assert "The prior outweighs the points so far." in captions(app)


def test_all_belief_in_a_wrong_network():
    app = open_page(PAGE, {"scene": "four-wrong"})
    assert "none of the four is right" in captions(app)
    assert shown(app, "Loss, average") > 1


# Axes, points and bad input -------------------------------------------------------------------------------------------


def test_axes_stay_while_sliders_move():
    app = open_page(PAGE)
    first = axis_ranges(figures(app)[0])
    for key, options in (("points_seen", ("0", "20")), ("data_seed", ("9",)), ("assumed_std", ("0.1", "5"))):
        for option in options:
            move(app, key, option)
            assert axis_ranges(figures(app)[0]) == first, f"{key} = {option} moves the axes."


def test_maps_follow_a_posterior_and_say_so():
    app = open_page(PAGE, {"prior_std": "3", "points_seen": "0"})
    assert axis_ranges(figures(app)[0])["xaxis3"] == [-12, 12]
    assert "lies beyond ±3, so the maps reach ±12" in captions(app)


@pytest.mark.parametrize("by", ["map", "mle", "mean"])
def test_a_single_choice_has_a_band_of_noise_alone(by: str):
    names = {each.get("name") for each in figures(open_page(PAGE, {"predict_by": by}))[0]["data"]}
    assert "Noise (aleatoric)" in names and "Epistemic (1, 2 sd)" not in names


def test_no_choice_to_predict_with():
    app = open_page(PAGE, {"predict_by": "mle", "points_seen": "0"})
    assert "There is no MLE estimate yet" in captions(app)


@pytest.mark.parametrize(
    "points",
    [[[0.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]], [[1.0, -1.0], [1.0, 2.0]], [[0.1, 95.0], [-0.1, 90.0]], [[9.9, 0.0]]],
    ids=["one", "twice", "same x", "high", "far"],
)
@pytest.mark.parametrize("family", list(FAMILIES))
def test_own_points(points: list[list[float]], family: str):
    app = open_page(PAGE, own(points) | {"family": family})
    assert_works(app)
    np.testing.assert_allclose(np.column_stack(trace(figures(app)[0], "Data")), points, rtol=1e-6)
    ranges = axis_ranges(figures(app)[0])
    for (x, y), axes in ((each, ("xaxis4", "yaxis4")) for each in points):
        assert ranges[axes[0]][0] <= x <= ranges[axes[0]][1] and ranges[axes[1]][0] <= y <= ranges[axes[1]][1]
    assert len(app.metric) == 3


HIGH = [[0.1, 95.0], [-0.1, 90.0]]


def test_maps_follow_a_line_through_high_points():
    app = open_page(PAGE, own(HIGH) | {"prior_std": "3", "assumed_std": "0.1"})
    assert_works(app)
    assert "100% of the posterior lies beyond ±3, so the maps reach ±96" in captions(app)
    heat = next(each for each in figures(app)[0]["data"] if each["type"] == "heatmap" and each["xaxis"] == "x3")
    low, high = numbers(heat["y"])[[0, -1]]
    assert 80 < low < high < 96


def test_a_flat_prior_ends_where_it_says():
    app = open_page(PAGE, own(HIGH) | {"prior_std": "inf"})
    assert_works(app)
    assert "beyond ±10, where the flat prior ends" in captions(app)
    assert "MAP" not in {each.get("name") for each in figures(app)[0]["data"]}


def test_made_points_stay_in_the_picture():
    for family in (LINE, NETWORK):
        for seed in range(10):
            made = bayes_rule_views_setting.made_points(family, bayes_rule_views_setting.MAX_POINTS, seed, False)
            assert np.abs(made.y).max() <= bayes_rule_views_setting.USUAL[1]


def test_points_too_far_away_are_left_out_with_a_sentence():
    app = open_page(PAGE, own([[0.0, 1.0], [500.0, 1.0], [1.0, 1e6]]))
    assert_works(app)
    assert "2 of 3 points lie beyond" in captions(app)
    assert len(trace(figures(app)[0], "Data")[0]) == 1


def test_more_points_than_the_page_uses():
    used = bayes_rule_views_setting.own_points(np.zeros((bayes_rule_views_setting.MAX_OWN + 5, 2)))
    assert len(used.x) == bayes_rule_views_setting.MAX_OWN and "Only the first" in used.note


def test_all_points_too_far_away():
    app = open_page(PAGE, own([[500.0, 1.0]]))
    assert_works(app)
    assert "No data" in captions(app)


def test_no_network_is_believed_in():
    app = open_page(PAGE, FOUR | {f"odds_{name}": "0" for name in "1234"})
    assert not app.exception
    [said] = [each.value for each in app.error]
    assert "prior weights above 0" in said


def test_points_keep_their_places_as_more_arrive():
    for family in (LINE, NETWORK):
        few, many = (bayes_rule_views_setting.made_points(family, count, 3, False) for count in (2, 9))
        np.testing.assert_array_equal(few.x, many.x[:2])
        np.testing.assert_array_equal(few.y, many.y[:2])
