"""The VAE: its bound, its two halves in numpy, and what every stack of networks promises."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from scipy.special import expit

import bdlviz
from bdlviz.data import available, load
from bdlviz.fits import GenerativeFit, configure
from bdlviz.methods import common
from bdlviz.methods.vae import negative_elbo
from bdlviz.models.autoencoder import RECORD, Autoencoder
from bdlviz.models.likelihoods import LIKELIHOODS
from bdlviz.models.pixel_likelihoods import Bernoulli
from bdlviz.predictive import bounds, latent
from bdlviz.training.method import Setup
from bdlviz.types import Dataset
from tests.patience import limit

DIGITS = load("digits", num_data=96)
SMALL: dict[str, Any] = {"hidden": (24, 16), "batch_size": 32, "num_epochs": 4, "learning_rate": 0.01}
LECTURE_ELBO = [-400.16, -218.88, -206.14, -202.25, -200.18, -197.61]


def quick(data: Dataset = DIGITS, **settings: Any) -> GenerativeFit:
    """A short fit of a small autoencoder."""
    fit = bdlviz.fit("vae", data, **{**SMALL, **settings})
    assert isinstance(fit, GenerativeFit)
    return fit


@pytest.fixture(scope="module")
def fit() -> GenerativeFit:
    return quick()


def assert_same_params(one: bdlviz.Fit, other: bdlviz.Fit) -> None:
    """The same parameters to the last bit."""
    for name in one.params.keys() - {RECORD}:
        np.testing.assert_array_equal(one.params[name], other.params[name], err_msg=name)


def test_shapes_ranges_and_seeds(fit, tmp_path):
    mean, std = fit.encode(DIGITS.x_test)
    assert mean.shape == std.shape == (len(DIGITS.x_test), 2)
    assert (std > 0).all()
    for images in (fit.decode(mean), fit.sample(360)):
        assert images.shape == (360, 64) and images.dtype == np.float32
        assert images.min() >= 0 and images.max() <= 1
    assert fit.decode([0.5, -1.0]).shape == (1, 64)
    assert fit.encode(DIGITS.x_test[:5].reshape(5, 8, 8))[0].shape == (5, 2)
    assert fit.elbo(DIGITS.x_test, 3).shape == (360,)
    np.testing.assert_allclose(fit.sample(40, seed=1)[:7], fit.sample(7, seed=1), rtol=1e-5)
    assert not np.allclose(fit.sample(7, seed=1), fit.sample(7, seed=2))
    np.testing.assert_array_equal(fit.elbo(DIGITS.x, 2, seed=3), fit.elbo(DIGITS.x, 2, seed=3))
    fit.save(tmp_path / "vae.safetensors")
    again = bdlviz.load(tmp_path / "vae.safetensors")
    assert isinstance(again, GenerativeFit)
    assert again.config == fit.config and again.model.network == fit.model.network
    np.testing.assert_array_equal(again.sample(3), fit.sample(3))
    np.testing.assert_array_equal(again.history["elbo"], fit.history["elbo"])


def test_history_is_split_into_reconstruction_and_kl(fit):
    assert fit.history["elbo"].shape == (4,)
    np.testing.assert_array_equal(fit.history["step"], [3, 6, 9, 12])
    np.testing.assert_array_equal(fit.history["elbo"], -fit.history["loss"])
    assert fit.history["elbo"][-1] > fit.history["elbo"][0] + 3
    assert fit.elbo(DIGITS.x, 20).mean() == pytest.approx(fit.history["elbo"][-1], abs=3)
    history = fit.history
    assert history["kl_per_dimension"].shape == (4, 2)
    np.testing.assert_allclose(history["elbo"], history["reconstruction"] - history["kl"])
    np.testing.assert_allclose(history["kl"], history["kl_per_dimension"].sum(1), rtol=1e-6)
    grid = quick(seed=(0, 3), beta=(0.5, 1.0)).history
    assert grid["kl"].shape == (4, 2, 2) and grid["kl_per_dimension"].shape == (4, 2, 2, 2)
    np.testing.assert_allclose(grid["kl"][:, 0, 1], history["kl"])
    # With a learning rate of nearly 0 every minibatch sees the first weights, and an epoch sees every image once.
    fit = quick(learning_rate=1e-12, num_epochs=1, seed=3)
    mean, std = fit.encode(DIGITS.x)
    np.testing.assert_allclose(
        fit.history["kl_per_dimension"][0], latent.kl_per_dimension(mean, std).mean(0), rtol=1e-4
    )
    stopped = quick(on_snapshot=lambda snapshot: snapshot.step < 6)
    np.testing.assert_array_equal(stopped.history["kl"], quick().history["kl"][:2])
    event = threading.Event()
    event.set()
    never = quick(cancel=event)
    assert never.history["kl"].shape == (0,) and never.history["kl_per_dimension"].shape == (0, 2)


def test_history_of_very_many_epochs_is_averaged(monkeypatch):
    """A record has at most so many rows; where a fit looks up less often, several rows make one value."""
    monkeypatch.setattr(common, "MAX_RECORD_ROWS", 5)
    fit = quick(num_epochs=14)
    assert fit.params[RECORD].shape == (1, 1, 5, 2)
    assert fit.history["kl"].shape == (14,)
    assert fit.history["kl"][0] == fit.history["kl"][2] != fit.history["kl"][3]


PIXELS = [name for name, chosen in LIKELIHOODS.items() if chosen.is_generative]


@pytest.mark.parametrize("name", PIXELS)
def test_every_likelihood_learns_and_is_saved(name, tmp_path):
    fit = quick(likelihood=name, num_epochs=40)
    assert fit.history["elbo"][-1] > fit.history["elbo"][0] + 3
    assert fit.elbo(DIGITS.x, 20).mean() == pytest.approx(fit.history["elbo"][-1], abs=5)
    images = fit.reconstruct(DIGITS.x_test[:7])
    assert images.shape == (7, 64) and images.min() >= 0 and images.max() <= 1
    fit.save(tmp_path / "fit.safetensors")
    again = bdlviz.load(tmp_path / "fit.safetensors")
    assert isinstance(again, GenerativeFit)
    np.testing.assert_array_equal(again.reconstruct(DIGITS.x_test[:7]), images)
    np.testing.assert_array_equal(again.history["kl"], fit.history["kl"])


def test_binarised_pixels_and_means_of_the_continuous_bernoulli():
    """Another image with the same black and white pixels has the same code and bound."""
    fit = quick(likelihood="binarised_bernoulli")
    black_and_white = (DIGITS.x_test >= 0.5).astype(np.float32)
    np.testing.assert_array_equal(fit.encode(DIGITS.x_test)[0], fit.encode(black_and_white)[0])
    np.testing.assert_array_equal(fit.elbo(DIGITS.x_test, 3), fit.elbo(black_and_white, 3))
    assert_same_params(
        fit, quick(replace(DIGITS, x=(DIGITS.x >= 0.5).astype(np.float32)), likelihood="binarised_bernoulli")
    )
    # A pixel of exactly one half is black in torch, too; rounding to the even number would make it white.
    import torch

    pixels, outputs = np.array([[0.0, 0.25, 0.5, 0.75, 1.0]], np.float32), np.ones((1, 5), np.float32)
    likelihood = fit.model.likelihood
    np.testing.assert_array_equal(likelihood.observe(torch.tensor(pixels)).numpy(), [[0, 0, 1, 1, 1]])
    np.testing.assert_allclose(
        -likelihood.negative_log_likelihood(torch.tensor(outputs), torch.tensor(pixels)).numpy(),
        5 * np.log(expit(-1)) + 3,  # log p is f - log(1 + e^f) for a black pixel, -log(1 + e^f) for a white one
        rtol=1e-6,
    )
    fit = quick(likelihood="continuous_bernoulli", num_epochs=40)
    codes = fit.encode(DIGITS.x_test)[0]
    logits = latent.decode_logits(fit.model.network, fit._params_of("test"), codes)
    parameter = expit(logits)
    means = fit.decode(codes)
    assert (np.abs(means - 0.5) <= np.abs(parameter - 0.5) + 1e-6).all()
    assert np.abs(means - parameter).max() > 0.05


def test_posterior_collapse_as_beta_grows():
    kl = quick(beta=(0.0, 1.0, 100.0), num_epochs=60)
    assert not kl.diverged.any()
    values = [kl.cell(beta=beta).history["kl"][-1] for beta in (0.0, 1.0, 100.0)]
    assert values[0] > values[1] > 0.3 and values[2] < 0.01
    fit = quick(beta=(0.0, 1.0), num_epochs=60)
    assert not fit.diverged.any()
    free, bound = (fit.cell(beta=beta).history["elbo"][-1] for beta in (0.0, 1.0))
    assert free < bound
    # While the KL term weighs little it grows; at the end it weighs as much as without warm-up.
    warm, cold = (quick(num_epochs=60, warm_up=share).history["kl"] for share in (0.8, 0.0))
    assert warm[6] > cold[6] + 1
    assert warm[-1] == pytest.approx(cold[-1], abs=0.3)


def test_labels_and_the_global_random_state_do_not_matter(fit):
    assert_same_params(fit, quick(replace(DIGITS, y=DIGITS.y[::-1])))
    torch.manual_seed(11)
    before = torch.get_rng_state()
    assert_same_params(fit, quick())
    assert torch.equal(before, torch.get_rng_state())
    grid = quick(beta=(0.3, 1.0, 4.0), seed=(5, 2))
    for beta in (0.3, 4.0):
        assert_same_params(grid.cell(beta=beta, seed=2), quick(beta=beta, seed=2))


def test_training_and_evaluation_compute_the_same_bound(fit):
    """The loss in torch equals the bound in numpy at the same codes."""
    network, params = fit.model.network, fit.single()
    noise = np.random.default_rng(1).standard_normal((96, 2), np.float32)
    tensors = {name: torch.from_numpy(array) for name, array in fit.params.items()}
    images = torch.from_numpy(DIGITS.x[None, None])
    beta = torch.tensor([3.0])
    objective = negative_elbo(network, Bernoulli(), tensors, images, torch.from_numpy(noise[None, None]), beta)
    mean, std = latent.encode(network, params, DIGITS.x)
    log_likelihood = Bernoulli().log_likelihood(latent.decode_logits(network, params, mean + std * noise), DIGITS.x)
    kl = latent.kl_to_prior(mean, std)
    assert objective.recorded.item() == pytest.approx(-(log_likelihood - kl).mean(), rel=1e-5)
    assert objective.minimised.item() == pytest.approx(-(log_likelihood - 3 * kl).mean(), rel=1e-5)
    rng = np.random.default_rng(0)
    mean, std = rng.normal(size=(5, 3)), rng.uniform(0.1, 3, (5, 3))
    normal = torch.distributions.Normal
    expected = torch.distributions.kl_divergence(
        normal(torch.tensor(mean), torch.tensor(std)), normal(torch.zeros(5, 3), torch.ones(5, 3))
    )
    np.testing.assert_allclose(latent.kl_to_prior(mean, std), expected.sum(-1), rtol=1e-6)
    # Its likelihood does not depend on z, so that one sample already gives log p(x) - KL exactly.
    network = Autoencoder(3, (4,), 2)
    params = network.init(np.random.default_rng(0))
    params["decoder.weight1"][:] = 0
    params["decoder.bias1"][:] = [[-1.0, 0.0, 2.0]]
    images = np.array([[0.0, 1.0, 1.0], [0.2, 0.5, 0.9]], np.float32)
    model = replace(quick(num_epochs=1).model, network=network)
    kept = 1 / (1 + np.exp([1.0, 0.0, -2.0]))
    log_likelihood = (images * np.log(kept) + (1 - images) * np.log(1 - kept)).sum(1)
    expected = log_likelihood - latent.kl_to_prior(*latent.encode(network, params, images))
    for num_samples in (1, 7):
        found = bounds.elbo(model, params, images, np.random.default_rng(2), num_samples)
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_loaded_fit_needs_no_torch(fit, tmp_path, root):
    path = tmp_path / "vae.safetensors"
    fit.save(path)
    code = f"""
