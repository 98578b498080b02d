"""Laplace's approximation: against laplace-torch, conjugate regression, torch's Jacobian and its own draws."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import torch

import bdlviz
from bdlviz.methods.laplace import posterior_of, softmax_roots
from bdlviz.models.mlp import MLP
from bdlviz.models.priors import prior_precisions
from bdlviz.predictive.linearised import (
    Deviation,
    LinearisedPosterior,
    jacobian,
    prior_covariance,
    push_forward,
    tangent_kernel,
    tangents,
)
from tests.methods.contract import SMALL, X_NEW, X, Y, classes

FIXTURE = json.loads((Path(__file__).parents[1] / "fixtures" / "laplace_predictions.json").read_text())
CASES = FIXTURE["cases"]
GRID = np.linspace(-4, 4, 41)
TORCH = {"relu": torch.relu, "tanh": torch.tanh, "gelu": torch.nn.functional.gelu, "silu": torch.nn.functional.silu}


def fit(data=(X, Y), **settings):
    return bdlviz.fit("laplace", data, **{**SMALL, "num_steps": 300, "prior_by_width": 1, **settings})


def weights_of(network, seed=0):
    rng = np.random.default_rng(seed)
    return {name: rng.standard_normal(shape) for name, shape in network.shapes().items()}


def variances_of(network, length_scale=0.8, first=0):
    by_name = prior_precisions(network, length_scale, True)
    layers = range(first, network.num_layers)
    return [Deviation(1 / by_name[f"weight{i}"], 1 / by_name[f"bias{i}"]) for i in layers]


def spread_of(network, length_scale=0.8):
    """Prior variance of every weight, (P,), layer after layer."""
    parts = []
    for (rows, columns), variance in zip(
        [network.shapes()[f"weight{i}"] for i in range(network.num_layers)],
        variances_of(network, length_scale),
        strict=True,
    ):
        parts += [np.full(rows * columns, variance.weight), np.full(columns, variance.bias)]
    return np.concatenate(parts)


def flat(params, network):
    return np.concatenate(
        [params[name].ravel() for i in range(network.num_layers) for name in (f"weight{i}", f"bias{i}")]
    )


# The linearised network -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TORCH)
@pytest.mark.parametrize("sizes", [(2, 3), (1, 5, 1), (3, 6, 4, 2), (2, 3, 3, 3, 1)])
def test_jacobian_equals_that_of_torch(sizes, name):
    network = MLP(sizes, name)
    params, x = weights_of(network), np.random.default_rng(1).standard_normal((4, sizes[0]))

    def outputs(w):
        h = torch.tensor(x)
        for layer in range(network.num_layers):
            h = h @ w[f"weight{layer}"] + w[f"bias{layer}"]
            h = TORCH[name](h) if layer < network.num_layers - 1 else h
        return h

    expected = torch.func.jacrev(outputs)({n: torch.tensor(a) for n, a in params.items()})
    parts = [
        expected[name].reshape(4, sizes[-1], -1).numpy()
        for layer in range(network.num_layers)
        for name in (f"weight{layer}", f"bias{layer}")
    ]
    values, layers = tangents(network, params, x)
    np.testing.assert_allclose(jacobian(layers), np.concatenate(parts, -1), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(values, outputs({n: torch.tensor(a) for n, a in params.items()}).numpy(), rtol=1e-12)
    _, last = tangents(network, params, x, network.num_layers - 1)
    np.testing.assert_allclose(jacobian(last), np.concatenate(parts[-2:], -1), rtol=1e-12)


def test_kernel_and_softmax_root():
    network = MLP((2, 6, 4, 3), "tanh")
    params, rng = weights_of(network), np.random.default_rng(2)
    x, other = rng.standard_normal((5, 2)), rng.standard_normal((7, 2))
    here, there = tangents(network, params, x)[1], tangents(network, params, other)[1]
    spread = spread_of(network)
    expected = np.einsum("nkp,p,mjp->nkmj", jacobian(here), spread, jacobian(there))
    variances = variances_of(network)
    np.testing.assert_allclose(tangent_kernel(here, there, variances), expected, rtol=1e-12, atol=1e-12)
    blocks = np.einsum("nkp,p,njp->nkj", jacobian(here), spread, jacobian(here))
    np.testing.assert_allclose(prior_covariance(here, variances), blocks, rtol=1e-12, atol=1e-12)
    steps = [weights_of(network, seed) for seed in (3, 4)]
    deviations = [
        Deviation(np.stack([s[f"weight{i}"] for s in steps]), np.concatenate([s[f"bias{i}"] for s in steps]))
        for i in range(network.num_layers)
    ]
    moved = np.stack([jacobian(here) @ flat(step, network) for step in steps])
    np.testing.assert_allclose(push_forward(here, deviations), moved, rtol=1e-12, atol=1e-12)
    network = MLP((1, 3, 1), "tanh")
    params = weights_of(network)
    for num_data, is_dual in ((10, True), (11, False)):
        roots = np.ones((num_data, 1, 1))
        posterior = LinearisedPosterior(network, params, np.ones((num_data, 1)), roots, variances_of(network))
        assert posterior.is_dual == is_dual and posterior.num_weights == 10
    network = MLP((2, 4, 3), "tanh")
    params, x = weights_of(network), np.random.default_rng(3).standard_normal((6, 2))
    logits = torch.tensor(tangents(network, params, x)[0])
    root = softmax_roots(network, params, x)
    for index, one in enumerate(logits):
        hessian = np.asarray(torch.autograd.functional.hessian(lambda f: torch.logsumexp(f, 0), one))
        np.testing.assert_allclose(root[index] @ root[index].T, hessian, rtol=1e-9, atol=1e-12)


# The posterior --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_equals_laplace_torch(name):
    """Mean and variance of the linearised outputs at new inputs; that library inverts to six digits."""
    case = CASES[name]
    network = MLP(tuple(case["sizes"]), case["activation"])
    params = {key: np.array(values) for key, values in case["params"].items()} | {"x": np.array(case["x"])}
    numbers = {"num_seen": len(case["x"]), "noise_std": FIXTURE["about"]["noise_std"], "prior_by_width": 1}
    numbers |= {key: float(case[key]) for key in ("all_layers", "is_classifier")}
    params |= {key: np.array([value]) for key, value in numbers.items()}
    posterior = posterior_of(network, params, FIXTURE["about"]["length_scale"])
    mean, variance = posterior.moments(np.array(case["x_new"]))
    np.testing.assert_allclose(mean, case["mean"], rtol=1e-6)
    np.testing.assert_allclose(variance, np.diagonal(case["covariance"], axis1=1, axis2=2), rtol=1e-5)
    np.testing.assert_allclose(posterior.covariance(np.array(case["x_new"])), case["covariance"], rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("first", [0, 1])
def test_both_spaces_give_the_same(first):
    """Moments, and the covariance of draws of the weights."""
    network = MLP((2, 4, 2), "tanh")
    params, x = weights_of(network), np.random.default_rng(5).standard_normal((9, 2))
    roots = softmax_roots(network, params, x)
    dual, primal = (
        LinearisedPosterior(network, params, x, roots, variances_of(network, first=first), first, is_dual)
        for is_dual in (True, False)
    )
    there = np.random.default_rng(6).standard_normal((11, 2))
    for one, other in zip(dual.moments(there), primal.moments(there), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)
    np.testing.assert_allclose(dual.covariance(there), primal.covariance(there), rtol=1e-9, atol=1e-12)
    spreads = []
    for posterior in (dual, primal):
        drawn = posterior.draw(np.random.default_rng(7), 20000)
        spreads.append(np.concatenate([d.weight.reshape(20000, -1).std(0) for d in drawn]))
    np.testing.assert_allclose(spreads[0], spreads[1], rtol=8 / np.sqrt(2 * 20000))


def test_training_ends_where_the_posterior_is_flat():
    """The gradient of the negative log posterior, by torch, is nearly 0."""
    one = fit(hidden=(8,), activation="tanh", length_scale=1.0, num_steps=4000, learning_rate=0.01, schedule="linear")
    w = {name: torch.tensor(one.single()[name], requires_grad=True) for name in one.model.network.shapes()}
    x, y = (torch.tensor(a) for a in (one.scaling.standardise_x(X[:, None]), one.scaling.standardise_y(Y[:, None])))
    outputs = torch.tanh(x @ w["weight0"] + w["bias0"]) @ w["weight1"] + w["bias1"]
    energy = one.precision * 0.5 * (outputs - y).square().sum()
    precisions = prior_precisions(one.model.network, 1.0, True)
    energy = energy + sum(0.5 * float(precisions[name]) * w[name].square().sum() for name in w)
    energy.backward()
    assert one.history["loss"][-1] == pytest.approx(energy.item() / (len(X) * one.precision), rel=1e-3)
    largest = max(float(each.grad.abs().max()) for each in w.values() if each.grad is not None)
    assert largest < 1e-2 * one.precision


@pytest.mark.parametrize("all_layers", [0, 1])
@pytest.mark.parametrize("hidden", [(16, 16), (3,)])
def test_draws_have_the_exact_moments(hidden, all_layers):
    """In both spaces, within four standard errors."""
    one = fit(hidden=hidden, all_layers=all_layers)
    predictive = one.predict(GRID, 2000)
    draws, std = predictive.draws, predictive.epistemic_std
    assert (np.abs(draws.mean(0) - predictive.mean) < 4 * std / np.sqrt(2000)).all()
    assert (np.abs(draws.std(0) / std - 1) < 4 / np.sqrt(4000)).all()


def test_mean_is_the_trained_network_and_it_is_saved(tmp_path):
    one = fit()
    naive = one.predict(GRID, 50, with_dropout=False)
    assert naive.num_samples == 1
    np.testing.assert_allclose(one.predict(GRID, 5).mean, naive.mean, rtol=1e-5, atol=1e-5)
    assert fit(batch_size=4).config.batch_size is None
    one.save(tmp_path / "fit.safetensors")
    loaded = bdlviz.load(tmp_path / "fit.safetensors")
    np.testing.assert_array_equal(loaded.predict(X_NEW, 5).draws, one.predict(X_NEW, 5).draws)
    one.save(tmp_path / "fit.safetensors")
    code = (
        "import sys, bdlviz; "
        f"bdlviz.load({str(tmp_path / 'fit.safetensors')!r}).predict([0.0, 1.0], 5); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_before_any_data_it_is_the_prior_around_the_start():
    cancelled = threading.Event()
    cancelled.set()
    one = fit(cancel=cancelled, hidden=(8,))
    assert one.params["num_seen"].item() == 0
    params = one.single()
    variance = posterior_of(one.model.network, params, 1.0).moments(X_NEW[:, None].astype(np.float32))[1]
    _, layers = tangents(one.model.network, params, X_NEW[:, None].astype(np.float32))
    prior = prior_covariance(layers, variances_of(one.model.network, 1.0))
    np.testing.assert_allclose(variance, prior[:, 0], rtol=1e-9)


def test_classes_and_refusals():
    """Weights multiply each other, so that all of them nearly 0 can be the most probable: a constant function."""
    one = fit(classes(), num_steps=1000, length_scale=1.0)
    np.testing.assert_allclose(one.predict(X, 1, with_dropout=False).mean, 1 / 3, atol=0.02)
    # And the mean probability there is less sure than the trained network's own.
    one = fit(classes(), num_steps=1000, length_scale=0.3)
    predictive, naive = one.predict([-8.0, -1.5], 500), one.predict([-8.0, -1.5], 500, with_dropout=False)
    assert predictive.mutual_information is not None
    assert predictive.mutual_information[0] > predictive.mutual_information[1]
    assert predictive.mean[0].max() < naive.mean[0].max()
    np.testing.assert_allclose(predictive.mean.sum(-1), 1, rtol=1e-6)
    x = np.linspace(0, 1, 3001)[:, None]
    with pytest.raises(bdlviz.InvalidInput, match=r"per weight \(3151\).*per observation \(3001\).*at most 3000"):
        fit((x, x), hidden=(1050,))
    fit((x, x), hidden=(1050,), all_layers=0, num_steps=1)  # 1051 weights
    with pytest.raises(bdlviz.InvalidInput, match="Gaussian noise of a known size, or classes"):
        fit(likelihood="heteroscedastic")
