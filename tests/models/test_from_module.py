"""A torch module of one's own: copied, stacked, seeded, masked; and refused with a sentence where that cannot be."""

import copy
import random

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

import bdlviz
from bdlviz.models.from_module import ModuleNetwork
from bdlviz.models.mlp import MLP
from bdlviz.training.noise import generator
from bdlviz.types import Draws

X = np.linspace(-2, 2, 24)
Y = np.sin(3 * X)
QUICK = {"num_steps": 25, "batch_size": 16, "learning_rate": 0.01}


def small_module(inputs=1, outputs=1):
    return nn.Sequential(
        *(nn.Linear(inputs, 8), nn.ReLU(), nn.Dropout(0.3)),
        *(nn.Linear(8, 6), nn.ReLU(), nn.Dropout(0.3), nn.Linear(6, outputs)),
    )


class TwoUses(nn.Module):
    """One dropout layer used twice, on units of two shapes, and once in place of a name that is shared."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(1, 12), nn.Linear(4, 1)
        self.drop = nn.Dropout()
        self.same = self.drop

    def forward(self, x):
        h = self.drop(torch.tanh(self.first(x))).reshape(len(x), 3, 4)
        return self.second(self.same(h).mean(1))


class FixedFeatures(nn.Module):
    """Random features that must stay as they are, below weights that train."""

    def __init__(self):
        super().__init__()
        self.features, self.top = nn.Linear(1, 8).requires_grad_(False), nn.Linear(8, 1)

    def forward(self, x):
        return self.top(torch.cos(self.features(x)))


class OwnWeights(nn.Module):
    """A layer whose author wrote no reset_parameters."""

    def __init__(self):
        super().__init__()
        self.slope = nn.Parameter(torch.ones(1, 1))

    def forward(self, x):
        return x @ self.slope


class FunctionalDropout(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(1, 4), nn.Linear(4, 1)

    def forward(self, x):
        return self.second(functional.dropout(self.first(x), 0.5, self.training))


class LooksAtTheData(nn.Linear):
    def forward(self, input):
        return super().forward(input) if input.sum() > 0 else -super().forward(input)


def quick(method, module, **settings):
    return bdlviz.fit(method, (X, Y), network=module, **{**QUICK, **settings})


def test_the_users_module_and_all_random_states_are_left_alone():
    torch.manual_seed(3)
    module = small_module().eval()
    before, layers = copy.deepcopy(module.state_dict()), list(module)
    states = torch.get_rng_state(), np.random.get_state(legacy=False), random.getstate()
    quick("mc_dropout", module).predict(X, 5)
    assert torch.equal(states[0], torch.get_rng_state())
    np.testing.assert_equal(np.random.get_state(legacy=False), states[1])
    assert states[2] == random.getstate()
    assert list(module) == layers and not module.training
    assert all(torch.equal(before[name], value) for name, value in module.state_dict().items())
    assert all(p.grad is None for p in module.parameters())


def test_seeds_and_cells_are_those_alone():
    """Neither the user's weights nor the global seed matter; a seed in a stack equals that seed alone."""
    torch.manual_seed(1)
    stack = quick("mc_dropout", small_module(), seed=(4, 9))
    torch.manual_seed(2)
    again, alone = quick("mc_dropout", small_module(), seed=(4, 9)), quick("mc_dropout", small_module(), seed=9)
    for name, array in stack.params.items():
        np.testing.assert_array_equal(array, again.params[name])
        np.testing.assert_allclose(
            array[1:], alone.params[name], rtol=1e-4, atol=1e-5
        )  # batched products round otherwise
        assert not np.array_equal(array[0], array[1])
    grid = quick("mc_dropout", small_module(), dropout_rate=(0.0, 0.1, 0.5), weight_decay=(1e-4, 1.0))
    for rate, decay in ((0.0, 1.0), (0.1, 1e-4), (0.5, 1.0)):
        alone = quick("mc_dropout", small_module(), dropout_rate=rate, weight_decay=decay)
        for name, array in grid.cell(dropout_rate=rate, weight_decay=decay).params.items():
            np.testing.assert_allclose(array, alone.params[name], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("rates", [0.0, 0.3, (0.0, 0.3)])
def test_a_module_of_the_same_layers_trains_as_the_built_in_network(rates, monkeypatch):
    """Same start, same minibatches, same masks, same penalty: the same weights, though all of it is other code."""
    network = MLP((1, 8, 6, 1))

    def same_start(self, rng):
        start = network.init(rng)
        named = {f"{3 * layer}.weight": start[f"weight{layer}"].T for layer in range(3)}
        return named | {f"{3 * layer}.bias": start[f"bias{layer}"][0] for layer in range(3)}

    monkeypatch.setattr(ModuleNetwork, "init", same_start)
    settings = {"dropout_rate": rates, "weight_decay": 0.01, "seed": (0, 1), **QUICK}
    module = bdlviz.fit("mc_dropout", (X, Y), network=small_module(), **settings)
    built_in = bdlviz.fit("mc_dropout", (X, Y), hidden=(8, 6), **settings)
    for layer in range(3):
        weight = module.params[f"{3 * layer}.weight"].swapaxes(-1, -2)
        np.testing.assert_allclose(weight, built_in.params[f"weight{layer}"], rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(
            module.params[f"{3 * layer}.bias"], built_in.params[f"bias{layer}"][..., 0, :], atol=1e-5
        )
    np.testing.assert_allclose(module.losses["loss"], built_in.losses["loss"], rtol=1e-4)
    if rates == 0.3:
        draws, theirs = (fit.cell(seed=1).predict(X, 30).draws for fit in (module, built_in))
        np.testing.assert_allclose(draws, theirs, atol=1e-4)


def test_the_rate_decides_and_the_penalty_leaves_biases_out():
    """Under a huge weight decay the weights vanish, and the bias alone fits the mean."""
    module = nn.Sequential(nn.Linear(1, 4), nn.LayerNorm(4), nn.Linear(4, 1))
    fit = quick("map", module, weight_decay=100.0, num_steps=400)
    assert np.abs(fit.params["0.weight"]).max() < 0.02 and np.abs(fit.params["2.weight"]).max() < 0.02
    assert np.abs(fit.params["0.bias"]).max() > 0.1 and np.abs(fit.params["1.weight"]).min() > 0.5
    np.testing.assert_allclose(fit.predict(X).mean, Y.mean(), atol=0.05)
    # The hyper-parameter decides: rate 0 is the plain network, whatever the layers say.
    dropout, plain = quick("mc_dropout", small_module(), dropout_rate=0.0), quick("map", small_module())
    for name, array in plain.params.items():
        np.testing.assert_array_equal(dropout.params[name], array)


def test_a_draw_is_a_function_and_equals_the_module_with_its_mask():
    fit = quick("mc_dropout", small_module(), dropout_rate=0.5)
    network, (first, second) = fit.model.network, fit.masks(4)
    assert network.hidden == (8, 6) and first.shape == (4, 8) and second.shape == (4, 6)
    params = {name: torch.tensor(array) for name, array in fit.single().items()}
    x = np.linspace(-1, 1, 5, dtype=np.float32)[:, None]
    outputs = network.evaluate(Draws({n: p.numpy() for n, p in params.items()}, (first, second), 4), x)
    for s in range(4):
        h = torch.relu(functional.linear(torch.tensor(x), params["0.weight"], params["0.bias"])) * torch.tensor(
            first[s]
        )
        h = torch.relu(functional.linear(h, params["3.weight"], params["3.bias"])) * torch.tensor(second[s])
        expected = functional.linear(h, params["6.weight"], params["6.bias"])
        np.testing.assert_allclose(outputs[s], expected, rtol=1e-4, atol=1e-6)
    everywhere, some = fit.predict(X, 40).draws, fit.predict(X[[3, 8]], 40).draws
    np.testing.assert_allclose(some, everywhere[:, [3, 8]], rtol=1e-4, atol=1e-5)
    assert len(np.unique(everywhere[:, 0])) > 10


def test_chunks_of_draws_do_not_change_the_result(monkeypatch):
    fit = quick("mc_dropout", small_module(), dropout_rate=0.5)
    whole = fit.predict(X, 50).draws
    monkeypatch.setattr("bdlviz.models.from_module.CHUNK_NUMBERS", 1500)
    np.testing.assert_allclose(fit.predict(X, 50).draws, whole, rtol=1e-4, atol=1e-5)


def test_every_use_of_a_dropout_layer_has_its_own_mask():
    fit = quick("mc_dropout", TwoUses(), dropout_rate=0.5)
    assert fit.model.network.mask_shapes == ((12,), (3, 4))
    first, second = fit.masks(60)
    assert not np.array_equal(first, second)
    mean = fit.predict(X, 200)
    assert np.isfinite(mean.draws).all() and mean.epistemic_std.min() > 0


def test_parameters_of_the_user_stay_or_come_back():
    module = FixedFeatures()
    fit = quick("deep_ensemble", module, num_members=2)
    assert set(fit.params) == {"top.weight", "top.bias"}
    features = torch.cos(module.features(torch.tensor(X / X.std(), dtype=torch.float32)[:, None])).detach().numpy()
    member = {name: array[0, 0, 1] for name, array in fit.params.items()}
    expected = (features @ member["top.weight"].T + member["top.bias"]) * Y.std() + Y.mean()
    np.testing.assert_allclose(fit.predict(X).draws[1], expected, rtol=1e-3, atol=1e-4)
    module = small_module()
    fit = quick("map", module)
    module.load_state_dict({name: torch.tensor(array) for name, array in fit.single().items()})
    with torch.no_grad():
        outputs = module.eval()(torch.tensor(fit.scaling.standardise_x(X[:, None]))).numpy()
    np.testing.assert_allclose(fit.draw_outputs(X, 1)[0], outputs, atol=1e-5)

    class Evaluates(nn.Linear):
        def evaluate(self):
            raise AssertionError("not ours to call")

    assert quick("map", Evaluates(1, 1)).predict(X).mean.shape == (24, 1)


def test_starting_weights_follow_the_layers_own_rules():
    network = ModuleNetwork.wrap(nn.Sequential(nn.Linear(16, 200), nn.Tanh(), nn.Linear(200, 1)), 16)
    one, same, other = (network.init(generator(seed, "init")) for seed in (0, 0, 1))
    assert {n: a.shape for n, a in one.items()} == network.shapes and network.num_numbers == 17 * 200 + 201
    for name in one:
        np.testing.assert_array_equal(one[name], same[name])
        assert not np.array_equal(one[name], other[name])
    assert 0.24 < np.abs(one["0.weight"]).max() <= 0.25  # torch: uniform within 1 / sqrt(16)
    x = np.stack([X, X**2], 1)
    regression = bdlviz.fit("mc_dropout", (x, np.stack([Y, -Y, Y], 1)), network=small_module(2, 3), **QUICK)
    assert regression.predict(x, 5).mean.shape == (24, 3)
    classes = bdlviz.Dataset("bands", "Bands", x, np.digitize(X, [-0.7, 0.7]), task="classification")
    fit = bdlviz.fit("mc_dropout", classes, network=small_module(2, 3), **{**QUICK, "num_steps": 300})
    predictive = fit.predict(x, 20)
    np.testing.assert_allclose(predictive.draws.sum(-1), 1, rtol=1e-5)
    assert np.mean(predictive.mean.argmax(1) == classes.y) > 0.7


def test_unsuitable_modules_are_refused():
    for module, sentence in [
        ("resnet", r"network must be a torch.nn.Module, not str\."),
        (MLP((1, 1)), r"network must be a torch.nn.Module, not MLP\."),
        (nn.Linear(1, 2), r"Your network has 2 outputs, but 1 are needed here\."),
        (nn.Linear(3, 1), r"Your network fails on x of shape \(3, 1\): mat1 and mat2"),
        (nn.Flatten(0), "no trainable parameters"),
        (
            nn.Sequential(nn.Linear(1, 1), nn.Flatten(0)),
            r"must turn \(N, D\) into \(N, K\); it turned \(3, 1\) into \(3,\)",
        ),
        (nn.LSTM(1, 1), r"must turn \(N, D\) into \(N, K\); it turned \(3, 1\) into tuple"),
        (nn.Sequential(nn.Linear(1, 2), nn.Linear(2, 1)), "needs a hidden layer.*an nn.Dropout"),
        (nn.Sequential(nn.Linear(1, 2), nn.BatchNorm1d(2), nn.Linear(2, 1)), "BatchNorm1d lets points of a batch see"),
        (nn.Sequential(nn.Linear(1, 2), nn.AlphaDropout(), nn.Linear(2, 1)), "has AlphaDropout.*only nn.Dropout"),
        (nn.Sequential(nn.Flatten(0), nn.Dropout(), nn.Unflatten(0, (3, 1)), nn.Linear(1, 1)), "one row for each data"),
        (OwnWeights(), r"Give OwnWeights a method reset_parameters\(\)"),
        (FunctionalDropout(), "random numbers of its own; use nn.Dropout"),
        (LooksAtTheData(1, 1), "does not work with torch.func.vmap"),
    ]:
        with pytest.raises(bdlviz.InvalidInput, match=sentence) as caught:
            quick("mc_dropout", module)
        assert "\n" not in str(caught.value)
    with pytest.raises(bdlviz.InvalidInput, match="leave hidden and activation out"):
        quick("map", small_module(), hidden=(3,))
    with pytest.raises(bdlviz.InvalidInput, match="built-in network only"):
        quick("concrete_dropout", small_module())
    with pytest.raises(bdlviz.InvalidInput, match="code is not stored"):
        quick("map", small_module()).save("never_written.safetensors")
