"""Evaluate draws: S functions at N inputs, fast, in numpy.

A mask set that is shared by all inputs can be folded into the weights. Layers before the first mask are
computed once for all draws; the product behind that mask becomes one wide product for several draws at a time; rows
of dropped units are left out of every product.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bdlviz.models.activations import activation
from bdlviz.models.mlp import MLP
from bdlviz.models.random_words import random_words
from bdlviz.threads import draw_here, map_drawing, num_cores
from bdlviz.types import Array, Draws

MAX_CHUNK_DRAWS = 32
CHUNK_NUMBERS = 2**18  # float32 outputs of one layer computed at once, so that they fit into the cache
THREADED_NUMBERS = 2**21  # below this many outputs of a hidden layer a second thread is not faster


def evaluate(network: Any, draws: Draws, x: Array) -> Array:
    """Network outputs of every draw: standardised x (N, D) -> (S, N, K) float32."""
    if draws.function is not None:
        function = draws.function
        return draw_here(lambda: function(x))
    if not isinstance(network, MLP):
        return network.evaluate(draws, x)
    if draws.weight_std is None and (draws.masks or draws.input_mask is not None):
        return _evaluate_masked(network, draws, x)
    return draw_here(lambda: _evaluate_unmasked(network, draws, x))


def _evaluate_unmasked(network: MLP, draws: Draws, x: Array) -> Array:
    if draws.weight_std is not None:
        return np.stack([_forward(network, drawn_weights(draws, s), x) for s in range(draws.num_samples)])
    if draws.params["weight0"].ndim == 2:
        one = _forward(network, draws.params, x)
        return np.broadcast_to(one, (draws.num_samples, *one.shape))
    pieces = [_forward(network, {k: v[s] for k, v in draws.params.items()}, x) for s in range(draws.num_samples)]
    return np.stack(pieces)


def drawn_weights(draws: Draws, index: int) -> dict[str, Array]:
    r"""The weights of one draw with noise on every weight, (in, out) by name; masks are folded into them.

    $$ w_{ij} = m_i\, (\mu_{ij} + \sigma_{ij} \epsilon_{ij}), \qquad \epsilon \sim \mathcal{N}(0, 1),
       \qquad m_i = 1 \text{ without masks} $$
    """
    assert draws.weight_std is not None and draws.weight_seeds is not None
    rng = np.random.Generator(np.random.SFC64(int(draws.weight_seeds[index])))
    order = sorted(draws.params, key=lambda name: (name.startswith("bias"), name))  # a file's order may be another
    drawn = {
        name: draws.params[name] + draws.weight_std[name] * rng.standard_normal(draws.params[name].shape, np.float32)
        for name in order
    }
    masks = [] if draws.input_mask is None else [(0, draws.input_mask)]
    for layer, mask in masks + list(enumerate(draws.masks, 1)):
        drawn[f"weight{layer}"] *= mask[index][:, None]
    return drawn


def _forward(network: MLP, params: Any, x: Array) -> Array:
    """The plain forward pass of one network, (N, D) -> (N, K)."""
    act, h = activation(network.activation), x
    for layer in range(network.num_layers):
        h = h @ params[f"weight{layer}"] + params[f"bias{layer}"]
        if layer < network.num_layers - 1:
            h = act(h)
    return h


def _evaluate_masked(network: MLP, draws: Draws, x: Array) -> Array:
    masked = _MaskedNetwork(network, draws, x)
    width = max(network.hidden, default=1)
    chunk = int(np.clip(CHUNK_NUMBERS // (width * len(x)), 1, MAX_CHUNK_DRAWS))
    pieces = [range(start, min(start + chunk, draws.num_samples)) for start in range(0, draws.num_samples, chunk)]
    if draws.num_samples * width * len(x) < THREADED_NUMBERS or num_cores() == 1:
        draw_here(lambda: [masked.run(piece) for piece in pieces])
    else:
        map_drawing(masked.run, pieces)
    return masked.outputs


class _MaskedNetwork:
    """One network with S mask sets. Arrays are (units, N): the units of several draws stack as rows.

    ``_masks[i]`` (S, units) multiplies the input of layer i, ``_first`` is the first layer with a masked input, and
    ``_shared`` that input before its mask.
    """

    def __init__(self, network: MLP, draws: Draws, x: Array) -> None:
        self._act, self._last = activation(network.activation), network.num_layers - 1
        self._weights = [np.ascontiguousarray(draws.params[f"weight{i}"].T) for i in range(network.num_layers)]
        self._biases = [draws.params[f"bias{i}"].T for i in range(network.num_layers)]
        if draws.input_mask is None:
            self._first, self._shared = 1, self._act(self._weights[0] @ x.T + self._biases[0])
        else:
            self._first, self._shared = 0, np.ascontiguousarray(x.T)
        self._masks = [draws.input_mask if draws.input_mask is not None else np.empty(0), *draws.masks]
        self._kept = [mask != 0 for mask in self._masks]
        self.outputs = np.empty((draws.num_samples, len(x), network.sizes[-1]), np.float32)

    def run(self, draws: range) -> None:
        """Fill the outputs of some draws: several draws with one product, one draw with its kept units only."""
        if len(draws) == 1 or self._first == self._last:
            for s in draws:
                units = self._kept[self._first][s].nonzero()[0]
                self._finish(s, self._shared.take(units, 0), units, self._first)
            return
        hidden, kept = self._first_masked_layer(draws)
        start = 0
        for s in draws:
            units = kept[s - draws.start].nonzero()[0]
            self._finish(s, hidden[start : start + len(units)], units, self._first + 1)
            start += len(units)

    def _first_masked_layer(self, draws: range) -> tuple[Array, Array]:
        """Kept units behind the first masked input, all these draws' rows in one product."""
        layer, piece = self._first, slice(draws.start, draws.stop)
        masks, kept = self._masks[layer][piece], self._kept[layer + 1][piece]
        folded = (masks[:, None, :] * self._weights[layer])[kept]
        hidden = folded @ self._shared
        hidden += self._biases[layer][kept.nonzero()[1]]
        return self._act(hidden), kept

    def _finish(self, s: int, hidden: Array, units: Array, first: int) -> None:
        """From the input of layer ``first``, of which these units are kept, to the outputs."""
        for layer in range(first, self._last):
            kept = self._kept[layer + 1][s].nonzero()[0]
            weight = self._weights[layer].take(kept, 0).take(units, 1) * self._masks[layer][s].take(units)
            hidden = weight @ hidden
            hidden += self._biases[layer].take(kept, 0)
            hidden, units = self._act(hidden), kept
        self._write(s, hidden, units)

    def _write(self, s: int, hidden: Array, units: Array) -> None:
        weight = self._weights[-1].take(units, 1) * self._masks[-1][s].take(units)
        np.matmul(weight, hidden, out=self.outputs[s].T)
        self.outputs[s] += self._biases[-1].T


