"""The hand-written forward and backward pass against plain autograd, network by network."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from bdlviz.models.likelihoods import Gaussian
from bdlviz.models.mlp import MLP
from bdlviz.training.adam import Adam
from bdlviz.training.stacked_mlp import StackedMLP, WeightDecay

TWINS = {"relu": torch.relu, "tanh": torch.tanh, "gelu": functional.gelu, "silu": functional.silu}
R, C, B, H = 2, 2, 5, 6


def random_stack(network, seed=0, num_seeds=R, num_cells=C, batch_size=B):
    """A stack in which every network has weights of its own."""
    rng = np.random.default_rng(seed)
    stack = StackedMLP(network, num_seeds, num_cells, batch_size)
    shapes = network.shapes().items()
    stack.load({n: 0.5 * rng.standard_normal((num_seeds, num_cells, *s), np.float32) for n, s in shapes})
    return stack, rng


def plain_outputs(network, params, x, masks):
    """One network in float64: (B, D) -> (B, K)."""
    h = x
    for layer in range(network.num_layers):
        h = h @ params[f"weight{layer}"] + params[f"bias{layer}"]
        if layer < network.num_layers - 1:
            h = TWINS[network.activation](h)
            h = h if masks is None else h * masks[layer]
    return h


def as_double(array):
    return torch.tensor(np.array(array), dtype=torch.float64)


def check_against_autograd(network, stack, x, y, masks):
    """Outputs and gradients of every network of the stack equal those of its plain twin."""
    outputs = stack.forward(x, masks)
    Gaussian().gradient(outputs, y, stack.output_gradients)
    stack.backward()
    found, weights = stack.gradients(), stack.parameters()
    for r in range(R):
        for c in range(C):
            params = {name: as_double(array[r, c]).requires_grad_() for name, array in weights.items()}
            own_masks = masks and [as_double(mask[r % len(mask), c % mask.shape[1]]) for mask in masks]
            own_x, own_y = as_double(x[r % len(x), 0]), as_double(y[r % len(y), 0])
            expected = plain_outputs(network, params, own_x, own_masks)
            np.testing.assert_allclose(outputs[r, c], expected.detach(), rtol=1e-4, atol=1e-5)
            loss = 0.5 * (expected - own_y).square().sum(-1).mean()
            for name, gradient in zip(params, torch.autograd.grad(loss, list(params.values())), strict=True):
                atol = 2e-5 * max(1.0, float(gradient.abs().max()))
                np.testing.assert_allclose(found[name][r, c], gradient, rtol=1e-3, atol=atol, err_msg=f"{name} {r} {c}")


@pytest.mark.parametrize(("num_inputs", "num_outputs"), [(1, 1), (4, 3)])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("depth", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("activation", TWINS)
def test_forward_and_backward_equal_autograd(activation, depth, masked, num_inputs, num_outputs):
    network = MLP((num_inputs, *range(H, H + depth), num_outputs), activation)
    stack, rng = random_stack(network)
    x = rng.standard_normal((R, 1, B, num_inputs), np.float32)
    y = rng.standard_normal((R, 1, B, num_outputs), np.float32)
    masks = [(rng.random((R, C, B, width)) < 0.7) / np.float32(0.7) for width in network.hidden]
    check_against_autograd(network, stack, x, y, masks if masked else None)


def test_shared_batches_second_steps_and_single_networks():
    """The full batch is one array for all seeds, and equal rates share one mask: both broadcast."""
    for num_inputs, num_outputs in [(4, 1), (1, 3)]:
        network = MLP((num_inputs, 5, 7, num_outputs), "tanh")
        stack, rng = random_stack(network)
        x, y = (
            rng.standard_normal((1, 1, B, num_inputs), np.float32),
            rng.standard_normal((1, 1, B, num_outputs), np.float32),
        )
        masks = [2 * (rng.random((R, 1, B, width)) < 0.5).astype(np.float32) for width in network.hidden]
        check_against_autograd(network, stack, x, y, masks)
    network = MLP((1, 4, 4, 1), "silu")
    stack, rng = random_stack(network)
    x, y = rng.standard_normal((2, R, 1, B, 1), np.float32)
    masks = [np.zeros((R, C, B, 4), np.float32)] * 2
    stack.forward(x + 1, masks)
    Gaussian().gradient(stack.outputs, y - 1, stack.output_gradients)
    stack.backward()
    check_against_autograd(network, stack, x, y, None)
    network = MLP((1, 8, 8, 1), "relu")
    stack, rng = random_stack(network)
    x, y = rng.standard_normal((2, R, 1, B, 1), np.float32)
    Gaussian().gradient(stack.forward(x, None), y, stack.output_gradients)
    stack.backward()
    for r in range(R):
        for c in range(C):
            alone = StackedMLP(network, 1, 1, B)
            alone.load({name: array[r : r + 1, c : c + 1] for name, array in stack.parameters().items()})
            Gaussian().gradient(alone.forward(x[r : r + 1], None), y[r : r + 1], alone.output_gradients)
            alone.backward()
            np.testing.assert_array_equal(alone.outputs[0, 0], stack.outputs[r, c])
            for name, gradient in alone.gradients().items():
                np.testing.assert_array_equal(gradient[0, 0], stack.gradients()[name][r, c])


@pytest.mark.parametrize("decays", [(0.3, 0.3), (1e-3, 50.0)])
def test_weight_decay_adds_twice_lambda_w_to_weights_only(decays):
    network = MLP((2, 5, 3), "relu")
    stack, rng = random_stack(network)
    stack.flat_gradient[:] = start = rng.standard_normal(stack.flat_gradient.shape, np.float32)
    before = {name: gradient.copy() for name, gradient in stack.gradients().items()}
    decay = WeightDecay(stack, np.array(decays))
    decay.add_gradient()
    for name, gradient in stack.gradients().items():
        weight = stack.parameters()[name]
        twice = 2 * np.array(decays)[:, None, None] if name.startswith("weight") else 0
        np.testing.assert_allclose(gradient, before[name] + twice * weight, rtol=1e-5, atol=1e-5)
    squares = sum(np.square(stack.parameters()[f"weight{layer}"]).sum((-1, -2)) for layer in range(2))
    np.testing.assert_allclose(decay.penalty(), squares * np.array(decays), rtol=1e-5)
    assert not np.array_equal(stack.flat_gradient, start)


def test_adam_equals_torch():
    rng = np.random.default_rng(0)
    ours, gradient = rng.standard_normal(200).astype(np.float32), np.zeros(200, np.float32)
    theirs = torch.nn.Parameter(torch.tensor(ours))
    reference = torch.optim.Adam([theirs], lr=0.01)
    adam = Adam(ours, gradient, 0.01)
    for step in range(100):
        if step == 60:
            adam.set_learning_rate(0.001)
            reference.param_groups[0]["lr"] = 0.001
        gradient[:] = rng.standard_normal(200) * 10.0 ** rng.integers(-6, 3, 200)
        theirs.grad = torch.tensor(gradient)
        adam.step()
        reference.step()
        np.testing.assert_allclose(ours, theirs.detach(), rtol=2e-6, atol=1e-7)
    assert np.abs(ours - rng.standard_normal(200)).max() > 0.1  # it did move
