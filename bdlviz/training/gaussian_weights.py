"""Training of networks with a Gaussian for every weight, by draws of pre-activations instead of weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from bdlviz.errors import InvalidInput
from bdlviz.models.divergences import Elementary
from bdlviz.models.mlp import MLP
from bdlviz.training.adam import Adam
from bdlviz.training.by_gradient import (
    ACTIVATIONS,
    Objective,
    by_gradient,
    linear,
    position_independent,
    sigmoid,
    softplus,
)
from bdlviz.training.kl_schedule import kl_factor
from bdlviz.training.method import Method, Setup, State
from bdlviz.training.noise import first_params, generator
from bdlviz.training.normals import Normals
from bdlviz.training.stacked_gaussian import StackedGaussianMLP
from bdlviz.training.weight_families import Family, Pieces
from bdlviz.types import Array

SMALLEST_VARIANCE = 1e-16  # lower bound of a variance; the gradient of the square root is infinite at 0
SMALLEST_SQUARE = 1e-16  # added to squared weights before their logarithm
exp, log = position_independent(torch.exp), position_independent(torch.log)
TENSORS = Elementary(exp, softplus, sigmoid)  # for `bdlviz.models.divergences`


def gaussian_weights(
    setup: Setup,
    init: Callable[[np.random.Generator], dict[str, Array]],
    std_of: Callable[[Mapping[str, Tensor]], Mapping[str, Tensor]],
    penalty: Callable[[Mapping[str, Tensor], Mapping[str, Tensor]], Tensor],
    precision: float,
) -> Method:
    r"""Minimise the expected negative log-likelihood under q plus a penalty, per data point, by gradient descent.

    Args:
        setup: of the fit.
        init: draws the initial parameters of one network; the means have the names of the network's weights.
        std_of: standard deviations of the weights, (R, C, in, out) by name; those that are missing are 0.
        penalty: of parameters and standard deviations, (R, C), for all data; this function divides it by N.
        precision: the factor of the negative log-likelihood: ``setup.precision``, or 1 if the penalty is a weight
            decay, which is defined for the negative log-likelihood without this factor.

    $$ \frac{\tau}B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, w_i) + \frac1N \operatorname{penalty},
       \qquad w_i \sim q $$
    """
    network = built_in(setup)

    def draw_noise(rng: np.random.Generator) -> Sequence[Array]:
        return [rng.standard_normal((setup.batch_size, width), np.float32) for width in network.sizes[1:]]

    def loss(params: dict[str, Tensor], x: Tensor, y: Tensor, noise: Sequence[Tensor], step: int) -> Objective:
        std = std_of(params)
        outputs = locally_reparameterised(network, params, std, x, noise)
        data_term = precision * setup.model.likelihood.negative_log_likelihood(outputs, y).mean(-1)
        cost = penalty(params, std) / setup.num_data
        return Objective(data_term + kl_factor(setup, step) * cost, data_term + cost)

    return by_gradient(setup, init, draw_noise, loss)


def family_of_weights(
    setup: Setup,
    init: Callable[[np.random.Generator], dict[str, Array]],
    family: Family,
    kl_weight: Array,
    precision: float,
) -> Method:
    """Minimise the objective of `gaussian_weights` with a hand-written gradient, which is several times faster.

    Args:
        setup: of the fit.
        init: draws the initial parameters of one network; raw standard deviations have names with ``family.prefix``.
        family: the parametrisation of the standard deviations, and the penalty of each weight.
        kl_weight: (C,), the factor of the penalty.
        precision: as for `gaussian_weights`.
    """
    network, likelihood = built_in(setup), setup.model.likelihood
    stack = StackedGaussianMLP(network, len(setup.seeds), setup.num_cells, setup.batch_size, family.certain_biases)
    pieces = Pieces(stack, family)
    optimiser = Adam(stack.flat, stack.flat_gradient, setup.learning_rate)
    noise = _Noise(setup, network, stack, pieces.normals)
    share = np.tile(kl_weight / setup.num_data, len(setup.seeds)).astype(np.float32)[:, None]

    def start() -> State:
        stack.load(first_params(init, setup.seeds), family.prefix)
        return State(0, None, None)

    def update(state: State, batch: tuple[Array, Array], wants_loss: bool) -> State:
        x, y = batch
        pieces.set_variances()
        outputs = stack.forward(x, noise.next())
        likelihood.gradient(outputs, y, stack.output_gradients)
        np.multiply(stack.output_gradients, np.float32(precision), out=stack.output_gradients)
        stack.backward()
        penalty = pieces.set_gradients(np.float32(kl_factor(setup, state.step)) * share, wants_loss)
        loss = None
        if penalty is not None:
            cost = (share[:, 0] * penalty).reshape(len(setup.seeds), -1)
            loss = precision * likelihood.loss(outputs, y) + cost
        optimiser.set_learning_rate(setup.learning_rate_at(state.step))
        optimiser.step()
        return State(state.step + 1, loss, None)

    return Method(start, update, lambda state: stack.parameters(family.prefix))


class _Noise:
    """Standard normal noise of every step, for the pre-activations of all layers (R, 1, B, out) and for the weights."""

    def __init__(self, setup: Setup, network: MLP, stack: StackedGaussianMLP, normals: Array) -> None:
        shapes = [(setup.batch_size, width) for width in network.sizes[1:]]
        drawn = network.shapes() if normals.size else {}
        sizes = [int(np.prod(shape)) for shape in (*shapes, *drawn.values())]
        self._numbers = np.zeros((len(setup.seeds), sum(sizes)), np.float32)
        pieces = np.split(self._numbers, np.cumsum(sizes)[:-1], axis=1)
        self._preactivations = [
            piece.reshape(-1, 1, *shape, copy=False) for piece, shape in zip(pieces, shapes, strict=False)
        ]
        self._weights = [
            (np.expand_dims(piece.reshape(-1, *shape), 1), stack.view(normals, name))
            for piece, (name, shape) in zip(pieces[len(shapes) :], drawn.items(), strict=True)
        ]
        self._generators = [generator(seed, "noise") for seed in setup.seeds]
        self._normals = Normals(sum(sizes))

    def next(self) -> list[Array]:
        """The noise of the pre-activations of the next step; that of the weights is written into ``normals``."""
        for rng, row in zip(self._generators, self._numbers, strict=True):
            self._normals.fill(rng, row)
        for source, target in self._weights:
            np.copyto(target, source)
        return self._preactivations


def built_in(setup: Setup) -> MLP:
    """The network of a setup, if it is an `MLP`; otherwise raises `InvalidInput`."""
    network = setup.model.network
    if not isinstance(network, MLP):
        raise InvalidInput("Distributions over weights work on the built-in network only.")
    return network


def locally_reparameterised(
    network: MLP, mean: Mapping[str, Tensor], std: Mapping[str, Tensor], x: Tensor, noise: Sequence[Tensor]
) -> Tensor:
    r"""Outputs (R, C, B, K) with new weights for every point, by drawing pre-activations instead of weights.

    ``mean`` and ``std`` are (R, C, in, out) by the names of the weights; ``noise`` is (R, 1, B, out) for each layer.
    See `drawn_preactivations`.
    """
    h, act, no_std = x, ACTIVATIONS[network.activation], torch.zeros(())
    for layer in range(network.num_layers):
        weight, bias = f"weight{layer}", f"bias{layer}"
        variance = std[weight].square(), std.get(bias, no_std).square()
        h = drawn_preactivations(h, (mean[weight], mean[bias]), variance, noise[layer])
        if layer < network.num_layers - 1:
            h = act(h)
    return h


def drawn_preactivations(
    h: Tensor, mean: tuple[Tensor, Tensor], variance: tuple[Tensor, Tensor], noise: Tensor
) -> Tensor:
    r"""Pre-activations (R, C, B, out) of a layer for its input h (R, C, B, in), with new weights for every point.

    ``mean`` and ``variance`` are those of weights (R, C, in, out) and of biases; ``noise`` (R, 1, B, out) is standard
    normal. Given the input the pre-activations of all points are independent, which lowers the variance of the
    minibatch gradient. Source: Kingma, Salimans & Welling 2015, section 2.2.

    $$ b_j = \sum_i h_i \mu_{ij} + \sqrt{\sum_i h_i^2 \sigma_{ij}^2}\; \epsilon_j $$
    """
    return linear(h, *mean) + linear(h.square(), *variance).clamp_min(SMALLEST_VARIANCE).sqrt() * noise


def total(terms: Mapping[str, Tensor]) -> Tensor:
    """The sum over all weights of all layers, (R, C)."""
    first, *others = (term.sum((-1, -2)) for term in terms.values())
    return sum(others, start=first)
