"""The conditional VAE: a VAE that is told the class, and ten VAEs once it is known."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bdlviz
from bdlviz.data import load
from bdlviz.fits import GenerativeFit, configure
from bdlviz.models.autoencoder import RECORD
from bdlviz.predictive import latent
from bdlviz.types import Array, Dataset

DIGITS = load("digits", num_data=300)


def quick(data: Dataset = DIGITS, **settings: Any) -> GenerativeFit:
    small = {"hidden": (32, 24), "batch_size": 50, "num_epochs": 4, "learning_rate": 0.005}
    fit = bdlviz.fit("conditional_vae", data, **{**small, **settings})
    assert isinstance(fit, GenerativeFit)
    return fit


@pytest.fixture(scope="module")
def fit() -> GenerativeFit:
    return quick(num_epochs=100)


def mean_bound(fit: GenerativeFit, images: Array, labels: Array) -> float:
    """Over images that are each encoded and decoded by the VAE of their class, in nats."""
    each = [fit.given(label).elbo(images[labels == label], 50) for label in range(10)]
    return float(np.concatenate(each).mean())


def test_given_a_class_it_is_a_vae_of_that_class(fit, tmp_path):
    three = fit.given(3)
    mean, std = three.encode(DIGITS.x_test)
    assert mean.shape == std.shape == (360, 2) and (std > 0).all()
    assert three.sample(5).shape == (5, 64)
    assert three.num_classes == 0 and fit.num_classes == 10
    assert three.config != fit.given(4).config
    # Encoded and decoded as with a one-hot row beside image and code.
    params = fit.single()
    one_hot = np.tile(np.eye(10, dtype=np.float32)[7], (20, 1))
    told = np.concatenate([DIGITS.x_test[:20], one_hot], axis=1)
    as_images = replace(fit.model.network, num_inputs=74, num_classes=0)
    mean, std = latent.encode(as_images, params, told)
    seven = fit.given(7)
    np.testing.assert_allclose(seven.encode(DIGITS.x_test[:20]), (mean, std), atol=1e-5)
    as_codes = replace(fit.model.network, latent_dim=12, num_classes=0)
    logits = latent.decode_logits(as_codes, params, np.concatenate([mean, one_hot], axis=1))
    np.testing.assert_allclose(seven.decode(mean), 1 / (1 + np.exp(-logits)), atol=1e-5)
    for name, one in (("all", fit), ("three", fit.given(3))):
        one.save(tmp_path / f"{name}.safetensors")
        again = bdlviz.load(tmp_path / f"{name}.safetensors")
        assert isinstance(again, GenerativeFit) and again.model == one.model and again.config == one.config
    np.testing.assert_array_equal(bdlviz.load(tmp_path / "three.safetensors").sample(3), fit.given(3).sample(3))  # type: ignore[attr-defined]


def test_training_and_evaluation_compute_the_same_bound(fit):
    assert mean_bound(fit, DIGITS.x, DIGITS.y) == pytest.approx(fit.history["elbo"][-1], abs=1)
    history = fit.history
    np.testing.assert_allclose(history["elbo"], history["reconstruction"] - history["kl"])
    assert history["elbo"][-1] > history["elbo"][0] + 5
    config, vae = configure("conditional_vae", DIGITS), configure("vae", DIGITS)
    assert replace(config, method="vae") == vae


def test_the_class_raises_the_bound_and_codes_hold_the_style(fit):
    """Told the class, the bound is better than a VAE's, and codes of one class are no nearer to each other."""
    vae = bdlviz.fit("vae", DIGITS, hidden=(32, 24), batch_size=50, num_epochs=100, learning_rate=0.005)
    assert isinstance(vae, GenerativeFit)
    assert fit.history["elbo"][-1] > vae.history["elbo"][-1] + 1
    own = np.stack([fit.given(int(y)).encode(x)[0][0] for x, y in zip(DIGITS.x, DIGITS.y, strict=True)])
    purity = [same_class_nearest(codes, DIGITS.y) for codes in (own, vae.encode(DIGITS.x)[0])]
    assert purity[0] < 0.35 < 0.6 < purity[1]


def same_class_nearest(codes: Array, labels: Array) -> float:
    distances = np.linalg.norm(codes[:, None] - codes[None], axis=-1) + np.diag(np.full(len(codes), np.inf))
    return float((labels[distances.argmin(1)] == labels).mean())


@pytest.mark.parametrize("names", [np.arange(1, 11), np.array(list("abcdefghij"))])
def test_classes_are_called_as_in_the_training_data(names, tmp_path):
    expected = quick().given(1).sample(3)
    fit = quick(replace(DIGITS, y=names[DIGITS.y], y_test=names[DIGITS.y_test], classes=()))
    np.testing.assert_array_equal(fit.given(names[1]).sample(3), expected)
    fit.save(tmp_path / "fit.safetensors")
    again = bdlviz.load(tmp_path / "fit.safetensors")
    assert isinstance(again, GenerativeFit) and again.image_shape == (8, 8)
    np.testing.assert_array_equal(again.given(names.tolist()[1]).sample(3), expected)
    for wrong in (0, "k", None, 1.5, [1, 2], np.nan):
        with pytest.raises(bdlviz.InvalidInput, match=r"There is no class .*: choose one of "):
            fit.given(wrong)
    with pytest.raises(bdlviz.InvalidInput, match=r"encode needs a class, one of .*: take fit.given\((1|'a')\)"):
        fit.encode(DIGITS.x)


def test_one_class_seeds_and_snapshots():
    """With all images of one class the input is a bias more, and nothing can be told apart."""
    same = quick(replace(DIGITS, y=np.zeros_like(DIGITS.y), y_test=np.zeros_like(DIGITS.y_test), classes=(0,)))
    assert same.num_classes == 1
    assert np.isfinite(same.given(0).elbo(DIGITS.x_test, 2)).all()
    fit = quick(num_snapshots=2)
    then = fit.given(5).at_snapshot(0)
    assert isinstance(then, GenerativeFit) and then.sample(2).shape == (2, 64)
    stack = quick(seed=(4, 1), beta=(0.5, 1.0), num_epochs=2)
    alone = quick(seed=1, beta=1.0, num_epochs=2)
    for name, array in stack.cell(seed=1, beta=1.0).params.items():
        if name != RECORD:
            np.testing.assert_array_equal(array, alone.params[name])
    assert stack.given(2).cell(seed=1, beta=1.0).params["encoder.bias0"].shape == (1, 1, 1, 32)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda fit: fit.encode(DIGITS.x), r"encode needs a class, one of 0, 1, .*, 9: take fit.given\(0\)"),
        (lambda fit: fit.decode([[0, 0]]), "decode needs a class"),
        (lambda fit: fit.sample(3), "decode needs a class"),
        (lambda fit: fit.elbo(DIGITS.x), "elbo needs a class"),
        (lambda fit: fit.given(10), "There is no class 10: choose one of 0, 1, "),
        (lambda fit: fit.given(-1), "There is no class -1: choose one of 0, 1, "),
        (lambda fit: fit.given(3).given(3), "Only a conditional VAE takes a class, and only once"),
        (lambda fit: fit.predict(DIGITS.x), "predicts no y"),
        (lambda fit: bdlviz.fit("conditional_vae", "x_sin_x"), "needs images"),
    ],
)
def test_refusals(fit, make, message):
    with pytest.raises(bdlviz.InvalidInput, match=message):
        make(fit)
