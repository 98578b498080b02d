"""The code of every page with the visitor's own data, run as exported, gives the numbers that the page shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

import bdlviz
from bdlviz import data, fits
from bdlviz.predictive import comparison
from bdlviz.topics.foundations.bayes_rule import views_maps
from bdlviz.topics.foundations.noise_or_ignorance import study as kinds_study
from bdlviz.topics.regression.compare import controls as compare
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.compare import views as compare_views
from bdlviz.topics.regression.effect_of_lambda import controls as effect
from bdlviz.topics.regression.effect_of_lambda import grid as effect_grid
from bdlviz.topics.regression.effect_of_lambda import study as effect_study
from bdlviz.topics.regression.effect_of_lambda import views as effect_views
from bdlviz.topics.regression.function_draws import controls as draws
from bdlviz.topics.shared import compare_choice, noisy_curve, reproduce
from bdlviz.topics.shared.compare_fits import Candidate
from bdlviz.topics.weights.bayes_by_backprop import controls as backprop
from bdlviz.topics.weights.bayes_by_backprop import network
from bdlviz.types import Dataset
from bdlviz.ui.controls.data_choice import dataset_of
from bdlviz.ui.controls.own_points import OwnPoints
from bdlviz.ui.jobs.obtain import FitNeed
from bdlviz.ui.model import Later, Numbers, Result, Setting
from tests.topics.shared.page_results import SCREEN, needs_of, number, run_snippet, view_of

PANELS = {
    "function_draws": draws.DATA,
    "effect_of_lambda": effect.DATA,
    "compare": compare.DATA,
    "noise_or_ignorance": noisy_curve.DATA,
    "bayes_by_backprop": backprop.DATA,
}
RNG = np.random.default_rng(0)
FEW = np.array([[0.1, 1.0], [2.0, -1.5], [3.25, 7.7], [4.0, 0.25], [4.5, 0.1]])
MANY = np.column_stack([np.linspace(-3, 3, 30), RNG.normal(size=30)])
EDITED = np.column_stack([np.linspace(-2.5, 2.5, 24), RNG.normal(size=24)])
OWN = {
    "few points": OwnPoints(FEW),
    "many points with names": OwnPoints(MANY, ("time (s)", 'it\'s a "height" (m)')),
    "unix seconds": OwnPoints(np.column_stack([1.7e9 + np.arange(30), 2e3 + RNG.normal(size=30)])),
    "Julian days": OwnPoints(np.column_stack([2460310.5 + np.arange(30) / 1440, 13.4 + 1e-5 * RNG.normal(size=30)])),
    "an edited set": OwnPoints(EDITED, ("x", "y"), "x_sin_x"),
    "an edited set, beyond its axes": OwnPoints(EDITED * 100, ("x", "y"), "two_clusters"),
}
CHOSEN = {"data": "own", "num_data": "50", "noise": "2", "data_seed": "3"}


def same_data(one: Dataset, other: Dataset) -> None:
    for field in ("x", "y", "x_test", "y_test", "x_range", "y_range"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field), err_msg=field)
    for field in ("noise_std", "x_label", "y_label", "name"):
        assert getattr(one, field) == getattr(other, field), field
    if one.truth is not None:
        assert other.truth is not None
        np.testing.assert_array_equal(one.truth(one.x), other.truth(one.x))


def data_of(setting: Setting, page: str) -> None:
    shown = dataset_of(setting, PANELS[page])
    names: dict[str, Any] = {"bdlviz": bdlviz}
    exec(reproduce.data_call(shown, setting, PANELS[page]), names)
    same_data(shown, names["data"])


@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("page", PANELS)
def test_the_code_makes_the_data_of_the_page(page: str, own: str):
    data_of(Setting(CHOSEN, OWN[own]), page)
    data_of(Setting({"data": "own"}, OWN[own]), page)


@pytest.mark.parametrize("name", data.names("regression"))
@pytest.mark.parametrize("page", PANELS)
def test_the_code_makes_every_built_in_set(page: str, name: str):
    data_of(Setting({"data": name}), page)
    data_of(Setting(CHOSEN | {"data": name}), page)


@pytest.mark.parametrize("origin", data.names("regression"))
def test_the_code_makes_every_edited_set(origin: str):
    whole = data.load(origin)
    points = np.column_stack([whole.x[:, 0], whole.y[:, 0]])[1:]
    for chosen in ({"data": "own"}, CHOSEN):
        data_of(Setting(chosen, OwnPoints(points, ("x", "y"), origin)), "effect_of_lambda")


def test_an_edited_set_keeps_what_is_not_edited():
    whole = data.load("x_sin_x", noise_std=0.9)
    edited = data.with_points(whole, whole.x[:3, 0], whole.y[:3, 0])
    assert (edited.num_data, edited.noise_std, edited.x_range) == (3, 0.9, whole.x_range)
    np.testing.assert_array_equal(edited.x_test, whole.x_test)
    beyond = data.with_points(whole, [0, 100], [0, 0])
    assert beyond.x_range == (-25, 125) and len(beyond.x_test) == len(whole.x_test)


# Numbers --------------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def no_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(go.Figure, "show", lambda figure: None)


def numbers_of(result: Result) -> dict[str, str]:
    """The key numbers of a result, those that follow the picture too."""
    parts = [part for each in result.parts for part in (each.parts() if isinstance(each, Later) else [each])]
    return {name: value for part in parts if isinstance(part, Numbers) for name, value, _ in part.values}


def trained_result(page: str, setting: Setting) -> Result:
    """The result of a page, trained here."""
    view = view_of(page, setting)
    found = []
    for need in needs_of(view, setting):
        assert isinstance(need, FitNeed)
        found.append(fits.run(need.config, need.dataset))
    assert view.needs is not None
    return view.draw(setting, SCREEN, found if not isinstance(view.needs(setting), FitNeed) else found[0])


@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("method", ["mc_dropout", "gaussian_process"])
def test_function_draws(method: str, own: str):
    result = trained_result("function_draws", Setting(CHOSEN | {"num_steps": "100", "method": method}, OWN[own]))
    shown, names = numbers_of(result), run_snippet(result)
    for label, name in (("at the data", "near"), ("outside", "outside"), ("RMSE", "error"), ("surprise", "nll")):
        values = [value for key, value in shown.items() if label in key]
        assert values == ([f"{names[name]:.3g}"] if name in names else [])
    assert ("nll" in names) == (len(OWN[own].points) >= 20)


@pytest.mark.parametrize("own", ["few points", "many points with names", "an edited set"])
def test_effect_of_lambda(own: str, monkeypatch: pytest.MonkeyPatch):
    whole = effect_study.lambda_config
    few = {"axes": (("dropout_rate", (0.0, 0.05)), ("weight_decay", (1e-4, 1e-2)))}
    monkeypatch.setattr(effect_study, "lambda_config", lambda data: replace(whole(data), num_steps=40, **few))
    monkeypatch.setattr(effect_study, "LAMBDA_RATES", (0.0, 0.05))
    monkeypatch.setattr(effect_study, "LAMBDA_DECAYS", (1e-4, 1e-2))
    chosen_decay = replace(effect.CHOSEN, options=("1e-4", "0.01"), default="0.01")
    monkeypatch.setattr(effect_grid, "CHOSEN", chosen_decay)
    setting = Setting(CHOSEN, OWN[own])
    dataset = dataset_of(setting, effect.DATA)
    fit = fits.run(effect_study.lambda_config(dataset), dataset)
    scores = effect_grid.scores_of(fit, dataset)
    result = effect_views.draw(setting, SCREEN, effect_grid.Grid(fit, scores))
    names = run_snippet(result)
    if scores is not None:
        for metric, values in scores.items():
            np.testing.assert_array_equal(names["scores"][metric], values)
        return
    assert own == "few points"
    chosen = effect_grid.Chosen.of(setting, None)
    np.testing.assert_array_equal(
        names["predictive"].draws, effect_grid.Grid(fit).predict(dataset, chosen.rate, chosen.decay).draws
    )


@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("reference", ["gaussian_process", "hmc"])
def test_compare(own: str, reference: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    whole = compare_study.config_of

    def short(method: str, dataset: Dataset, **settings: Any) -> fits.FitConfig:
        config = whole(method, dataset, **settings)
        options = dict(config.options)
        if "num_chains" in options:
            options |= {"num_chains": 4.0, "num_leapfrog": 3.0}
        return replace(config, num_steps=min(config.num_steps, 24), options=tuple(options.items()))

    monkeypatch.setattr(compare_study, "config_of", short)
    monkeypatch.setattr(compare_choice, "config_of", short)
    values = {"reference": reference, "methods": "own", "chosen": "mc_dropout,laplace", "hold_out": "fifth"}
    setting = Setting(CHOSEN | values, OWN[own])
    dataset, _ = compare.dataset_of(setting)
    found = [
        Candidate(method, fits.run(config, dataset))
        for method, config in compare_choice.configurations(setting, dataset).items()
        if not isinstance(config, str)
    ]
    result = compare_views.panels(setting, SCREEN, found)
    run_snippet(result)
    printed = capsys.readouterr().out
    for label in ("Nearest", "Farthest"):
        assert f"distance {number(result, label):.3g}" in printed
    compared = compare_views._compared(setting, found)
    for method in ("mc_dropout", "laplace"):
        fit = found[[each.method for each in found].index(method)].fit
        assert fit is not None
        held_out = fit.predict(dataset.x_test, 500)
        covered = [comparison.coverage(held_out, dataset.y_test, level) for level in (0.5, 0.9)]
        assert str(covered) in printed
        np.testing.assert_allclose(compared.scores[method].covered, covered)


@pytest.mark.parametrize("own", OWN)
def test_noise_or_ignorance(own: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    whole = kinds_study.head_config
    monkeypatch.setattr(kinds_study, "head_config", lambda *given: replace(whole(*given), num_steps=40))
    setting = Setting(CHOSEN | {"look": "heads"}, OWN[own])
    view = view_of("noise_or_ignorance", setting)
    [need] = needs_of(view, setting)
    assert isinstance(need, FitNeed)
    fit = fits.run(need.config, need.dataset)
    result = view.draw(setting, SCREEN, fit)
    names = run_snippet(result)
    shown = noisy_curve.prediction(fit, need.dataset)
    np.testing.assert_array_equal(names["predictive"].draws, shown.draws)
    np.testing.assert_array_equal(names["predictive"].aleatoric_std, shown.aleatoric_std)


@pytest.mark.parametrize("own", OWN)
def test_bayes_by_backprop(own: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(network.SETTINGS, "num_steps", 40)
    setting = Setting(CHOSEN | {"beside": "map"}, OWN[own])
    view = view_of("bayes_by_backprop", setting)
    needs = needs_of(view, setting)
    found = [fits.run(need.config, need.dataset) for need in needs if isinstance(need, FitNeed)]
    assert len(found) == len(needs) == 2
    names = run_snippet(view.draw(setting, SCREEN, found))
    made = {fit.config.method: fit for fit in (names["fit"], names["other"])}
    for fit in found:
        same = made[fit.config.method]
        assert replace(same.config, num_snapshots=0) == replace(fit.config, num_snapshots=0)
        for name, array in fit.params.items():
            np.testing.assert_array_equal(same.params[name], array)


@pytest.mark.parametrize("own", ["few points", "many points with names", "unix seconds"])
@pytest.mark.parametrize("prior_std", ["1", "inf"])
def test_bayes_rule(own: str, prior_std: str):
    setting = Setting({"data": "own", "prior_std": prior_std}, OWN[own])
    result = views_maps.maps(setting, SCREEN, None)
    posterior = run_snippet(result)["posterior"]
    assert number(result, "Evidence") == pytest.approx(posterior.terms.log_evidence, abs=0.0051)
    for mean, label in zip(posterior.mean, ("Slope", "Intercept"), strict=True):
        [value] = [value for name, value in result.numbers.items() if name.startswith(label)]
        assert float(value.split(" ± ")[0].replace("−", "-")) == pytest.approx(mean, abs=0.0051)
