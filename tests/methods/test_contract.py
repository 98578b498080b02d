"""Every registered supervised method keeps the contract; and what only some of them promise."""

from dataclasses import replace
from functools import partial
from typing import get_args

import numpy as np
import pytest
from torch import nn

import bdlviz
from bdlviz.methods import METHODS, GenerativeName, deep_ensemble
from bdlviz.models.likelihoods import Gaussian
from bdlviz.models.mlp import MLP
from bdlviz.training.noise import MinibatchStream, first_params
from bdlviz.training.stacked_mlp import StackedMLP, WeightDecay
from tests.methods.contract import CHECKS, X_NEW, X, Y, assert_same_fit, checks_of, classes, quick

SUPERVISED = [name for name, spec in METHODS.items() if not spec.is_generative]


@pytest.mark.parametrize(("method", "check"), [(name, check) for name in SUPERVISED for check in checks_of(name)])
def test_contract(method, check):
    CHECKS[check](method)


def test_dropout_rate_zero_is_the_plain_network():
    for activation in ["relu", "tanh", "gelu", "silu"]:
        dropout, plain = quick("mc_dropout", dropout_rate=0, activation=activation), quick("map", activation=activation)
        assert_same_fit(dropout, plain)
        np.testing.assert_array_equal(dropout.history["loss"], plain.history["loss"])
        assert dropout.predict(X_NEW, 50).num_samples == 1
    fit = quick("mc_dropout", dropout_rate=0.5)
    naive = fit.predict(X_NEW, 100, with_dropout=False)
    as_plain = replace(quick("map"), params=fit.params)
    assert naive.num_samples == 1
    np.testing.assert_array_equal(naive.mean, as_plain.predict(X_NEW).mean)
    for hidden in [(7,), (5, 11, 3)]:
        grid = quick("mc_dropout", hidden=hidden, dropout_rate=(0.0, 0.1, 0.5), batch_size=7, seed=(0, 1))
        for rate in (0.0, 0.1, 0.5):
            assert_same_fit(
                grid.cell(seed=1, dropout_rate=rate),
                quick("mc_dropout", hidden=hidden, dropout_rate=rate, batch_size=7, seed=1),
            )


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({}, id="minibatches"),
        pytest.param({"batch_size": None}, id="full batch"),
        pytest.param({"weight_decay": (1e-4, 1e-2)}, id="grid"),
        pytest.param({"hidden": (7,), "batch_size": 5}, id="odd widths"),
        pytest.param({"activation": "tanh"}, id="tanh"),
        pytest.param({"likelihood": "heteroscedastic"}, id="heteroscedastic"),
        pytest.param({"data": classes(), "weight_decay": (1e-4, 1e-2)}, id="classification"),
    ],
)
def test_ensemble_members_are_the_plain_networks_of_their_seeds(settings):
    """Each member is, to the last bit, the network that is trained alone with its seed; no two members are equal."""
    assert_members_are_plain_networks(partial(quick, **settings))


def test_ensemble_members_of_an_own_module_are_plain_networks():
    module = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))
    assert_members_are_plain_networks(partial(bdlviz.fit, data=(X, Y), network=module, num_steps=25, batch_size=16))
    starts = [deep_ensemble.member_seed(seed, member) for seed in range(200) for member in range(100)]
    assert len(set(starts)) == len(starts) and deep_ensemble.member_seed(7, 0) == 7


def assert_members_are_plain_networks(train):
    ensemble = train("deep_ensemble", num_members=3, seed=(2, 6))
    for row, column in np.ndindex(2, 3):
        alone = train("map", seed=deep_ensemble.member_seed((2, 6)[row], column))
        for name, array in ensemble.params.items():
            assert array.shape[:3] == (2, len(alone.params[name][0]), 3)
            np.testing.assert_array_equal(array[row, :, column], alone.params[name][0], err_msg=name)
            assert not np.array_equal(array[row, :, column], array[row, :, column - 1])


@pytest.mark.parametrize("batch_size", [1, 4, 7])
def test_expected_minibatch_gradient_is_that_of_all_points(batch_size):
    """Over batches that visit every point equally often, mean gradient and mean loss are those of the full batch."""
    network, likelihood, decay = MLP((1, 6, 1), "tanh"), Gaussian(), np.array([0.01])
    x, y = X[:14, None].astype(np.float32), Y[:14, None].astype(np.float32)

    def mean_over(stream, num_steps):
        stack = StackedMLP(network, 1, 1, stream.batch_size)
        stack.load(first_params(network.init, (0,)))
        gradients, losses = [], []
        for _ in range(num_steps):
            inputs, targets = stream.next()
            outputs = stack.forward(inputs, None)
            likelihood.gradient(outputs, targets, stack.output_gradients)
            losses.append(likelihood.loss(outputs, targets))
            stack.backward()
            WeightDecay(stack, decay).add_gradient()
            gradients.append({name: gradient.astype(float) for name, gradient in stack.gradients().items()})
        return {name: np.mean([g[name] for g in gradients], 0) for name in gradients[0]}, np.mean(losses)

    found, loss = mean_over(MinibatchStream(x, y, batch_size, (0,)), 14)  # 14 B points: every point B times
    expected, full_loss = mean_over(MinibatchStream(x, y, len(x), (0,)), 1)
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-4, atol=1e-6)
    assert loss == pytest.approx(full_loss, rel=1e-5)
    single, _ = mean_over(MinibatchStream(x, y, batch_size, (0,)), 1)
    assert any(np.abs(single[name] - expected[name]).max() > 1e-3 for name in expected)  # one batch is not enough


def test_registry():
    assert set(bdlviz.methods()) == set(METHODS)
    orders = [METHODS[name].order for name in bdlviz.methods()]
    assert orders == sorted(orders)
    assert {"map", "mc_dropout", "deep_ensemble"} <= set(METHODS)
    with pytest.raises(bdlviz.InvalidInput, match="Unknown method 'nonsense': choose one of map, mc_dropout"):
        bdlviz.fit("nonsense", (X, Y))
    assert set(get_args(GenerativeName)) == {name for name, spec in METHODS.items() if spec.is_generative}
    with pytest.raises(bdlviz.InvalidInput, match="needs a hidden layer"):
        quick("mc_dropout", hidden=())
    assert_same_fit(quick("map", batch_size=1000), quick("map", batch_size=None))
