"""Many MLPs with a Gaussian for every weight in one program, with hand-written passes and preallocated buffers.

The reasons are those of `bdlviz.training.stacked_mlp`. A step has twice as many matrix products as in a plain network,
one for means and one for variances, and then several passes over all weights for variances, penalties and Adam. These
passes process one flat buffer piece by piece, so that the data of successive operations stay in the cache.
`tests/training/test_stacked_gaussian.py` compares this file with a plain implementation with autograd.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import torch

from bdlviz.models.mlp import MLP
from bdlviz.training.stacked_mlp import KERNELS, as_stack, swap
from bdlviz.training.vector_registers import whole
from bdlviz.types import Array

SMALLEST_VARIANCE = np.float32(1e-16)  # lower bound of the variance of pre-activations; its root is a divisor
LARGE_PRODUCT = 2**19  # multiplications from which torch is faster, although its call costs more


class Layout:
    """The positions of the weights of one network in a row of numbers.

    All weights come first, then the biases. The biases of the first layer follow its weights directly, as one more row
    whose input is always one. A gap before the weights of the first layer and padding at the end of the row make the
    number of weights, and the length of the row, multiples of a vector register: elementwise results then do not depend
    on a network's index in the stack.
    """

    def __init__(self, network: MLP) -> None:
        self.shapes = network.shapes()
        sizes = {name: rows * columns for name, (rows, columns) in self.shapes.items()}
        first, *others = (name for name in sizes if name.startswith("weight"))
        biases = [name for name in sizes if name.startswith("bias")]
        before = sum(sizes[name] for name in others)
        self.num_weights = whole(before + sizes[first])
        self.gap = slice(before, self.num_weights - sizes[first])
        self.starts = dict(zip(others, accumulate((sizes[name] for name in others), initial=0), strict=False))
        self.starts[first] = self.gap.stop
        ends = list(accumulate((sizes[name] for name in biases), initial=self.num_weights))
        self.starts |= dict(zip(biases, ends, strict=False))
        self.num_all = whole(ends[-1])
        self.tail = slice(ends[-1], self.num_all)

    def view(self, rows: Array, name: str, extra: int = 0) -> Array:
        """A view of the weights of that name, (M, in + extra, out), in rows (M, num_all)."""
        height, width = self.shapes[name]
        start = self.starts[name]
        piece = rows[:, start : start + (height + extra) * width]
        return piece.reshape(len(rows), height + extra, width, copy=False)


class StackedGaussianMLP:
    """R x C networks, trained on minibatches of B points. Internally the R x C networks are one axis M.

    ``mean`` and ``variance`` (M, numbers), in the order of `layout`, must be set before `forward`. If
    ``certain_biases``, biases have no variance and no trained standard deviation. `backward` sets ``by_mean`` and
    ``by_variance``.
    """

    def __init__(self, network: MLP, num_seeds: int, num_cells: int, batch_size: int, certain_biases: bool) -> None:
        self.network, self.certain_biases = network, certain_biases
        self.num_seeds, self.num_cells, self.batch_size = num_seeds, num_cells, batch_size
        self.num_networks = num_seeds * num_cells
        self.layout = Layout(network)
        self._kernel = KERNELS[network.activation]
        self._allocate_parameters()
        self._allocate_inputs()
        self._layers = [self._layer(index) for index in range(network.num_layers)]
        last = self._layers[-1]
        self.outputs, self.output_gradients = self._as_grid(last.preactivations), self._as_grid(last.by_preactivations)

    def _allocate_parameters(self) -> None:
        """Allocate one buffer for means and then raw standard deviations, and another one for their gradients."""
        stack, layout = self.num_networks, self.layout
        self.num_uncertain = layout.num_weights if self.certain_biases else layout.num_all
        self.flat, self.flat_gradient = np.zeros((2, stack * (layout.num_all + self.num_uncertain)), np.float32)
        self.mean, self.raw_std = self._halves(self.flat)
        self.by_mean, self.by_variance = self._halves(self.flat_gradient)
        self._variance = np.zeros((stack, layout.num_all), np.float32)
        self.variance = self._variance[:, : self.num_uncertain]

    def _halves(self, flat: Array) -> tuple[Array, Array]:
        cut = self.num_networks * self.layout.num_all
        return flat[:cut].reshape(self.num_networks, -1), flat[cut:].reshape(self.num_networks, -1)

    def _allocate_inputs(self) -> None:
        """Allocate buffers for x with a last column of ones, and for its squares."""
        grid = (self.num_seeds, self.num_cells, self.batch_size, self.network.sizes[0] + 1)
        self._inputs, self._input_squares = np.ones((2, *grid), np.float32)

    def _layer(self, index: int) -> _Layer:
        first = index == 0
        weight, bias = f"weight{index}", f"bias{index}"
        is_uncertain = not (first or self.certain_biases)
        # If biases have no noise, the gradients of the variances have no rows for them.
        extra = int(first and not self.certain_biases)
        view = self.layout.view
        return _Layer(
            is_first=first,
            batch=self.batch_size,
            weight=(view(self.mean, weight, int(first)), view(self._variance, weight, int(first))),
            by_weight=(view(self.by_mean, weight, int(first)), view(self.by_variance, weight, extra)),
            bias=(
                None if first else view(self.mean, bias),
                view(self._variance, bias) if is_uncertain else None,
            ),
            by_bias=(
                None if first else view(self.by_mean, bias),
                view(self.by_variance, bias) if is_uncertain else None,
            ),
            as_grid=self._as_grid,
            kernel=None if index == self.network.num_layers - 1 else self._kernel,
        )

    def _as_grid(self, array: Array) -> Array:
        return array.reshape(self.num_seeds, self.num_cells, *array.shape[1:], copy=False)

    def view(self, rows: Array, name: str) -> Array:
        """A view of the weights of that name, (R, C, in, out), in rows (M, numbers) with the layout of ``mean``."""
        return self._as_grid(self.layout.view(rows, name))

    def parameters(self, prefix: str) -> dict[str, Array]:
        """Views of all parameters (R, C, in, out): means by name, raw standard deviations by ``prefix`` + name."""
        names = self.layout.shapes
        uncertain = [name for name in names if name.startswith("weight") or not self.certain_biases]
        means = {name: self.view(self.mean, name) for name in names}
        return means | {prefix + name: self.view(self.raw_std, name) for name in uncertain}

    def load(self, params: Mapping[str, Array], prefix: str) -> None:
        """Set the parameters from arrays that broadcast to (R, C, in, out)."""
        for name, view in self.parameters(prefix).items():
            view[:] = params[name]

    def forward(self, x: Array, noise: Sequence[Array]) -> Array:
        r"""Outputs (R, C, B, K) for x (R or 1, 1, B, D) and standard normal noise (R, 1, B, out) for each layer.

        Every point has new weights, as in `bdlviz.training.gaussian_weights.locally_reparameterised`.

        $$ b = h \mu + \sqrt{v}\, \epsilon, \qquad v = h^2 \sigma^2 $$
        """
        h, squares = self._take_inputs(x)
        for layer, normals in zip(self._layers, noise, strict=True):
            h, squares = layer.forward(h, squares, normals)
        return self.outputs

    def _take_inputs(self, x: Array) -> tuple[Array, Array]:
        """Copies of x with a column of ones, and of its squares, both (1 or M, B, D + 1)."""
        some = slice(None, 1) if x.shape[0] == 1 else slice(None)
        h, squares = self._inputs[some, some], self._input_squares[some, some]
        h[..., :-1] = x
        np.square(h, out=squares)
        return as_stack(h), as_stack(squares)

    def backward(self) -> None:
        r"""Compute ``by_mean`` and ``by_variance`` from ``output_gradients``; overwrites their previous values.

        ``by_variance`` is twice the gradient with respect to the variance, since it is only used with this factor.

        $$ \frac{\partial}{\partial \mu} = h^\top g, \qquad
           2 \frac{\partial}{\partial \sigma^2} = (h^2)^\top \left(g\, \frac{\epsilon}{\sqrt{v}}\right), \qquad
           \frac{\partial}{\partial h} = g \mu^\top + h \odot
           \left(g\, \frac{\epsilon}{\sqrt{v}}\right) (\sigma^2)^\top $$
        """
        for index in reversed(range(len(self._layers))):
            by_input = self._layers[index - 1].by_activations if index else None
            self._layers[index].backward(by_input)


class _Layer:
    """The buffers of one layer of all networks, with its forward and backward pass."""

    def __init__(
        self,
        is_first: bool,
        batch: int,
        weight: tuple[Array, Array],
        by_weight: tuple[Array, Array],
        bias: tuple[Array | None, Array | None],
        by_bias: tuple[Array | None, Array | None],
        as_grid: Callable[[Array], Array],
        kernel: Any,
    ) -> None:
        self._mean, self._variance = weight
        self._mean_t, self._variance_t = map(swap, weight)
        self._by_mean, self._by_variance = by_weight
        # In a first layer whose biases have no noise, the column of ones is not in the gradient of the variances.
        self._columns = by_weight[1].shape[1]
        self._bias, self._by_bias, self._kernel = bias, by_bias, kernel
        stack, _, width = weight[0].shape
        shape = (stack, batch, width)
        self.preactivations, self.by_preactivations, self._root, self._ratio = (
            np.zeros(shape, np.float32) for _ in range(4)
        )
        self._grids = [as_grid(a) for a in (self.preactivations, self._root, self._ratio)]
        self._ones = np.ones((1, batch), np.float32)
        self.activations, self.squares, self.by_activations = self.preactivations, self._root, self.by_preactivations
        if kernel:
            self.activations = np.zeros(shape, np.float32) if kernel.saves_input else self.preactivations
            self.squares = np.zeros(shape, np.float32)
            self._torch = [torch.from_numpy(a) for a in (self.preactivations, self.activations, self.by_preactivations)]
        inner = weight[0].shape[1]
        self._through_input = None if is_first else np.zeros((stack, batch, inner), np.float32)
        self._product = _product if batch * inner * width >= LARGE_PRODUCT else _small_product
        self._product_t = self._product if width > 1 else np.multiply

    def forward(self, h: Array, squares: Array, normals: Array) -> tuple[Array, Array]:
        self._h, self._squares = h, squares
        self._product(h, self._mean, self.preactivations)
        self._product(squares, self._variance, self._root)
        for preactivations, bias in zip((self.preactivations, self._root), self._bias, strict=True):
            if bias is not None:
                np.add(preactivations, bias, out=preactivations)
        np.maximum(self._root, SMALLEST_VARIANCE, out=self._root)
        np.sqrt(self._root, out=self._root)
        preactivations, root, ratio = self._grids
        np.multiply(root, normals, out=ratio)
        np.add(preactivations, ratio, out=preactivations)
        np.divide(normals, root, out=ratio)
        if self._kernel:
            self._kernel.forward(self._torch[0], self._torch[1])
            np.square(self.activations, out=self.squares)
        return self.activations, self.squares

    def backward(self, by_input: Array | None) -> None:
        """Compute the gradients of the weights from those of the activations, and those of the input if given."""
        if self._kernel:
            self._kernel.backward(self._torch[2], self._torch[0])
        np.multiply(self.by_preactivations, self._ratio, out=self._ratio)
        self._product(swap(self._h), self.by_preactivations, self._by_mean)
        self._product(swap(self._squares[..., : self._columns]), self._ratio, self._by_variance)
        for gradients, by_bias in zip((self.by_preactivations, self._ratio), self._by_bias, strict=True):
            if by_bias is not None:
                np.matmul(self._ones, gradients, out=by_bias)
        if by_input is not None and self._through_input is not None:
            self._product_t(self.by_preactivations, self._mean_t, by_input)
            self._product_t(self._ratio, self._variance_t, self._through_input)
            np.multiply(self._through_input, self._h, out=self._through_input)
            np.add(by_input, self._through_input, out=by_input)


def _small_product(a: Array, b: Array, out: Array) -> None:
    np.matmul(a, b, out=out)


def _product(a: Array, b: Array, out: Array) -> None:
    """Multiply network by network, so that results are rounded as for one network alone; ``a`` may be shared."""
    for network in range(len(out)):
        torch.mm(
            torch.from_numpy(a[network % len(a)]), torch.from_numpy(b[network]), out=torch.from_numpy(out[network])
        )
