"""The views of curves, classes and decisions: their numbers are those of the fit, bad data get a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from bdlviz import data, fits
from bdlviz.data import noisy_curves
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit
from bdlviz.topics.foundations.kinds_of_uncertainty import run, study, views, views_amount, views_decision
from bdlviz.types import Array, Dataset, FitConfig
from bdlviz.ui.controls.own_points import OwnPoints
from bdlviz.ui.jobs.obtain import FitNeed
from bdlviz.ui.model import Result, Setting, View
from tests.told import numbers_in
from tests.topics.shared.page_results import SCREEN, curve, plain, reading, run_snippet, said
from tests.ui.harness import axis_ranges

VIEWS = {view.name: view for view in views.CURVES}
TRAINED = ("heads", "loss", "labels", "decision")
RNG = np.random.default_rng(0)
OWN = OwnPoints(np.array([[0.0, 1.0], [0.0, -1.0], [1.0, 0.5], [2.0, 0.0]]))


def short_fit(config: FitConfig, dataset: Dataset) -> Fit:
    """Forty steps, whatever the page asks for."""
    trained = fits.run(replace(config, num_steps=40), dataset)
    return replace(trained, config=config, num_steps_done=config.num_steps)


def fit_of(view: View, setting: Setting) -> Fit:
    """What the need of a view would give, after forty steps."""
    assert view.needs is not None
    need = view.needs(setting)
    assert isinstance(need, FitNeed)
    return short_fit(need.config, need.dataset)


def shown(name: str, own: OwnPoints | None = None, **values: str) -> Result:
    """A view that draws a fit."""
    setting = Setting(values, own)
    return VIEWS[name].draw(setting, SCREEN, fit_of(VIEWS[name], setting))


# Fits -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TRAINED)
@pytest.mark.parametrize("method", study.SHIPPED)
def test_a_view_with_its_snippet(name: str, method: str):
    result = shown(name, method=method, num_data="20")
    assert len(result.numbers) == 4
    found = run_snippet(replace(result, call=result.call.replace("study.run(", "run(")), run=short_fit)
    assert found["fit"].config.method == method


@pytest.mark.parametrize("head", study.HEADS)
def test_the_number_is_the_noise_of_the_fit(head: str):
    dataset = data.load(study.DATASET)
    noise = short_fit(study.head_config(dataset, "deep_ensemble", head), dataset)
    noise = noise.predict(dataset.x, run.NUM_SAMPLES).aleatoric_std
    result = shown("heads", head=head)
    assert next(iter(result.numbers.values())).startswith(f"{noise.mean():.3f} (")
    assert bool(np.ptp(curve(result, "Aleatoric sd")) > 1e-6) == (head == "heteroscedastic")


@pytest.mark.parametrize("head", study.HEADS)
def test_the_scores_are_those_of_the_draws_own_noise(head: str):
    dataset = data.load(study.DATASET)
    fit = short_fit(study.head_config(dataset, "mc_dropout", head), dataset)
    held_out, at_data = (fit.predict(x, run.NUM_SAMPLES) for x in (dataset.x_test, dataset.x))
    std = held_out.aleatoric_std if held_out.variances is None else np.sqrt(held_out.variances)
    below = norm.cdf(dataset.y_test, held_out.draws, std).mean(0)
    result = shown("heads", head=head, method="mc_dropout")
    assert reading(result, "95") == f"{100 * np.mean(np.abs(2 * below - 1) <= 0.95):.0f} %"
    noise = at_data.aleatoric_std if at_data.variances is None else np.sqrt(at_data.variances)
    loss = np.mean((dataset.y - at_data.draws) ** 2 / (2 * noise**2)) + np.mean(np.log(noise))
    result = shown("loss", head=head, method="mc_dropout")
    assert reading(result, "Sum").startswith(f"{loss:.2f} (".replace("-", "−"))


def test_the_known_noise_is_the_root_mean_square_of_the_truth():
    dataset = data.load(study.DATASET)
    noise = noisy_curves.noise_and_gap_noise_std(dataset.x)
    config = study.head_config(dataset, "mc_dropout", "gaussian")
    assert config.noise_std == pytest.approx(np.sqrt(np.mean(noise**2)), rel=1e-5)


def test_an_infinite_noise_gets_one_sentence():
    fit = fit_of(VIEWS["heads"], Setting())
    broken = replace(fit, params=dict(fit.params) | {"bias2": fit.params["bias2"] + 1000})
    with pytest.raises(InvalidInput, match="number"):
        run.prediction(broken, data.load(study.DATASET), np.zeros((1, 1)))


@pytest.mark.parametrize(
    ("name", "own", "values", "has_figure"),
    [
        ("heads", None, {"num_data": "1"}, True),
        ("heads", OWN, {"data": "own"}, True),
        ("loss", None, {"residual": "0"}, True),
        ("decision", OWN, {"data": "own"}, False),
        ("decision", None, {"treat": "10", "miss": "1"}, True),
        ("decision", None, {"treat": "0"}, True),
    ],
)
def test_what_cannot_be_computed_or_is_trivial_gets_a_sentence(
    name: str, own: OwnPoints | None, values: dict[str, str], has_figure: bool
):
    result = shown(name, own, **values)
    assert set(result.words) - set(shown(name).words)
    assert bool(result.figures) == has_figure
    if name == "loss":
        assert reading(result, "Lowest") == "−∞"


# Studies --------------------------------------------------------------------------------------------------------------


def made_up_amount() -> dict[str, Array]:
    counts, x = np.array(study.AMOUNTS, float), np.linspace(-6, 6, study.NUM_INPUTS)
    found = {"num_data": counts, "x": x, "true_noise": np.array([0.3])}
    for method in study.AGAINST_NUMBER:
        shape = (len(study.SEEDS), len(counts))
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
    features = {f"{method}_feature": RNG.random((5, 6)) for method in study.FEATURE_METHODS}
    return found | features | {"task_learned": tasks, "task_error": tasks - 0.2}


def against(found: Mapping[str, Array], **values: str) -> Result:
    return views_amount.amount(Setting(values), SCREEN, found)


def test_both_ends_of_the_number_keep_the_axes():
    found = made_up_amount()
    ranges = [axis_ranges(plain(against(found, amount=str(count)))) for count in (100, *study.AMOUNTS[::8])]
    assert ranges[0] == ranges[1] == ranges[2]


def test_the_page_says_the_power_and_the_ratio():
    found = made_up_amount()
    result = against(found)
    assert views_amount.power(found, "mc_dropout") == pytest.approx((-0.5, 0), abs=1e-9)
    assert views_amount.noise_ratio(found, "mc_dropout", 2000)[0] == pytest.approx(1.1, abs=0.005)
    assert reading(result, "Power") == "−0.50 ± 0.00"
    assert "−0.50 ± 0.00" in said(result) and "0.00 ± 0.00" in said(result)


def test_claims_say_what_was_measured():
    found = made_up_claims()
    change, _ = views_amount.difference(found, "task_learned")
    np.testing.assert_allclose(change, 0.1, atol=0.01)
    result = views_amount.claims(Setting(), SCREEN, found)
    assert any(set(found["num_data"].tolist()) <= set(numbers_in(words)) for words in result.words)


@pytest.mark.parametrize("name", ["amount", "claims"])
def test_a_missing_study_says_how_it_is_made(name: str):
    needs = VIEWS[name].needs
    assert needs is not None
    assert f"python -m bdlviz train kinds_{name}" in needs(Setting()).missing  # type: ignore[union-attr]


# Decisions ------------------------------------------------------------------------------------------------------------


def test_no_rule_is_better_than_the_truth():
    paid = {name: [float(part) for part in value.split(" ± ")] for name, value in shown("decision").numbers.items()}
    best = paid.pop(next(label for label in paid if "truth" in label))
    assert all(mean >= best[0] - 4 * np.hypot(error, best[1]) for mean, error in paid.values())


def test_people_are_the_same_for_every_rule():
    dataset = data.load(study.DATASET)
    first, again = (views_decision.people(dataset, everywhere=True) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert np.isin(views_decision.people(dataset, everywhere=False), dataset.x_test).all()
