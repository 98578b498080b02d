"""Bayes by Backprop's shipped runs on digits: what is noted on the way, and that it belongs to the weights shipped."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bdlviz
from bdlviz.fitted import shelf
from bdlviz.models.priors import HALF_LOG_TWO_PI
from bdlviz.predictive import calibration
from bdlviz.topics.weights.signal_to_noise import signal, study
from bdlviz.topics.weights.signal_to_noise.study import CURVES, EDGES, FRACTIONS, Course, counted, name_of
from bdlviz.types import Array

Made = tuple[bdlviz.Fit, dict[str, Array]]
SHORT: dict[str, Any] = {"hidden": (16, 16), "num_epochs": 3, "batch_size": 256}


@pytest.fixture(scope="module")
def made() -> Made:
    return study.bayes("digits", "honest", **SHORT)


def test_shapes(made: Made):
    fit, extra = made
    assert extra["step"][-1] == fit.config.num_steps
    for name in ("error_bayes", "error_dropout", "error_plain", "misfit", "kl", "mean_std"):
        assert extra[name].shape == extra["step"].shape == (3,)
    assert extra["removed_error"].shape == extra["removed_se"].shape == (len(CURVES), len(FRACTIONS))
    assert extra["labels"].shape == extra["spread"].shape == (360,) and extra["probabilities"].shape == (360, 10)


def test_the_last_moment_is_the_fit(made: Made):
    fit, extra = made
    data = bdlviz.dataset("digits")
    found = fit.predict(data.x_test, study.NUM_DRAWS)
    error = 1 - calibration.accuracy(found.mean, data.y_test)
    assert extra["error_bayes"][-1] == pytest.approx(error)
    assert extra["removed_error"][CURVES.index("snr_draws"), 0] == pytest.approx(error)  # by the very same draws
    assert extra["mean_std"][-1] == pytest.approx(study.mean_std(fit))
    np.testing.assert_allclose(extra["probabilities"], found.mean, atol=1e-3)
    np.testing.assert_allclose(extra["spread"][0], found.draws[:, 0, found.mean[0].argmax()].std(), atol=1e-3)


def test_without_weights_only_biases_answer(made: Made):
    _, extra = made
    labels = extra["labels"]
    possible = [1 - np.mean(labels == label) for label in range(10)]
    for error in extra["removed_error"][:, -1]:
        assert np.min(np.abs(error - possible)) < 1e-6
    assert not extra["removed_se"][:, 0].any()


def test_histograms_hold_every_weight(made: Made):
    fit, extra = made
    mean, std = study.means_and_stds(fit)
    count = sum(values.size for values in signal.signal_to_noise(mean, std).values())
    for name in ("plain", "means", "draw"):
        assert extra[f"histogram_{name}"].sum() == count
    assert extra["histogram_dropout"].sum() + extra["num_dropped"][0] == count
    np.testing.assert_array_equal(extra["histogram_means"], counted(study._weights(mean)))
    hidden = 16 * 16 + 16 * 10  # half of these weights' inputs are dropped, four standard errors of a binomial
    units = 32
    assert abs(extra["num_dropped"][0] / hidden - 0.5) < 4 * 0.5 / units**0.5


def test_outside_weights_are_in_the_outermost_bins():
    count = counted(np.array([-7.0, 0.0, 0.0, 3.0, 9.0]))
    assert count[0] == 1 and count[-1] == 2 and count.sum() == 5 and len(count) == len(EDGES) - 1


def test_masked_weights_are_divided_by_the_keep_probability():
    fit = bdlviz.fit("mc_dropout", bdlviz.dataset("digits"), hidden=(32,), num_steps=2, dropout_rate=0.5)
    first, second = study.masked_weights(fit)
    np.testing.assert_array_equal(first, fit.params["weight0"].ravel())
    weights = fit.single()["weight1"]
    kept = fit.masks(1)[0][0] != 0
    np.testing.assert_allclose(second.reshape(weights.shape)[kept], 2 * weights[kept], rtol=1e-4)
    assert not second.reshape(weights.shape)[~kept].any()


def test_kl_against_the_densities():
    """The mean over draws of log q - log p, within four standard errors."""
    settings = {"hidden": (8,), "num_steps": 3, "start_rho": -2.0, "length_scale": 2.0}
    fit = bdlviz.fit("bayes_by_backprop", bdlviz.dataset("digits"), **settings)
    mean, std = (np.concatenate([a.ravel() for a in of.values()]) for of in study.means_and_stds(fit))
    noise = np.random.default_rng(0).standard_normal((2000, len(mean)))
    log_q = -np.log(std) - HALF_LOG_TWO_PI - noise**2 / 2
    log_p = np.log(2.0) - HALF_LOG_TWO_PI - 4 * (mean + std * noise) ** 2 / 2
    drawn = (log_q - log_p).sum(1)
    assert study.kl_of(fit) == pytest.approx(drawn.mean(), abs=4 * drawn.std() / len(drawn) ** 0.5)


def test_layers_are_in_order_whatever_the_file_says():
    fit, _ = shelf.shipped("notebook_digits")
    turned = replace(fit, params=dict([*fit.params.items()][::-1]))
    for each in (fit, turned):
        for of in study.means_and_stds(each):
            assert [*of] == ["weight0", "weight1", "bias0", "bias1"]


def test_a_course_has_at_most_forty_moments_and_the_last():
    course = Course(lambda fit: {"error": 0.5})
    fit = bdlviz.fit("map", bdlviz.dataset("digits"), hidden=(8,), num_epochs=101, batch_size=None, on_snapshot=course)
    arrays = course.arrays()
    assert len(arrays["step"]) == 40 and arrays["step"][0] == 1 and arrays["step"][-1] == fit.config.num_steps
    assert (np.diff(arrays["step"]) > 0).all() and arrays["error"].shape == (40,)


def test_the_notebook_in_short():
    fit, extra = study.notebook("digits", num_steps=60)
    assert fit.config.hidden == (128,) and dict(fit.config.options)["start_rho"] == -4
    assert extra["step"][-1] == 60 and extra["plain_step"][-1] == 18
    data = bdlviz.dataset("digits")
    assert extra["error"][-1] == pytest.approx(np.mean(extra["probabilities"].argmax(1) != data.y_test), abs=0.01)
    assert min(extra["nll"][0], extra["plain_nll"][0]) > 0


@pytest.mark.parametrize("preset", study.PRESETS)
def test_shipped(preset: str):
    fit, extra = shelf.shipped(name_of("digits", preset))
    data = bdlviz.dataset("digits")
    assert fit.config == study.config_of("digits", preset)
    assert len(extra["step"]) <= 40
    found = fit.predict(data.x_test, study.MANY_DRAWS).mean
    error = 1 - calibration.accuracy(found, data.y_test)
    assert error == pytest.approx(float(extra["error_many"][0]), abs=0.008)  # half precision turns two digits or three
    assert error < 0.05
    assert study.kl_of(fit) == pytest.approx(extra["kl"][-1], rel=0.02)
    assert (shelf.folder() / f"{name_of('digits', preset)}.safetensors").stat().st_size < 500_000


def test_learned_standard_deviations_rank_the_weights():
    """With sigma learned nearly all weights can go; with a tiny one the digits notice."""
    _, honest = shelf.shipped("bayes_digits_honest")
    _, tiny = shelf.shipped("bayes_digits_small_sigma")
    row, most = CURVES.index("snr_draws"), FRACTIONS.index(0.95)
    cost = [extra["removed_error"][row, most] - extra["removed_error"][row, 0] for extra in (honest, tiny)]
    assert cost[0] < 2 * honest["removed_se"][row, most] + 0.01 < 0.3 < cost[1]
    assert tiny["mean_std"][-1] < 0.001 < 0.1 < honest["mean_std"][-1]


def test_shipped_notebook():
    fit, extra = shelf.shipped("notebook_digits")
    assert fit.config == study.config_of("digits", "notebook")
    assert extra["step"][-1] == 10_000 and extra["plain_step"][-1] == 3000
    assert extra["error"][-1] < 0.1 and extra["plain_error"][-1] < 0.1
