"""Group normal-Jeffreys and group horseshoe: draws, moments, counting, and units that die for want of use."""

import numpy as np
import pytest
import torch

import bdlviz
import bdlviz.training.group_weights as engine
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit
from bdlviz.methods import group_horseshoe, group_normal_jeffreys, group_scales, prunable
from bdlviz.methods.group_scales import Moments
from bdlviz.models.mlp import MLP
from bdlviz.predictive.functions import drawn_weights, evaluate
from bdlviz.training.group_weights import scaled
from bdlviz.types import Draws
from tests.methods.contract import X_NEW, quick

MODULES = {"group_normal_jeffreys": group_normal_jeffreys, "group_horseshoe": group_horseshoe}
GROUPS = pytest.mark.parametrize("method", MODULES)
NETWORK = MLP((3, 5, 2))


def random_params(method: str, seed: int = 0) -> dict[str, np.ndarray]:
    """Parameters of a small network with much noise, whose second input and fourth hidden unit are noise only."""
    rng = np.random.default_rng(seed)
    params = {name: 0.5 * rng.standard_normal(shape) for name, shape in NETWORK.shapes().items()}
    for layer, units in enumerate(NETWORK.sizes[:-1]):
        params[f"log_std_weight{layer}"] = np.full_like(params[f"weight{layer}"], -2.0)
        dead = np.arange(units) == (1, 3)[layer]
        if method == "group_normal_jeffreys":
            params[f"scale{layer}"] = np.where(dead, 0.01, 1 + 0.2 * rng.random(units))[None]
            params[f"log_std_scale{layer}"] = np.full((1, units), -1.0)
            continue
        for name in group_horseshoe.FACTORS:
            width = units if name.startswith("unit") else 1
            params[f"{name}{layer}"] = 0.2 * rng.standard_normal((1, width))
            params[f"log_std_{name}{layer}"] = np.full((1, width), -1.5)
        params[f"weight{layer}"][dead] *= 1e-3
    return {name: array.astype(np.float32) for name, array in params.items()}


@GROUPS
def test_draws_have_the_stated_moments(method):
    params, module, count = random_params(method), MODULES[method], 5_000
    draws = module.sample(NETWORK, params, {}, np.random.default_rng(0), count)
    weights = np.stack([drawn_weights(draws, s)["weight0"] for s in range(count)]).astype(float)
    mean, variance = (
        module.PRUNER.pruned(params, module.PRUNER.threshold)["weight0"],
        module.PRUNER.variances(params)["weight0"],
    )
    left = mean != 0
    error = np.sqrt(variance / count)
    assert (np.abs(weights.mean(0) - mean)[left] < 4.5 * error[left]).all()
    # Of heavy tails the variance itself is noisy: its error comes from the draws' own fourth moments.
    spread = np.square(weights - weights.mean(0))
    noise = spread.std(0) / np.sqrt(count)
    assert (np.abs(spread.mean(0) - variance)[left] < 4.5 * noise[left]).all()
    assert (weights[:, 1] == 0).all(), "A pruned unit is gone in every draw."


@GROUPS
def test_units_share_their_scale_and_training_draws_the_same_moments(method):
    """With certain weights the draws of one unit's weights are multiples of each other."""
    params = random_params(method)
    params = {name: np.full_like(a, -30) if name.startswith("log_std_weight") else a for name, a in params.items()}
    draws = MODULES[method].sample(NETWORK, params, {}, np.random.default_rng(0), 6)
    weights = np.stack([drawn_weights(draws, s)["weight0"][0] for s in range(6)])
    ratios = weights / weights[:1]
    np.testing.assert_allclose(ratios, ratios[:, :1].repeat(5, 1), rtol=1e-4)
    assert np.ptp(ratios[:, 0]) > 0.1
    # One layer: the sums that training draws have the mean and the variance of those of drawn weights.
    params, count = random_params(method), 40_000
    network, module = MLP((3, 5)), MODULES[method]
    captured = {}

    def capture(setup, scales):
        captured["draw"] = scales.draw

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "group_weights", capture)
        options = {"start_log_std": -5.0, "global_scale": 1e-3}
        module.build(type("Setup", (), {"options": options})())
    rng = np.random.default_rng(0)
    x = np.array([[0.5, -1.0, 2.0]], np.float32)
    noise = [torch.from_numpy(rng.standard_normal((1, 1, count, n), np.float32)) for n in (3, 5)]
    tensors = {name: torch.from_numpy(a)[None, None] for name, a in params.items() if name.endswith("0")}
    rows = torch.from_numpy(x.repeat(count, 0))[None, None]
    sums = scaled(network, tensors, captured["draw"], rows, noise)[0, 0].numpy().astype(float)
    mean = x[0] @ module.PRUNER.pruned(params, np.inf)["weight0"] + params["bias0"][0]
    variance = (x[0] ** 2) @ module.PRUNER.variances(params)["weight0"]
    spread = np.square(sums - sums.mean(0))
    assert (np.abs(sums.mean(0) - mean) < 4.5 * np.sqrt(variance / count)).all()
    assert (np.abs(spread.mean(0) - variance) < 4.5 * spread.std(0) / np.sqrt(count)).all()


