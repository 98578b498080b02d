"""The shipped fits of Gaussian and variational dropout: their arrays say what the networks learned."""

from __future__ import annotations

import numpy as np
import pytest

import bdlviz
from bdlviz import data
from bdlviz.fitted import shelf
from bdlviz.topics.weights.variational_dropout import study
from bdlviz.topics.weights.variational_dropout.study import ALPHA_PER, CURVE_METHODS, KL_WEIGHTS, array_name, shares

IMAGES = {"digits": (64, 3), "mnist": (784, 3)}


def test_shares_sum_to_one_and_include_both_ends():
    alpha = np.array([1e-6, 1e-3, 0.011, 0.5, 1.0, 1.0])
    found = shares(alpha)
    assert found.sum() == pytest.approx(1)
    assert found[0] == pytest.approx(2 / 6) and found[-1] == pytest.approx(2 / 6)


def test_what_a_network_has_learned():
    fit = bdlviz.fit(
        "variational_dropout", data.load("digits", num_data=100), hidden=(4,), num_steps=2, alpha_per=1, start_rate=0.5
    )
    fit.params["log_alpha_weight0"][:] = np.log(np.linspace(0.2, 0.8, 64))[:, None]
    fit.params["log_alpha_weight1"][:] = 1.0  # capped
    found = study.noise_of(fit)
    np.testing.assert_allclose(found["pixels"], np.linspace(0.2, 0.8, 64), rtol=1e-5)
    np.testing.assert_allclose(found["mean"], [0.5, 1], rtol=1e-5)
    np.testing.assert_allclose(found["capped"], [0, 1])


@pytest.mark.parametrize("which", CURVE_METHODS)
def test_every_stop_of_the_sliders_is_shipped(which: str):
    dataset = data.load(study.CURVE)
    chosen = {
        "map": [{}],
        "gaussian": [{"dropout_rate": rate} for rate in study.RATES],
    }.get(which, [{"kl_weight": weight} for weight in KL_WEIGHTS])
    for values in chosen:
        assert shelf.find(study.curve_config(which, dataset, **values)) is not None


@pytest.mark.parametrize("images", IMAGES)
def test_the_study_holds_every_setting(images: str):
    _, extra = shelf.shipped(f"learned_noise_{images}")
    pixels, layers = IMAGES[images]
    for name in ALPHA_PER:
        found = {key: extra[array_name(name, key)] for key in ("mean", "capped", "shares", "pixels", "accuracy")}
        assert found["pixels"].shape == (len(KL_WEIGHTS), pixels)
        assert found["mean"].shape == found["capped"].shape == (len(KL_WEIGHTS), layers)
        np.testing.assert_allclose(found["shares"].sum(-1), 1, rtol=1e-4)
        assert found["mean"].min() > 0 and found["mean"].max() <= 1
        assert found["accuracy"].min() > 0.5
        # The more the KL term weighs, the more noise.
        assert (np.diff(found["mean"][:, 0]) > -1e-3).all()
