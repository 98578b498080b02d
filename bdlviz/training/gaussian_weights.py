"""Networks whose weights are Gaussian one by one: trained on draws of their sums, without drawing the weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from bdlviz.errors import InvalidInput
from bdlviz.models.divergences import Elementary
from bdlviz.models.mlp import MLP
from bdlviz.training.by_gradient import ACTIVATIONS, Objective, by_gradient, linear, placeless, sigmoid, softplus
from bdlviz.training.kl_schedule import kl_factor
from bdlviz.training.method import Method, Setup
from bdlviz.types import Array

SMALLEST_VARIANCE = 1e-16  # below it the gradient of the root would be infinite
SMALLEST_SQUARE = 1e-16  # of a weight
exp, log = placeless(torch.exp), placeless(torch.log)
TENSORS = Elementary(exp, softplus, sigmoid)  # for `bdlviz.models.divergences`


def gaussian_weights(
    setup: Setup,
    init: Callable[[np.random.Generator], dict[str, Array]],
    spread: Callable[[Mapping[str, Tensor]], Mapping[str, Tensor]],
    penalty: Callable[[Mapping[str, Tensor], Mapping[str, Tensor]], Tensor],
    precision: float,
) -> Method:
    r"""Minimise the mean negative log likelihood over q plus a penalty per data point, by gradient.

    Args:
        setup: of the fit.
        init: draws the starting parameters of one network; the means have the names of the network's weights.
        spread: standard deviations of the weights, (R, C, in, out) by their names; what is missing is certain.
        penalty: of parameters and standard deviations, (R, C), for all data: here alone it is divided by N.
        precision: what multiplies the negative log likelihood: ``setup.precision``, or 1 where the penalty is a weight
            decay, which is stated for the misfit itself.

    $$ \frac{\tau}B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, w_i) + \frac1N \operatorname{penalty},
       \qquad w_i \sim q $$
    """
    network = setup.model.network
    if not isinstance(network, MLP):
        raise InvalidInput("Distributions over weights work on the built-in network only.")

    def draw_noise(rng: np.random.Generator) -> Sequence[Array]:
        return [rng.standard_normal((setup.batch_size, width), np.float32) for width in network.sizes[1:]]

    def loss(params: dict[str, Tensor], x: Tensor, y: Tensor, noise: Sequence[Tensor], step: int) -> Objective:
        std = spread(params)
        outputs = locally_reparameterised(network, params, std, x, noise)
        misfit = precision * setup.model.likelihood.negative_log_likelihood(outputs, y).mean(-1)
        cost = penalty(params, std) / setup.num_data
        return Objective(misfit + kl_factor(setup, step) * cost, misfit + cost)

    return by_gradient(setup, init, draw_noise, loss)


def locally_reparameterised(
    network: MLP, mean: Mapping[str, Tensor], std: Mapping[str, Tensor], x: Tensor, noise: Sequence[Tensor]
) -> Tensor:
    r"""Outputs (R, C, B, K) with fresh weights for every point, by drawing each layer's sums instead of its weights.

    ``mean`` and ``std`` (R, C, in, out) by the names of the weights, ``noise`` (R, 1, B, out) for each layer. The
    sums of a layer are independent Gaussians given its input, so the gradient's noise averages over the points of a
    minibatch. Source: Kingma, Salimans & Welling 2015, section 2.2.

    $$ b_j = \sum_i h_i \mu_{ij} + \sqrt{\sum_i h_i^2 \sigma_{ij}^2}\; \epsilon_j $$
    """
    h, act, certain = x, ACTIVATIONS[network.activation], torch.zeros(())
    for layer in range(network.num_layers):
        weight, bias = f"weight{layer}", f"bias{layer}"
        middle = linear(h, mean[weight], mean[bias])
        variance = linear(h.square(), std[weight].square(), std.get(bias, certain).square())
        h = middle + variance.clamp_min(SMALLEST_VARIANCE).sqrt() * noise[layer]
        if layer < network.num_layers - 1:
            h = act(h)
    return h


def log_alpha(mean: Tensor, log_std: Tensor) -> Tensor:
    r"""How much noise a weight carries for its size.

    Not clipped to [-8, 8], as is usual: a weight that starts beyond -8 would never hear of its divergence.

    $$ \log \alpha = 2 \log \sigma - \log \theta^2 $$
    """
    return 2 * log_std - log(mean.square() + SMALLEST_SQUARE)


def total(terms: Mapping[str, Tensor]) -> Tensor:
    """The sum over all weights of all layers, (R, C)."""
    first, *others = (term.sum((-1, -2)) for term in terms.values())
    return sum(others, start=first)
