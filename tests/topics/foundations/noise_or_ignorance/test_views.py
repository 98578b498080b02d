"""The views of curves and classes: their numbers are those of the fit, bad data get a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from bdlviz import data
from bdlviz.data import noisy_curves
from bdlviz.errors import InvalidInput
from bdlviz.fitted import shelf
from bdlviz.topics.foundations.noise_or_ignorance import exact, study, views_amount
from bdlviz.topics.shared import noisy_curve
from bdlviz.types import Array
from bdlviz.ui.controls.own_points import OwnPoints
from bdlviz.ui.model import Result, Setting
from tests.told import numbers_in
from tests.topics.shared.page_results import (
    SCREEN,
    curve,
    fit_of,
    plain,
    quick_result,
    reading,
    run_snippet,
    said,
    short_fit,
    view_of,
)
from tests.ui.harness import axis_ranges

PAGE = "noise_or_ignorance"
TRAINED = ("heads", "loss", "labels")
RNG = np.random.default_rng(0)
OWN = OwnPoints(np.array([[0.0, 1.0], [0.0, -1.0], [1.0, 0.5], [2.0, 0.0]]))


def shown(name: str, own: OwnPoints | None = None, **values: str) -> Result:
    """A view that draws a fit."""
    return quick_result(PAGE, {"look": name} | values, own)


# Few and many points -------------------------------------------------------------------------------------------------


def points(count: int) -> Result:
    return view_of(PAGE, Setting({"look": "points"})).draw(Setting({"n_points": str(count)}), SCREEN, None)


@pytest.mark.parametrize("count", [1, 5, 200])
def test_the_sentence_tells_the_ignorance_by_a_normal_distribution_of_all_values(count: int):
    """The same posterior by conditioning the joint covariance, with an inverse instead of a factor."""
    dataset, at = data.load(study.DATASET, num_data=count), np.linspace(-6, 6, 241)
    x = dataset.x[:, 0]
    both = exact.covariance(np.concatenate([x, at]), np.concatenate([x, at]))
    noise = noisy_curves.noise_and_gap_noise_std(x)
    inverse = np.linalg.inv(both[:count, :count] + np.diag(noise**2))
    left = both[count:, count:] - both[count:, :count] @ inverse @ both[:count, count:]
    [here] = np.flatnonzero(np.isclose(at, 2))
    ignorance, known = np.sqrt(left[here, here]), noisy_curves.noise_and_gap_noise_std(at)[here]
    told = numbers_in(points(count).says)
    assert told[:2] == [count, 2]
    assert told[2:] == pytest.approx([ignorance, known], rel=0.05)
    notes = [note for note in plain(points(count))["layout"]["annotations"] if note["x"] == 2]
    assert [numbers_in(note["text"])[0] for note in notes] == told[2:]
    assert [note["y"] for note in notes] == pytest.approx([ignorance, known])


def test_more_points_shrink_the_ignorance_and_leave_the_noise():
    found = [numbers_in(points(int(count)).says) for count in (1, 5, 50, 1000)]
    assert [each[2] for each in found] == sorted((each[2] for each in found), reverse=True)
    assert len({each[3] for each in found}) == 1
    assert found[0][2] > 3 * found[0][3] > 9 * found[-1][2]


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
    noise = noise.predict(dataset.x, noisy_curve.NUM_SAMPLES).aleatoric_std
    result = shown("heads", head=head)
    assert next(iter(result.numbers.values())).startswith(f"{noise.mean():.3f} (")
    assert bool(np.ptp(curve(result, "Aleatoric sd")) > 1e-6) == (head == "heteroscedastic")


@pytest.mark.parametrize("head", study.HEADS)
def test_the_scores_are_those_of_the_draws_own_noise(head: str):
    dataset = data.load(study.DATASET)
    fit = short_fit(study.head_config(dataset, "mc_dropout", head), dataset)
    held_out, at_data = (fit.predict(x, noisy_curve.NUM_SAMPLES) for x in (dataset.x_test, dataset.x))
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
    fit = fit_of(view_of(PAGE, Setting({"look": "heads"})), Setting())
    broken = replace(fit, params=dict(fit.params) | {"bias2": fit.params["bias2"] + 1000})
    with pytest.raises(InvalidInput, match="number"):
        noisy_curve.prediction(broken, data.load(study.DATASET), np.zeros((1, 1)))


@pytest.mark.parametrize(
    ("name", "own", "values", "has_figure"),
    [
        ("heads", None, {"num_data": "1"}, True),
        ("heads", OWN, {"data": "own"}, True),
        ("loss", None, {"residual": "0"}, True),
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
    needs = view_of(PAGE, Setting({"look": name})).needs
    assert needs is not None
    assert f"python -m bdlviz train kinds_{name}" in needs(Setting()).missing  # type: ignore[union-attr]


def told(values: list[float], expected: list[float]) -> bool:
    """Whether a sentence has these numbers to two digits."""
    return all(any(abs(value - each) <= 0.051 * abs(value) for each in values) for value in expected)


@pytest.mark.parametrize("amount", ["10", "10000"])
@pytest.mark.parametrize("method", study.SHIPPED)
def test_the_sentence_at_one_number_of_points(method: str, amount: str):
    found = shelf.shipped("kinds_amount")[1]
    column = found["num_data"].tolist().index(int(amount))
    rows = found["num_data"] >= 100
    slopes = [
        np.polyfit(np.log(found["num_data"][rows]), np.log(one[rows]), 1)[0] for one in found[f"{method}_epistemic"]
    ]
    means = [float(found[f"{method}_{kind}"][:, column].mean()) for kind in ("aleatoric", "epistemic")]
    says = views_amount.amount(Setting({"of_method": method, "amount": amount}), SCREEN, found).says
    numbers = numbers_in(says)
    assert told(numbers, [*means, int(amount)])
    assert numbers[-1] == pytest.approx(np.mean(slopes), abs=0.006)


def test_the_sentence_on_the_second_feature():
    found = shelf.shipped("kinds_claims")[1]
    numbers = numbers_in(views_amount.claims(Setting(), SCREEN, found).says)
    learned = found["deep_ensemble_feature"].mean(0)
    assert told(numbers, [found["feature_truth"][0], found["feature_truth"][-1], learned[0], learned[-1]])


def test_the_sentence_on_the_loss_finds_the_lowest_point():
    sigma = np.geomspace(0.01, 10, 100_001)
    loss = 0.2**2 / (2 * sigma**2) + np.log(sigma)
    numbers = numbers_in(shown("loss", residual="0.2").says)
    half = 0.2**2 / (2 * 0.1**2) + np.log(0.1)
    assert told(numbers, [float(sigma[loss.argmin()]), half - float(loss.min())])


def test_noise_that_is_learned_from_one_point_is_told_to_be_too_small():
    fit = shelf.shipped("scene_kinds_one_point")[0]
    dataset = data.load(study.DATASET, num_data=1)
    noise = float(fit.predict(dataset.x, noisy_curve.NUM_SAMPLES).aleatoric_std.mean())
    true = float(noisy_curves.noise_and_gap_noise_std(dataset.x).mean())
    says = view_of(PAGE, Setting({"look": "heads"})).draw(Setting({"num_data": "1"}), SCREEN, fit).says
    assert noise < true / 2 and told(numbers_in(says), [noise, true])


def test_the_sentence_on_two_classes_has_the_entropies_of_the_draws():
    result = shown("labels")
    fit = fit_of(view_of(PAGE, Setting({"look": "labels"})), Setting())
    x = np.linspace(-7, 6, 200)
    p = fit.predict(x[:, None], noisy_curve.NUM_SAMPLES).draws
    noise = -(p * np.log(np.maximum(p, 1e-30))).sum(-1).mean(0)
    mean = p.mean(0)
    between = -(mean * np.log(np.maximum(mean, 1e-30))).sum(-1) - noise
    overlap, gap = (x > -4) & (x < -2), (x > noisy_curves.GAP[0]) & (x < noisy_curves.GAP[1])
    assert told(numbers_in(result.says), [noise[overlap].mean(), between[overlap].mean(), between[gap].mean()])
