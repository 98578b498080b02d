"""Many MLPs of one shape in one program, with hand-written forward and backward passes and preallocated buffers.

For such small networks, arithmetic takes less than half of an ordinary training step; the rest is dispatch, allocation
and autograd. Here a step writes into preallocated memory. Parameters and gradients have one flat buffer each, so that
one call of the optimiser updates all of them, and R x C networks are multiplied in one batched product. The arrays are
numpy arrays, because a call of numpy costs half as much as one of torch; torch uses the same memory where its kernels
are faster (derivatives of activations, the fused optimiser).
`tests/training/test_stacked_mlp.py` compares this file with a plain implementation with autograd.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from bdlviz.models.mlp import MLP
from bdlviz.training.vector_registers import whole
from bdlviz.types import Array

aten = torch.ops.aten
_threshold_backward = aten.threshold_backward.grad_input._op  # avoids the overhead of torch's Python wrapper


@dataclass(frozen=True)
class Kernel:
    """An activation function and its derivative, on torch views of numpy buffers.

    ``forward(a, out)`` may overwrite ``a`` unless ``saves_input``, because then the derivative needs the input.
    ``backward(gradient, saved)`` works in place.
    """

    forward: Callable[[Tensor, Tensor], object]
    backward: Callable[[Tensor, Tensor], object]
    saves_input: bool = False


def _tanh(array: Array) -> None:
    """Compute tanh in place with numpy, which on some processors is seven times as fast as torch."""
    np.tanh(array, out=array)


KERNELS = {
    "relu": Kernel(
        lambda a, out: torch.relu_(a),
        lambda gradient, saved: _threshold_backward(gradient, saved, 0, grad_input=gradient),
    ),
    "tanh": Kernel(
        lambda a, out: _tanh(a.numpy()),
        lambda gradient, saved: aten.tanh_backward.grad_input(gradient, saved, grad_input=gradient),
    ),
    "gelu": Kernel(
        lambda a, out: aten.gelu.out(a, out=out),
        lambda gradient, saved: aten.gelu_backward.grad_input(gradient, saved, grad_input=gradient),
        saves_input=True,
    ),
    "silu": Kernel(
        lambda a, out: aten.silu.out(a, out=out),
        lambda gradient, saved: aten.silu_backward.grad_input(gradient, saved, grad_input=gradient),
        saves_input=True,
    ),
}


class StackedMLP:
    """R x C networks, trained on minibatches of at most B points.

    Internally the R x C networks are one axis M. Matrix products with a single row or column are slow, so the layout
    avoids them: the bias of the first layer is an additional row of its weights, whose input is always one; the last
    layer is stored transposed, (M, K, H); and a network with one output has a second output that stays zero.
    """

    def __init__(self, network: MLP, num_seeds: int, num_cells: int, batch_size: int) -> None:
        self.network = network
        self.num_seeds, self.num_cells, self.batch_size = num_seeds, num_cells, batch_size
        self.num_networks = num_seeds * num_cells
        self._kernel = KERNELS[network.activation]
        self._allocate_parameters()
        self._allocate_activations()

    def _allocate_parameters(self) -> None:
        rows = max(2, self.network.sizes[-1])
        inner = [(before, after) for before, after in pairwise(self.network.sizes[:-1])]
        first = [(inner[0][0] + 1, inner[0][1])] if inner else []
        shapes = [
            *inner[1:],
            (rows, self.network.sizes[-2]),
            *first,
            *((1, after) for _, after in inner[1:]),
            (rows, 1),
        ]
        self._shapes = [(self.num_networks, *shape) for shape in shapes]
        self.flat = np.zeros(whole(sum(int(np.prod(shape)) for shape in self._shapes)), np.float32)
        self.flat_gradient = np.zeros_like(self.flat)
        self._weights, self._biases, self._first = self._layers(self.flat)
        self._weight_gradients, self._bias_gradients, self._first_gradient = self._layers(self.flat_gradient)
        self._weights_t = [torch.from_numpy(swap(weight)) for weight in self._weights]

    def _layers(self, flat: Array) -> tuple[list[Array], list[Array], Array]:
        """Views of the weights and of the biases of every layer, and of both of the first layer as (M, D + 1, H)."""
        ends, count = np.cumsum([np.prod(shape) for shape in self._shapes]), len(self.network.hidden)
        pieces = [p.reshape(shape) for p, shape in zip(np.split(flat, ends)[:-1], self._shapes, strict=True)]
        if not count:
            return [pieces[0]], [pieces[1]], pieces[0]
        weights, first, biases = pieces[:count], pieces[count], pieces[count + 1 :]
        return [first[:, :-1], *weights], [first[:, -1:], *biases], first

    def _allocate_activations(self) -> None:
        stack, batch = self.num_networks, self.batch_size

        def buffers() -> list[Array]:
            return [np.zeros((stack, batch, width), np.float32) for width in self.network.hidden]

        self._hidden, self._masked, self._gradients = buffers(), buffers(), buffers()
        self._preactivations = buffers() if self._kernel.saves_input else self._hidden
        self._saved = [torch.from_numpy(buffer) for buffer in self._preactivations]
        self._hidden_torch, self._gradients_torch = (
            [torch.from_numpy(buffer) for buffer in group] for group in (self._hidden, self._gradients)
        )
        self._hidden_grid, self._masked_grid, self._gradients_grid = (
            [self._as_grid(buffer) for buffer in group] for group in (self._hidden, self._masked, self._gradients)
        )
        outputs = self.network.sizes[-1]
        self._outputs, self._output_gradients = np.zeros((2, stack, max(2, outputs), batch), np.float32)
        self._output_gradients_t = swap(self._output_gradients)
        self.outputs = self._as_grid(swap(self._outputs[:, :outputs]))
        self.output_gradients = self._as_grid(swap(self._output_gradients[:, :outputs]))
        self._ones = np.ones((1, batch), np.float32)
        self._x: Array | None = None
        self._inputs = np.ones((self.num_seeds, self.num_cells, batch, self.network.sizes[0] + 1), np.float32)

    def _as_grid(self, array: Array) -> Array:
        return array.reshape(self.num_seeds, self.num_cells, *array.shape[1:])

    def parameters(self) -> dict[str, Array]:
        """Views of all parameters by the names of the network, (R, C, in, out)."""
        return self.named(self.flat)

    def gradients(self) -> dict[str, Array]:
        """Views of all gradients by the names of the network, (R, C, in, out)."""
        return self.named(self.flat_gradient)

    def named(self, flat: Array) -> dict[str, Array]:
        """Views (R, C, in, out) of a buffer with the layout of ``self.flat``, by the names of the network."""
        weights, biases, _ = self._layers(flat)
        outputs = self.network.sizes[-1]
        arrays = [*weights[:-1], swap(weights[-1][:, :outputs]), *biases[:-1], swap(biases[-1][:, :outputs])]
        return {name: self._as_grid(array) for name, array in zip(self.network.shapes(), arrays, strict=True)}

    def load(self, params: Mapping[str, Array]) -> None:
        """Set the parameters from arrays that broadcast to (R, C, in, out)."""
        for name, view in self.parameters().items():
            view[:] = params[name]

    def forward(self, x: Array, masks: Sequence[Array] | None) -> Array:
        """Outputs (R, C, B, K) for x (R or 1, 1, B, D) and one mask (R or 1, C or 1, B, H) per hidden layer."""
        h = self._take_inputs(x)
        self._masks = masks
        for layer, (preactivation, hidden) in enumerate(zip(self._preactivations, self._hidden, strict=True)):
            if layer == 0:
                np.matmul(h, self._first, out=preactivation)
            else:
                np.matmul(h, self._weights[layer], out=preactivation)
                np.add(preactivation, self._biases[layer], out=preactivation)
            self._kernel.forward(self._saved[layer], self._hidden_torch[layer])
            h = hidden
            if masks is not None:
                np.multiply(self._hidden_grid[layer], masks[layer], out=self._masked_grid[layer])
                h = self._masked[layer]
        np.matmul(self._weights[-1], swap(h), out=self._outputs)
        np.add(self._outputs, self._biases[-1], out=self._outputs)
        return self.outputs

    def _take_inputs(self, x: Array) -> Array:
        """A copy of x with a column of ones appended, (1 or M, B, D + 1); without hidden layers, (1 or M, B, D)."""
        if x is not self._x:  # the full batch is the same object at every step
            shared = x.shape[0] == 1
            grid = self._inputs[:1, :1] if shared else self._inputs
            grid[..., :-1] = x
            self._x, self._rows = x, grid.reshape(-1, *grid.shape[2:])
        return self._rows if self._hidden else self._rows[..., :-1]

    def backward(self) -> None:
        """Compute the gradients of all parameters from ``output_gradients``; overwrites the previous gradients."""
        inputs = self._hidden if self._masks is None else self._masked
        last_input = inputs[-1] if inputs else self._rows[..., :-1]
        np.matmul(self._output_gradients, last_input, out=self._weight_gradients[-1])
        np.add.reduce(self._output_gradients, 2, out=self._bias_gradients[-1], keepdims=True)
        for layer in reversed(range(len(self._hidden))):
            gradient = self._gradients[layer]
            self._pull_back(layer)
            if self._masks is not None:
                np.multiply(self._gradients_grid[layer], self._masks[layer], out=self._gradients_grid[layer])
            self._kernel.backward(self._gradients_torch[layer], self._saved[layer])
            if layer == 0:
                np.matmul(swap(self._rows), gradient, out=self._first_gradient)
            else:
                np.matmul(swap(inputs[layer - 1]), gradient, out=self._weight_gradients[layer])
                np.matmul(self._ones, gradient, out=self._bias_gradients[layer])

    def _pull_back(self, layer: int) -> None:
        """Compute the gradient with respect to the (masked) output of hidden layer ``layer``."""
        if layer < len(self._hidden) - 1:
            # With a transposed second factor numpy's matrix product takes twice as long as torch's.
            following = self._gradients_torch[layer + 1]
            torch.bmm(following, self._weights_t[layer + 1], out=self._gradients_torch[layer])
        else:
            np.matmul(self._output_gradients_t, self._weights[-1], out=self._gradients[layer])


def swap(array: Array) -> Array:
    return array.swapaxes(-1, -2)


def as_stack(array: Array) -> Array:
    """(R, C, in, out) -> (M, in, out), a view."""
    return array.reshape(-1, *array.shape[2:])


class WeightDecay:
    r"""Weight decay: the penalty on all weights without the biases, and its gradient.

    $$ \lambda \sum_{\text{layers}} \lVert W \rVert_F^2 $$

    There is no factor 1/2. In torch's optimisers ``weight_decay`` adds lambda W to the gradient; here it is 2 lambda W.
    """

    def __init__(self, stack: StackedMLP, weight_decay: Array) -> None:
        """``weight_decay`` is (C,)."""
        self._decay = np.asarray(weight_decay, np.float64)
        self._weights = [weight for name, weight in stack.parameters().items() if name.startswith("weight")]
        twice = np.zeros_like(stack.flat)  # 2 lambda for every number: one pass over contiguous memory is fastest
        for name, numbers in stack.named(twice).items():
            if name.startswith("weight"):
                numbers[:] = 2 * self._decay[:, None, None]
        self._flat, self._gradient, self._twice = map(torch.from_numpy, (stack.flat, stack.flat_gradient, twice))

    def add_gradient(self) -> None:
        """Add 2 lambda W to the gradient of every weight."""
        self._gradient.addcmul_(self._flat, self._twice)

    def penalty(self) -> Array:
        """The value of the penalty, (R, C)."""
        return sum(np.square(weight).sum((-1, -2)) for weight in self._weights) * self._decay
