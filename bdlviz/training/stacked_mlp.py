"""Many MLPs of one shape as one program: forward and hand-written backward into buffers that live for the whole fit.

For networks this small the arithmetic is a minority of the time an ordinary training step takes; the rest is
dispatch, allocation and autograd bookkeeping. Here a step writes into preallocated memory, parameters and gradients
lie in one flat buffer each (so that one optimiser call serves them all), and R x C networks go through one batched
product. The arrays are numpy's, whose operations cost half as much to call as torch's; torch works on the same
memory where its kernels are better (derivatives of activations, the fused optimiser).
`tests/training/test_stacked_mlp.py` holds the plain twin, with autograd, that this file must equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from bdlviz.models.mlp import MLP
from bdlviz.types import Array

aten = torch.ops.aten
VECTOR_NUMBERS = 64


@dataclass(frozen=True)
class _Kernel:
    """An activation on torch views of numpy buffers.

    ``forward(a, out)`` may overwrite ``a`` unless the input is what the derivative needs; ``backward(gradient,
    saved)`` works in place.
    """

    forward: Callable[[Tensor, Tensor], object]
    backward: Callable[[Tensor, Tensor], object]
    saves_input: bool = False


_KERNELS = {
    "relu": _Kernel(
        lambda a, out: torch.relu_(a),
        lambda gradient, saved: aten.threshold_backward.grad_input(gradient, saved, 0, grad_input=gradient),
    ),
    "tanh": _Kernel(
        lambda a, out: torch.tanh_(a),
        lambda gradient, saved: aten.tanh_backward.grad_input(gradient, saved, grad_input=gradient),
    ),
    "gelu": _Kernel(
        lambda a, out: aten.gelu.out(a, out=out),
        lambda gradient, saved: aten.gelu_backward.grad_input(gradient, saved, grad_input=gradient),
        saves_input=True,
    ),
    "silu": _Kernel(
        lambda a, out: aten.silu.out(a, out=out),
        lambda gradient, saved: aten.silu_backward.grad_input(gradient, saved, grad_input=gradient),
        saves_input=True,
    ),
}


class StackedMLP:
    """R x C networks, trained on minibatches of at most B points.

    Inside, the R x C networks are one axis M. The last layer is kept transposed, (M, K, H): its product is then a
    row-vector product for one output, several times faster than a one-column one.
    """

    def __init__(self, network: MLP, num_seeds: int, num_cells: int, batch_size: int) -> None:
        self.network = network
        self.num_seeds, self.num_cells, self.batch_size = num_seeds, num_cells, batch_size
        self.num_networks = num_seeds * num_cells
        self._kernel = _KERNELS[network.activation]
        self._allocate_parameters()
        self._allocate_activations()

    def _allocate_parameters(self) -> None:
        shapes = list(self.network.shapes().values())
        last = self.network.num_layers - 1
        shapes[last] = (shapes[last][1], shapes[last][0])
        shapes[-1] = (shapes[-1][1], 1)
        ends = np.cumsum([self.num_networks * rows * columns for rows, columns in shapes])
        # The optimiser's kernel treats what is left over behind whole vector registers with other instructions,
        # which round otherwise. Padding leaves nothing over: a network's numbers do not depend on its place.
        self.flat = np.zeros(ends[-1] + -ends[-1] % VECTOR_NUMBERS, np.float32)
        self.flat_gradient = np.zeros_like(self.flat)
        views, gradients = (
            [
                piece.reshape(self.num_networks, *shape)
                for piece, shape in zip(np.split(flat, ends)[:-1], shapes, strict=True)
            ]
            for flat in (self.flat, self.flat_gradient)
        )
        count = self.network.num_layers
        self.num_weight_numbers = int(ends[count - 1])
        self._weights, self._biases = views[:count], views[count:]
        self._weight_gradients, self._bias_gradients = gradients[:count], gradients[count:]
        self._weights_t = [torch.from_numpy(_swap(weight)) for weight in self._weights]

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
        self._outputs, self._output_gradients = np.zeros((2, stack, outputs, batch), np.float32)
        self._output_gradients_t = _swap(self._output_gradients)
        self.outputs = self._as_grid(_swap(self._outputs))
        self.output_gradients = self._as_grid(self._output_gradients_t)
        self._ones = np.ones((1, batch), np.float32)

    def _as_grid(self, array: Array) -> Array:
        return array.reshape(self.num_seeds, self.num_cells, *array.shape[1:])

    def parameters(self) -> dict[str, Array]:
        """Views of all parameters as the network names them, (R, C, in, out)."""
        return self._named(self._weights, self._biases)

    def gradients(self) -> dict[str, Array]:
        """Views of all gradients as the network names them, (R, C, in, out)."""
        return self._named(self._weight_gradients, self._bias_gradients)

    def _named(self, weights: Sequence[Array], biases: Sequence[Array]) -> dict[str, Array]:
        arrays = [*weights[:-1], _swap(weights[-1]), *biases[:-1], _swap(biases[-1])]
        return {name: self._as_grid(array) for name, array in zip(self.network.shapes(), arrays, strict=True)}

    def load(self, params: Mapping[str, Array]) -> None:
        """Set the parameters from arrays that broadcast to (R, C, in, out)."""
        for name, view in self.parameters().items():
            view[:] = params[name]

    def forward(self, x: Array, masks: Sequence[Array] | None) -> Array:
        """Outputs (R, C, B, K) for x (R or 1, 1, B, D) and one mask (R or 1, C or 1, B, H) per hidden layer."""
        h = self._x = self._one_per_network(x)
        self._masks = masks
        for layer, (preactivation, hidden) in enumerate(zip(self._preactivations, self._hidden, strict=True)):
            if layer == 0 and x.shape[-1] == 1:
                np.multiply(h, self._weights[0], out=preactivation)  # a one-column input: an outer product
            else:
                np.matmul(h, self._weights[layer], out=preactivation)
            np.add(preactivation, self._biases[layer], out=preactivation)
            self._kernel.forward(self._saved[layer], self._hidden_torch[layer])
            h = hidden
            if masks is not None:
                np.multiply(self._hidden_grid[layer], masks[layer], out=self._masked_grid[layer])
                h = self._masked[layer]
        np.matmul(self._weights[-1], _swap(h), out=self._outputs)
        np.add(self._outputs, self._biases[-1], out=self._outputs)
        return self.outputs

    def _one_per_network(self, x: Array) -> Array:
        if x.shape[0] == 1:
            return x[0]
        return np.repeat(x[:, 0], self.num_cells, axis=0) if self.num_cells > 1 else x[:, 0]

    def backward(self) -> None:
        """Turn ``output_gradients`` into parameter gradients; overwrites what they held."""
        inputs = self._hidden if self._masks is None else self._masked
        np.matmul(self._output_gradients, inputs[-1] if inputs else self._x, out=self._weight_gradients[-1])
        np.add.reduce(self._output_gradients, 2, out=self._bias_gradients[-1], keepdims=True)
        for layer in reversed(range(len(self._hidden))):
            gradient = self._gradients[layer]
            self._pull_back(layer)
            if self._masks is not None:
                np.multiply(self._gradients_grid[layer], self._masks[layer], out=self._gradients_grid[layer])
            self._kernel.backward(self._gradients_torch[layer], self._saved[layer])
            np.matmul(_swap(inputs[layer - 1] if layer else self._x), gradient, out=self._weight_gradients[layer])
            np.matmul(self._ones, gradient, out=self._bias_gradients[layer])

    def _pull_back(self, layer: int) -> None:
        """Gradient by the (masked) output of hidden layer ``layer``."""
        if layer < len(self._hidden) - 1:
            # numpy's BLAS takes twice as long over a transposed second factor as torch's does.
            following = self._gradients_torch[layer + 1]
            torch.bmm(following, self._weights_t[layer + 1], out=self._gradients_torch[layer])
        elif self._outputs.shape[1] == 1:
            np.multiply(self._output_gradients_t, self._weights[-1], out=self._gradients[layer])
        else:
            np.matmul(self._output_gradients_t, self._weights[-1], out=self._gradients[layer])


def _swap(array: Array) -> Array:
    return array.swapaxes(-1, -2)


class WeightDecay:
    r"""Adds the gradient of the penalty on all weights, biases excluded.

    $$ \lambda \sum_{\text{layers}} \lVert W \rVert_F^2 $$

    No factor 1/2: torch's optimisers, whose ``weight_decay`` adds lambda W, penalise half as much.
    """

    def __init__(self, stack: StackedMLP, weight_decay: Array) -> None:
        """``weight_decay`` is (C,)."""
        twice = (2 * np.asarray(weight_decay, np.float64)).astype(np.float32)
        weights, gradients = stack.parameters(), stack.gradients()
        names = [name for name in weights if name.startswith("weight")]
        if (twice == twice[0]).all():  # one call over the flat buffer, in which the weights come first
            count = stack.num_weight_numbers
            pairs = [(stack.flat[:count], stack.flat_gradient[:count], twice[0])]
        else:
            pairs = [(weights[name], gradients[name], twice[:, None, None]) for name in names]
        self._steps = [(weight, gradient, factor, np.empty_like(weight)) for weight, gradient, factor in pairs]
        self._weights, self._twice = [weights[name] for name in names], twice

    def add_gradient(self) -> None:
        """Add 2 lambda W to the gradient of every weight."""
        for weight, gradient, twice, scratch in self._steps:
            np.multiply(weight, twice, out=scratch)
            np.add(gradient, scratch, out=gradient)

    def penalty(self) -> Array:
        """The penalty itself, (R, C)."""
        return sum(np.square(weight).sum((-1, -2)) for weight in self._weights) * (self._twice / 2)
