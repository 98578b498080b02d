"""Compression of a network: bits of its weights, a smaller network without dead units, and its speed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models.activations import activation
from bdlviz.models.mlp import MLP
from bdlviz.types import Array

MAX_SIGNIFICAND = 23  # bits of a float32
FULL_BITS = 32
MAX_INPUTS = 1_000_000
FORMAT = 1
HEADER = "bdlviz_compact"


def weight_names(params: Mapping[str, Array]) -> list[str]:
    """The names of the weights, first layer first."""
    return [f"weight{layer}" for layer in range(sum(name.startswith("weight") for name in params))]


# Bits -----------------------------------------------------------------------------------------------------------------


def significand_bits(variance: Array) -> int:
    r"""Binary places after the point that weights need, from their posterior variances; 0 without weights.

    A rounding step below twice a weight's variance is lost in its noise (for a variance below 1/2 this is finer than
    the standard deviation). The places of single weights are averaged over a layer and rounded up. Source:
    Louizos, Ullrich & Welling 2017, section 4, as the published code of its second author computes it.

    $$ t = \left\lceil \frac1n \sum_j t_j \right\rceil, \qquad
       t_j = \max \{ t \in 0, \dots, 23 : 2^{-t} > 2 \sigma_j^2 \} $$
    """
    if not variance.size:
        return 0
    steps = 2.0 ** -np.arange(1, MAX_SIGNIFICAND + 1)
    finer = (2 * np.asarray(variance, float).reshape(-1, 1) < steps).sum(1)
    return int(np.ceil(finer.mean()))


def exponent_bits(largest: float) -> int:
    r"""Bits before the point, for weights up to this size; at least 1.

    $$ \left\lceil \log_2(\log_2(1 + |w|_{\max}) + 1) + 1 \right\rceil $$
    """
    return max(1, int(np.ceil(np.log2(np.log2(1 + largest) + 1) + 1)))


@dataclass(frozen=True)
class Precision:
    """Bits of every weight of a layer: a sign, an exponent, and the places after the binary point."""

    exponent: int
    significand: int

    @property
    def bits(self) -> int:
        """Their sum."""
        return 1 + self.exponent + self.significand


def precisions(pruned: Mapping[str, Array], variances: Mapping[str, Array]) -> dict[str, Precision]:
    """The bits of every layer's weights that are not 0, from their sizes and posterior variances, (in, out) by name."""
    found = {}
    for name in weight_names(pruned):
        kept = pruned[name] != 0
        largest = float(np.abs(pruned[name]).max(initial=0))
        found[name] = Precision(exponent_bits(largest), significand_bits(variances[name][kept]))
    return found


def rounded(pruned: Mapping[str, Array], significands: Mapping[str, int]) -> dict[str, Array]:
    r"""The parameters with every weight rounded to so many binary places by its layer; biases are unchanged.

    $$ \hat w = 2^{-t} \left\lfloor 2^{t} w + \tfrac12 \right\rfloor $$
    """
    found = dict(pruned)
    for name, places in significands.items():
        step = np.float32(2.0**-places)
        found[name] = np.floor(pruned[name] / step + np.float32(0.5)) * step
    return found


def compression_rates(pruned: Mapping[str, Array], found: Mapping[str, Precision]) -> tuple[float, float]:
    r"""Compression factors: without dead units, and with fewer bits in addition; biases are not counted.

    All weights between two active units count, also zeros, since their positions are not stored.

    $$ \frac{\sum_l n_l}{\sum_l m_l}, \qquad \frac{32 \sum_l n_l}{\sum_l m_l\, b_l} $$
    """
    names, counts = weight_names(pruned), [int(units.sum()) for units in living_units(pruned)]
    sizes = [before * after for before, after in pairwise(counts)]
    full = sum(pruned[name].size for name in names)
    bits = sum(size * found[name].bits for size, name in zip(sizes, names, strict=True))
    return (full / sum(sizes), FULL_BITS * full / bits) if sum(sizes) else (float("inf"), float("inf"))


