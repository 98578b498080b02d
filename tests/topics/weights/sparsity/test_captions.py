"""What the sentences say of one shipped network, from its file and by another way."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from bdlviz import data
from bdlviz.fitted import shelf
from bdlviz.models import divergences
from bdlviz.topics.weights.sparsity import run as runs
from bdlviz.topics.weights.sparsity import study, views_table
from bdlviz.ui.model import Says, Setting
from tests.told import numbers_in
from tests.topics.shared.page_results import result_of

MNIST = "pruned_mnist_sparse_variational_dropout"


def close(told: str, *expected: float) -> bool:
    """Whether a sentence has these numbers, as exact as it tells them: two digits, or two of what 100 % lacks."""
    found = numbers_in(told)

    def is_told(value: float) -> bool:
        tolerance = 0.051 * min(abs(value), abs(100 - value) if 90 <= value < 100 else math.inf)
        return any(abs(value - each) <= tolerance for each in found)

    return all(map(is_told, expected))


def log_alphas(name: str = MNIST) -> np.ndarray:
    """Of all weights of a shipped network."""
    single = shelf.shipped(name)[0].single()
    layers = sorted(key for key in single if key.startswith("weight"))
    with np.errstate(divide="ignore"):
        noise = [2 * (single[f"log_std_{layer}"] - np.log(np.abs(single[layer]))) for layer in layers]
    return np.concatenate([each.ravel() for each in noise])


def test_removing_nearly_all_weights_counts_whole_ones():
    extra = shelf.shipped(MNIST)[1]
    sizes = extra["histograms"][-1].sum(-1)
    left = [
        round(int(size) * (1 - float(share))) for size, share in zip(sizes, extra["threshold_sparsity"][0], strict=True)
    ]
    assert sizes.sum() == 266_200 and left == [0, 0, 1]
    result = result_of("sparsity", {"look": "histograms", "threshold": "-8"})
    assert result.numbers["Compression"] == "×266,200"
    assert close(result.says, -8, 100 * extra["threshold_accuracy"][0])


def test_the_data_term_falls_before_weights_are_removed():
    extra = shelf.shipped(MNIST)[1]
    assert extra["misfit"][0] < 0.1 * np.log(10) and extra["sparsity"][0].max() < 0.05
    assert extra["sparsity"][1].min() > 0.2


@pytest.mark.parametrize("done", ["0", "5", "50", "100"])
def test_the_sentence_of_a_moment(done: str):
    extra = shelf.shipped(MNIST)[1]
    at = int(np.abs(extra["step"] / extra["step"][-1] - float(done) / 100).argmin())
    sizes = np.array([784 * 300, 300 * 100, 100 * 10])
    left = ((1 - extra["sparsity"][at]) * sizes).sum() / sizes.sum()
    result, right = result_of("sparsity", {"done": done}), extra["accuracy"][at].astype(float)
    nothing_removed = extra["compressed_accuracy"][-1, 1].astype(float)
    assert numbers_in(result.says)[-1] == pytest.approx(100 * nothing_removed, abs=0.06)
    assert close(result.says, 100 * left, 100 * right)
    drawn: Any = result.figures[0].figure
    notes = [note.text for note in drawn.layout.annotations if ":" in note.text]
    shown = [numbers_in(re.sub("<.*?>", " ", note)) for note in reversed(notes)]
    told = [float(done)] if float(done) else []  # without a number: after one pass
    assert [*told, *(each for note in shown for each in note)] == numbers_in(result.says)
    compared: Any = chi2_contingency(10_000 * np.array([[right, 1 - right], [nothing_removed, 1 - nothing_removed]]))
    assert (compared.pvalue > 0.05) == (done != "0"), "The claim of the page."


def test_the_network_with_all_weights_is_right_as_often_as_its_plain_forward_pass():
    need = runs.run_needed(Setting({"images": "digits"}))
    assert need.shipped is not None
    run, digits = need.shipped(), data.load("digits")
    assert run is not None
    h = run.fit.scaling.standardise_x(digits.x_test)
    for layer in range(3):
        h = np.maximum(h, 0) if layer else h
        h = h @ run.params[f"weight{layer}"] + run.params[f"bias{layer}"]
    assert run.whole == pytest.approx((h.argmax(1) == digits.y_test).mean())


@pytest.mark.parametrize("threshold", ["-1", "3", "8"])
def test_the_sentences_at_a_threshold(threshold: str):
    at, extra = int(np.abs(study.THRESHOLDS - float(threshold)).argmin()), shelf.shipped(MNIST)[1]
    removed = 100 * float(np.mean(log_alphas() > float(threshold)))
    histograms, signal = (
        result_of("sparsity", {"look": look, "threshold": threshold}) for look in ("histograms", "signal")
    )
    assert close(histograms.says, removed, float(threshold), 100 * extra["threshold_accuracy"][at])
    assert close(signal.says, removed, math.sqrt(math.exp(float(threshold))))


@pytest.mark.parametrize("warm_up", ["0", "0.1"])
def test_without_a_warm_up_weights_go_sooner(warm_up: str):
    name = study.name_of("sparse_variational_dropout", "digits", None if warm_up == "0.1" else 0.0)
    extra = shelf.shipped(name)[1]
    told = result_of("sparsity", {"look": "training", "images": "digits", "warm_up": warm_up}).says
    assert close(told, 5, 100 * (1 - 1 / extra["compression"][1]), 100 * extra["accuracy"][-1])


@pytest.mark.parametrize(("strength", "is_kept"), [("10", True), ("1.05", False), ("0.8", False)])
def test_the_minimum_of_one_weight(strength: str, is_kept: bool):
    """By a search on a fine grid."""
    log_alpha = np.linspace(-12, 12, 240_001)
    values = float(strength) / 2 / (1 + np.exp(-log_alpha)) + divergences.sparse_variational(log_alpha)
    best = float(log_alpha[values.argmin()])
    told = result_of("sparsity", {"look": "one", "strength": strength}).says
    assert close(told, float(strength), *([best, 100 / (1 + math.exp(best))] if is_kept else []))
    assert (best > divergences.PRUNED) != is_kept


def test_few_images_pay_more_without_a_warm_up():
    told = result_of("sparsity", {"look": "size"}).says
    for kind in ("", "_warm_up_0.5"):
        extra = shelf.shipped(f"pruned_mnist1000_sparse_variational_dropout{kind}")[1]
        assert close(told, extra["misfit"][-1] + extra["kl"][-1] / 1000)
    assert close(told, extra["compression"][-1])


def test_the_table_is_told_with_ours_and_the_authors():
    extra = shelf.shipped(MNIST)[1]
    [says, *_] = views_table.table()
    assert isinstance(says, Says)
    told = numbers_in(says.text)
    error, compression = 100 * (1 - extra["seed_accuracy"].mean()), extra["seed_compression"].mean()
    assert told[0] == pytest.approx(compression, rel=0.05) and told[1] == pytest.approx(error, abs=0.006)
