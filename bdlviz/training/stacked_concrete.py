r"""Many MLPs with learned dropout rates in one program, with hand-written passes and preallocated buffers.

The reasons are those of `bdlviz.training.stacked_mlp`. The inputs of all layers are columns of one array, (M, B,
columns), so that one operation processes all of them. After the units of a layer comes one column that is always one
and multiplies the biases. It is a unit that is never dropped, so that masks, products and the penalty need no special
treatment of biases. `tests/training/test_stacked_concrete.py` compares this file with a plain implementation with
autograd.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import torch

from bdlviz.models.mlp import MLP
from bdlviz.models.random_words import random_words
from bdlviz.training.adam import Adam
from bdlviz.training.method import Method, Setup, State
from bdlviz.training.noise import first_params, generator
from bdlviz.training.stacked_mlp import KERNELS, swap
from bdlviz.training.vector_registers import whole
from bdlviz.types import Array

# Words of 64 random bits that are drawn together. Allocating more than 128 kB may take longer than drawing the words.
CHUNK_WORDS = 15_000
NEVER = -1e4  # the drop logit of the inputs that multiply biases: the probability is 0 at every temperature


@dataclass(frozen=True)
class Terms:
    """The factors in the objective, for every cell (C,) or for all cells."""

    temperature: Array  # (C,), of the relaxed masks
    decay: Array  # (C,), l^2 / N, the factor of half the squared weights
    entropy: float  # gamma / N, the factor of the entropies of the masks
    precision: float  # the factor of the mean negative log-likelihood
    is_shared: bool  # True if the units of a layer share one rate


def concrete(
    setup: Setup, init: Callable[[np.random.Generator], dict[str, Array]], terms: Terms, table: Array
) -> Method:
    """Minimise the objective of ``terms`` with Adam, for R x C networks together.

    ``init`` draws the initial parameters of one network; ``table`` (65536,) is the noise for every word of 16 bits.
    """
    network, likelihood = setup.model.network, setup.model.likelihood
    stack = StackedConcreteMLP(network, len(setup.seeds), setup.num_cells, setup.batch_size, terms)
    optimiser = Adam(stack.flat, stack.flat_gradient, setup.learning_rate)
    noise = LogisticStream(network, setup.batch_size, setup.seeds, table)

    def start() -> State:
        stack.load(first_params(init, setup.seeds))
        return State(0, None, None)

    def update(state: State, batch: tuple[Array, Array], wants_loss: bool) -> State:
        x, y = batch
        outputs = stack.forward(x, noise.next())
        likelihood.gradient(outputs, y, stack.output_gradients)
        stack.backward()
        loss = terms.precision * likelihood.loss(outputs, y) + stack.penalty() if wants_loss else None
        optimiser.set_learning_rate(setup.learning_rate_at(state.step))
        optimiser.step()
        return State(state.step + 1, loss, None)

    return Method(start, update, lambda state: stack.parameters())


class Columns:
    """The columns of the inputs of every layer: its units, then a constant 1 for the bias."""

    def __init__(self, network: MLP) -> None:
        self.widths = network.sizes[:-1]
        self.starts = list(accumulate((width + 1 for width in self.widths), initial=0))
        self.count = self.starts.pop()
        self.units = [slice(start, start + width) for start, width in zip(self.starts, self.widths, strict=True)]
        self.inputs = [slice(units.start, units.stop + 1) for units in self.units]
        self.ones = [units.stop for units in self.units]


class LogisticStream:
    """An infinite stream of logistic noise for the units of all layers, (R, 1, B, columns); 0 in the constant columns.

    The bits of every seed are those that `bdlviz.methods.concrete_dropout.logistic_noise` draws layer by layer. The
    bits of several steps are drawn together.
    """

    def __init__(self, network: MLP, batch_size: int, seeds: Sequence[int], quantiles: Array) -> None:
        """``quantiles`` (65536,) is the noise for every word of 16 bits."""
        self._columns, self._quantiles = Columns(network), quantiles
        self._sizes = [batch_size * width for width in self._columns.widths]
        self._starts = list(accumulate((-(-size // 4) for size in self._sizes), initial=0))  # in words of 64 bits
        self._generators = [generator(seed, "noise") for seed in seeds]
        self._chunk = max(1, CHUNK_WORDS // self._starts[-1])
        self._indices = np.zeros(4 * CHUNK_WORDS, np.intp)
        self._numbers = np.zeros((self._chunk, 4 * self._starts[-1]), np.float32)
        cuts = range(len(self._indices), self._numbers.size, len(self._indices))
        self._pieces = np.split(self._numbers.reshape(-1), cuts)
        self._noise = np.zeros((self._chunk, len(seeds), 1, batch_size, self._columns.count), np.float32)
        self._position = self._chunk

    def next(self) -> Array:
        """The noise of one step, valid until the buffer is filled again."""
        if self._position == self._chunk:
            self._refill()
        self._position += 1
        return self._noise[self._position - 1]

    def _refill(self) -> None:
        for seed, rng in enumerate(self._generators):
            self._draw(rng)
            for start, size, units in zip(self._starts, self._sizes, self._columns.units, strict=False):
                target = self._noise[:, seed, 0, :, units]
                target[:] = self._numbers[:, 4 * start : 4 * start + size].reshape(target.shape)
        self._position = 0

    def _draw(self, rng: np.random.Generator) -> None:
        """Draw the numbers of a chunk, in the order of the stream."""
        for numbers in self._pieces:
            indices = self._indices[: len(numbers)]
            np.copyto(indices, random_words(rng, len(numbers) // 4).view(np.uint16))
            self._quantiles.take(indices, out=numbers, mode="wrap")  # indices are in range; this mode needs no buffer


class StackedConcreteMLP:
    """R x C networks, trained on minibatches of B points. Internally the R x C networks are one axis M.

    Every network has one row of numbers: the weights of its layers, with the biases as their last rows, and then its
    drop logits. A network with one output has a second output that stays zero, because products with a single column
    are slow. Rows, and all buffers that torch's kernels process, are padded to whole vector registers, so that the
    numbers of a network do not depend on its index in the stack.
    """

    def __init__(self, network: MLP, num_seeds: int, num_cells: int, batch_size: int, terms: Terms) -> None:
        self.network, self.terms, self.columns = network, terms, Columns(network)
        self.num_seeds, self.num_cells, self.batch_size = num_seeds, num_cells, batch_size
        self.num_networks = num_seeds * num_cells
        self._decay, self._steepness = map(self._of_networks, (terms.decay, -1 / terms.temperature))
        self._entropy = np.float32(terms.entropy)
        self._allocate_parameters()
        self._allocate_inputs()
        self._allocate_units()
        self._allocate_sums()

    def _of_networks(self, values: Array) -> Array:
        """(C,) -> (M, 1, 1)."""
        return np.tile(values, self.num_seeds).astype(np.float32)[:, None, None]

    def _as_grid(self, array: Array) -> Array:
        return array.reshape(self.num_seeds, self.num_cells, *array.shape[1:], copy=False)

    def _allocate_parameters(self) -> None:
        widths = [*self.network.sizes[1:-1], max(2, self.network.sizes[-1])]
        self._shapes = [(before + 1, after) for before, after in zip(self.columns.widths, widths, strict=True)]
        sizes = [rows * columns for rows, columns in self._shapes]
        num_logits = len(sizes) + 1 if self.terms.is_shared else self.columns.count
        self._cuts = np.cumsum([*sizes, num_logits])
        self.flat, self.flat_gradient = np.zeros((2, self.num_networks * whole(self._cuts[-1])), np.float32)
        self._weights, self._logits = self._pieces(self.flat)
        self._by_weights, self._by_logits = self._pieces(self.flat_gradient)
        self._logits[..., -1 if self.terms.is_shared else self.columns.ones] = NEVER

    def _pieces(self, flat: Array) -> tuple[list[Array], Array]:
        """Views of the weights of every layer (M, in + 1, out) and of the drop logits (M, 1, columns or layers + 1)."""
        *weights, logits, _ = np.split(flat.reshape(self.num_networks, -1), self._cuts, axis=1)
        shaped = zip(weights, self._shapes, strict=True)
        return [w.reshape(-1, *shape, copy=False) for w, shape in shaped], logits[:, None]

    def _allocate_inputs(self) -> None:
        """Allocate arrays (M, B, columns), and views of the columns of every layer."""
        shape = self.num_networks, self.batch_size, self.columns.count
        self._masks, self._inputs = _padded(shape), _padded(shape)
        # The first has gradients with respect to inputs. They are in one array, because both are summed over the batch.
        both = np.zeros((2, self.num_networks, whole(self.batch_size * self.columns.count)), np.float32)
        self._both = both[..., : self.batch_size * self.columns.count].reshape(2, *shape, copy=False)
        self._by_inputs, self._kept = self._both
        self._kept_grid = self._as_grid(self._kept)
        self._kept_rows, self._kept_padded = both[1][:, None], torch.from_numpy(both[1])
        self._inputs[..., self.columns.ones] = 1
        self._layer_inputs = [self._inputs[..., inputs] for inputs in self.columns.inputs]
        self._unit_views = [
            (self._as_grid(self._masks[..., units]), self._as_grid(self._inputs[..., units]))
            for units in self.columns.units
        ]
        self._by_units_views = [self._by_inputs[..., units] for units in self.columns.units]
        self._ones = np.ones((1, self.batch_size), np.float32)

    def _allocate_units(self) -> None:
        """Allocate arrays (M, 1, columns) with one number per unit."""
        shape = self.num_networks, 1, self.columns.count
        self._own_logits = np.zeros(shape, np.float32) if self.terms.is_shared else self._logits
        self._by_own_logits = np.zeros(shape, np.float32) if self.terms.is_shared else self._by_logits
        self._odds, self._inverse_keep, self._rates, self._scratch = np.zeros((4, *shape), np.float32)
        self._decays, self._squares = np.zeros((2, *shape), np.float32)
        self._sums = np.zeros((2, *shape), np.float32)
        self._owners = np.full(self.columns.count, len(self.columns.units))
        for layer, units in enumerate(self.columns.units):
            self._owners[units] = layer
        self._decays_of_layers = [
            tuple(map(torch.from_numpy, (by_weights, weights, swap(self._decays[..., inputs]))))
            for by_weights, weights, inputs in zip(self._by_weights, self._weights, self.columns.inputs, strict=True)
        ]
        self._squares_views = [self._squares[:, 0, inputs] for inputs in self.columns.inputs]

    def _allocate_sums(self) -> None:
        """Allocate pre-activations, activations and gradients of pre-activations, (M, B, out) for every layer."""
        self._kernel = KERNELS[self.network.activation]
        shapes = [(self.num_networks, self.batch_size, width) for _, width in self._shapes]
        self._preactivations, self._by_preactivations = (
            [_padded(shape) for shape in shapes],
            [_padded(shape) for shape in shapes],
        )
        hidden = self._preactivations[:-1]
        self._hidden = [_padded(array.shape) for array in hidden] if self._kernel.saves_input else hidden
        self._hidden_grid = [self._as_grid(array) for array in self._hidden]
        self._by_preactivations_grid = [self._as_grid(array) for array in self._by_preactivations]
        self._saved, self._hidden_torch, self._by_preactivations_torch = (
            [torch.from_numpy(array.base) for array in group]
            for group in (hidden, self._hidden, self._by_preactivations)
        )
        self._pull_backs = [
            tuple(map(torch.from_numpy, (gradients, swap(weights[:, :-1]), by_units)))
            for gradients, weights, by_units in zip(
                self._by_preactivations, self._weights, self._by_units_views, strict=True
            )
        ]
        outputs = self.network.sizes[-1]
        self.outputs = self._as_grid(self._preactivations[-1][..., :outputs])
        self.output_gradients = self._as_grid(self._by_preactivations[-1][..., :outputs])

    def parameters(self) -> dict[str, Array]:
        """Views of all parameters (R, C, in, out): weights, biases, and the drop logits of every layer's inputs."""
        return self._named(self._weights, self._logits)

    def gradients(self) -> dict[str, Array]:
        """Views of all gradients, by the names of the parameters."""
        return self._named(self._by_weights, self._by_logits)

    def _named(self, weights: Sequence[Array], logits: Array) -> dict[str, Array]:
        outputs, layers = self.network.sizes[1:], range(len(weights))
        columns = [slice(i, i + 1) for i in layers] if self.terms.is_shared else self.columns.units
        views = {f"weight{i}": weights[i][:, :-1, : outputs[i]] for i in layers}
        views |= {f"bias{i}": weights[i][:, -1:, : outputs[i]] for i in layers}
        views |= {f"drop_logit{i}": logits[..., columns[i]] for i in layers}
        return {name: self._as_grid(view) for name, view in views.items()}

    def load(self, params: Mapping[str, Array]) -> None:
        """Set the parameters from arrays that broadcast to (R, C, in, out)."""
        for name, view in self.parameters().items():
            view[:] = params[name]

    def forward(self, x: Array, noise: Array) -> Array:
        r"""Outputs (R, C, B, K) for x (R or 1, 1, B, D) and logistic noise (R, 1, B, columns).

        The input h of every layer is multiplied by its mask, as in `relaxed_negative_log_likelihood` of
        `bdlviz.methods.concrete_dropout`.

        $$ m_{bk} = h_{bk} \, s_{bk} (1 + e^{a_k}), \qquad s_{bk} = \operatorname{sigmoid}\left(
           -\frac{a_k + \operatorname{logit} u_{bk}}{t}\right), \qquad \frac{1}{1 - p_k} = 1 + e^{a_k} $$
        """
        self._set_masks(noise)
        h = x
        for layer, (masks, inputs) in enumerate(self._unit_views):
            np.multiply(h, masks, out=inputs)
            np.matmul(self._layer_inputs[layer], self._weights[layer], out=self._preactivations[layer])
            if layer < len(self._hidden):
                self._kernel.forward(self._saved[layer], self._hidden_torch[layer])
                h = self._hidden_grid[layer]
        return self.outputs

    def _set_masks(self, noise: Array) -> None:
        """Compute the relaxed masks, 0 to 1, and the masks divided by the keep probability."""
        if self.terms.is_shared:
            np.take(self._logits, self._owners, axis=-1, out=self._own_logits, mode="clip")
        np.exp(self._own_logits, out=self._odds)
        np.add(self._odds, 1, out=self._inverse_keep)
        np.add(noise, self._as_grid(self._own_logits), out=self._kept_grid)
        np.multiply(self._kept_rows, self._steepness, out=self._kept_rows)
        torch.sigmoid(self._kept_padded, out=self._kept_padded)
        np.multiply(self._kept, self._inverse_keep, out=self._masks)

    def backward(self) -> None:
        r"""Compute the gradient of the objective from ``output_gradients``; overwrites the previous gradient.

        The gradients with respect to a unit's weights and drop logit, where g is that of the masked input m:

        $$ \frac{\partial}{\partial W_k} + \frac{\ell^2}{N} \frac{W_k}{1 - p_k}, \qquad
           p_k \left[ \sum_b g_{bk} m_{bk} + \frac{\ell^2}{2 N} \frac{\lVert W_k \rVert^2}{1 - p_k}
           + \frac{\gamma}{N} a_k (1 - p_k) \right] - \frac1t \sum_b g_{bk} m_{bk} (1 - s_{bk}) $$
        """
        np.multiply(self._by_preactivations[-1], np.float32(self.terms.precision), out=self._by_preactivations[-1])
        for layer in reversed(range(len(self._weights))):
            np.matmul(swap(self._layer_inputs[layer]), self._by_preactivations[layer], out=self._by_weights[layer])
            self._pull_back(layer)
            if layer:
                masks, by_units = self._unit_views[layer][0], self._as_grid(self._by_units_views[layer])
                np.multiply(by_units, masks, out=self._by_preactivations_grid[layer - 1])
                self._kernel.backward(self._by_preactivations_torch[layer - 1], self._saved[layer - 1])
        self._add_decay()
        self._set_logit_gradients()

    def _pull_back(self, layer: int) -> None:
        """Compute the gradient with respect to the masked inputs of a layer."""
        if layer < len(self._hidden):  # as in `StackedMLP`
            gradients, weights_t, by_units = self._pull_backs[layer]
            torch.bmm(gradients, weights_t, out=by_units)
        else:
            np.matmul(
                self._by_preactivations[layer], swap(self._weights[layer][:, :-1]), out=self._by_units_views[layer]
            )

    def _add_decay(self) -> None:
        """Add the gradient of the penalty on weights, and store twice the penalty of every unit in ``_squares``."""
        np.multiply(self._inverse_keep, self._decay, out=self._decays)
        for layer, (by_weights, weights, decays) in enumerate(self._decays_of_layers):
            by_weights.addcmul_(weights, decays)
            np.vecdot(self._weights[layer], self._weights[layer], out=self._squares_views[layer])
        np.multiply(self._squares, self._decays, out=self._squares)

    def _set_logit_gradients(self) -> None:
        """Compute the gradients of the drop logits; overwrites the gradients of the inputs and the relaxed masks."""
        np.multiply(self._by_inputs, self._inputs, out=self._by_inputs)
        np.subtract(1, self._kept, out=self._kept)
        np.multiply(self._kept, self._by_inputs, out=self._kept)
        np.matmul(self._ones, self._both, out=self._sums)
        gradients, scratch, (by_masks, by_dropped) = self._by_own_logits, self._scratch, self._sums
        np.divide(self._odds, self._inverse_keep, out=self._rates)
        np.multiply(self._own_logits, self._entropy, out=gradients)
        np.divide(gradients, self._inverse_keep, out=gradients)
        np.add(gradients, by_masks, out=gradients)
        np.multiply(self._squares, np.float32(0.5), out=scratch)
        np.add(gradients, scratch, out=gradients)
        np.multiply(gradients, self._rates, out=gradients)
        np.multiply(by_dropped, self._steepness, out=scratch)
        np.add(gradients, scratch, out=gradients)
        if self.terms.is_shared:
            np.add.reduceat(gradients, self.columns.starts, axis=-1, out=self._by_logits[..., :-1])

    def penalty(self) -> Array:
        """KL from the prior per data point, up to a constant, (R, C), for the parameters of the last `backward`."""
        entropies = np.log1p(self._odds) - self._rates * self._own_logits
        return self._as_grid((0.5 * self._squares - self._entropy * entropies).sum((-1, -2)))


def _padded(shape: tuple[int, int, int]) -> Array:
    """Zeros (M, rows, columns), a view of ``base`` in which every network is padded to whole vector registers."""
    stack, rows, columns = shape
    return np.zeros((stack, whole(rows * columns)), np.float32)[:, : rows * columns].reshape(shape, copy=False)
