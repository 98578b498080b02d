"""The page on Gaussian and variational dropout: its numbers are right, and missing files get a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from scipy import stats

from bdlviz import data
from bdlviz.fitted import shelf
from bdlviz.topics.weights.variational_dropout import (
    figures,
    views_digits,
    views_functions,
    views_tested,
    views_theory,
    weight_noise,
)
from bdlviz.topics.weights.variational_dropout.study import KL_WEIGHTS, array_name
from bdlviz.ui.model import Folded, Result, Setting
from tests.told import numbers_in
from tests.topics.shared.page_results import percent, reading
from tests.topics.weights.results import SCREEN, layout_of, run_call, values_of
from tests.ui.harness import figures as figures_of
from tests.ui.harness import open_working, trace

PAGE = "variational_dropout"
CONSTANT = 0.5 * (np.euler_gamma + np.log(2))  # of the log-uniform prior, such that endless noise costs nothing
DRAWN = {"pixels": views_digits.pixels, "layers": views_digits.layers}


def learned(view: str, **values: str) -> Result:
    setting = Setting(values)
    need = views_digits.needed(setting)
    assert need.shipped is not None
    return DRAWN[view](setting, SCREEN, need.shipped())  # type: ignore[arg-type]


def of_theory(view: str, **values: str) -> Result:
    draw = {"noise": views_theory.noise, "divergence": views_theory.divergence}[view]
    return draw(Setting(values), SCREEN, None)


# More noise at test time ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("times", ["0", "1", "1.5", "3", "4"])
def test_the_accuracy_is_that_of_noise_on_the_sums_of_the_units(times: str):
    """Noise on weights gives each unit's sum a Gaussian of this variance, drawn here for every digit."""
    rng, digits, expected = np.random.default_rng(1), data.load("digits"), []
    learned, _ = shelf.shipped("classifier_digits_variational_dropout")
    [alpha] = {round(float(np.exp(learned.single()[f"log_alpha_weight{layer}"].item())), 2) for layer in range(3)}
    for method in ("variational_dropout", "map"):
        fit, _ = shelf.shipped(f"classifier_digits_{method}")
        params, right = fit.single(float), []
        for _ in range(20):
            h = fit.scaling.standardise_x(digits.x_test)
            for layer in range(3):
                h, weight = np.maximum(h, 0) if layer else h, params[f"weight{layer}"]
                spread = float(times) * np.sqrt(alpha * h**2 @ weight**2)
                h = h @ weight + params[f"bias{layer}"] + spread * rng.standard_normal(spread.shape)
            right.append((h.argmax(1) == digits.y_test).mean())
        expected.append(100 * np.mean(right))
    need = views_tested.needed(Setting())
    assert need.shipped is not None
    found = need.shipped()
    assert found is not None
    result = views_tested.tested(Setting({"tested_noise": times}), SCREEN, found)
    told, sd = numbers_in(result.says), float(times) * alpha**0.5
    assert told.pop(1) == pytest.approx(100 * sd, rel=0.01)
    assert told == [float(times), *(pytest.approx(each, abs=3) for each in expected)]
    at = views_tested.TESTED.index(float(times))
    drawn: Any = result.figures[0].figure
    texts = [note.text for note in drawn.layout.annotations]
    notes = [numbers_in(text) for mark in ("sd", ":<br>") for text in texts if mark in text]
    assert notes == [[pytest.approx(100 * sd, rel=0.01)], told[2:], told[1:2]]
    assert found.learned == pytest.approx(alpha**0.5, abs=0.005)
    assert (told[1] > 90) == (float(times) <= 1) and (told[1] < 50) == (float(times) >= 3), "The claim of the page."
    share = (found.answers[at] == digits.y_test[found.digit]).mean()
    assert share == pytest.approx(found.with_noise[at], abs=0.15), "The digit is one like all."


