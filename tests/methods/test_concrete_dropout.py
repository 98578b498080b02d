"""Concrete dropout: its formulas against numpy, its gradients, its limits, and its hard masks."""

from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
import torch

import bdlviz
from bdlviz.data import available, load
from bdlviz.fits import Fit
from bdlviz.methods.concrete_dropout import (
    build,
    keep_probabilities,
    kl_to_prior,
    logistic_noise,
    relaxed_mask,
    relaxed_negative_log_likelihood,
    sample,
)
from bdlviz.models.likelihoods import Categorical, Gaussian, HeteroscedasticGaussian
from bdlviz.models.mlp import MLP
from bdlviz.models.model import Model
from bdlviz.training.method import Setup
from bdlviz.training.noise import generator

DIGITS = load("digits", num_data=320)
QUICK: dict[str, Any] = {"hidden": (32, 16), "num_epochs": 20, "batch_size": 32, "learning_rate": 0.01}


@pytest.fixture(scope="module")
def fit() -> Fit:
    return bdlviz.fit("concrete_dropout", DIGITS, **QUICK)


def entropy(rate):
    """The entropy as it is printed, in numpy."""
    return -rate * np.log(rate) - (1 - rate) * np.log(1 - rate)


def random_params(sizes, rng, leading=(1, 1)):
    """Parameters of one network in double precision: logits, weights (in, out) and biases."""
    params = {}
    for layer, (rows, columns) in enumerate(pairwise(sizes)):
        params[f"weight{layer}"] = rng.normal(size=(*leading, rows, columns))
        params[f"bias{layer}"] = rng.normal(size=(*leading, 1, columns))
        params[f"drop_logit{layer}"] = rng.normal(size=(*leading, 1, rows))
    return params


def tensors(params):
    """The same as torch tensors that want gradients."""
    return {name: torch.from_numpy(array).requires_grad_() for name, array in params.items()}


def closed_form_kl(params, length_scale):
    """The KL as it is printed for unscaled masks, with M = W / keep_prob."""
    total = 0.0
    for layer in range(sum(name.startswith("weight") for name in params)):
        rate = 1 / (1 + np.exp(-params[f"drop_logit{layer}"][0, 0, 0]))
        unscaled = params[f"weight{layer}"][0, 0] / (1 - rate)[:, None]
        total += (length_scale**2 / 2 * (1 - rate) * (unscaled**2).sum(1) - entropy(rate)).sum()
        total += length_scale**2 / 2 * (params[f"bias{layer}"] ** 2).sum()
    return total


