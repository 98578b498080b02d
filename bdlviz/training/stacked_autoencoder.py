"""Many autoencoders of one shape in one program, with hand-written passes and preallocated buffers.

The reasons are those of `bdlviz.training.stacked_mlp`, but these networks are larger. Seven tenths of a step are matrix
products, which are faster with torch than with numpy. Most of the rest is Adam. The gain over autograd is that a step
allocates no memory. `tests/training/test_stacked_autoencoder.py` compares this file with a plain implementation with
autograd.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from bdlviz.models.autoencoder import MIN_STD, Autoencoder
from bdlviz.models.elementary import softplus
from bdlviz.models.mlp import MLP
from bdlviz.training import stacked_mlp
from bdlviz.training.vector_registers import whole
from bdlviz.types import Array


class Codes(NamedTuple):
    """Means and standard deviations of the codes of a minibatch, (M, B, Z); a plain autoencoder has no ``std``."""

    mean: Array
    std: Array | None


class StackedAutoencoder:
    """R x C autoencoders, trained on minibatches of B images. Internally the R x C networks are one axis M."""

    def __init__(self, network: Autoencoder, num_seeds: int, num_cells: int, batch_size: int) -> None:
        self.network = network
        self.num_seeds, self.num_cells, self.batch_size = num_seeds, num_cells, batch_size
        self._allocate_parameters()
        stack = num_seeds * num_cells
        encoder, decoder = (
            _Layers(part, stack, batch_size, self._of_part(self._views, name), self._of_part(self._gradients, name))
            for name, part in self._parts()
        )
        self._encoder, self._decoder = encoder, decoder
        width = network.latent_dim + network.num_classes
        self._decoder_inputs, self._decoder_input_gradients = np.zeros((2, stack, batch_size, width), np.float32)
        self._codes, self._classes = np.split(self._decoder_inputs, [network.latent_dim], axis=-1)
        self._code_gradients = self._decoder_input_gradients[..., : network.latent_dim]
        self.outputs = self._as_grid(decoder.outputs)
        self.output_gradients = self._as_grid(decoder.output_gradients)

    def _parts(self) -> tuple[tuple[str, MLP], ...]:
        return ("encoder", self.network.encoder), ("decoder", self.network.decoder)

    def _allocate_parameters(self) -> None:
        """Allocate one flat buffer for all parameters and one for all gradients, with every matrix padded.

        Every matrix starts at a whole vector register. Otherwise products of the same network may round differently in
        a stack and alone, on some processors.
        """
        stack = self.num_seeds * self.num_cells
        shapes = {f"{part}.{n}": shape for part, network in self._parts() for n, shape in network.shapes().items()}
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        rows = [whole(size) for size in sizes]
        ends = stack * np.cumsum(rows)
        self.flat = np.zeros(ends[-1], np.float32)
        self.flat_gradient = np.zeros_like(self.flat)
        self._views, self._gradients = (
            {
                name: piece.reshape(stack, -1)[:, :size].reshape(stack, *shape)
                for (name, shape), size, piece in zip(shapes.items(), sizes, np.split(flat, ends)[:-1], strict=True)
            }
            for flat in (self.flat, self.flat_gradient)
        )

    @staticmethod
    def _of_part(arrays: Mapping[str, Array], part: str) -> dict[str, Array]:
        return {name.removeprefix(f"{part}."): array for name, array in arrays.items() if name.startswith(part)}

    def _as_grid(self, array: Array) -> Array:
        return array.reshape(self.num_seeds, self.num_cells, *array.shape[1:])

    def parameters(self) -> dict[str, Array]:
        """Views of all parameters, (R, C, in, out)."""
        return {name: self._as_grid(array) for name, array in self._views.items()}

    def gradients(self) -> dict[str, Array]:
        """Views of all gradients, (R, C, in, out)."""
        return {name: self._as_grid(array) for name, array in self._gradients.items()}

    def load(self, params: Mapping[str, Array]) -> None:
        """Set the parameters from arrays that broadcast to (R, C, in, out)."""
        for name, view in self.parameters().items():
            view[:] = params[name]

    def forward(self, x: Array, noise: Array | None, classes: Array | None = None) -> Codes:
        """Fill ``outputs`` (R, C, B, K) for images x (R or 1, 1, B, D) and noise (R, B, Z), one set for all cells.

        ``classes`` of a conditional network are one-hot, (R or 1, 1, B, classes).
        """
        if classes is not None:
            x = np.concatenate([x, classes], axis=-1)
            np.copyto(self._classes, self._one_per_network(classes[:, 0]))
        encoded = self._encoder.forward(self._one_per_network(x[:, 0]))
        if noise is None or not self.network.is_variational:
            np.copyto(self._codes, encoded)
            codes = Codes(encoded, None)
        else:
            mean, self._rho = np.split(encoded, 2, axis=-1)
            self._noise = self._one_per_network(noise)
            std = np.maximum(softplus(self._rho), np.float32(MIN_STD))
            np.multiply(std, self._noise, out=self._codes)
            np.add(self._codes, mean, out=self._codes)
            codes = Codes(mean, std)
        self._decoder.forward(self._decoder_inputs)
        return codes

    def _one_per_network(self, array: Array) -> Array:
        """(R or 1, ...) -> (M, ...)."""
        copies = self.num_seeds * self.num_cells // len(array)
        return np.repeat(array, copies, axis=0) if copies > 1 else array

    def backward(self, codes: Codes, kl_weight: Array | None = None) -> None:
        r"""Compute the gradients of all parameters from ``output_gradients``; overwrites the previous gradients.

        If the codes have a std, the gradient of ``kl_weight`` (C,) times the mean KL term of the batch is added:

        $$ \frac{\partial}{\partial \mu} = \frac{\partial}{\partial z} + \beta \frac{\mu}{B}, \qquad
           \frac{\partial}{\partial \sigma} = \epsilon \frac{\partial}{\partial z}
           + \frac{\beta}{B} \left(\sigma - \frac1\sigma\right), \qquad
           \frac{\partial \sigma}{\partial \rho} = 1 - e^{-\sigma} $$
        """
        self._decoder.backward(self._decoder_input_gradients)
        if codes.std is None or kl_weight is None:
            np.copyto(self._encoder.output_gradients, self._code_gradients)
        else:
            weight = np.tile(kl_weight / self.batch_size, self.num_seeds).astype(np.float32)
            self._through_the_codes(codes.mean, codes.std, weight[:, None, None])
        self._encoder.backward(None)

    def _through_the_codes(self, mean: Array, std: Array, weight: Array) -> None:
        by_mean, by_rho = np.split(self._encoder.output_gradients, 2, axis=-1)
        by_mean[:] = self._code_gradients + weight * mean
        by_std = self._code_gradients * self._noise + weight * (std - 1 / std)
        by_rho[:] = by_std * -np.expm1(-std) * (std > MIN_STD)  # no gradient where the std is at its lower bound


class _Layers:
    """The encoders or the decoders of M networks; parameters and gradients are views of the common buffers."""

    def __init__(
        self, network: MLP, stack: int, batch: int, params: Mapping[str, Array], gradients: Mapping[str, Array]
    ) -> None:
        self._kernel = stacked_mlp.KERNELS[network.activation]
        layers = range(network.num_layers)
        self._weights = [torch.from_numpy(params[f"weight{layer}"]) for layer in layers]
        self._biases = [params[f"bias{layer}"] for layer in layers]
        self._weight_gradients = [torch.from_numpy(gradients[f"weight{layer}"]) for layer in layers]
        self._bias_gradients = [gradients[f"bias{layer}"] for layer in layers]
        shapes = [(stack, batch, width) for width in network.sizes[1:]]
        self._before = [np.zeros(shape, np.float32) for shape in shapes]  # pre-activations
        self._after = [np.zeros_like(a) if self._kernel.saves_input else a for a in self._before[:-1]]
        self._by_preactivations = [np.zeros_like(a) for a in self._before]
        self.outputs, self.output_gradients = self._before[-1], self._by_preactivations[-1]
        self._before_torch, self._after_torch, self._by_preactivations_torch = (
            [torch.from_numpy(a) for a in group] for group in (self._before, self._after, self._by_preactivations)
        )

    def forward(self, x: Array) -> Array:
        """Outputs (M, B, K) for x (M, B, D), in a buffer that the next call overwrites."""
        self._inputs = [torch.from_numpy(x), *self._after_torch]
        for layer, (h, weight) in enumerate(zip(self._inputs, self._weights, strict=True)):
            _product(h, weight, self._before_torch[layer])
            np.add(self._before[layer], self._biases[layer], out=self._before[layer])
            if layer < len(self._after):
                self._kernel.forward(self._before_torch[layer], self._after_torch[layer])
        return self.outputs

    def backward(self, input_gradients: Array | None) -> None:
        """Compute all gradients from ``output_gradients``; those of x (M, B, D) only into a given buffer."""
        for layer in reversed(range(len(self._weights))):
            gradients = self._by_preactivations_torch[layer]
            if layer < len(self._after):
                self._kernel.backward(gradients, self._before_torch[layer])
            _product(self._inputs[layer].mT, gradients, self._weight_gradients[layer])
            np.add.reduce(self._by_preactivations[layer], 1, out=self._bias_gradients[layer], keepdims=True)
            if layer:
                _product(gradients, self._weights[layer].mT, self._by_preactivations_torch[layer - 1])
        if input_gradients is not None:
            _product(self._by_preactivations_torch[0], self._weights[0].mT, torch.from_numpy(input_gradients))


def _product(a: Tensor, b: Tensor, out: Tensor) -> Any:
    """Multiply network by network, so that results are rounded as for one network alone."""
    for network in range(len(out)):
        torch.mm(a[network], b[network], out=out[network])