# Learned from digits --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("images", ["mnist", "digits"])
@pytest.mark.parametrize("view", DRAWN)
@pytest.mark.parametrize("alpha_of", ["layer", "neuron", "weight"])
def test_the_numbers_are_those_of_the_study(view: str, images: str, alpha_of: str):
    result = learned(view, images=images, alpha_of=alpha_of, noise_beta="0.1")
    _, extra = shelf.shipped(f"learned_noise_{images}")
    at = KL_WEIGHTS.index(0.1)
    one, many, mean = (extra[array_name(alpha_of, key)][at] for key in ("one_pass", "accuracy", "mean"))
    expected = [f"{100 * one:.1f} %", f"{100 * many:.1f} %", f"{mean[0]:.2f}"]
    assert values_of(result)[:3] == expected


def test_the_table_has_the_published_row_and_ours():
    [told] = [part for part in learned("pixels").parts if isinstance(part, Folded)]
    [table] = Result(told.parts).words
    _, extra = shelf.shipped("classifier_mnist_variational_dropout")
    assert "88.77 ± 0.53" in table and "89.60 ± 0.56" in table
    assert f"{100 * extra['accuracy'].mean():.2f} ±" in table


@pytest.mark.parametrize("images", ["mnist", "digits"])
@pytest.mark.parametrize("beta", ["0.001", "0.01", "0.1", "1"])
@pytest.mark.parametrize("alpha_of", ["layer", "neuron", "weight"])
def test_the_sentence_of_the_pixels(images: str, beta: str, alpha_of: str):
    """Blank are pixels without ink in every training image; where all are at the cap, the sentence says 1."""
    _, extra = shelf.shipped(f"learned_noise_{images}")
    at = KL_WEIGHTS.index(float(beta))
    alpha, accuracy, one = (extra[array_name(alpha_of, key)][at] for key in ("pixels", "accuracy", "one_pass"))
    result = learned("pixels", images=images, noise_beta=beta, alpha_of=alpha_of)
    title, without, with_noise = (numbers_in(note.text) for note in result.figures[0].figure.layout.annotations)
    blank = ~data.load("mnist-1000" if images == "mnist" else "digits").x.any(0)
    assert title == [pytest.approx(alpha[where].mean(), abs=0.006) for where in (~blank, blank)]
    assert [without, with_noise] == [[pytest.approx(100 * each, abs=0.06)] for each in (one, accuracy)]
    assert numbers_in(result.says) == (title if title[0] != title[1] else [title[1], *with_noise])


def test_the_digit_has_the_noise_of_its_pixels():
    image, alpha = np.full((40, 40), 0.5), np.full((40, 40), 0.04)
    noisy = views_digits.noisy(image, alpha)
    assert noisy.std() == pytest.approx(0.5 * 0.2, rel=0.05) and noisy.mean() == pytest.approx(0.5, abs=0.01)
    np.testing.assert_array_equal(views_digits.noisy(image, 0 * alpha), image)
    assert views_digits.noisy(image, 25 * alpha).min() >= 0 and views_digits.noisy(image, 25 * alpha).max() == 1


def test_the_sentence_of_the_layers_tells_the_share_at_the_cap():
    _, extra = shelf.shipped("learned_noise_mnist")
    told = numbers_in(learned("layers", noise_beta="0.01").says)
    shares = extra[array_name("neuron", "capped")][1]
    assert told[1:-1] == [pytest.approx(100 * share, abs=0.6) for share in shares]


# Theory ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_inputs", ["1", "500"])
@pytest.mark.parametrize("rate", ["0.05", "0.8"])
def test_two_kinds_of_noise_at_both_ends(num_inputs: str, rate: str):
    result = of_theory("noise", noise_inputs=num_inputs, noise_rate=rate)
    alpha = float(rate) / (1 - float(rate))
    gap = weight_noise.distance_to_gaussian(int(num_inputs), float(rate))
    expected = [f"{alpha:.3g}", "1", f"{(alpha / int(num_inputs)) ** 0.5:.3g}", percent(gap)]
    assert values_of(result) == expected
    shown, usual = (layout_of(each) for each in (result, of_theory("noise")))
    for name in ("xaxis", "yaxis", "xaxis2", "yaxis2"):
        assert shown[name].range == usual[name].range


