"""Counting, pruning and function draws for methods whose weights share a scale for every unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bdlviz.types import Array, Draws

LOG_STD = "log_std_"  # before the name of what it belongs to
Scores = Mapping[
    str, Array
]  # of every unit, (in,) by the names of the weights that leave it; above a threshold it leaves


class Moments(NamedTuple):
    """Mean and variance of the scales of one layer's input, (in,) each."""

    mean: Array
    variance: Array


MomentsOf = Callable[[Mapping[str, Array], int], Moments]


@dataclass(frozen=True)
class UnitPruner:
    """How a method removes units; its parameters are those of one cell.

    ``log_alphas`` is the noise of every unit for its size, ``moments`` of every scale of a layer's input; above
    ``threshold`` a unit usually leaves.
    """

    log_alphas: Callable[[Mapping[str, Array]], dict[str, Array]]
    moments: MomentsOf
    threshold: float

    def pruned(self, params: Mapping[str, Array], threshold: float) -> dict[str, Array]:
        """The mean weights (in, out), with 0 for all that leave a unit above the threshold, and the biases."""
        return pruned(params, self.log_alphas(params), self.moments, threshold)

    def variances(self, params: Mapping[str, Array]) -> dict[str, Array]:
        """The posterior variance of every weight z w, (in, out) by name; see `variance`."""
        return variances(params, self.moments)

    def unit_counts(self, params: Mapping[str, Array], threshold: float) -> list[tuple[int, int]]:
        """Units that are left, and units there are, of the inputs and of every hidden layer."""
        return unit_counts(self.log_alphas(params), threshold)

    def sparsity(self, params: Mapping[str, Array], threshold: float) -> dict[str, float]:
        """The share of weights that leave with a unit at either end, 0 to 1, by the names of the layers' weights."""
        return sparsity(params, self.log_alphas(params), threshold)

    def compression(self, params: Mapping[str, Array], threshold: float) -> float:
        """How many weights there are for every one that is left, as the literature counts it; infinite at none."""
        return compression(params, self.log_alphas(params), threshold)


def layers_of(params: Mapping[str, Array]) -> range:
    """The layers that parameters belong to."""
    return range(sum(name.startswith("weight") for name in params))


def alive(scores: Scores, threshold: float) -> list[Array]:
    """Which units of each layer's input are left, (in,)."""
    return [score <= threshold for score in scores.values()]


def unit_counts(scores: Scores, threshold: float) -> list[tuple[int, int]]:
    """Units that are left, and units there are, of each layer's input."""
    return [(int(each.sum()), each.size) for each in alive(scores, threshold)]


def pruned(params: Mapping[str, Array], scores: Scores, moments: MomentsOf, threshold: float) -> dict[str, Array]:
    """The mean weights E[z] theta with 0 for all that leave a dead unit, and the biases as they are."""
    found = {}
    for layer, kept in enumerate(alive(scores, threshold)):
        scale = np.where(kept, moments(params, layer).mean, 0).astype(np.float32)
        found[f"weight{layer}"] = scale[:, None] * params[f"weight{layer}"]
    return found | {name: array for name, array in params.items() if name.startswith("bias")}


def variance(scale: Moments, mean: Array, std: Array) -> Array:
    r"""Variance of the weights that leave some units, (in, out), for independent scales and weights.

    Source: Louizos, Ullrich & Welling 2017, appendix.

    $$ \operatorname{Var}[z_i \tilde w_{ij}] = \operatorname{Var}[z_i] (\theta_{ij}^2 + \sigma_{ij}^2)
       + \mathbb{E}[z_i]^2 \sigma_{ij}^2 $$
    """
    return scale.variance[:, None] * (mean**2 + std**2) + (scale.mean**2)[:, None] * std**2


def variances(params: Mapping[str, Array], moments: MomentsOf) -> dict[str, Array]:
    """`variance` of all weights, (in, out) by name."""
    names = {layer: f"weight{layer}" for layer in layers_of(params)}
    return {
        name: variance(moments(params, layer), params[name], np.exp(params[LOG_STD + name]))
        for layer, name in names.items()
    }


def log_alphas(params: Mapping[str, Array], moments: MomentsOf) -> dict[str, Array]:
    r"""The noise of a unit's least noisy weight for its size, (in,) by the names of the weights that leave the units.

    A unit is needed where one of its weights is. It does not change when a layer's scales grow and its weights shrink.

    $$ \log \alpha_i = \min_j \log
       \frac{\operatorname{Var}[z_i \tilde w_{ij}]}{\mathbb{E}[z_i \tilde w_{ij}]^2} $$
    """
    found = {}
    for layer, (name, noise) in enumerate(variances(params, moments).items()):
        signal = np.square(moments(params, layer).mean[:, None] * params[name])
        with np.errstate(divide="ignore"):  # a weight that is exactly 0 bears any noise
            found[name] = (np.log(noise) - np.log(signal)).min(1)
    return found


def left(params: Mapping[str, Array], scores: Scores, threshold: float) -> dict[str, int]:
    """How many weights join two units that are both left, by the names of the layers' weights."""
    counts = [int(each.sum()) for each in alive(scores, threshold)] + [params[f"bias{len(scores) - 1}"].shape[-1]]
    return {name: counts[layer] * counts[layer + 1] for layer, name in enumerate(scores)}


def sparsity(params: Mapping[str, Array], scores: Scores, threshold: float) -> dict[str, float]:
    """The share of weights that are not `left`, by the names of the layers' weights."""
    return {name: 1 - count / params[name].size for name, count in left(params, scores, threshold).items()}


def compression(params: Mapping[str, Array], scores: Scores, threshold: float) -> float:
    """How many weights there are for every one that is `left`; infinite where none is."""
    remaining = sum(left(params, scores, threshold).values())
    return sum(params[name].size for name in scores) / remaining if remaining else float("inf")


def draws(
    params: Mapping[str, Array],
    mean: Mapping[str, Array],
    moments: MomentsOf,
    relative: Callable[[int, Array], Array],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """Scales and weights of S draws. A draw has the scales of its own seed, so that few draws are the first of many.

    ``mean`` are the pruned mean weights; ``relative`` makes scales over their mean, (S, in), of a layer and standard
    normal noise.
    """
    seeds = rng.integers(2**63, size=num_samples)
    layers = layers_of(params)
    widths = [len(params[f"weight{layer}"]) for layer in layers]
    noise = np.stack([_generator(seed).standard_normal(sum(widths), np.float32) for seed in seeds])
    pieces = np.split(noise, np.cumsum(widths)[:-1], axis=1)
    input_mask, *masks = (relative(layer, piece).astype(np.float32) for layer, piece in enumerate(pieces))
    std = {name: np.zeros_like(array) for name, array in mean.items()}
    for layer in layers:
        name = f"weight{layer}"
        is_left = (mean[name] != 0).any(1, keepdims=True)
        scale = np.abs(moments(params, layer).mean)[:, None] * is_left
        std[name] = (scale * np.exp(params[LOG_STD + name])).astype(np.float32)
    return Draws(mean, tuple(masks), num_samples, input_mask, std, seeds)


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64([int(seed), *b"scales"]))
