"""Exercises on weights: numbers by closed forms, settings by hand, and what questions quote stands on the pages."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from scipy import stats

from bdlviz.fitted import shelf
from bdlviz.topics.weights.compression import exercises as compression_exercises
from bdlviz.topics.weights.signal_to_noise.study import CURVES, FRACTIONS
from bdlviz.topics.weights.sparsity import exercises as sparsity_exercises
from bdlviz.topics.weights.variational_dropout import exercises as variational_dropout_exercises
from tests.exercises.answers import metrics, setting_of
from tests.ui.harness import controls

READINGS = [  # page, link, what an answer says in words; quoted numbers: tests/quoted
    ("compression", {"look": "bits", "compressed_images": "digits"}, {"Bits per weight, by layer": "5-5-8"}),
    ("compression", {"scene": "all"}, {"Accuracy after": "9.7\u2009%"}),
    ("variational_dropout", {"noise_look": "pixels", "noise_beta": "1"}, {"At the cap, layer 1": "100\u2009%"}),
]


@pytest.mark.parametrize(("page", "link", "quoted"), READINGS)
def test_what_an_answer_says_stands_on_the_page(page: str, link: Mapping[str, str], quoted: Mapping[str, str]):
    found = metrics(page, link)
    assert {label: found[label] for label in quoted} == quoted


def test_only_heavy_tails_or_a_spike_prune_well():
    offered = controls("compression")
    met = {
        prior
        for prior in offered["shrinking_prior"].options
        for scale in offered["prior_scale"].options
        for slab in offered["slab_share"].options
        if setting_of(compression_exercises.COMPRESSION).is_met(
            {"shrinking_prior": prior, "prior_scale": scale, "slab_share": slab, "look": "priors"}
        )
    }
    assert met == {"horseshoe", "log_uniform", "spike_and_slab"}


def test_80_per_cent_is_the_most_that_goes_for_less_than_a_point():
    _, extra = shelf.shipped("bayes_mnist_small_sigma")
    for curve in ("snr_draws", "snr_means"):
        error = 100 * extra["removed_error"][CURVES.index(curve)].astype(float)
        assert max(share for share, each in zip(FRACTIONS, error, strict=True) if each - error[0] < 1) == 0.8


def test_minima_beyond_the_threshold_are_those_just_above_one():
    met = {
        (method, strength)
        for method in controls("sparsity")["method"].options
        for strength in controls("sparsity")["strength"].options
        if setting_of(sparsity_exercises.SPARSITY).is_met({"look": "one", "method": method, "strength": strength})
    }
    assert met == {("sparse_variational_dropout", "1.05"), ("sparse_variational_dropout", "1.1")}


@pytest.mark.parametrize("rate", ["0.3", "0.5", "0.7", "0.8"])
def test_ten_inputs_are_judged_by_the_binomial_distribution(rate: str):
    law, kept = stats.binom(10, 1 - float(rate)), np.arange(11)
    gaussian = stats.norm.cdf((kept - law.mean()) / law.std())
    gap = max(np.abs(law.cdf(kept) - gaussian).max(), np.abs(law.cdf(kept - 1) - gaussian).max())
    options = {"noise_look": "noise", "noise_inputs": "10", "noise_rate": rate}
    assert setting_of(variational_dropout_exercises.VARIATIONAL_DROPOUT).is_met(options) == (gap < 0.14)
