"""The posterior mode of the weights under a Gaussian prior, for Laplace's approximation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bdlviz.models.mlp import MLP
from bdlviz.training.adam import Adam
from bdlviz.training.method import Method, Setup, State
from bdlviz.training.noise import first_params
from bdlviz.training.stacked_mlp import StackedMLP
from bdlviz.types import Array


def posterior_mode(setup: Setup, precisions: Mapping[str, Array], keep: Mapping[str, float | Array]) -> Method:
    r"""Minimise the negative log posterior per data point, with Adam on all data.

    $$ \frac1N \sum_i -\log p(y_i \mid x_i, w) + \frac1{2 N \tau} \sum_j \lambda_j w_j^2 $$

    Args:
        setup: of the fit. With Gaussian noise the data term is half the squared error, and tau is the noise precision.
        precisions: inverse prior variances lambda of every layer's weights and biases by name, (C,) each.
        keep: numbers or arrays (K,) that are stored with the weights. The inputs x (R, C, N, D) and ``num_seen``, the
            number of points that were used, are stored, too.
    """
    network: MLP = setup.model.network
    likelihood, num_seeds, num_cells = setup.model.likelihood, len(setup.seeds), setup.num_cells
    stack = StackedMLP(network, num_seeds, num_cells, setup.batch_size)
    optimiser = Adam(stack.flat, stack.flat_gradient, setup.learning_rate)
    scratch, penalty = np.zeros_like(stack.flat), np.zeros_like(stack.flat)
    for name, view in stack.named(penalty).items():
        view[:] = (precisions[name] / (setup.num_data * setup.precision))[:, None, None]
    numbers = {name: np.tile(np.float32(value), (num_seeds, num_cells, 1)) for name, value in keep.items()}
    no_inputs = np.zeros((setup.num_data, setup.num_inputs), np.float32)

    def init() -> State:
        stack.load(first_params(network.init, setup.seeds))
        return State(0, None, no_inputs)

    def update(state: State, batch: tuple[Array, Array], wants_loss: bool) -> State:
        x, y = batch
        outputs = stack.forward(x, None)
        likelihood.gradient(outputs, y, stack.output_gradients)
        np.multiply(stack.flat, penalty, out=scratch)
        loss = likelihood.loss(outputs, y) + half_squares() if wants_loss else None
        stack.backward()
        np.add(stack.flat_gradient, scratch, out=stack.flat_gradient)
        optimiser.set_learning_rate(setup.learning_rate_at(state.step))
        optimiser.step()
        return State(state.step + 1, loss, x[0, 0])

    def half_squares() -> Array:
        pairs = zip(stack.parameters().values(), stack.named(scratch).values(), strict=True)
        return np.sum([0.5 * (weight * gradient).sum((-1, -2), dtype=np.float64) for weight, gradient in pairs], axis=0)

    def params(state: State) -> dict[str, Array]:
        num_seen = np.full((num_seeds, num_cells, 1), len(state.memory) if state.step else 0, np.float32)
        x = np.broadcast_to(state.memory, (num_seeds, num_cells, *state.memory.shape))
        return stack.parameters() | numbers | {"num_seen": num_seen, "x": x}

    return Method(init, update, params)
