"""Penalised maximum likelihood with optional dropout: what MAP, MC dropout and the deep ensemble share."""

from __future__ import annotations

import numpy as np

from bdlviz.models.mlp import MLP
from bdlviz.training.adam import Adam
from bdlviz.training.method import Method, Setup, State
from bdlviz.training.noise import MaskStream, first_params
from bdlviz.training.stacked_mlp import StackedMLP, WeightDecay
from bdlviz.types import Array


def penalised_likelihood(setup: Setup, dropout_rates: Array | None = None) -> Method:
    r"""Minimise the mean negative log likelihood plus a penalty on the weights, by Adam.

    ``dropout_rates`` (C,) masks the hidden units; None trains without masks.

    $$ \frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, W, z_i)
       + \lambda \sum_{\text{layers}} \lVert W \rVert_F^2 $$
    """
    if not isinstance(setup.model.network, MLP):
        from bdlviz.training.module_fit import penalised_module

        return penalised_module(setup, dropout_rates)
    return _penalised_mlp(setup, setup.model.network, dropout_rates)


def _penalised_mlp(setup: Setup, network: MLP, dropout_rates: Array | None) -> Method:
    likelihood = setup.model.likelihood
    stack = StackedMLP(network, len(setup.seeds), setup.num_cells, setup.batch_size)
    decay = WeightDecay(stack, setup.hyperparameters["weight_decay"])
    optimiser = Adam(stack.flat, stack.flat_gradient, setup.learning_rate)
    masks = None
    if dropout_rates is not None and np.any(dropout_rates > 0):
        shapes = [(setup.batch_size, width) for width in network.hidden]
        masks = MaskStream(shapes, dropout_rates, setup.seeds)

    def init() -> State:
        stack.load(first_params(network.init, setup.seeds))
        return State(0, None, None)

    def update(state: State, batch: tuple[Array, Array], wants_loss: bool) -> State:
        x, y = batch
        outputs = stack.forward(x, masks.next() if masks else None)
        likelihood.gradient(outputs, y, stack.output_gradients)
        loss = likelihood.loss(outputs, y) + decay.penalty() if wants_loss else None
        stack.backward()
        decay.add_gradient()
        optimiser.set_learning_rate(setup.learning_rate_at(state.step))
        optimiser.step()
        return State(state.step + 1, loss, None)

    return Method(init, update, lambda state: stack.parameters())