# The network without dead units ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CompactNetwork:
    """A dense network without dead units.

    ``kept_inputs`` are the columns of x that it reads, ``params`` are ``weight0`` (in, out), ``bias0`` (1, out), ...
    A layer may have no units; then the outputs depend only on the biases behind it. ``source`` names the origin.
    """

    params: Mapping[str, Array]
    kept_inputs: Array
    num_inputs: int
    activation: str
    source: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Units of every layer, from inputs to outputs."""
        names = weight_names(self.params)
        return (len(self.kept_inputs), *(self.params[name].shape[1] for name in names))

    @property
    def num_weights(self) -> int:
        """Number of remaining weights, without biases."""
        return sum(self.params[name].size for name in weight_names(self.params))

    def outputs(self, x: Array) -> Array:
        """Outputs (N, K) at x (N, D), with all inputs, standardised as for the original network."""
        if x.shape[1] != self.num_inputs:
            raise InvalidInput(f"This network was made for {self.num_inputs} inputs, not {x.shape[1]}.")
        return dense_outputs(self.params, self.activation, np.asarray(x, np.float32)[:, self.kept_inputs])


def compact(network: MLP, pruned: Mapping[str, Array], source: Mapping[str, Any] | None = None) -> CompactNetwork:
    """The same function with smaller matrices: dead units and inputs left out.

    A hidden unit without incoming weights is constant and is moved into the next biases. A unit or an input without
    outgoing weights is removed. This works for any method whose ``pruned`` returns parameters (in, out) with zeros.
    """
    params = _without_constants(network, {name: np.asarray(array, np.float32) for name, array in pruned.items()})
    alive = living_units(params)
    for layer in range(network.num_layers):
        params[f"weight{layer}"] = params[f"weight{layer}"][np.ix_(alive[layer], alive[layer + 1])]
        params[f"bias{layer}"] = params[f"bias{layer}"][:, alive[layer + 1]]
    return CompactNetwork(params, np.flatnonzero(alive[0]), network.sizes[0], network.activation, source or {})


def _without_constants(network: MLP, params: dict[str, Array]) -> dict[str, Array]:
    """Move units without incoming weights into the next biases, layer by layer."""
    act = activation(network.activation)
    for layer in range(network.num_layers - 1):
        reached = (params[f"weight{layer}"] != 0).any(0)
        constant = act(params[f"bias{layer}"][:, ~reached].copy())
        behind = params[f"weight{layer + 1}"]
        params[f"bias{layer + 1}"] = params[f"bias{layer + 1}"] + constant @ behind[~reached]
        params[f"weight{layer + 1}"] = np.where(reached[:, None], behind, np.float32(0))
    return params


def living_units(pruned: Mapping[str, Array]) -> list[Array]:
    """True for the inputs and hidden units that a pruned network needs, and for all outputs: (units,) by layer."""
    names = weight_names(pruned)
    weights = [np.asarray(pruned[name]) != 0 for name in names]
    reached = [np.ones(len(weights[0]), bool)]
    for weight in weights[:-1]:
        reached.append((weight & reached[-1][:, None]).any(0))
    alive = [np.ones(weights[-1].shape[1], bool)]
    for weight, is_reached in zip(reversed(weights), reversed(reached), strict=True):
        alive.insert(0, (weight & alive[0]).any(1) & is_reached)
    return alive


def dense_outputs(params: Mapping[str, Array], act_name: str, x: Array) -> Array:
    """A plain forward pass, (N, in) -> (N, K); layers may be empty."""
    act, names, h = activation(act_name), weight_names(params), x
    for layer, name in enumerate(names):
        h = h @ params[name] + params[f"bias{layer}"]
        if layer < len(names) - 1:
            h = act(h)
    return h


def to_bytes(network: CompactNetwork) -> bytes:
    """A compact network as the bytes of a .safetensors file, with sizes, activation and source as JSON."""
    from safetensors.numpy import save

    header = {
        "format": FORMAT,
        "sizes": network.sizes,
        "activation": network.activation,
        "num_inputs": network.num_inputs,
        "source": network.source,
    }
    arrays = {name: np.ascontiguousarray(array) for name, array in network.params.items()}
    return save(arrays | {"kept_inputs": network.kept_inputs.astype(np.int32)}, metadata={HEADER: json.dumps(header)})


def from_bytes(content: bytes) -> CompactNetwork:
    """Read what `to_bytes` wrote.

    Raises:
        InvalidInput: the bytes are something else, or damaged.
    """
    from safetensors.numpy import load

    try:
        length = int.from_bytes(content[:8], "little")
        header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"][HEADER])
        arrays = load(content)
        found = CompactNetwork(
            {name: array for name, array in arrays.items() if name != "kept_inputs"},
            arrays["kept_inputs"].astype(int),
            int(header["num_inputs"]),
            str(header["activation"]),
            header["source"],
        )
        activation(found.activation)
        is_whole = header["format"] == FORMAT and list(found.sizes) == header["sizes"] and _fits_together(found)
    except Exception:
        is_whole, found = False, None
    if not is_whole or found is None:
        raise InvalidInput("This is no compact network of bdlviz, or it is damaged.")
    return found


def _fits_together(network: CompactNetwork) -> bool:
    """True if the shapes of consecutive layers match, and the first layer reads existing inputs."""
    sizes, kept = network.sizes, network.kept_inputs
    shapes = {f"weight{layer}": (rows, columns) for layer, (rows, columns) in enumerate(pairwise(sizes))}
    shapes |= {f"bias{layer}": (1, columns) for layer, columns in enumerate(sizes[1:])}
    is_float = all(array.dtype.kind == "f" for array in network.params.values())
    are_inputs = (
        network.num_inputs <= MAX_INPUTS and kept.ndim == 1 and bool(((kept >= 0) & (kept < network.num_inputs)).all())
    )
    return is_float and are_inputs and {name: array.shape for name, array in network.params.items()} == shapes


# Speed ----------------------------------------------------------------------------------------------------------------


def forward_passes(network: MLP, dense: Mapping[str, Array], pruned: Mapping[str, Array], x: Array) -> dict[str, Any]:
    """Functions without arguments that compute the outputs at x (N, D) in three ways.

    ``dense`` are the weights before pruning, ``pruned`` the weights with zeros. "original" uses the dense matrices,
    "compact" the matrices without dead units, "sparse" the pruned ones as scipy's CSR matrices.
    """
    from scipy.sparse import csr_array

    small, x = compact(network, pruned), np.ascontiguousarray(x, np.float32)
    names, act = weight_names(pruned), activation(network.activation)
    rows = [csr_array(np.ascontiguousarray(pruned[name].T)) for name in names]
    biases = [np.ascontiguousarray(pruned[f"bias{layer}"].T) for layer in range(len(names))]

    def sparse() -> Array:
        h = x.T
        for layer, (weight, bias) in enumerate(zip(rows, biases, strict=True)):
            h = weight @ h + bias
            if layer < len(names) - 1:
                h = act(h)
        return h.T

    return {
        "original": lambda: dense_outputs(dense, network.activation, x),
        "compact": lambda: small.outputs(x),
        "sparse": sparse,
    }


def timed(
    passes: Mapping[str, Callable[[], Any]], seconds: float = 0.5, clock: Callable[[], float] = time.perf_counter
) -> dict[str, Array]:
    """Seconds of single calls, (rounds,) by name. Every round calls each function once, so load affects all alike."""
    for call in passes.values():
        call()
    taken: dict[str, list[float]] = {name: [] for name in passes}
    end = clock() + seconds
    while clock() < end or len(next(iter(taken.values()))) < 3:
        for name, call in passes.items():
            start = clock()
            call()
            taken[name].append(clock() - start)
    return {name: np.array(times) for name, times in taken.items()}
