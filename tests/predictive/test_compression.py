"""Bits, compact networks and times: rules on paper, equal outputs, and files that come back."""

import json

import numpy as np
import pytest
from safetensors.numpy import save

from bdlviz.errors import InvalidInput
from bdlviz.models.activations import ACTIVATIONS
from bdlviz.models.mlp import MLP
from bdlviz.predictive import compression
from bdlviz.predictive.functions import evaluate
from bdlviz.types import Draws

NETWORK = MLP((9, 12, 8, 3), "tanh")


def pruned_params(network: MLP, share: float, units: bool = False, seed: int = 0) -> dict[str, np.ndarray]:
    """Random parameters with that share of the weights 0, one by one or by the units they leave."""
    rng = np.random.default_rng(seed)
    params = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in network.shapes().items()}
    for name in compression.weight_names(params):
        shape = (len(params[name]), 1) if units else params[name].shape
        params[name] *= rng.random(shape) >= share
    return params


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("units", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.8, 0.95, 1.0])
def test_a_compact_network_computes_the_same(share, units, activation):
    network = MLP((9, 12, 8, 3), activation)
    x = np.random.default_rng(1).standard_normal((20, 9)).astype(np.float32)
    for seed in range(5):
        params = pruned_params(network, share, units, seed)
        small = compression.compact(network, params)
        expected = evaluate(network, Draws(params), x)[0]
        np.testing.assert_allclose(small.outputs(x), expected, rtol=1e-4, atol=1e-5)
        assert small.sizes == tuple(int(alive.sum()) for alive in compression.living_units(params))
        back = compression.from_bytes(compression.to_bytes(small))
        np.testing.assert_array_equal(back.outputs(x), small.outputs(x))
        if share == 1:
            assert small.sizes == (0, 0, 0, 3) and small.num_weights == 0
        if share == 0:
            assert small.sizes == network.sizes


def test_a_compact_network_comes_back_with_its_source(tmp_path):
    params = {name: np.ones(shape, np.float32) for name, shape in MLP((3, 4, 2)).shapes().items()}
    params["weight0"][1] = 0  # an input without weights
    params["weight0"][:, 2] = 0  # a unit that no weight reaches: a constant
    params["weight1"][3] = 0  # a unit that nobody reads
    alive = compression.living_units(params)
    assert [list(units) for units in alive] == [[True, False, True], [True, True, False, False], [True, True]]
    small = compression.compact(MLP((3, 4, 2)), params)
    assert small.sizes == (2, 2, 2) and list(small.kept_inputs) == [0, 2]
    np.testing.assert_allclose(small.params["bias1"], 2.0)  # its own and relu(1) of the constant unit
    source = {"method": "group_horseshoe", "seeds": [0]}
    small = compression.compact(NETWORK, pruned_params(NETWORK, 0.7, units=True), source)
    (tmp_path / "small.safetensors").write_bytes(compression.to_bytes(small))
    back = compression.from_bytes((tmp_path / "small.safetensors").read_bytes())
    assert back.source == source and back.sizes == small.sizes and back.activation == "tanh"
    np.testing.assert_array_equal(back.kept_inputs, small.kept_inputs)
    with pytest.raises(InvalidInput, match="inputs"):
        back.outputs(np.zeros((1, 4)))
    whole = compression.to_bytes(compression.compact(NETWORK, pruned_params(NETWORK, 0.5)))
    header = {"format": 1, "sizes": [2, 1], "activation": "nonsense", "num_inputs": 2, "source": {}}
    arrays = {"weight0": np.ones((2, 1), np.float32), "bias0": np.ones((1, 1), np.float32), "kept_inputs": np.arange(2)}
    strange = save(arrays, metadata={compression.HEADER: json.dumps(header)})
    for content in (b"", b"x" * 100, whole[: len(whole) // 2], save({"a": np.ones(1)}), strange):
        with pytest.raises(InvalidInput, match="compact"):
            compression.from_bytes(content)


def test_bits_and_rounding_by_hand():
    assert compression.significand_bits(np.array([0.005])) == 6
    assert compression.significand_bits(np.array([0.005, 0.15])) == 4  # the mean of 6 and 1, rounded up
    assert compression.significand_bits(np.array([1.0])) == 0 == compression.significand_bits(np.empty(0))
    assert compression.significand_bits(np.array([0.0])) == compression.MAX_SIGNIFICAND
    # log2(1 + 1) = 1, log2(1 + 1) + 1 = 2; log2(1 + 7) = 3, log2(3 + 1) + 1 = 3
    assert [compression.exponent_bits(size) for size in (0.0, 1.0, 7.0, 7.5)] == [1, 2, 3, 4]
    assert compression.Precision(2, 6).bits == 9
    places = [compression.significand_bits(np.full(5, std**2)) for std in (1e-4, 1e-3, 1e-2, 0.1, 1.0)]
    assert places == sorted(places, reverse=True) and len(set(places)) == 5
    params = {"weight0": np.array([[0.3, -0.3, 0.0, 1.126]], np.float32), "bias0": np.array([[0.3]], np.float32)}
    found = compression.rounded(params, {"weight0": 2})
    np.testing.assert_array_equal(found["weight0"], [[0.25, -0.25, 0, 1.25]])
    np.testing.assert_array_equal(found["bias0"], params["bias0"])
    fine = pruned_params(NETWORK, 0.5)
    for name, array in compression.rounded(fine, dict.fromkeys(compression.weight_names(fine), 10)).items():
        assert np.abs(array - fine[name]).max() <= 2.0**-11


def test_compression_counts_weights_between_living_units():
    params = {name: np.ones(shape, np.float32) for name, shape in MLP((4, 4, 2)).shapes().items()}
    params["weight0"][2:] = 0
    params["weight1"][1:] = 0  # left: 2 inputs, 1 hidden unit, 2 outputs: 2 + 2 weights of 24
    variances = {name: np.full_like(params[name], 0.005) for name in ("weight0", "weight1")}
    found = compression.precisions(params, variances)
    assert found == {name: compression.Precision(2, 6) for name in ("weight0", "weight1")}
    assert compression.compression_rates(params, found) == (6.0, pytest.approx(6 * 32 / 9))
    nothing = params | {"weight0": 0 * params["weight0"]}
    assert compression.compression_rates(nothing, compression.precisions(nothing, variances)) == (np.inf, np.inf)
    order: list[str] = []
    now = [0.0]

    def call(name: str, seconds: float):
        def run() -> None:
            order.append(name)
            now[0] += seconds

        return run

    taken = compression.timed({"a": call("a", 1.0), "b": call("b", 2.0)}, 9.0, lambda: now[0])
    assert order == ["a", "b"] * (1 + len(taken["a"])) and len(taken["a"]) == 3
    np.testing.assert_allclose(taken["a"], 1.0)
    np.testing.assert_allclose(taken["b"], 2.0)
    x = np.random.default_rng(0).standard_normal((7, 9))
    dense = pruned_params(NETWORK, 0.0)
    for params in (pruned_params(NETWORK, 0.6), pruned_params(NETWORK, 0.6, units=True), pruned_params(NETWORK, 1.0)):
        ways = compression.forward_passes(NETWORK, dense, params, x)
        expected = evaluate(NETWORK, Draws(params), x.astype(np.float32))[0]
        for name in ("compact", "sparse"):
            np.testing.assert_allclose(ways[name](), expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(
            ways["original"](), evaluate(NETWORK, Draws(dense), x.astype(np.float32))[0], rtol=1e-4
        )
