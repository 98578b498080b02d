"""The convolutional network: numpy and torch agree, masks remove channels, shapes are as declared."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from bdlviz.errors import InvalidInput
from bdlviz.topics.foundations.depth_and_edges import convolutional, dense_network
from bdlviz.topics.foundations.depth_and_edges.convolutional import Convolutional, NumpyOperations, draw_masks
from bdlviz.topics.foundations.depth_and_edges.dense_network import DenseSettings, depth_loss
from bdlviz.topics.foundations.depth_and_edges.dense_training import TORCH

RNG = np.random.default_rng(0)
NETWORK = Convolutional(3, (4, 6, 8))
PARAMS = {name: RNG.normal(size=shape).astype(np.float32) / 3 for name, shape in NETWORK.shapes().items()}
IMAGES = RNG.random((2, 8, 12, 3))


def test_a_convolution_equals_torch():
    x, weight, bias = RNG.normal(size=(2, 6, 5, 3)), RNG.normal(size=(3, 3, 3, 4)), RNG.normal(size=4)
    layer = nn.Conv2d(3, 4, 3, padding=1, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(weight.transpose(3, 2, 0, 1)))
        layer.bias.copy_(torch.from_numpy(bias))  # type: ignore[union-attr]
        expected = layer(torch.from_numpy(x.transpose(0, 3, 1, 2))).numpy().transpose(0, 2, 3, 1)
    np.testing.assert_allclose(NumpyOperations().convolve(x, weight, bias), expected, atol=1e-12)


def test_numpy_and_torch_evaluate_the_same_network():
    x, masks = convolutional.with_places(IMAGES), draw_masks(NETWORK, 0.3, 2, np.random.default_rng(1))
    mine = NETWORK.outputs(NumpyOperations(), PARAMS, x, masks)
    tensors = [{name: torch.from_numpy(each) for name, each in group.items()} for group in (PARAMS, masks)]
    theirs = NETWORK.outputs(TORCH, tensors[0], torch.from_numpy(x), tensors[1]).numpy()
    assert mine.shape == (2, 8, 12, 3) and mine.dtype == np.float32
    np.testing.assert_allclose(mine, theirs, atol=1e-4)


def test_a_masked_channel_equals_zero_weights():
    x, masks = convolutional.with_places(IMAGES[:1]), draw_masks(NETWORK, 0.0, 1, np.random.default_rng(1))
    masks["bottom2"][..., 3] = 0
    without = PARAMS | {"bottom3.weight": PARAMS["bottom3.weight"].copy()}
    without["bottom3.weight"][:, :, 3] = 0
    one = NETWORK.outputs(NumpyOperations(), PARAMS, x, masks)
    np.testing.assert_allclose(one, NETWORK.outputs(NumpyOperations(), without, x, {}), atol=1e-5)


def test_masks_keep_their_mean():
    """Within four standard errors of Bernoulli draws."""
    masks = draw_masks(Convolutional(2), 0.1, 2000, np.random.default_rng(2))
    for name, channels in Convolutional(2).masked.items():
        assert masks[name].shape == (2000, 1, 1, channels)
        assert abs(masks[name].mean() - 1) < 4 * np.sqrt(0.1 / 0.9 / masks[name].size)
        assert set(np.unique(masks[name]).round(5)) == {0, np.float32(1 / 0.9).round(5)}


def test_inputs_have_the_coordinates_of_a_pixel():
    found = convolutional.with_places(IMAGES)
    np.testing.assert_allclose(found[..., :3], 2 * IMAGES - 1, atol=1e-6)
    assert found[0, 0, 0, 3:].tolist() == [-1, -1] and found[1, -1, -1, 3:].tolist() == [1, 1]
    assert found[0, 0, -1, 3:].tolist() == [-1, 1]


# Heads and losses -----------------------------------------------------------------------------------------------------


def test_heads_stand_in_the_order_of_the_tasks():
    outputs = np.arange(7.0)
    found = dense_network.heads(outputs, ("depth", "edges", "classes"))
    expected = {"depth": [0, 1], "edges": [2], "classes": [3, 4, 5, 6]}
    assert {name: each.tolist() for name, each in found.items()} == expected
    assert DenseSettings(("depth", "classes")).network.num_outputs == 6
    assert dense_network.metres(np.array([-1.0, 0, 1])).tolist() == [2, 4, 6]


def test_depth_loss_is_a_gaussian_density():
    mean, log_variance, y = (torch.from_numpy(RNG.normal(size=(3, 4))) for _ in range(3))
    density = torch.distributions.Normal(mean, torch.exp(log_variance / 2)).log_prob(y)
    expected = -density.mean() - 0.5 * np.log(2 * np.pi)
    assert float(depth_loss(mean, log_variance, y)) == pytest.approx(float(expected))


def test_one_learned_noise_is_the_mean_squared_residual():
    """Among all constants the loss is lowest at the mean squared residual."""
    mean, y = torch.zeros(1000), torch.from_numpy(RNG.normal(size=1000) * 0.3)
    best = float(torch.log(torch.mean(y**2)))
    losses = [float(depth_loss(mean, torch.tensor(value), y)) for value in (best - 0.1, best, best + 0.1)]
    assert losses[1] == min(losses) and losses[0] != losses[2]


def test_the_optimal_sigma_of_a_task():
    """The derivative of loss / sigma^2 + log sigma is zero at sigma^2 = 2 loss."""
    loss = torch.tensor(0.7)
    log_sigma = torch.tensor(0.5 * np.log(1.4), requires_grad=True)
    dense_network.weighed(loss, log_sigma).backward()
    assert float(log_sigma.grad) == pytest.approx(0, abs=1e-6)  # type: ignore[arg-type]


@pytest.mark.parametrize("tasks", [(), ("classes",), ("depth", "flow")])
def test_unknown_tasks_are_refused(tasks):
    with pytest.raises(InvalidInput, match="depth"):
        DenseSettings(tasks)
