"""Figures of Bayes' rule: maps in place, one colour per meaning, the right curves and bars."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bdlviz.models import four_networks
from bdlviz.plots.theme import theme
from bdlviz.topics.foundations.bayes_rule import figures, grid_posterior, two_parameters
from bdlviz.topics.foundations.bayes_rule.figures import CREDIBLE, Estimate, Map
from bdlviz.types import Array, Predictive
from tests.told import numbers_in

X, Y = np.array([-1.0, 0.5, 1.5]), np.array([-0.8, 0.9, 1.2])
INPUTS = np.linspace(-4, 4, 41)
LINE = two_parameters.LINE


def grid(count: int, prior_std: float = 1.0) -> grid_posterior.GridPosterior:
    return grid_posterior.grid_posterior(LINE, X[:count], Y[:count], noise_std=0.5, prior_std=prior_std)


def maps() -> list[Map]:
    found = grid(0), grid(3, np.inf), grid(3)
    return [
        Map(title, each.first, each.second, each.density, each.level(CREDIBLE) if title == "= Posterior" else 0.0)
        for title, each in zip(("Prior", "× Likelihood", "= Posterior"), found, strict=True)
    ]


def predicted(count: int = 5) -> Predictive:
    return grid(3).predict(INPUTS, num_draws=count)


def estimate(which: Any = "mle") -> Estimate:
    parameters = np.array([[0.8, 0.1]])
    return Estimate(which, parameters, LINE.at(parameters[0], INPUTS))


def picture(**options: Any) -> Any:
    given: dict[str, Any] = {
        "names": LINE.parameters,
        "estimates": [estimate()],
        "average": predicted().mean[:, 0],
        "drawn": grid(3).draw(5, 0),
        "reach": 3.0,
        "x_range": (-4.0, 4.0),
        "y_range": (-4.0, 4.0),
    }
    return figures.posterior_maps(maps(), predicted(), X, Y, **given | options)


def named(fig: Any, name: str, axis: str) -> list[Any]:
    return [each for each in fig.data if each.name == name and each.xaxis == axis]


def of_type(fig: Any, kind: str) -> list[Any]:
    return [each for each in fig.data if each.type == kind]


def beliefs(**options: Any) -> Any:
    found = four_networks.infer(X, Y, np.array([1.0, 2.0, 3.0, 4.0]), 0.5)
    given: dict[str, Any] = {
        "names": four_networks.NAMES,
        "picks": (found.most_likely, found.most_probable),
        "at": 3.0,
        "x_range": (-4.0, 4.0),
        "y_range": (-4.0, 4.0),
    }
    likelihood = np.exp(found.terms.log_likelihood)
    prior = np.exp(found.terms.log_prior)
    return figures.four_posteriors(
        prior, likelihood, found.terms.posterior, found.predict(INPUTS), X, Y, **given | options
    )


def test_each_map_has_its_panel_its_colour_its_top_and_its_outline():
    look, fig = theme("light"), picture()
    heats = of_type(fig, "heatmap")
    assert [each.xaxis for each in heats] == ["x", "x2", "x3"]
    assert [each.colorscale[-1][1] for each in heats] == [look.prior, look.ink, look.exact]
    heat = heats[2]
    row, column = np.unravel_index(int(np.argmax(heat.z)), np.shape(heat.z))
    best = two_parameters.most_likely(LINE, X, Y, ridge_weight=0.25)
    assert abs(heat.x[column] - best[0]) <= heat.x[1] - heat.x[0]
    assert abs(heat.y[row] - best[1]) <= heat.y[1] - heat.y[0]
    assert np.asarray(heat.z).dtype == np.uint8 and np.max(heat.z) == 255
    [contour] = of_type(fig, "contour")
    assert contour.contours.start == contour.contours.end == pytest.approx(255 * np.sqrt(maps()[2].level))


def test_the_outline_of_the_prior_is_in_the_panel_of_the_posterior():
    prior, likelihood, posterior = maps()
    prior = replace(prior, level=0.05)
    settings: dict[str, Any] = {"names": ("a", "b"), "reach": 3.0, "x_range": (-4, 4), "y_range": (-4, 4)}
    fig = figures.posterior_maps([prior, likelihood, posterior], predicted(), X, Y, **settings)
    assert [(each.xaxis, each.line.color) for each in of_type(fig, "contour")] == [
        ("x", theme("light").prior),
        ("x3", theme("light").exact),
        ("x3", theme("light").prior),
    ]


def test_equal_curves_have_one_name():
    fig = picture(estimates=[estimate("mle"), estimate("map")])
    names = [note.text for note in fig.layout.annotations if note.xref == "x4 domain"]
    assert sum("MLE" in name and "MAP" in name for name in names) == 1


@pytest.mark.parametrize("stacked", [False, True])
def test_names_stand_right_of_the_panel_and_apart(stacked: bool):
    """Two curves that end together, and one with a name of two lines."""
    fig = picture(estimates=[estimate("mle"), estimate("map")], truth=0.8 * INPUTS + 0.2, stacked=stacked)
    notes = [note for note in fig.layout.annotations if note.xref == "x4 domain" and note.x == 1]
    assert len(notes) == 3 and {note.xanchor for note in notes} == {"left"} and fig.layout.xaxis4.domain[1] < 0.95
    places = sorted((note.y, 1 + note.text.count("<br>")) for note in notes)
    low, high = fig.layout.yaxis4.range
    ends = [*(place for place, _ in places[1:]), high]
    assert places[0][0] >= low
    for (place, lines), end in zip(places, ends, strict=True):
        assert end - place >= 0.069 * lines * (high - low)


def test_a_fine_grid_is_thinned_for_the_picture():
    thin = np.linspace(-1, 1, 648)
    fine = Map("= Posterior", thin, thin, np.outer(1 - thin**2, 1 - thin**2), 0.5)
    settings: dict[str, Any] = {"names": ("a", "b"), "reach": 3.0, "x_range": (-4, 4), "y_range": (-4, 4)}
    fig = figures.posterior_maps([fine] * 3, predicted(), X, Y, **settings)
    for each in of_type(fig, "heatmap"):
        assert np.shape(each.z) == (len(each.y), len(each.x)) == (162, 162)


@pytest.mark.parametrize("center", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("width", [0.004, 0.05, 0.6])
def test_an_outline_has_all_cells_that_it_encloses(center: float, width: float):
    """It closes around a region inside the map, whatever the size of the region, and ends at the edge of the map."""
    values = np.linspace(-1, 1, 648)
    first, second = (np.exp(-0.5 * ((values - each) / width) ** 2) for each in (center, 0.0))
    settings: dict[str, Any] = {"names": ("a", "b"), "reach": 3.0, "x_range": (-4, 4), "y_range": (-4, 4)}
    fig = figures.posterior_maps(
        [Map("Posterior", values, values, np.outer(second, first), 0.5)] * 3, predicted(), X, Y, **settings
    )
    cell = values[1] - values[0]
    reach = width * np.sqrt(2 * np.log(2)) - cell  # where the density is half of its largest value, less a cell
    for each in of_type(fig, "contour"):
        assert np.shape(each.z) == (len(each.y), len(each.x)) and max(np.shape(each.z)) <= 64
        for along, at in ((each.x, center), (each.y, 0.0)):
            assert along[0] <= max(at - reach, -1) and along[-1] >= min(at + reach, 1)


def test_an_estimate_is_a_symbol_and_a_line():
    fig = picture()
    [mark] = [each for each in named(fig, "MLE", "x3") if each.mode == "markers"]
    assert (mark.x[0], mark.y[0]) == pytest.approx((0.8, 0.1))
    line = next(each for each in named(fig, "MLE", "x4") if len(each.x) > 1)
    np.testing.assert_allclose(line.y, 0.8 * INPUTS + 0.1, rtol=1e-5)


def test_a_known_truth_is_drawn_and_the_data_are_the_last_trace():
    assert not named(picture(), "Truth", "x4")
    fig = picture(truth=INPUTS**2)
    [line] = named(fig, "Truth", "x4")
    np.testing.assert_allclose(line.y, INPUTS**2, rtol=1e-5)
    assert fig.data[-1].name == "Data", "Clicks are told apart by the last trace."


@pytest.mark.parametrize("stacked", [False, True])
def test_axes_are_those_asked_for_and_maps_are_squares(stacked: bool):
    layout = picture(stacked=stacked, reach=6.0).layout.to_plotly_json()
    for suffix in ("", "2", "3"):
        assert layout[f"xaxis{suffix}"]["scaleanchor"] == f"y{suffix}"
        assert layout[f"xaxis{suffix}"]["constrain"] == layout[f"yaxis{suffix}"]["constrain"] == "domain"
    for name in ("xaxis", "yaxis2", "xaxis3"):
        assert tuple(layout[name]["range"]) == (-6.0, 6.0)
    assert tuple(layout["yaxis4"]["range"]) == (-4.0, 4.0)
    is_below = layout["yaxis4"]["domain"][1] < layout["yaxis3"]["domain"][0]
    assert is_below == stacked


def test_bars_are_the_terms_of_bayes_rule_and_lines_are_as_wide_as_the_posterior():
    fig = beliefs()
    bars: dict[str, Array] = {each.name: np.asarray(each.y) for each in of_type(fig, "bar")}
    np.testing.assert_allclose(bars["Prior"], [0.1, 0.2, 0.3, 0.4], rtol=1e-6)
    assert bars["Likelihood (scaled)"].sum() == pytest.approx(1, rel=1e-6)
    products = bars["Prior"] * bars["Likelihood (scaled)"]
    np.testing.assert_allclose(bars["Posterior"], products / products.sum(), rtol=1e-4)
    widths = [each.line.width for each in fig.data if (each.name or "").startswith("network ")]
    found = four_networks.infer(X, Y, np.array([1.0, 2.0, 3.0, 4.0]), 0.5)
    np.testing.assert_allclose(widths, 1 + 4 * found.terms.posterior)


def test_the_table_under_the_bars_adds_up():
    notes = [note for note in beliefs().layout.annotations if note.xref == "x"]
    rows = {note.y: [] for note in notes if note.yref == "paper"}
    for note in notes:
        if note.yref == "paper":
            rows[note.y].append(note.text)
    _, prior, likelihood, product, posterior = (
        [float(cell) if "." in cell else cell for cell in row] for row in rows.values()
    )
    np.testing.assert_allclose(np.multiply(prior[:4], likelihood[:4]), product[:4], atol=1e-3)
    np.testing.assert_allclose(np.divide(product, product[4]), posterior, atol=5e-3)
    assert prior[4] == likelihood[4] == 1


@pytest.mark.parametrize(("picks", "wanted"), [((0, 0), ["MLE, MAP"]), ((0, 2), ["MLE", "MAP"])])
def test_picks_are_named_above_their_bars(picks: tuple[int, int], wanted: list[str]):
    notes = {note.text: note.x for note in beliefs(picks=picks).layout.annotations if note.text in wanted}
    assert list(notes) == wanted and set(notes.values()) == set(picks)


def test_descriptions():
    said = figures.describe_posterior_maps(maps(), [estimate(), estimate("map")], 3)
    assert "(0.80, 0.10)" in said and {3, 95} <= set(numbers_in(said))
    said = figures.describe_four_posteriors(np.array([0.7, 0.2, 0.1, 0.0]), four_networks.NAMES, (0, 1), 3)
    assert all(f"{share:.2f}" in said for share in (0.7, 0.2, 0.1))