def test_moments_of_products_and_of_the_horseshoe():
    found = group_scales.variance(Moments(np.array([2.0]), np.array([0.5])), np.array([[3.0]]), np.array([[0.1]]))
    np.testing.assert_allclose(found, 0.5 * (9 + 0.01) + 4 * 0.01)
    params = random_params("group_horseshoe")
    log = group_horseshoe.log_scale(params, 0)
    draws = np.exp(log.mean + np.sqrt(log.variance) * np.random.default_rng(0).standard_normal((200_000, 3)))
    told = group_horseshoe.moments(params, 0)
    assert (np.abs(draws.mean(0) - told.mean) < 4.5 * np.sqrt(told.variance / 200_000)).all()
    np.testing.assert_allclose(draws.var(0), told.variance, rtol=0.05)
    moved = params | {"unit_gamma0": params["unit_gamma0"] + 2 * np.log(np.float32(4))}
    moved |= {"weight0": params["weight0"] / 4, "log_std_weight0": params["log_std_weight0"] - np.log(np.float32(4))}
    for name, noise in group_horseshoe.log_alphas(params).items():
        np.testing.assert_allclose(group_horseshoe.log_alphas(moved)[name], noise, rtol=1e-4)


@GROUPS
def test_counting_down_to_the_biases(method):
    module, params = MODULES[method], random_params(method)
    pruner = module.PRUNER
    assert pruner.unit_counts(params, pruner.threshold) == [(2, 3), (4, 5)]
    left = 2 * 4 + 4 * 2
    assert pruner.compression(params, pruner.threshold) == 25 / left
    assert pruner.sparsity(params, pruner.threshold) == {
        "weight0": pytest.approx(1 - 8 / 15),
        "weight1": pytest.approx(1 - 8 / 10),
    }
    assert pruner.compression(params, -np.inf) == np.inf and pruner.compression(params, np.inf) == 1
    pruned = pruner.pruned(params, pruner.threshold)
    assert (pruned["weight0"][1] == 0).all() and (pruned["weight1"][3] == 0).all()
    assert (pruned["weight0"][[0, 2]] != 0).all() and set(pruned) == set(NETWORK.shapes())
    params = random_params(method)
    nothing = MODULES[method].PRUNER.pruned(params, -np.inf)
    outputs = evaluate(NETWORK, Draws(nothing), np.random.default_rng(0).random((4, 3)).astype(np.float32))[0]
    np.testing.assert_allclose(outputs, params["bias1"].repeat(4, 0))
    fit = quick(method)
    params = fit.single()
    naive = fit.predict(X_NEW, 20, with_dropout=False)
    assert naive.num_samples == 1
    x = fit.scaling.standardise_x(X_NEW[:, None])
    expected = evaluate(
        fit.model.network, Draws(MODULES[method].PRUNER.pruned(params, MODULES[method].PRUNER.threshold)), x
    )[0]
    np.testing.assert_allclose(fit.draw_outputs(X_NEW, 1, with_dropout=False)[0], expected)


def two_of_sixteen() -> bdlviz.Dataset:
    """Sixteen inputs, of which the target needs the first two."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((400, 16))
    y = np.sin(2 * x[:, :1]) + x[:, 1:2] + 0.1 * rng.standard_normal((400, 1))
    return bdlviz.Dataset("two_of_sixteen", "Two of sixteen", x, y)


@GROUPS
def test_unused_units_are_pruned(method):
    fit: Fit = bdlviz.fit(
        method, two_of_sixteen(), hidden=(32,), num_steps=2500, batch_size=100, learning_rate=1e-2, noise_std=0.1,
        schedule="drop_at_half",
    )  # fmt: skip
    params = fit.single()
    noise = MODULES[method].log_alphas(params)["weight0"]
    needed, others = noise[:2].max(), noise[2:].min()
    assert others > needed + 3
    counts = MODULES[method].PRUNER.unit_counts(params, (needed + others) / 2)
    assert counts[0] == (2, 16) and 0 < counts[1][0] < 32
    grid = quick(method, num_steps=200, learning_rate=0.02, kl_weight=(0.0, 1.0))
    noise = [MODULES[method].log_alphas(grid.cell(kl_weight=weight).single())["weight1"] for weight in (0.0, 1.0)]
    assert np.median(noise[1]) > np.median(noise[0]) + 1


def test_all_prunable_methods_answer_alike():
    for method in prunable.PRUNERS:
        params = quick(method).single()
        pruned, variances = prunable.pruner(method).pruned(params, np.inf), prunable.pruner(method).variances(params)
        assert variances.keys() == {name for name in pruned if name.startswith("weight")}
        assert all(variances[name].shape == pruned[name].shape and (variances[name] > 0).all() for name in variances)
        assert np.isfinite(prunable.pruner(method).threshold)
    with pytest.raises(InvalidInput, match="does not prune"):
        prunable.pruner("map")