import sys
sys.modules["torch"] = None
import bdlviz, numpy as np
fit = bdlviz.load({str(path)!r})
images = fit.sample(4)
mean, std = fit.encode(images)
fit.decode(mean), fit.elbo(images, 2)
"""
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=limit(120), env=environment
    )
    assert done.returncode == 0, done.stderr


def test_defaults_and_schedules(fit):
    config = configure("vae", DIGITS)
    assert (config.hidden, config.batch_size, config.likelihood) == ((500, 500), None, "bernoulli")  # 96 < 100
    assert config.schedule == "drop_at_half" and config.num_steps == 100
    assert dict(config.options) == {"latent_dim": 2, "warm_up": 0} and dict(config.axes) == {"beta": (1.0,)}
    setup = Setup(fit.model, {}, (0,), 96, 32, 10, 1e-3, 64, schedule="drop_at_half")
    assert [setup.learning_rate_at(step) for step in (0, 4, 5, 9)] == [1e-3, 1e-3, 1e-4, 1e-4]
    assert replace(setup, schedule="constant").learning_rate_at(9) == 1e-3
    first_half = quick(schedule="constant", num_steps=6, num_epochs=None)
    stopped = quick(schedule="drop_at_half", on_snapshot=lambda snapshot: snapshot.step < 6)
    assert_same_params(first_half, stopped)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda fit: bdlviz.fit("vae", "x_sin_x"), "needs images"),
        (lambda fit: quick(replace(DIGITS, x=DIGITS.x * 16)), "between 0 and 1"),
        (lambda fit: quick(latent_dim=0), "latent_dim must be between"),
        (lambda fit: quick(latent_dim=33), "latent_dim must be between 2 and 32, not 33"),
        (lambda fit: quick(beta=-1), "beta must be between 0 and 1000, not -1"),
        (lambda fit: quick(warm_up=2), "warm_up must be between 0 and 1, not 2"),
        (lambda fit: load("digits", num_data=2000), "num_data must be a whole number between 1 and 1,437, not 2,000"),
        (lambda fit: quick(likelihood="gaussian"), "cannot use the likelihood 'gaussian'"),
        (lambda fit: bdlviz.fit("map", DIGITS, likelihood="bernoulli"), "cannot use the likelihood 'bernoulli'"),
        (lambda fit: quick(schedule="often"), "Unknown schedule 'often'"),
        (lambda fit: fit.predict(DIGITS.x_test), "predicts no y"),
        (lambda fit: fit.encode(np.zeros((3, 65))), "images of 64 pixels, not 65"),
        (lambda fit: quick(seed=(0, 1)).sample(2), "needs one cell of one seed"),
    ],
)
def test_refusals(fit, make, message):
    with pytest.raises(bdlviz.InvalidInput, match=message):
        make(fit)


@pytest.mark.rest
@pytest.mark.skipif(not available("mnist-1000"), reason="MNIST is not here")
def test_train_log_of_the_lecture():
    """One run's log, within 2 nats of our mean or, in the first epoch, where runs scatter by 4 nats, two such."""
    fit = quick(load("mnist-1000"), latent_dim=20, seed=range(8), hidden=(500, 500), batch_size=100, num_epochs=6,
                schedule="constant", learning_rate=1e-3)  # fmt: skip
    logs = fit.history["elbo"][:, :, 0]
    allowed = np.maximum(2, 2 * logs.std(1, ddof=1))
    assert (np.abs(logs.mean(1) - LECTURE_ELBO) < allowed).all()
    assert allowed[0] < 12 and (allowed[1:] < 4).all()
