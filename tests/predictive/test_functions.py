"""Fast evaluation of draws against the plain twin, and masks against the enumeration of all there are."""

from itertools import product

import numpy as np
import pytest

from bdlviz import threads
from bdlviz.models.activations import ACTIVATIONS
from bdlviz.models.mlp import MLP
from bdlviz.predictive import functions
from bdlviz.predictive.functions import dropout_masks, evaluate, functions_one_by_one
from bdlviz.types import Draws

X = np.linspace(-2, 2, 11, dtype=np.float32)[:, None]


def random_params(network, rng, *stack):
    return {name: 0.6 * rng.standard_normal((*stack, *shape), np.float32) for name, shape in network.shapes().items()}


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("masked_inputs", [False, True])
@pytest.mark.parametrize("depth", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_evaluate_equals_one_by_one(activation, depth, masked_inputs, cores, monkeypatch):
    monkeypatch.setattr(functions, "num_cores", lambda: cores)
    monkeypatch.setattr(functions, "THREADED_NUMBERS", 0)
    monkeypatch.setattr(functions, "CHUNK_NUMBERS", 11 * 13 * 4)  # chunks of four draws, or fewer
    rng = np.random.default_rng(depth)
    network = MLP((2, *(7 + 2 * layer for layer in range(depth)), 3), activation)
    params, x = random_params(network, rng), rng.standard_normal((11, 2)).astype(np.float32)
    masks = dropout_masks(rng, network.hidden, 0.4, 23) if depth else ()
    input_mask = dropout_masks(rng, [2], 0.4, 23)[0] if masked_inputs else None
    draws = Draws(params, masks, 23, input_mask)
    found = evaluate(network, draws, x)
    assert found.shape == (23, 11, 3) and found.dtype == np.float32
    if masks or masked_inputs:
        np.testing.assert_allclose(found, functions_one_by_one(network, draws, x), rtol=1e-3, atol=1e-5)
        assert len(np.unique(found[:, 0, 0])) > 1
    else:
        np.testing.assert_array_equal(found, np.broadcast_to(found[:1], found.shape))


def test_limits_of_masks_and_weights():
    """A mask need not be 0 or 1 / keep: Gaussian noise has both signs."""
    rng = np.random.default_rng(0)
    network = MLP((1, 6, 5, 1), "tanh")
    masks = tuple(1 + rng.standard_normal((9, width)).astype(np.float32) for width in network.hidden)
    assert (masks[0] < 0).any()
    draws = Draws(random_params(network, rng), masks, 9)
    np.testing.assert_allclose(
        evaluate(network, draws, X), functions_one_by_one(network, draws, X), rtol=1e-3, atol=1e-5
    )
    rng = np.random.default_rng(0)
    network = MLP((1, 4, 3, 2), "relu")
    params = random_params(network, rng)
    nothing = tuple(np.zeros((2, width), np.float32) for width in network.hidden)
    found = evaluate(network, Draws(params, nothing, 2), X)
    np.testing.assert_allclose(found, np.broadcast_to(params["bias2"], found.shape), rtol=1e-6)
    rng = np.random.default_rng(0)
    network = MLP((1, 6, 1), "silu")
    params = random_params(network, rng, 5)
    found = evaluate(network, Draws(params, num_samples=5), X)
    for s in range(5):
        alone = Draws({name: array[s] for name, array in params.items()}, num_samples=1)
        np.testing.assert_array_equal(found[s], evaluate(network, alone, X)[0])


def test_evaluation_uses_the_pool_and_leaves_its_arguments_alone(monkeypatch):
    rng = np.random.default_rng(0)
    network = MLP((1, 6, 6, 1), "relu")
    params, x = random_params(network, rng), X.copy()
    draws = Draws(params, dropout_masks(rng, network.hidden, 0.5, 8), 8)
    before = {name: array.copy() for name, array in params.items()}
    evaluate(network, draws, x)
    np.testing.assert_array_equal(x, X)
    for name, array in params.items():
        np.testing.assert_array_equal(array, before[name])
    # So that `test_evaluate_equals_one_by_one` does compare two threads with one.
    used = []
    monkeypatch.setattr(functions, "map_drawing", lambda f, items: used.append(threads.map_drawing(f, items)))
    monkeypatch.setattr(functions, "num_cores", lambda: 2)
    monkeypatch.setattr(functions, "THREADED_NUMBERS", 0)
    rng = np.random.default_rng(0)
    network = MLP((1, 6, 6, 1))
    evaluate(network, Draws(random_params(network, rng), dropout_masks(rng, (6, 6), 0.5, 100), 100), X)
    assert len(used) == 1 and len(used[0]) == 4


def test_masks_have_their_rate_and_moments():
    masks = {rate: dropout_masks(np.random.Generator(np.random.SFC64(3)), [30, 40], rate, 500) for rate in (0.1, 0.5)}
    for rate, (first, second) in masks.items():
        assert first.shape == (500, 30) and second.shape == (500, 40) and first.dtype == np.float32
        both = np.concatenate([first, second], 1)
        assert abs((both > 0).mean() - (1 - rate)) < 4 * np.sqrt(rate * (1 - rate) / both.size)
        assert both.max() == pytest.approx(1 / (1 - rate), rel=1e-4)
    for low, high in zip(masks[0.1], masks[0.5], strict=True):
        assert (high[low == 0] == 0).all()
    # Mean and variance over 40,000 drawn masks, within 4 standard errors of the sum over all 8 or 16 of them.
    for hidden in [(3,), (2, 2)]:
        for rate in [0.1, 0.5]:
            rng = np.random.default_rng(1)
            network = MLP((1, *hidden, 1), "tanh")
            params = {name: 2 * array for name, array in random_params(network, rng).items()}
            keep = 1 - round(rate * 65536) / 65536
            every = np.array(list(product([0, 1], repeat=sum(hidden))))
            weight = np.prod(np.where(every, keep, 1 - keep), axis=1)[:, None]
            pieces = np.split(every / np.float32(keep), np.cumsum(hidden)[:-1], axis=1)
            all_masks = Draws(params, tuple(piece.astype(np.float32) for piece in pieces), len(every))
            values = functions_one_by_one(network, all_masks, X)[..., 0].astype(float)
            mean = (weight * values).sum(0)
            variance, fourth = ((weight * (values - mean) ** power).sum(0) for power in (2, 4))
            count = 40_000
            drawn = evaluate(network, Draws(params, dropout_masks(rng, hidden, rate, count), count), X)[..., 0].astype(
                float
            )
            assert (np.abs(drawn.mean(0) - mean) < 4 * np.sqrt(variance / count) + 1e-6).all()
            assert (np.abs(drawn.var(0) - variance) < 4 * np.sqrt((fourth - variance**2) / count) + 1e-6).all()
            assert variance.max() > 0.01


def test_activations_work_in_place_and_equal_their_formulas():
    from scipy.stats import norm

    formulas = {
        "relu": lambda a: np.maximum(a, 0),
        "tanh": np.tanh,
        "gelu": lambda a: a * norm.cdf(a),
        "silu": lambda a: a / (1 + np.exp(-a)),
    }
    a = np.linspace(-6, 6, 101)
    for name, act in ACTIVATIONS.items():
        given = a.astype(np.float32)
        assert act(given) is given
        np.testing.assert_allclose(given, formulas[name](a), atol=1e-6)


def test_masks_multiply_weights_that_are_drawn():
    """The plain twin: draw the weights of every draw without masks, then multiply each layer's input."""
    rng = np.random.default_rng(0)
    network = MLP((2, 6, 5, 3), "tanh")
    params, std = random_params(network, rng), random_params(network, rng)
    masks = tuple(1 + rng.standard_normal((4, width)).astype(np.float32) for width in network.hidden)
    input_mask = rng.random((4, 2)).astype(np.float32)
    x, seeds = rng.standard_normal((7, 2)).astype(np.float32), np.arange(4)
    found = evaluate(network, Draws(params, masks, 4, input_mask, std, seeds), x)
    for s in range(4):
        weights = functions.drawn_weights(Draws(params, (), 4, None, std, seeds), s)
        own = Draws(weights, tuple(mask[s : s + 1] for mask in masks), 1, input_mask[s : s + 1])
        np.testing.assert_allclose(found[s], functions_one_by_one(network, own, x)[0], rtol=1e-4, atol=1e-5)
    # A file gives its arrays in an order of its own.
    network, rng = MLP((2, 5, 3), "relu"), np.random.default_rng(0)
    params, std = random_params(network, rng), random_params(network, rng)
    names = [*params]
    one, other = (
        functions.drawn_weights(
            Draws({n: params[n] for n in order}, (), 1, None, {n: std[n] for n in order}, np.array([7])), 0
        )
        for order in (names, names[::-1])
    )
    for name in names:
        np.testing.assert_array_equal(one[name], other[name])
