"""The plain autoencoder: a VAE's engine without noise and KL term, and honest about what it lacks."""

from typing import Any

import numpy as np
import pytest

import bdlviz
from bdlviz.data import load
from bdlviz.fits import GenerativeFit, configure
from bdlviz.types import Dataset

DIGITS = load("digits", num_data=96)


def quick(data: Dataset = DIGITS, **settings: Any) -> GenerativeFit:
    small = {"hidden": (24, 16), "batch_size": 32, "num_epochs": 100, "learning_rate": 0.01}
    fit = bdlviz.fit("autoencoder", data, **{**small, **settings})
    assert isinstance(fit, GenerativeFit)
    return fit


@pytest.fixture(scope="module")
def fit() -> GenerativeFit:
    return quick()


def test_it_learns_codes_that_are_points_and_is_saved(fit, tmp_path):
    mean, std = fit.encode(DIGITS.x_test)
    assert mean.shape == (360, 2) and not std.any()
    np.testing.assert_array_equal(fit.reconstruct(DIGITS.x_test), fit.decode(mean))
    assert fit.params["encoder.weight2"].shape == (1, 1, 16, 2)
    history = fit.history
    assert set(history) == {"step", "loss", "reconstruction"} and history["reconstruction"].shape == (100,)
    np.testing.assert_array_equal(history["reconstruction"], -history["loss"])
    assert history["reconstruction"][-1] > history["reconstruction"][0] + 3
    assert fit.reconstruction(DIGITS.x).mean() == pytest.approx(history["reconstruction"][-1], abs=1)
    # It pays nothing for its codes.
    vae = bdlviz.fit("vae", DIGITS, hidden=(24, 16), batch_size=32, num_epochs=100, learning_rate=0.01)
    assert fit.history["reconstruction"][-1] > vae.history["reconstruction"][-1]
    fit.save(tmp_path / "fit.safetensors")
    again = bdlviz.load(tmp_path / "fit.safetensors")
    assert isinstance(again, GenerativeFit) and not again.is_variational
    assert again.model == fit.model and again.config == fit.config
    np.testing.assert_array_equal(again.decode([[0.5, 1.0]]), fit.decode([[0.5, 1.0]]))


def test_configuration_has_no_grid_axis():
    config = configure("autoencoder", DIGITS, latent_dim=5)
    assert config.axes == () and dict(config.options) == {"latent_dim": 5}
    stack = quick(seed=(4, 1), num_epochs=3)
    alone = quick(seed=1, num_epochs=3)
    for name, array in stack.cell(seed=1).params.items():
        np.testing.assert_array_equal(array, alone.params[name])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda fit: fit.elbo(DIGITS.x), "elbo needs a distribution over codes, which a plain autoencoder has not"),
        (lambda fit: fit.plug_in(DIGITS.x), "plug_in needs a distribution"),
        (lambda fit: fit.identity(DIGITS.x[0]), "identity needs a distribution"),
        (lambda fit: fit.posterior_grid(DIGITS.x[0]), "posterior_grid needs a distribution"),
        (lambda fit: fit.predict(DIGITS.x), "predicts no y"),
        (lambda fit: quick(beta=1.0), "Plain autoencoder has no setting beta"),
        (lambda fit: bdlviz.fit("autoencoder", "x_sin_x"), "needs images"),
    ],
)
def test_refusals(fit, make, message):
    with pytest.raises(bdlviz.InvalidInput, match=message):
        make(fit)
