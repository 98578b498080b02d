"""Concrete dropout's shipped studies: their data, what is noted on the way, the published numbers reproduced."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bdlviz
from bdlviz.fitted import shelf
from bdlviz.methods.concrete_dropout import keep_probabilities
from bdlviz.predictive.relaxation import fastest_rate
from bdlviz.published import AUTHORS_STUDY, authors_study
from bdlviz.published.authors_study import AUTHORS_EPOCHS, authors_data, authors_steps
from bdlviz.topics.digits.concrete_dropout import study
from bdlviz.topics.digits.concrete_dropout.study import NUM_DIGITS, NUM_MOMENTS, QUANTILES, run_name

RUNS = {
    "concrete_mnist": [(1000, 1.0), (2000, 1.0), (1000, 0.0)],
    "concrete_mnist_10000": [(10_000, 1.0), (5000, 1.0)],
    "concrete_digits": [*((count, 1.0) for count in NUM_DIGITS[::-1]), (NUM_DIGITS[-1], 0.0)],
}


def test_the_authors_steps_and_data():
    assert [authors_steps(*pair) for pair in AUTHORS_EPOCHS] == [2000, 2000, 1500, 1000, 1000, 1000]
    dataset = authors_data(10_000, 3)
    residual = dataset.y - 2 * dataset.x - 8
    assert abs(residual.mean()) < 4 / 10_000**0.5 and residual.std() == pytest.approx(1, abs=0.03)
    assert abs(dataset.x.mean()) < 0.04 and dataset.x.std() == pytest.approx(1, abs=0.03)
    assert len(dataset.x_test) == authors_study.AUTHORS_HELD_OUT
    assert dataset.fingerprint == authors_data(10_000, 3).fingerprint != authors_data(10_000, 4).fingerprint


def test_training_in_own_units_needs_no_scaling():
    """Rates move at most a learning rate a step in their logit, and the fit predicts y as it is."""
    dataset = authors_data(200, 0)
    config = authors_study._authors_config(dataset, 400, 64, 0)
    fit, path = authors_study.fit_in_own_units(config, dataset)
    assert path.shape == (NUM_MOMENTS + 1, 4)
    np.testing.assert_allclose(path[0], 0.1)
    logits = np.log(path / (1 - path))
    assert np.abs(np.diff(logits, axis=0)).max() <= 20 * 1e-3 * 1.1  # Adam's first steps may be a little longer
    found = fit.predict(dataset.x_test, 50)
    assert np.sqrt(np.mean((found.mean - dataset.y_test) ** 2)) < 1.6
    np.testing.assert_array_equal(fit.scaling.y_mean, 0)
    np.testing.assert_allclose([keep[0] for keep in keep_probabilities(fit).values()], 1 - path[-1], rtol=1e-5)


def test_up_to_a_thousand_points_the_published_rates_count_steps():
    """A logit that moved one learning rate a step says the same, though it never saw the data."""
    for num_data, num_epochs in AUTHORS_EPOCHS:
        if num_data in AUTHORS_STUDY and num_data <= 1000:
            fastest = fastest_rate(0.1, np.array(authors_steps(num_data, num_epochs)))
            assert AUTHORS_STUDY[num_data][0] == pytest.approx(fastest, abs=0.055)


def test_a_watch_records_the_rates():
    watch = study.Watch(100, num_moments=5)
    settings: dict[str, Any] = {"hidden": (16,), "num_steps": 100, "batch_size": 32}
    fit = bdlviz.fit("concrete_dropout", bdlviz.dataset("digits", num_data=160), on_snapshot=watch, **settings)
    arrays, keep = watch.arrays(), keep_probabilities(fit)
    np.testing.assert_array_equal(arrays["step"], [0, 20, 40, 60, 80, 100])
    assert arrays["pixels"].shape == (6, 64) and arrays["quantiles"].shape == (6, 2, len(QUANTILES))
    np.testing.assert_allclose(arrays["mean"][0], 0.88, rtol=1e-5)
    np.testing.assert_allclose(arrays["mean"][-1], [each.mean() for each in keep.values()], rtol=1e-5)
    np.testing.assert_allclose(arrays["pixels"][-1] / 255, keep[0], atol=0.5 / 255 + 1e-6)
    np.testing.assert_allclose(arrays["quantiles"][-1, 1], np.quantile(keep[1], QUANTILES), atol=1e-3)


def test_held_out_scores():
    """All other digits are held out; a network with all weights 0 has the NLL of ten equal classes."""
    dataset = study.width_data()
    assert len(dataset.x) + len(dataset.x_test) == 1797
    fit = bdlviz.fit("map", dataset, hidden=(16,), num_steps=1)
    nothing = replace(fit, params={name: np.zeros_like(array) for name, array in fit.params.items()})
    found = study.held_out(nothing, dataset)
    assert found["nll"] == pytest.approx(np.log(10), rel=1e-6)
    assert found["auroc"] == pytest.approx(0.5)
    assert found["accuracy"] == pytest.approx(np.mean(dataset.y_test == 0))


@pytest.mark.parametrize("name", RUNS)
def test_shipped_runs(name):
    fit, extra = shelf.shipped(name)
    assert list(zip(extra["run_num_data"].tolist(), extra["run_entropy"].tolist(), strict=True)) == RUNS[name]
    assert fit.num_data == RUNS[name][0][0] and set(study.NUM_MNIST) >= {1000, 10_000}
    layers = len(fit.config.hidden) + 1
    for count, entropy_weight in RUNS[name]:
        start = run_name(count, entropy_weight)
        assert extra[f"{start}step"].shape == (NUM_MOMENTS + 1,)
        assert extra[f"{start}quantiles"].shape == (NUM_MOMENTS + 1, layers, len(QUANTILES))
        assert extra[f"{start}step"][-1] == study.NUM_STEPS
    for layer, keep in keep_probabilities(fit).items():
        np.testing.assert_allclose(extra[f"{run_name(*RUNS[name][0])}keep{layer}"], keep, atol=2e-3)
    if count := dict((entropy, count) for count, entropy in RUNS[name]).get(0.0):
        means = [extra[f"{run_name(count, entropy)}mean"][-1] for entropy in (0, 1)]
        assert (means[0] > means[1] + 0.05).all(), "Without the entropy term units are kept."


@pytest.mark.parametrize("num_data", AUTHORS_STUDY)
def test_the_authors_rates_are_reproduced_with_their_steps(num_data):
    hidden, inputs, aleatoric, epistemic = AUTHORS_STUDY[num_data]
    _, extra = shelf.shipped("concrete_authors")
    at = extra["num_data"].tolist().index(num_data)
    rates = extra["wide_rates"].mean(0)[at]
    np.testing.assert_allclose(rates[1:].mean(), hidden, atol=0.04)
    assert rates[0] == pytest.approx(inputs, abs=0.03)
    assert extra["wide_aleatoric"].mean(0)[at] == pytest.approx(aleatoric, abs=0.3)
    assert extra["wide_epistemic"].mean(0)[at] == pytest.approx(epistemic, abs=0.3)


def test_what_the_page_says_of_the_two_claims():
    """The learned rate approaches one half as width grows, the best rate does not, and width gives no lower NLL."""
    _, extra = shelf.shipped("concrete_widths")
    shape = (len(study.WIDTH_SEEDS), len(study.WIDTHS))
    assert extra["nll"].shape == extra["auroc"].shape == (*shape, len(study.RATES))
    assert extra["concrete_rate"].shape == (*shape, 2) and extra["concrete_nll"].shape == shape
    assert all(np.isfinite(extra[key]).all() for key in ("nll", "accuracy", "auroc", "concrete_nll"))
    learned = extra["concrete_rate"][..., 1].mean(0)
    assert (np.diff(learned) > 0).all() and learned[0] < 0.1 and 0.45 < learned[-1] < 0.51
    best = extra["rates"][extra["nll"].argmin(-1)]
    assert best.max() <= 0.2
    at_best = extra["nll"].min(-1).mean(0)
    assert at_best[1:].max() - at_best[1:].min() < 0.03
    assert extra["concrete_nll"].mean(0)[-1] > extra["concrete_nll"].mean(0)[1] - 0.03
    assert np.ptp(extra["concrete_auroc"].mean(0)[1:]) < 0.05


def test_after_enough_steps_the_noise_is_found_and_rates_follow_the_data():
    _, extra = shelf.shipped("concrete_authors_settled")
    np.testing.assert_array_equal(extra["num_data"], study.SETTLED_NUM_DATA)
    assert extra["narrow_aleatoric"][0, -1] == pytest.approx(1, abs=0.05)
    hidden = extra["narrow_rates"][0, :, 1:].mean(-1)
    assert (np.diff(hidden) < 0).all() and hidden[0] > 0.45 and hidden[-1] < 0.1
    assert np.abs(extra["narrow_path"][0, :, -1] - extra["narrow_path"][0, :, -5]).max() < 0.03
