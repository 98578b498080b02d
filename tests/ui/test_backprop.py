"""The page on Bayes by Backprop: its numbers are those of the fit, its snippets run, bad settings get a sentence."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from bdlviz import data, fits
from bdlviz.fits import Fit, configure
from bdlviz.fitted import shelf
from bdlviz.methods import bayes_by_backprop
from bdlviz.predictive import weight_gradients
from bdlviz.topics.weights.bayes_by_backprop import description
from bdlviz.topics.weights.bayes_by_backprop import study as bayes_by_backprop_study
from bdlviz.topics.weights.bayes_by_backprop import views_costs as bayes_by_backprop_views_costs
from bdlviz.topics.weights.bayes_by_backprop import views_gradients as bayes_by_backprop_views_gradients
from bdlviz.topics.weights.bayes_by_backprop import views_prior as bayes_by_backprop_views_prior
from bdlviz.topics.weights.bayes_by_backprop import views_setting as bayes_by_backprop_views_setting
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.jobs import queue as jobs
from tests.ui.harness import assert_works, axis_ranges, figures, move, open_page, press, trace

PAGE = "bayes_by_backprop"
VIEWS = ("functions", "prior", "weight", "bits", "gradients")
OBTAIN = import_module("bdlviz.ui.jobs.obtain")
QUICK: dict[str, Any] = bayes_by_backprop_study.SETTINGS | {"num_steps": 40, "num_snapshots": 4}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch, queue: jobs.JobQueue) -> None:
    """Forty steps, whatever the page asks for, and one queue for fits and measurements."""

    def run(config: FitConfig, dataset: Dataset, **options: Any) -> Fit:
        trained = fits.run(replace(config, num_steps=40), dataset, **options)
        return replace(trained, config=config, num_steps_done=config.num_steps)

    monkeypatch.setattr(OBTAIN, "run", run)
    monkeypatch.setattr(shelf, "find", lambda config: None)
    for module in (bayes_by_backprop_views_gradients, bayes_by_backprop_views_setting):
        monkeypatch.setattr(module, "QUEUE", queue)
    monkeypatch.setattr(weight_gradients.variance_course, "__kwdefaults__", _few())


def _few() -> dict[str, Any]:
    usual = weight_gradients.variance_course.__kwdefaults__ or {}
    return usual | {"num_minibatches": 8, "num_draws": 4}


@pytest.fixture(scope="module")
def small() -> Fit:
    return fits.fit("bayes_by_backprop", data.load("blundell"), **QUICK)


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_with_its_snippet(view: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(go.Figure, "show", lambda figure: None)
    app = open_page(PAGE, {"look": view})
    assert_works(app)
    assert len(app.metric) == 4
    app.session_state["tabs"] = "Reproduce"
    app.run()
    names: dict[str, Any] = {}
    exec(compile(app.code[0].value.replace("num_steps=3000", "num_steps=40"), "snippet", "exec"), names)
    assert names["fit"].config.method == PAGE


def test_the_snippet_says_the_configuration_of_the_page():
    app = open_page(PAGE, {"look": "prior", "mixture_weight": "0.25", "kl_schedule": "halving", "prior_std": "0.368"})
    app.session_state["tabs"] = "Reproduce"
    app.run()
    for said in ("mixture_weight=0.25", "narrow_std=0.000912", "kl_halving=1", "length_scale=2.71739"):
        assert said in app.code[0].value


def test_what_is_to_be_shipped_is_what_the_page_asks_for():
    dataset = data.load("blundell")
    scales = [bayes_by_backprop_study.length_scale_of(std) for std in bayes_by_backprop_study.PRIOR_STDS]
    axes: dict[str, Any] = {"length_scale": scales, "kl_weight": (0.0, 0.1, 1.0)}
    whole = configure(PAGE, dataset, **bayes_by_backprop_study.SETTINGS | axes)
    for std in bayes_by_backprop_views_setting.PRIOR_STD.options:
        scale = bayes_by_backprop_study.length_scale_of(float(std))
        asked = configure(PAGE, dataset, **bayes_by_backprop_study.SETTINGS, length_scale=scale, kl_weight=1.0)
        assert shelf._covers(whole, asked)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"start_rho": "-20"}, "It hardly moves"),
        ({"start_rho": "5"}, "drown in noise"),
        ({"kl_weight": "0"}, "nothing asks for width"),
        ({"look": "prior", "mixture_weight": "0.5", "prior_std": "0.368", "narrow_std": "0.368"}, "σ₁ = σ₂"),
        (
            {"look": "prior", "mixture_weight": "0.5", "prior_std": "0.0498", "narrow_std": "0.368"},
            "changed their places",
        ),
        ({"look": "gradients", "data": "x_sin_x", "minibatch": "128"}, "There are 20 points"),
    ],
)
def test_a_setting_that_cannot_go_well_gets_one_sentence(query: dict[str, str], sentence: str):
    app = open_page(PAGE, query)
    assert_works(app)
    assert sum(sentence in caption.value for caption in app.caption) == 1


@pytest.mark.parametrize("view", VIEWS)
def test_a_diverged_fit_gets_one_sentence(view: str, monkeypatch: pytest.MonkeyPatch):
    healthy = OBTAIN.run

    def diverged(config: FitConfig, dataset: Dataset, **options: Any) -> Fit:
        fit = healthy(config, dataset, **options)
        if config.method != PAGE:
            return fit
        broken = {name: array * np.nan for name, array in fit.params.items()}
        return replace(fit, params=broken, snapshots={n: a * np.float16(np.nan) for n, a in fit.snapshots.items()})

    monkeypatch.setattr(OBTAIN, "run", diverged)
    app = open_page(PAGE, {"look": view})
    assert not app.exception and len(app.error) == 1
    assert "diverged" in app.error[0].value


def test_the_median_is_on_the_figure():
    app = open_page(PAGE, {"data": "two_clusters", "beside": "deep_ensemble"})
    assert_works(app)
    assert [metric.label for metric in app.metric][1:3] == [
        "Sd in the gap",
        "… of the ensemble of 5",
    ]
    names = {each.get("name") for each in figures(app)[0]["data"]}
    assert {"Median", "Middle half of the draws", "Function draws", "Data", "Truth"} <= names
    ranges = axis_ranges(figures(app)[0])
    for key, option in (("prior_std", "7.39"), ("draws", "100"), ("start_rho", "-8")):
        assert axis_ranges(figures(move(app, key, option))[0]) == ranges


def test_one_weight_is_scrubbed_through_its_snapshots():
    app = open_page(PAGE, {"look": "weight", "weight_layer": "2", "weight_rank": "100"})
    assert_works(app)
    first = trace(figures(move(app, "weight_snapshot", "1"))[0], "prior p(w)")
    last = trace(figures(move(app, "weight_snapshot", "20"))[0], "prior p(w)")
    np.testing.assert_allclose(first, last)
    assert app.metric[0].value.startswith("layer 3: ")


def test_weights_are_ordered_by_their_standard_deviation(small: Fit):
    found = bayes_by_backprop_views_setting.weights_of(small)
    _, std = bayes_by_backprop_views_prior.flat(found)
    assert len(std) == found.num_weights == small.model.network.num_numbers
    certain, open_one = (bayes_by_backprop_views_prior.chosen_weight(found, "all", rank)[0] for rank in (0.0, 1.0))
    assert (std[certain], std[open_one]) == (std.min(), std.max())
    position, name = bayes_by_backprop_views_prior.chosen_weight(found, "1", 0.5)
    assert name.startswith("layer 2: ")
    assert np.isin(std[position], np.concatenate([found.std["weight1"].ravel(), found.std["bias1"].ravel()]))


def test_the_order_of_weights_is_that_of_the_network_whatever_the_file_says(small: Fit):
    turned = replace(small, params=dict(sorted(small.params.items(), reverse=True)))
    for ours, theirs in zip(
        *(bayes_by_backprop_views_prior.flat(bayes_by_backprop_views_setting.weights_of(f)) for f in (small, turned)),
        strict=True,
    ):
        np.testing.assert_array_equal(ours, theirs)


def test_average_and_parts_are_densities(small: Fit):
    found = bayes_by_backprop_views_setting.weights_of(small)
    w = np.linspace(-30, 30, 60_001)
    average = bayes_by_backprop_views_prior.average_density(w, *bayes_by_backprop_views_prior.flat(found))
    assert np.trapezoid(average, w) == pytest.approx(1, abs=2e-3)
    mixture = description.Prior(0.5, 0.05, 0.25)
    parts = bayes_by_backprop_views_prior.part_densities(w, mixture)
    np.testing.assert_allclose(np.trapezoid(parts, w), [0.25, 0.75], atol=1e-6)
    np.testing.assert_allclose(parts.sum(0), np.exp(mixture.log_density(w)), atol=1e-12)
    assert bayes_by_backprop_views_prior.part_densities(w, description.Prior()).shape == (0, len(w))


def test_the_costs_are_those_of_the_objective(small: Fit):
    """In nats and per point, error plus complexity is the loss that training minimises, up to a constant."""
    dataset = data.load("blundell")
    error, complexity = bayes_by_backprop_views_costs.costs(small, dataset)
    found = bayes_by_backprop_views_setting.weights_of(small)
    kl = description.kl_to_prior(found.mean, found.std, found.prior)
    assert complexity == pytest.approx(kl / np.log(2))
    outputs = small.draw_outputs(dataset.x, bayes_by_backprop_views_costs.NUM_SAMPLES)
    misfit = 0.5 * small.precision * np.square(outputs - small.scaling.standardise_y(dataset.y)).sum((1, 2)).mean()
    constant = 200 * (0.5 * np.log(2 * np.pi / small.precision) - np.log(description.ACCURACY))
    assert error * np.log(2) == pytest.approx(misfit + constant, rel=1e-5)


def test_bits_in_total_are_those_per_point_times_their_number():
    app = open_page(PAGE, {"look": "bits"})
    each = float(app.metric[2].value)
    move(app, "bits", "all")
    assert float(app.metric[2].value.replace(",", "")) == pytest.approx(200 * each, rel=0.01)


def test_a_measurement_can_be_stopped_and_taken_up_again(monkeypatch: pytest.MonkeyPatch):
    app = open_page(PAGE, {"look": "gradients"})
    assert_works(app)
    config = bayes_by_backprop_views_setting.configure(PAGE, data.load("blundell"), **bayes_by_backprop_study.SETTINGS)
    config = replace(config, num_snapshots=bayes_by_backprop_study.NUM_SNAPSHOTS)
    app = open_page(PAGE)
    app.session_state[bayes_by_backprop_views_gradients.STOPPED] = ("gradient noise", config, config.num_steps)
    monkeypatch.setattr(bayes_by_backprop_views_gradients, "QUEUE", jobs.JobQueue())
    app.session_state["look"] = "gradients"
    app.run()
    assert any("Stopped before" in each.value for each in app.markdown)
    assert_works(press(app, "measure_again"))
    bayes_by_backprop_views_gradients.QUEUE.close()


def test_the_measurement_is_that_of_the_library(small: Fit):
    dataset = data.load("blundell")
    course = bayes_by_backprop_views_gradients.measure(small, dataset)
    params = {name: array[0, 0] for name, array in small.params.items()}
    layers = weight_gradients.layers_of(small.model.network, params, bayes_by_backprop.standard_deviations(params))
    again = weight_gradients.variance_course(
        small.model.network,
        layers,
        small.scaling.standardise_x(dataset.x),
        small.scaling.standardise_y(dataset.y),
        small.precision,
        np.random.Generator(np.random.SFC64(bayes_by_backprop_views_gradients.SEED)),
    )
    np.testing.assert_allclose(course.noise["sums", "mean"], again.noise["sums", "mean"], rtol=1e-4)
