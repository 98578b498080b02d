"""The page on kinds of uncertainty: its numbers are those of the fit, its snippets run, bad data get a sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from bdlviz import data, fits
from bdlviz.data import noisy_curves
from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.topics.foundations.kinds_of_uncertainty import study as kinds_of_uncertainty_study
from bdlviz.topics.foundations.kinds_of_uncertainty import views_amount as kinds_of_uncertainty_views_amount
from bdlviz.topics.foundations.kinds_of_uncertainty import views_decision as kinds_of_uncertainty_views_decision
from bdlviz.topics.foundations.kinds_of_uncertainty import views_setting as kinds_of_uncertainty_views_setting
from bdlviz.types import Array, Dataset, FitConfig
from bdlviz.ui.controls import data_choice
from tests.ui.harness import assert_works, axis_ranges, figures, move, open_page, trace

PAGE = "kinds_of_uncertainty"
TRAINED = ("heads", "loss", "labels", "decision")
OBTAIN = import_module("bdlviz.ui.jobs.obtain")
RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty steps, whatever the page asks for, and made-up studies."""

    def run(config: FitConfig, dataset: Dataset, **options: Any) -> Fit:
        trained = fits.run(replace(config, num_steps=40), dataset, **options)
        return replace(trained, config=config, num_steps_done=config.num_steps)

    monkeypatch.setattr(OBTAIN, "run", run)
    monkeypatch.setattr(shelf, "find", lambda config: None)
    monkeypatch.setattr(shelf, "shipped", lambda name: (None, STUDIES[name]()))


def made_up_amount() -> dict[str, Array]:
    counts, x = (
        np.array(kinds_of_uncertainty_study.AMOUNTS, float),
        np.linspace(-6, 6, kinds_of_uncertainty_study.NUM_INPUTS),
    )
    found = {"num_data": counts, "x": x, "true_noise": np.array([0.3])}
    for method in kinds_of_uncertainty_study.AGAINST_NUMBER:
        shape = (len(kinds_of_uncertainty_study.SEEDS), len(counts))
        found[f"{method}_epistemic"] = np.broadcast_to(counts**-0.5, shape).copy()
        found[f"{method}_aleatoric"] = np.full(shape, 0.33) + 0.001 * RNG.random(shape)
        found[f"{method}_gap"] = np.full(shape, 0.5)
        found[f"{method}_curves"] = RNG.random((3, len(counts), len(x)))
    return found


def made_up_claims() -> dict[str, Array]:
    errors = np.array([np.nan, 0.8, 0.4, 0.2, 0.1, 0.0])
    tasks = np.full((10, 4, 2), 0.3) + 0.01 * RNG.random((10, 4, 2))
    tasks[..., 1] += 0.1
    found = {"errors": errors, "feature_truth": np.linspace(0.4, 0.1, 6), "num_data": np.array([30, 100, 300, 1000])}
    features = {f"{method}_feature": RNG.random((5, 6)) for method in kinds_of_uncertainty_study.FEATURE_METHODS}
    return found | features | {"task_learned": tasks, "task_error": tasks - 0.2}


STUDIES: dict[str, Callable[[], dict[str, Array]]] = {"kinds_amount": made_up_amount, "kinds_claims": made_up_claims}


@pytest.mark.parametrize("view", TRAINED)
@pytest.mark.parametrize("method", kinds_of_uncertainty_study.SHIPPED)
def test_a_view_with_its_snippet(view: str, method: str):
    app = open_page(PAGE, {"look": view, "method": method, "num_data": "20"})
    assert_works(app)
    assert len(app.metric) == 4
    app.session_state["tabs"] = "Reproduce"
    app.run()
    code = app.code[0].value.replace("study.run(", "run(")
    names: dict[str, Any] = {"run": lambda config, made: fits.run(replace(config, num_steps=40), made)}
    exec(compile(code, "snippet", "exec"), names)
    assert names["fit"].config.method == method


@pytest.mark.parametrize("head", kinds_of_uncertainty_study.HEADS)
def test_the_number_is_the_noise_of_the_fit(head: str):
    app = open_page(PAGE, {"head": head})
    assert_works(app)
    dataset = data.load(kinds_of_uncertainty_study.DATASET)
    config = kinds_of_uncertainty_study.head_config(dataset, "deep_ensemble", head)
    fit = fits.run(replace(config, num_steps=40), dataset)
    noise = fit.predict(dataset.x, kinds_of_uncertainty_views_setting.NUM_SAMPLES).aleatoric_std
    assert app.metric[0].value.startswith(f"{noise.mean():.3f} (")
    _, drawn = trace(figures(app)[0], "Aleatoric sd")
    assert bool(np.ptp(drawn) > 1e-6) == (head == "heteroscedastic")


@pytest.mark.parametrize("head", kinds_of_uncertainty_study.HEADS)
def test_the_scores_are_those_of_the_draws_own_noise(head: str):
    dataset = data.load(kinds_of_uncertainty_study.DATASET)
    config = kinds_of_uncertainty_study.head_config(dataset, "mc_dropout", head)
    fit = fits.run(replace(config, num_steps=40), dataset)
    held_out, at_data = (
        fit.predict(x, kinds_of_uncertainty_views_setting.NUM_SAMPLES) for x in (dataset.x_test, dataset.x)
    )
    std = held_out.aleatoric_std if held_out.variances is None else np.sqrt(held_out.variances)
    below = norm.cdf(dataset.y_test, held_out.draws, std).mean(0)
    app = open_page(PAGE, {"head": head, "method": "mc_dropout"})
    assert app.metric[3].value == f"{np.mean(np.abs(2 * below - 1) <= 0.95):.0%}"
    noise = at_data.aleatoric_std if at_data.variances is None else np.sqrt(at_data.variances)
    loss = np.mean((dataset.y - at_data.draws) ** 2 / (2 * noise**2)) + np.mean(np.log(noise))
    app = open_page(PAGE, {"look": "loss", "head": head, "method": "mc_dropout"})
    assert app.metric[3].value.startswith(f"{loss:.2f} (".replace("-", "−"))