@pytest.mark.parametrize(("log_alpha", "cubic"), [("-10", "5.6351"), ("-2", "1.5041"), ("0", "0.3895"), ("8", "–")])
def test_divergences_at_the_marker(log_alpha: str, cubic: str):
    result = of_theory("divergence", log_alpha=log_alpha)
    exact = weight_noise.divergence_curves(np.array([float(log_alpha)]))["exact"][0]
    assert values_of(result)[:2] == [f"{exact:.4f}", cubic]


def test_the_sentences_of_the_theory():
    values = np.array([1.0, 0.0])  # masks of two inputs at p = 0.5: sums -1.41, 0, 1.41 with 1/4, 1/2, 1/4
    gap = 100 * (0.75 - stats.norm.cdf(0))
    told = numbers_in(of_theory("noise", noise_inputs="2", noise_rate="0.5").says)
    assert told == [values.var() / values.mean() ** 2, 2, pytest.approx(gap, abs=0.6)]
    rng = np.random.default_rng(0)
    for log_alpha in (-2.0, 1.0):
        weight = 1 + np.exp(log_alpha / 2) * rng.standard_normal(400_000)
        kl = np.mean(np.log(np.abs(weight))) - 0.5 * log_alpha + CONSTANT
        told = numbers_in(of_theory("divergence", log_alpha=f"{log_alpha:g}").says)
        assert told[0] == log_alpha and told[1] == pytest.approx(kl, abs=0.02)
        assert (told[3] == pytest.approx(kl, abs=0.06)) == (log_alpha < 0)


def test_the_table_has_the_golden_values():
    rows = [row.strip("| ").split(" | ") for row in views_theory.table().split("\n")[2:]]
    assert [row[1] for row in rows] == ["3.13178", "1.54415", "0.42669", "0.17319", "0.02469"]
    assert [row[2] for row in rows[3:]] == ["–", "–"] and rows[0][0] == "−5"


# Functions ------------------------------------------------------------------------------------------------------------


def test_five_methods_side_by_side_are_shipped():
    setting = Setting({"noise_beta": "1", "noise_rate": "0.8"})
    fits = [need.shipped() for need in views_functions.needed(setting) if need.shipped is not None]
    result = views_functions.functions(setting, SCREEN, fits)
    assert len(layout_of(result).annotations) == len(fits)
    assert len(result.numbers) == 4 and len(result.figures) == 2
    while_training = views_functions.functions(setting, SCREEN, [*fits[:2], None, None, None])
    assert len(while_training.parts) == 2 and not numbers_in(while_training.says)


@pytest.mark.usefixtures("quick")
def test_a_data_set_that_is_not_shipped_is_trained():
    app = open_working(PAGE, {"noise_look": "functions", "noise_data": "two_clusters"})
    x, _ = trace(figures_of(app)[0], "Data")
    assert len(x) > 5 and len(app.metric) == 4


# Snippets -------------------------------------------------------------------------------------------------------------


def test_the_snippets_of_the_theory(monkeypatch: pytest.MonkeyPatch):
    assert len(run_call(of_theory("noise", noise_inputs="20"), monkeypatch)["atoms"][0]) == 21
    result = of_theory("divergence", log_alpha="1")
    names = run_call(result, monkeypatch)
    assert reading(result, "Exact") == f"{names['readings']['exact']:.4f}"


def test_the_snippet_of_the_functions(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bdlviz.topics.weights.variational_dropout.study.CURVE_SETTINGS", {"num_steps": 2})
    shown = []
    monkeypatch.setattr(figures, "functions_in_a_row", lambda panels, data: shown.append(panels) or go.Figure())
    run_call(views_functions.functions(Setting(), SCREEN, [None] * 5), monkeypatch)
    assert [title for title, _ in shown[0]] == ["map", "gaussian", "layer", "neuron", "weight"]


def test_the_snippet_of_the_digits(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setitem(views_digits.SETTINGS, "digits", {"hidden": (8, 8), "num_steps": 2})
    run_call(learned("layers", images="digits"), monkeypatch)
    assert capsys.readouterr().out
