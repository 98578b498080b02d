"""Penalised maximum likelihood with optional dropout: the training of MAP, MC dropout and the deep ensemble."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from bdlviz.models.mlp import MLP
from bdlviz.training.adam import Adam
from bdlviz.training.by_gradient import Params
from bdlviz.training.method import Method, Setup, State
from bdlviz.training.noise import MaskStream, first_params
from bdlviz.training.stacked_mlp import StackedMLP, WeightDecay
from bdlviz.types import Array


def penalised_likelihood(
    setup: Setup, dropout_rates: Array | None = None, penalty: Callable[[Params], Tensor] | None = None
) -> Method:
    r"""Minimise the mean negative log-likelihood plus a penalty on the parameters, with Adam.

    $$ \frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, W, z_i) + \Omega(W), \qquad
       \Omega(W) = \lambda \sum_{\text{layers}} \lVert W \rVert_F^2 \text{ unless the method has another} $$

    Args:
        setup: of the fit. Without ``penalty``, its hyper-parameter ``weight_decay`` is lambda.
        dropout_rates: (C,), the rates of the hidden units; None trains without masks.
        penalty: a torch function of all parameters by name, tensors (R, C, ...), that returns the penalty (R, C) of
            every network; its gradient is computed by autograd.
    """
    if not isinstance(setup.model.network, MLP):
        from bdlviz.training.module_fit import penalised_module

        return penalised_module(setup, dropout_rates, penalty)
    return _penalised_mlp(setup, setup.model.network, dropout_rates, penalty)


class _ByAutograd:
    """A penalty given as a torch function of the parameters of a stack, with the interface of `WeightDecay`."""

    def __init__(self, stack: StackedMLP, expression: Callable[[Params], Tensor]) -> None:
        self._expression = expression
        self._params = {name: torch.from_numpy(array).requires_grad_() for name, array in stack.parameters().items()}
        self._gradients = [torch.from_numpy(gradient) for gradient in stack.gradients().values()]

    def add_gradient(self) -> None:
        """Add the gradient of the penalty to that of the parameters."""
        total = self._expression(self._params).sum()
        terms = torch.autograd.grad(total, list(self._params.values()), allow_unused=True)
        for gradient, term in zip(self._gradients, terms, strict=True):
            if term is not None:
                gradient += term

    def penalty(self) -> Array:
        """The value of the penalty, (R, C)."""
        return self._expression(self._params).detach().numpy()


def _penalised_mlp(
    setup: Setup, network: MLP, dropout_rates: Array | None, penalty: Callable[[Params], Tensor] | None
) -> Method:
    likelihood = setup.model.likelihood
    stack = StackedMLP(network, len(setup.seeds), setup.num_cells, setup.batch_size)
    omega = _ByAutograd(stack, penalty) if penalty else WeightDecay(stack, setup.hyperparameters["weight_decay"])
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
        loss = likelihood.loss(outputs, y) + omega.penalty() if wants_loss else None
        stack.backward()
        omega.add_gradient()
        optimiser.set_learning_rate(setup.learning_rate_at(state.step))
        optimiser.step()
        return State(state.step + 1, loss, None)

    return Method(init, update, lambda state: stack.parameters())
