"""Networks whose weights are Gaussian one by one: their outputs, drawn without drawing the weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from torch import Tensor

from bdlviz.models.mlp import MLP
from bdlviz.training.by_gradient import ACTIVATIONS, linear
from bdlviz.types import Array

SMALLEST_VARIANCE = 1e-16  # below it the gradient of the root would be infinite


def draw_output_noise(rng: np.random.Generator, network: MLP, batch_size: int) -> list[Array]:
    """Standard normal numbers for every output of every layer, (B, units) each."""
    return [rng.standard_normal((batch_size, width), np.float32) for width in network.sizes[1:]]


def locally_reparameterised(
    network: MLP, mean: Mapping[str, Tensor], std: Mapping[str, Tensor], x: Tensor, noise: Sequence[Tensor]
) -> Tensor:
    r"""Outputs (R, C, B, K) with fresh weights for every point, by drawing each layer's sums instead of its weights.

    ``mean`` and ``std`` (R, C, in, out) by the names of the weights, ``noise`` (R, 1, B, out) for each layer. The
    sums of a layer are independent Gaussians given its input, so the gradient's noise averages over the points of a
    minibatch. Source: Kingma, Salimans & Welling 2015, section 2.2.

    $$ b_j = \sum_i h_i \mu_{ij} + \sqrt{\sum_i h_i^2 \sigma_{ij}^2}\; \epsilon_j $$
    """
    h, act = x, ACTIVATIONS[network.activation]
    for layer in range(network.num_layers):
        weight, bias = f"weight{layer}", f"bias{layer}"
        middle = linear(h, mean[weight], mean[bias])
        variance = linear(h.square(), std[weight].square(), std[bias].square())
        h = middle + variance.clamp_min(SMALLEST_VARIANCE).sqrt() * noise[layer]
        if layer < network.num_layers - 1:
            h = act(h)
    return h
