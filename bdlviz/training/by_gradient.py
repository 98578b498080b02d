"""Adam on any objective that autograd can differentiate, for methods that define only their loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bdlviz.models.mlp import MLP
from bdlviz.training.adam import Adam
from bdlviz.training.method import Method, Setup, State
from bdlviz.training.noise import first_params, generator
from bdlviz.training.vector_registers import VECTOR_NUMBERS, whole
from bdlviz.types import Array


def position_independent(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """An elementwise function of (..., rows, columns) whose results do not depend on a network's index in the stack.

    Torch processes whole vector registers, and the remaining elements with other instructions, which round differently.
    If rows times columns is not a multiple of a register, the function is evaluated in double precision, so that the
    rounded float32 results are the same.
    """

    def same_rounding(a: Tensor) -> Tensor:
        is_whole = a.shape[-2:].numel() % VECTOR_NUMBERS == 0
        return function(a) if is_whole else function(a.double()).to(a.dtype)

    return same_rounding


sigmoid, softplus = position_independent(torch.sigmoid), position_independent(functional.softplus)
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "tanh": position_independent(torch.tanh),
    "gelu": position_independent(functional.gelu),
    "silu": position_independent(functional.silu),
}


class Objective(NamedTuple):
    """The minimised loss of one step and the loss that is recorded, both (R, C)."""

    minimised: Tensor
    recorded: Tensor


Params = dict[str, Tensor]
Loss = Callable[[Params, Tensor, Tensor, Sequence[Tensor], int], Objective]


def by_gradient(
    setup: Setup,
    init: Callable[[np.random.Generator], dict[str, Array]],
    draw_noise: Callable[[np.random.Generator], Sequence[Array]],
    loss: Loss,
) -> Method:
    """Minimise ``loss(params, x, y, noise, step)`` with Adam, for R x C networks together.

    Args:
        setup: seeds, cells, and how long to train.
        init: draws the initial parameters of one network, (rows, columns) each.
        draw_noise: draws the noise of one step for one seed, arrays (B, ...). It is the same for all cells.
        loss: of params (R, C, rows, columns), x (R or 1, 1, B, D), y (R or 1, 1, B, K), noise (R, 1, B, ...) and the
            number of the step, from 0.

    The sum over all networks is differentiated: its gradient contains the gradient of each network, since the loss of a
    network does not depend on the parameters of another one.
    """
    stack = _Parameters(first_params(init, setup.seeds), len(setup.seeds), setup.num_cells)
    optimiser = Adam(stack.flat, stack.flat_gradient, setup.learning_rate)
    generators = [generator(seed, "noise") for seed in setup.seeds]

    def noise() -> list[Tensor]:
        pieces = zip(*(draw_noise(rng) for rng in generators), strict=True)
        return [torch.from_numpy(np.stack(piece)[:, None]) for piece in pieces]

    def update(state: State, batch: tuple[Array, Array], wants_loss: bool) -> State:
        x, y = map(torch.from_numpy, batch)
        objective = loss(stack.tensors, x, y, noise(), state.step)
        stack.flat_gradient.fill(0)
        objective.minimised.sum().backward()
        optimiser.set_learning_rate(setup.learning_rate_at(state.step))
        optimiser.step()
        return State(state.step + 1, objective.recorded.detach().numpy() if wants_loss else None, None)

    return Method(lambda: State(0, None, None), update, lambda state: stack.arrays)


class _Parameters:
    """Flat buffers of all parameters and all gradients of R x C networks, and their views (R, C, rows, columns)."""

    def __init__(self, start: Mapping[str, Array], num_seeds: int, num_cells: int) -> None:
        """``start`` has arrays (R, 1, rows, columns): all cells of a seed have the same initial parameters."""
        shapes = {name: (num_seeds, num_cells, *array.shape[2:]) for name, array in start.items()}
        self.flat = np.zeros(whole(sum(int(np.prod(shape)) for shape in shapes.values())), np.float32)
        self.flat_gradient = np.zeros_like(self.flat)
        self.arrays = _views(self.flat, shapes)
        gradients = _views(self.flat_gradient, shapes)
        self.tensors: Params = {}
        for name, array in self.arrays.items():
            array[:] = start[name]
            self.tensors[name] = torch.from_numpy(array).requires_grad_()
            self.tensors[name].grad = torch.from_numpy(gradients[name])  # autograd adds to this buffer


def _views(flat: Array, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Array]:
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes.values()])
    pieces = np.split(flat, ends)[:-1]
    return {name: piece.reshape(shape) for (name, shape), piece in zip(shapes.items(), pieces, strict=True)}


def forward(network: MLP, params: Params, x: Tensor, input_masks: Sequence[Tensor] | None = None) -> Tensor:
    """Outputs (R, C, B, K) of an MLP. ``input_masks[i]`` (R, C, B, units) multiplies the input of layer i."""
    h, act = x, ACTIVATIONS[network.activation]
    for layer in range(network.num_layers):
        if input_masks is not None:
            h = h * input_masks[layer]
        h = linear(h, params[f"weight{layer}"], params[f"bias{layer}"])
        if layer < network.num_layers - 1:
            h = act(h)
    return h


def linear(h: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """The pre-activations of a layer, (R, C, B, out), which do not depend on a network's index in the stack."""
    # Products with one column, here or in the gradient, round differently for one network and for several.
    if weight.shape[-1] == 1:
        return (h * weight.mT).sum(-1, keepdim=True) + bias
    if weight.shape[-2] == 1:
        return h * weight + bias
    return h @ weight + bias
