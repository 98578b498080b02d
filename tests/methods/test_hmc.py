"""Hamiltonian Monte Carlo against closed forms and another library's chains, and chains that fail."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bdlviz
from bdlviz.fits import Fit
from bdlviz.predictive.convergence import LARGEST_R_HAT
from bdlviz.training.chains import TARGET_ACCEPTANCE, DualAveraging
from bdlviz.types import Array
from tests.methods.contract import X_NEW, X, Y, quick

FIXTURE = Path(__file__).parents[1] / "fixtures" / "nuts_predictions.json"
STANDARD_ERRORS = 4


@cache
def nuts():
    return json.loads(FIXTURE.read_text())


def assert_agrees(fit: Fit, x: Array, mean: Array, std: Array, mean_error: Any = 0.0, std_error: Any = 0.0):
    """Mean and spread within the Monte Carlo errors of both; a spread's own error is sd / sqrt(2 ESS)."""
    found, chains = fit.predict(x, 100_000), fit.convergence(x)
    size = chains.effective_samples
    error = np.hypot(std / size**0.5, mean_error)
    assert (np.abs(found.mean[:, 0] - mean) < STANDARD_ERRORS * error).all()
    error = np.hypot(std / (2 * size) ** 0.5, std_error)
    assert (np.abs(found.epistemic_std[:, 0] - std) < STANDARD_ERRORS * error).all()
    assert (error < 0.1 * std).all()  # or the test could not fail


@pytest.mark.parametrize("length_scale", [1.0, 10.0])
def test_a_linear_model_has_its_closed_form(length_scale):
    fit = bdlviz.fit("hmc", (X, Y), hidden=(), noise_std=0.3, length_scale=length_scale)
    inputs, targets = fit.scaling.standardise_x(X[:, None]), fit.scaling.standardise_y(Y[:, None])
    design, new = (np.column_stack([x, np.ones(len(x))]) for x in (inputs, fit.scaling.standardise_x(X_NEW[:, None])))
    covariance = np.linalg.inv(fit.precision * design.T @ design + length_scale**2 * np.eye(2))
    mean = (new @ covariance @ design.T @ targets * fit.precision)[:, 0]
    std = np.sqrt(np.einsum("ni,ij,nj->n", new, covariance, new))
    scale, shift = fit.scaling.y_scale.item(), fit.scaling.y_mean.item()
    assert_agrees(fit, X_NEW, mean * scale + shift, std * scale)
    assert fit.convergence(X_NEW).is_reached and fit.convergence(X_NEW).acceptance > 0.6


@pytest.mark.parametrize("name", ["two_clusters", "kinks"])
def test_the_predictions_are_those_of_nuts(name):
    about, found = nuts()["about"], nuts()["predictions"][name]
    fit = bdlviz.fit(
        "hmc",
        (np.array(found["x"]), np.array(found["y"])),
        hidden=(50,),
        activation=found["activation"],
        noise_std=about["noise_std"],
        length_scale=about["length_scale"],
        prior_by_width=1,
    )
    numbers = (np.array(found[key]) for key in ("x_new", "mean", "std", "mean_error", "std_error"))
    assert_agrees(fit, *numbers)
    assert fit.convergence(np.array(found["x_new"])).worst < LARGEST_R_HAT


def test_without_data_the_posterior_is_the_prior():
    """One point so noisy that it says nothing: the functions are those of the prior."""
    nothing = (np.array([0.0]), np.array([0.0]))
    fit = bdlviz.fit("hmc", nothing, hidden=(20,), activation="tanh", noise_std=1e6, prior_by_width=1)
    found = fit.convergence(np.array([1.0]))
    draws = fit.predict(np.array([1.0]), 10_000).draws[:, 0, 0]
    rng = np.random.default_rng(0)
    first = rng.standard_normal((100_000, 2, 20)).sum(1)  # weight and bias of every hidden unit, at x = 1
    expected = np.tanh(first).var() + 1  # by width: the sum over 20 units has the variance of one of them
    error = expected * (2 / found.effective_samples[0]) ** 0.5
    assert draws.var() == pytest.approx(expected, abs=STANDARD_ERRORS * error)


def test_chains_that_do_not_mix_say_so():
    short = quick("hmc", num_steps=16, num_chains=8, num_leapfrog=1, hidden=(16,), noise_std=0.05)
    found = short.convergence(X_NEW)
    assert found.worst > 1.5 and not found.is_reached
    assert np.isinf(quick("hmc", num_steps=4, num_chains=2).convergence(X_NEW).r_hat).all()  # two draws say nothing
    stuck = quick("hmc", num_steps=40, num_chains=4, hidden=(16,), noise_std=1e-12)  # no step is small enough
    assert not stuck.convergence(X_NEW).is_reached
    twice = bdlviz.fit("hmc", (np.array([0.0, 0.0]), np.array([-1.0, 1.0])), noise_std=0.5, num_steps=60)
    assert twice.predict(np.array([0.0])).epistemic_std[0, 0] < 0.5  # about 0.5 / sqrt(2)
    alone = bdlviz.fit("hmc", (np.array([2.0]), np.array([3.0])), num_steps=60)
    assert np.isfinite(alone.predict(np.array([-5.0, 2.0])).total_std).all()
    with pytest.raises(bdlviz.InvalidInput, match="no chains that could agree"):
        quick("map").convergence(X_NEW)
    with pytest.raises(bdlviz.InvalidInput, match="built-in network only"):
        import torch

        bdlviz.fit("hmc", (X, Y), network=torch.nn.Linear(1, 1))


def test_the_step_size_learns_the_acceptance_that_is_wanted():
    """Of a made-up problem whose acceptance is exp(-size / scale), for two scales at once."""
    scales = np.array([0.01, 3.0])
    adaptation = DualAveraging(np.array([0.1, 0.1]))
    for _ in range(2000):
        adaptation.learn(np.exp(-adaptation.current / scales))
    np.testing.assert_allclose(np.exp(-adaptation.final / scales), TARGET_ACCEPTANCE, atol=0.02)