def functions_one_by_one(network: MLP, draws: Draws, x: Array) -> Array:
    """The simple version of `evaluate` for masks, for tests: one draw at a time, all units. (S, N, K)"""
    act = activation(network.activation)
    outputs = []
    for s in range(draws.num_samples):
        h = x if draws.input_mask is None else x * draws.input_mask[s]
        for layer in range(network.num_layers):
            h = h @ draws.params[f"weight{layer}"] + draws.params[f"bias{layer}"]
            if layer < network.num_layers - 1:
                h = act(h) * draws.masks[layer][s]
        outputs.append(h)
    return np.stack(outputs)


def dropout_masks(
    rng: np.random.Generator, widths: Sequence[int], dropout_rate: float, num_samples: int
) -> tuple[Array, ...]:
    """One mask set per draw, (S, H) for each hidden layer, divided by the keep probability.

    The same generator state gives the same words at every rate, so that a slider changes only the rate, not the random
    numbers. Thresholds have 16 bits as in training.
    """
    threshold = round(dropout_rate * 65536)
    per_draw = -(-sum(widths) // 4)  # whole 64-bit words, so that the first draws do not depend on the number of draws
    words = random_words(rng, per_draw * num_samples).view(np.uint16).reshape(num_samples, -1)
    words = words[:, : sum(widths)]
    scale = np.float32(65536 / (65536 - threshold))
    return tuple(np.split((words >= threshold) * scale, np.cumsum(widths)[:-1], axis=1))
