"""Penalised maximum likelihood for a torch module of the user, with autograd."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from bdlviz.models.from_module import ModuleNetwork
from bdlviz.training.by_gradient import Objective, Params, by_gradient
from bdlviz.training.method import Method, Setup
from bdlviz.training.noise import MaskStream
from bdlviz.types import Array


def penalised_module(
    setup: Setup, dropout_rates: Array | None, penalty: Callable[[Params], Tensor] | None = None
) -> Method:
    r"""Minimise the mean negative log-likelihood plus a penalty on the parameters, with autograd and Adam.

    The default ``penalty`` is weight decay on parameters with two or more axes; biases and scales are excluded.
    ``dropout_rates`` (C,) are those of the module's dropout layers, with one mask for each data point; None trains
    without masks.

    $$ \frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, W, z_i)
       + \lambda \sum_{\text{layers}} \lVert W \rVert_F^2 $$
    """
    network: ModuleNetwork = setup.model.network
    forward, stack = network.forward(), (len(setup.seeds), setup.num_cells)
    masks = None
    if dropout_rates is not None and np.any(dropout_rates > 0):
        shapes = [(setup.batch_size, units) for units in network.hidden]
        masks = MaskStream(shapes, dropout_rates, setup.seeds)

    def weight_decay(params: Params) -> Tensor:
        weights = [tensor for name, tensor in params.items() if len(network.shapes[name]) >= 2]
        factor = torch.from_numpy(setup.hyperparameters["weight_decay"].astype(np.float32))
        return factor * sum(weight.square().flatten(2).sum(-1) for weight in weights)

    def of_every_network(tensor: Tensor) -> Tensor:
        """(R or 1, C or 1, ...) -> (R C, ...)."""
        return tensor.expand(*stack, *tensor.shape[2:]).flatten(0, 1)

    def loss(params: Params, x: Tensor, y: Tensor, noise: Sequence[Tensor], step: int) -> Objective:
        outputs = forward(
            {name: of_every_network(tensor) for name, tensor in params.items()},
            [of_every_network(torch.from_numpy(mask)) for mask in masks.next()] if masks else (),
            x[0, 0] if len(x) == 1 else of_every_network(x),
        )
        data_term = setup.model.likelihood.negative_log_likelihood(outputs.unflatten(0, stack), y).mean(-1)
        penalised = data_term + (penalty or weight_decay)(params)
        return Objective(penalised, penalised)

    return by_gradient(setup, network.init, lambda rng: (), loss)