def test_the_known_noise_is_the_root_mean_square_of_the_truth():
    dataset = data.load(kinds_of_uncertainty_study.DATASET)
    noise = noisy_curves.noise_and_gap_noise_std(dataset.x)
    config = kinds_of_uncertainty_study.head_config(dataset, "mc_dropout", "gaussian")
    assert config.noise_std == pytest.approx(np.sqrt(np.mean(noise**2)), rel=1e-5)


def test_one_point_and_points_that_share_an_x_get_a_sentence(monkeypatch: pytest.MonkeyPatch):
    app = open_page(PAGE, {"num_data": "1"})
    assert_works(app)
    assert any("One point." in caption.value for caption in app.caption)
    points = np.array([[0.0, 1.0], [0.0, -1.0], [1.0, 0.5], [2.0, 0.0]])
    monkeypatch.setattr(data_choice, "STARTING_POINTS", points)
    app = open_page(PAGE, {"data": "own"})
    assert_works(app)
    said = [caption.value for caption in app.caption]
    assert any("share an x" in sentence for sentence in said) and any("Nobody knows" in sentence for sentence in said)


def test_noise_beyond_all_numbers_gets_one_sentence(monkeypatch: pytest.MonkeyPatch):
    healthy = OBTAIN.run

    def broken(config: FitConfig, dataset: Dataset, **options: Any) -> Fit:
        fit = healthy(config, dataset, **options)
        params = dict(fit.params)
        params["bias2"] = params["bias2"] + 1000
        return replace(fit, params=params)

    monkeypatch.setattr(OBTAIN, "run", broken)
    app = open_page(PAGE)
    assert not app.exception and len(app.error) == 1
    assert "larger than any number" in app.error[0].value


def test_a_residual_of_nothing_gets_a_sentence():
    app = open_page(PAGE, {"look": "loss", "residual": "0"})
    assert_works(app)
    assert any("A residual of 0" in caption.value for caption in app.caption)
    assert app.metric[0].value == "−∞"


@pytest.mark.parametrize(
    "amount", [str(kinds_of_uncertainty_study.AMOUNTS[0]), str(kinds_of_uncertainty_study.AMOUNTS[-1])]
)
def test_both_ends_of_the_number_keep_the_axes(amount: str):
    app = open_page(PAGE, {"look": "amount"})
    before = axis_ranges(figures(app)[0])
    assert_works(move(app, "amount", amount))
    assert axis_ranges(figures(app)[0]) == before


def test_the_page_says_the_power_and_the_ratio():
    app = open_page(PAGE, {"look": "amount"})
    assert_works(app)
    found = made_up_amount()
    assert kinds_of_uncertainty_views_amount.power(found, "mc_dropout") == pytest.approx((-0.5, 0), abs=1e-9)
    assert kinds_of_uncertainty_views_amount.noise_ratio(found, "mc_dropout", 2000)[0] == pytest.approx(1.1, abs=0.005)
    assert app.metric[3].value == "−0.50 ± 0.00"
    assert "power −0.50 ± 0.00 among the data, and 0.00 ± 0.00 in the gap (mean ± sd over" in app.markdown[0].value


def test_claims_say_what_was_measured():
    app = open_page(PAGE, {"look": "claims"})
    assert_works(app)
    change, _ = kinds_of_uncertainty_views_amount.difference(made_up_claims(), "task_learned")
    np.testing.assert_allclose(change, 0.1, atol=0.01)
    text = " ".join(each.value for each in app.markdown)
    assert "more than two standard errors at N = 30, 100, 300, 1,000" in text


@pytest.mark.parametrize("view", ["amount", "claims"])
def test_a_missing_study_gets_one_sentence(view: str, monkeypatch: pytest.MonkeyPatch):
    def missing(name: str) -> None:
        raise CheckpointError(f"No checkpoint called {name} is shipped.")

    monkeypatch.setattr(shelf, "shipped", missing)
    app = open_page(PAGE, {"look": view})
    assert not app.exception and len(app.warning) == 1
    assert f"python -m bdlviz train kinds_{view}" in app.warning[0].value


@pytest.mark.parametrize(
    ("query", "sentence"),
    [({"treat": "10", "miss": "1"}, "nobody is treated"), ({"treat": "0"}, "Treating is free")],
)
def test_costs_at_the_ends(query: dict[str, str], sentence: str):
    app = open_page(PAGE, {"look": "decision"} | query)
    assert_works(app)
    assert sum(sentence in caption.value for caption in app.caption) == 1


def test_nobody_beats_the_truth():
    app = open_page(PAGE, {"look": "decision"})
    paid = {metric.label: [float(part) for part in metric.value.split(" ± ")] for metric in app.metric}
    best = paid.pop("Cost, truth known")
    assert all(mean >= best[0] - 4 * np.hypot(error, best[1]) for mean, error in paid.values())


def test_costs_need_a_truth():
    app = open_page(PAGE, {"look": "decision", "data": "own"})
    assert not app.exception and not app.error
    assert "Costs need the truth" in app.info[0].value


def test_people_are_the_same_for_every_rule():
    dataset = data.load(kinds_of_uncertainty_study.DATASET)
    first, again = (kinds_of_uncertainty_views_decision.people(dataset, everywhere=True) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert np.isin(kinds_of_uncertainty_views_decision.people(dataset, everywhere=False), dataset.x_test).all()
