"""Langevin dynamics and HMC with friction against the closed forms of a linear model with Gaussian noise."""

from typing import Any

import numpy as np
import pytest

import bdlviz
from bdlviz.fits import Fit
from bdlviz.predictive.chains import effective_sample_size
from bdlviz.types import Array
from tests.methods.contract import X, Y, quick

STANDARD_ERRORS = 4
INPUTS = np.column_stack([X, X + X**2 / 2])  # correlated, so that the posterior has three different curvatures
NOISE_STD = 0.5
SEEDS = 8
LINEAR: dict[str, Any] = {
    "hidden": (), "noise_std": NOISE_STD, "length_scale": 2.0, "seed": range(SEEDS), "num_kept": 2000,
}  # fmt: skip
SMALL_STEPS: dict[str, dict[str, Any]] = {
    "sgld": {"step_size": 0.06, "num_steps": 10_000, "thinning": 5},
    "sghmc": {"step_size": 0.02, "friction": 10.0, "num_steps": 8000, "thinning": 4},
}
LARGE_STEPS: dict[str, dict[str, Any]] = {
    "sgld": {"step_size": 0.12, "num_steps": 5000, "thinning": 2},
    "sghmc": {"step_size": 0.08, "friction": 10.0, "num_steps": 5000, "thinning": 2},
}


def posterior(fit: Fit) -> tuple[Array, Array]:
    """Mean (3,) and precision (3, 3) of weights and bias in standardised units."""
    inputs, targets = fit.scaling.standardise_x(INPUTS), fit.scaling.standardise_y(Y[:, None])
    design = np.column_stack([inputs, np.ones(len(inputs))]).astype(float)
    precision = fit.precision * design.T @ design + 4 * np.eye(3)
    return np.linalg.solve(precision, design.T @ targets[:, 0] * fit.precision), precision


def states(fit: Fit) -> Array:
    """Kept weights and biases of every chain, (chains, kept, 3), without those near the start."""
    kept = np.concatenate([fit.params["weight0"], fit.params["bias0"]], 3).reshape(SEEDS, -1, 3).astype(float)
    return kept[:, kept.shape[1] // 10 :]


def assert_moments(fit: Fit, mean: Array, variance: Array) -> None:
    """Mean and variance of every coordinate within four Monte Carlo errors."""
    draws = states(fit)
    size = effective_sample_size(draws)
    assert (size > 500).all()
    assert (np.abs(draws.mean((0, 1)) - mean) < STANDARD_ERRORS * np.sqrt(variance / size)).all()
    sizes = effective_sample_size(np.square(draws - mean))
    assert (np.abs(draws.var((0, 1)) / variance - 1) < STANDARD_ERRORS * np.sqrt(2 / sizes)).all()


def stationary_variance(method: str, precision: Array) -> Array:
    """Variances of weights and bias of the discretised chain: its formula for every direction of the posterior."""
    settings = LARGE_STEPS[method]
    curvatures, directions = np.linalg.eigh(precision)
    size = settings["step_size"]
    error = size**2 * curvatures / (4 if method == "sgld" else 2 * (2 - size * settings["friction"]))
    assert error.max() > 0.2  # or the step would be too small to see its error
    return np.square(directions) @ (1 / (curvatures * (1 - error)))


@pytest.mark.parametrize("method", SMALL_STEPS)
def test_small_steps_have_the_posterior_of_a_linear_model(method: str):
    fit = bdlviz.fit(method, (INPUTS, Y[:, None]), **LINEAR, **SMALL_STEPS[method])
    mean, precision = posterior(fit)
    assert_moments(fit, mean, np.diag(np.linalg.inv(precision)))


@pytest.mark.parametrize("method", LARGE_STEPS)
def test_large_steps_have_the_variance_of_the_discretised_chain(method: str):
    fit = bdlviz.fit(method, (INPUTS, Y[:, None]), **LINEAR, **LARGE_STEPS[method])
    mean, precision = posterior(fit)
    expected = stationary_variance(method, precision)
    assert (expected > 1.1 * np.diag(np.linalg.inv(precision))).any()
    assert_moments(fit, mean, expected)


@pytest.mark.parametrize("method", SMALL_STEPS)
def test_minibatches_leave_the_mean_and_widen_the_distribution(method: str):
    """The gradient of a linear model is linear in its weights, so that noise of the gradient leaves the mean."""
    fit = bdlviz.fit(method, (INPUTS, Y[:, None]), **LINEAR | SMALL_STEPS[method], batch_size=6)
    mean, precision = posterior(fit)
    draws, variance = states(fit), np.diag(np.linalg.inv(precision))
    error = np.sqrt(draws.var((0, 1)) / effective_sample_size(draws))
    assert (np.abs(draws.mean((0, 1)) - mean) < STANDARD_ERRORS * error).all()
    assert (draws.var((0, 1)) > 0.9 * variance).all()


@pytest.mark.parametrize("method", SMALL_STEPS)
def test_kept_states_are_the_last_ones_with_the_distance_asked_for(method: str):
    settings: dict[str, Any] = {"num_steps": 25, "num_kept": 3, "thinning": 5}
    kept = quick(method, **settings).params["weight0"][0, 0]
    single = [
        quick(method, **settings | {"num_steps": n, "num_kept": 1}).params["weight0"][0, 0, 0] for n in (15, 20, 25)
    ]
    assert len(kept) == 3
    np.testing.assert_array_equal(kept, single)  # in their order, which convergence is judged by
    assert len(quick(method, num_steps=25, num_kept=1000, thinning=5).params["weight0"][0, 0]) == 5
    begun = quick(method, num_steps=400, num_kept=10, thinning=10, on_snapshot=lambda snapshot: snapshot.step < 30)
    weights = begun.params["weight0"][0, 0]
    assert begun.num_steps_done == 30 and len(weights) == 10
    np.testing.assert_array_equal(weights[3:], np.broadcast_to(weights[2], weights[3:].shape))
    assert not np.array_equal(weights[1], weights[2])


@pytest.mark.parametrize("method", SMALL_STEPS)
def test_convergence_is_judged_and_a_chain_that_diverges_says_so(method: str, tmp_path: Any):
    longer = {"seed": 0, "step_size": 0.08, "num_steps": 20_000, "thinning": 10}
    fit = bdlviz.fit(method, (INPUTS, Y[:, None]), **LINEAR | SMALL_STEPS[method] | longer)
    found = fit.convergence(INPUTS[:3])
    assert (found.num_chains, found.num_draws, found.acceptance) == (1, 2000, 1.0)
    assert found.is_reached
    fit.save(tmp_path / "chain.safetensors")
    again = bdlviz.load(tmp_path / "chain.safetensors")
    np.testing.assert_array_equal(again.predict(INPUTS, 50).draws, fit.predict(INPUTS, 50).draws)
    assert not quick(method).convergence(X).is_reached
    wild = quick(method, step_size=1.0, num_steps=200)
    assert wild.diverged.all() and not wild.is_done
    with pytest.raises(bdlviz.InvalidInput, match="smaller step size"):
        wild.predict(X)
