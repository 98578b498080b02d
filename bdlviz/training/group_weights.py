"""Training of networks in which the outgoing weights of a unit share a scale, so that whole units can be removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from bdlviz.models import divergences
from bdlviz.models.mlp import MLP
from bdlviz.training.by_gradient import ACTIVATIONS, Objective, by_gradient
from bdlviz.training.gaussian_weights import TENSORS, built_in, drawn_preactivations, exp
from bdlviz.training.kl_schedule import kl_factor
from bdlviz.training.method import Method, Setup
from bdlviz.types import Array

LOG_STD = "log_std_"  # prefix of the names of log standard deviations; the rest is the name of the mean
Params = Mapping[str, Tensor]


class Scales(NamedTuple):
    """The distribution of the scales of the input units of one layer.

    ``draw`` returns scales (R, C, B, in) for the parameters, the layer and standard normal noise (R, 1, B, in);
    ``penalty`` returns their divergence from the prior, (R, C).
    """

    start: Callable[[int], dict[str, Array]]  # number of input units -> initial parameters, by names without the layer
    draw: Callable[[Params, int, Tensor], Tensor]
    penalty: Callable[[Params, int], Tensor]


def group_weights(setup: Setup, scales: Scales) -> Method:
    r"""Minimise the negative evidence lower bound per data point by gradient descent; biases have no noise.

    $$ \frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, z_i, \tilde w_i) + \frac{\beta}{N} \Big[
       \sum_{\text{layers}} \operatorname{KL}[q(z) \| p(z)]
       + \sum_{\text{weights}} \operatorname{KL}[q(\tilde w) \| \mathcal{N}(0, 1)] \Big] $$
    """
    network = built_in(setup)
    kl_weight = torch.from_numpy(setup.hyperparameters["kl_weight"].astype(np.float32))

    def init(rng: np.random.Generator) -> dict[str, Array]:
        params = network.init(rng)
        for layer, units in enumerate(network.sizes[:-1]):
            weight = params[f"weight{layer}"]
            params[f"{LOG_STD}weight{layer}"] = np.full_like(weight, setup.options["start_log_std"])
            params |= {f"{name}{layer}": array for name, array in scales.start(units).items()}
        return params

    def draw_noise(rng: np.random.Generator) -> Sequence[Array]:
        widths = (*network.sizes[:-1], *network.sizes[1:])
        return [rng.standard_normal((setup.batch_size, width), np.float32) for width in widths]

    def loss(params: dict[str, Tensor], x: Tensor, y: Tensor, noise: Sequence[Tensor], step: int) -> Objective:
        outputs = scaled(network, params, scales.draw, x, noise)
        data_term = setup.precision * setup.model.likelihood.negative_log_likelihood(outputs, y).mean(-1)
        cost = kl_weight * penalty(network, params, scales) / setup.num_data
        return Objective(data_term + kl_factor(setup, step) * cost, data_term + cost)

    return by_gradient(setup, init, draw_noise, loss)


def scaled(
    network: MLP, params: Params, draw: Callable[[Params, int, Tensor], Tensor], x: Tensor, noise: Sequence[Tensor]
) -> Tensor:
    r"""Outputs (R, C, B, K) with new scales and weights for every point.

    The scales of a layer's input are drawn. Given the scales, the pre-activations are independent Gaussians, which are
    drawn instead of the weights. ``noise`` is (R, 1, B, in) for each layer, then (R, 1, B, out) for each layer. Source:
    Louizos, Ullrich & Welling 2017, section 4.1 and appendix.

    $$ b_j = \sum_i h_i z_i \mu_{ij} + \sqrt{\sum_i h_i^2 z_i^2 \sigma_{ij}^2}\; \epsilon_j $$
    """
    h, act, no_variance = x, ACTIVATIONS[network.activation], torch.zeros(())
    scale_noise, preactivation_noise = noise[: network.num_layers], noise[network.num_layers :]
    for layer in range(network.num_layers):
        h = h * draw(params, layer, scale_noise[layer])
        mean = params[f"weight{layer}"], params[f"bias{layer}"]
        variance = exp(2 * params[f"{LOG_STD}weight{layer}"]), no_variance
        h = drawn_preactivations(h, mean, variance, preactivation_noise[layer])
        if layer < network.num_layers - 1:
            h = act(h)
    return h


def penalty(network: MLP, params: Params, scales: Scales) -> Tensor:
    """The divergence of all scales and weights from their priors, in nats: (R, C), not yet divided by N."""
    terms = []
    for layer in range(network.num_layers):
        weight, log_std = params[f"weight{layer}"], params[f"{LOG_STD}weight{layer}"]
        terms.append(divergences.unit_gaussian(weight, log_std, TENSORS).sum((-1, -2)))
        terms.append(scales.penalty(params, layer))
    first, *others = terms
    return sum(others, start=first)