def test_kl_is_the_printed_one_for_unscaled_masks():
    for length_scale in [0.1, 1.0, 3.0]:
        params = random_params((3, 5, 2), np.random.default_rng(0))
        found = kl_to_prior(tensors(params), torch.tensor([length_scale], dtype=torch.float64))
        assert found.shape == (1, 1)
        assert found.item() == pytest.approx(closed_form_kl(params, length_scale), rel=1e-10)
    # The KL counts its entropy once for each unit, and its gradient is the sum over them.
    params = random_params((3, 5, 2), np.random.default_rng(6))
    shared = {n: a[..., :1] if n.startswith("drop_logit") else a for n, a in params.items()}
    spread = {n: np.repeat(a, params[n].shape[-1] // a.shape[-1], -1) for n, a in shared.items()}
    length_scale, gradients = torch.tensor([0.5], dtype=torch.float64), []
    for each in (tensors(shared), tensors(spread)):
        kl = kl_to_prior(each, length_scale)
        assert kl.item() == pytest.approx(closed_form_kl(spread, 0.5), rel=1e-10)
        gradients.append(torch.autograd.grad(kl.sum(), each["drop_logit0"])[0].sum().item())
    assert gradients[0] == pytest.approx(gradients[1], rel=1e-10)


LIKELIHOODS = [Gaussian(), HeteroscedasticGaussian(), Categorical()]


def small_problem(chosen, rng, num_points=5, shared=False):
    """A network 2-3-K in double precision, its parameters, and points: x (1, 1, B, 2), y (1, 1, B, 1)."""
    num_outputs = 3 if chosen.task == "classification" else chosen.num_outputs(1)
    params = random_params((2, 3, num_outputs), rng)
    if shared:
        params |= {name: array[..., :1] for name, array in params.items() if name.startswith("drop_logit")}
    x = torch.from_numpy(rng.normal(size=(1, 1, num_points, 2)))
    is_class = chosen.task == "classification"
    y = rng.integers(0, 3, (1, 1, num_points, 1)) if is_class else rng.normal(size=(1, 1, num_points, 1))
    return Model(MLP((2, 3, num_outputs), "tanh"), chosen), tensors(params), x, torch.from_numpy(y)


@pytest.mark.parametrize("shared", [False, True], ids=["per unit", "per layer"])
@pytest.mark.parametrize("chosen", LIKELIHOODS, ids=lambda each: each.name)
def test_gradient_of_the_relaxed_objective_is_finite_differences(chosen, shared):
    """The whole negative bound, for fixed noise, by every weight, bias and dropout rate."""
    rng = np.random.default_rng(3)
    model, params, x, y = small_problem(chosen, rng, shared=shared)
    noise = [torch.from_numpy(rng.logistic(size=(1, 1, 5, width))) for width in (2, 3)]
    names, values = zip(*params.items(), strict=True)

    def objective(*values):
        named = dict(zip(names, values, strict=True))
        misfit = relaxed_negative_log_likelihood(model, named, x, y, noise, torch.tensor([0.4], dtype=torch.float64))
        return misfit + kl_to_prior(named, torch.tensor([0.7], dtype=torch.float64), 0.5) / 40

    assert torch.autograd.gradcheck(objective, values)


def expected_negative_log_likelihood(model, params, x, y):
    """The mean over all 2^5 hard masks, weighted by their probabilities: no sampling, no relaxation."""
    keep = [torch.sigmoid(-params[f"drop_logit{layer}"][0, 0, 0]).expand(width) for layer, width in ((0, 2), (1, 3))]
    total = torch.zeros((), dtype=torch.float64)
    for kept in product((0.0, 1.0), repeat=5):
        bits = torch.tensor(kept, dtype=torch.float64)
        probability = torch.where(bits == 1, torch.cat(keep), 1 - torch.cat(keep)).prod()
        h = x[0, 0] * (bits[:2] / keep[0])
        h = torch.tanh(h @ params["weight0"][0, 0] + params["bias0"][0, 0]) * (bits[2:] / keep[1])
        outputs = h @ params["weight1"][0, 0] + params["bias1"][0, 0]
        total = total + probability * model.likelihood.negative_log_likelihood(outputs, y[0, 0]).mean()
    return total


def relaxed_gradients(model, params, x, y, temperature, chunks=60, size=4000):
    """Means of the gradient of the relaxed negative log-likelihood over chunks of noise, (chunks, numbers)."""
    rng, found = np.random.default_rng(4), []
    for _ in range(chunks):
        noise = [torch.from_numpy(rng.logistic(size=(1, 1, size, width))) for width in (2, 3)]
        many_x, many_y = x.expand(-1, -1, size, -1), y.expand(-1, -1, size, -1)
        loss = relaxed_negative_log_likelihood(
            model, params, many_x, many_y, noise, torch.tensor([temperature], dtype=torch.float64)
        )
        found.append(torch.cat([g.ravel() for g in torch.autograd.grad(loss.sum(), list(params.values()))]).numpy())
    return np.array(found)


@pytest.mark.parametrize("shared", [False, True], ids=["per unit", "per layer"])
@pytest.mark.parametrize("chosen", [Gaussian(), Categorical()], ids=lambda each: each.name)
def test_relaxed_gradient_tends_to_that_of_the_enumerated_expectation(chosen, shared):
    """Within four standard errors (and the last rest of bias) at t = 0.01; far off at t = 1."""
    model, params, x, y = small_problem(chosen, np.random.default_rng(5), num_points=1, shared=shared)
    exact = torch.autograd.grad(expected_negative_log_likelihood(model, params, x, y), list(params.values()))
    exact = torch.cat([g.ravel() for g in exact]).numpy()

    def away(temperature):
        found = relaxed_gradients(model, params, x, y, temperature)
        return np.abs(found.mean(0) - exact), found.std(0, ddof=1) / len(found) ** 0.5

    near, error = away(0.01)
    assert np.abs(exact).max() > 0.05
    assert (near <= 4 * error + 0.01 * np.abs(exact).max()).all()
    far, error = away(1.0)
    assert (far > 10 * error).any()


def test_relaxed_masks_become_hard_and_logistic_noise_has_its_moments():
    logit, noise = torch.full((1, 1), -1.0), torch.from_numpy(logistic_noise(generator(0, "test"), (1, 20_000)))
    keep = torch.sigmoid(-logit).item()
    mask = relaxed_mask(logit, noise, 1e-3)[0].numpy()
    assert np.mean((mask > 1e-3) & (mask < 0.999 / keep)) < 0.01
    assert mask.mean() == pytest.approx(1, abs=4 * float(mask.std()) / len(mask) ** 0.5)
    noise = logistic_noise(generator(1, "test"), (100, 1001)).astype(float).ravel()
    assert abs(noise.mean()) < 4 * noise.std() / len(noise) ** 0.5
    assert noise.var() == pytest.approx(np.pi**2 / 3, abs=4 * np.pi**2 * (16 / 45 / len(noise)) ** 0.5)


def test_loss_of_one_step_in_numpy():
    """The whole objective, with the noise precision before the data term and the KL divided by N."""
    network, tau, num_data = MLP((2, 16, 1), "tanh"), 9.0, 40
    hyperparameters = {"length_scale": np.array([0.5]), "temperature": np.array([0.2])}
    setup = Setup(Model(network, Gaussian()), hyperparameters, (3,), num_data, 8, 10, 1e-3, 2, {"start_rate": 0.3},
                  precision=tau)  # fmt: skip
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(8, 2)).astype(np.float32), rng.normal(size=(8, 1)).astype(np.float32)
    method = build(setup)
    params = {name: array.copy() for name, array in method.params(method.init()).items()}
    loss = method.update(method.init(), (x[None, None], y[None, None]), True).loss
    noise, h = generator(3, "noise"), x
    for layer in range(2):
        mask = 1 / (1 + np.exp((np.log(0.3 / 0.7) + logistic_noise(noise, h.shape)) / 0.2)) / 0.7
        h = (h * mask) @ params[f"weight{layer}"][0, 0] + params[f"bias{layer}"][0, 0]
        h = np.tanh(h) if layer == 0 else h
    expected = tau * 0.5 * np.mean((y - h) ** 2) + closed_form_kl(params, 0.5) / num_data
    assert loss is not None and loss[0, 0] == pytest.approx(expected, rel=1e-5)


def test_rates_near_zero_are_the_plain_network(fit):
    """All masks are one: every draw is the naive pass, and that is the plain network with the same weights."""
    sure = {n: np.full_like(a, -30) if n.startswith("drop_logit") else a for n, a in fit.params.items()}
    predictive = replace(fit, params=sure).predict(DIGITS.x_test[:20], 5)
    plain = replace(bdlviz.fit("map", DIGITS, **QUICK), params=fit.params).predict(DIGITS.x_test[:20])
    np.testing.assert_allclose(predictive.draws, np.broadcast_to(plain.mean, predictive.draws.shape), rtol=1e-4)
    naive = fit.predict(DIGITS.x_test[:20], with_dropout=False)
    np.testing.assert_array_equal(naive.mean, plain.mean)


def test_it_classifies_with_hard_masks_at_its_keep_probabilities(fit):
    keep = keep_probabilities(fit)
    assert {layer: values.shape for layer, values in keep.items()} == {0: (64,), 1: (32,), 2: (16,)}
    assert all(((values > 0) & (values < 1)).all() for values in keep.values())
    is_blank = DIGITS.x.max(0) == 0
    assert keep[0][is_blank].max() < keep[0][~is_blank].mean()  # the data say nothing of blank pixels
    start = bdlviz.fit("concrete_dropout", DIGITS, **{**QUICK, "num_epochs": 1, "learning_rate": 1e-12})
    np.testing.assert_allclose(keep_probabilities(start)[1], 0.88, rtol=1e-5)
    params = fit.single()
    draws = sample(fit.model.network, params, {}, np.random.default_rng(0), 4000)
    assert draws.input_mask is not None
    for mask, keep in zip((draws.input_mask, *draws.masks), keep_probabilities(fit).values(), strict=True):
        np.testing.assert_allclose(np.unique((mask * keep).round(5)), [0, 1])
        np.testing.assert_allclose((mask > 0).mean(0), keep, atol=4.5 * 0.5 / 4000**0.5)
    without = bdlviz.fit("concrete_dropout", DIGITS, entropy_weight=0, **QUICK)
    for layer, keep in keep_probabilities(without).items():
        assert keep.min() > 0.85  # they start at 0.88
        assert keep.mean() > keep_probabilities(fit)[layer].mean() + 0.02
    predictive = fit.predict(DIGITS.x_test, 50)
    assert np.mean(predictive.mean.argmax(1) == DIGITS.y_test) > 0.85
    assert fit.history["loss"].shape == (20,)


def test_one_rate_for_each_layer():
    shared = bdlviz.fit("concrete_dropout", DIGITS, shared_rate=1, **QUICK)
    keep = keep_probabilities(shared)
    assert {layer: values.shape for layer, values in keep.items()} == {0: (1,), 1: (1,), 2: (1,)}
    masks = shared.masks(4000)
    assert [mask.shape for mask in masks] == [(4000, 32), (4000, 16)]
    assert np.mean(masks[0] > 0) == pytest.approx(keep[1][0], abs=4.5 * 0.5 / (4000 * 32) ** 0.5)
    predictive = shared.predict(DIGITS.x_test, 50)
    assert np.mean(predictive.mean.argmax(1) == DIGITS.y_test) > 0.85


def test_length_scale_is_a_grid_axis():
    grid = bdlviz.fit("concrete_dropout", "x_sin_x", length_scale=(0.1, 10.0), num_steps=800, learning_rate=0.01)
    small, large = (np.abs(grid.cell(length_scale=scale).params["weight0"]).mean() for scale in (0.1, 10.0))
    assert large < small
    assert grid.cell(length_scale=10.0).length_scale == 10.0
    module = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    with pytest.raises(bdlviz.InvalidInput, match="built-in network"):
        bdlviz.fit("concrete_dropout", "x_sin_x", network=module)
    for setting, message in [
        ({"temperature": 1e-4}, "temperature must be between 0.001 and 10"),
        ({"temperature": 11}, "temperature must be between 0.001 and 10"),
        ({"shared_rate": 0.5}, r"shared_rate must be a whole number, not 0\.5"),
        ({"shared_rate": (0, 1)}, "shared_rate cannot be a grid axis"),
        ({"entropy_weight": -1}, "entropy_weight must be between 0 and 1"),
    ]:
        with pytest.raises(bdlviz.InvalidInput, match=message):
            bdlviz.fit("concrete_dropout", DIGITS, **QUICK, **setting)


@pytest.mark.rest
@pytest.mark.skipif(not available("mnist-1000"), reason="MNIST is not here")
def test_accuracy_of_the_lecture():
    """The lecture prints 90.2 % on 1,000 held-out digits, naive and averaged over draws."""
    data = load("mnist-1000")
    fit = bdlviz.fit("concrete_dropout", data)
    for predictive in (fit.predict(data.x_test, 30), fit.predict(data.x_test, with_dropout=False)):
        assert np.mean(predictive.mean.argmax(1) == data.y_test) == pytest.approx(0.902, abs=0.015)
