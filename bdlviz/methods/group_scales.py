"""Counting, pruning and function draws for methods whose weights share a scale for every unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bdlviz.types import Array, Draws

LOG_STD = "log_std_"  # prefix of the names of log standard deviations; the rest is the name of the mean
# A score of every unit, (in,), by the names of the outgoing weights. Units with a score above a threshold are removed.
Scores = Mapping[str, Array]


class Moments(NamedTuple):
    """Mean and variance of the scales of the input units of one layer, (in,) each."""

    mean: Array
    variance: Array


MomentsOf = Callable[[Mapping[str, Array], int], Moments]


@dataclass(frozen=True)
class UnitPruner:
    """Pruning of units in a method; ``params`` are the parameters of one cell.

    ``log_alphas`` returns log alpha of every unit, ``moments`` those of the scales of a layer. ``threshold`` is the
    usual threshold: units with a larger log alpha are removed.
    """

    log_alphas: Callable[[Mapping[str, Array]], dict[str, Array]]
    moments: MomentsOf
    threshold: float

    def pruned(self, params: Mapping[str, Array], threshold: float) -> dict[str, Array]:
        """The mean weights (in, out), with 0 for the outgoing weights of removed units, and the biases."""
        return pruned(params, self.log_alphas(params), self.moments, threshold)

    def variances(self, params: Mapping[str, Array]) -> dict[str, Array]:
        """The posterior variance of every weight z w, (in, out) by name; see `variance`."""
        return variances(params, self.moments)

    def unit_counts(self, params: Mapping[str, Array], threshold: float) -> list[tuple[int, int]]:
        """Units that are left, and all units, of the inputs and of every hidden layer."""
        return unit_counts(self.log_alphas(params), threshold)

    def sparsity(self, params: Mapping[str, Array], threshold: float) -> dict[str, float]:
        """The share of weights that are removed with a unit at either end, 0 to 1, by the names of the weights."""
        return sparsity(params, self.log_alphas(params), threshold)

    def compression(self, params: Mapping[str, Array], threshold: float) -> float:
        """The number of weights divided by the number of those left; infinite if none is left."""
        return compression(params, self.log_alphas(params), threshold)


def layers_of(params: Mapping[str, Array]) -> range:
    """The numbers of the layers of these parameters."""
    return range(sum(name.startswith("weight") for name in params))


def alive(scores: Scores, threshold: float) -> list[Array]:
    """Masks (in,) of the units of each layer's input that are left."""
    return [score <= threshold for score in scores.values()]


def unit_counts(scores: Scores, threshold: float) -> list[tuple[int, int]]:
    """Units that are left, and all units, of each layer's input."""
    return [(int(each.sum()), each.size) for each in alive(scores, threshold)]


def pruned(params: Mapping[str, Array], scores: Scores, moments: MomentsOf, threshold: float) -> dict[str, Array]:
    """The mean weights E[z] theta, with 0 for the outgoing weights of removed units, and the unchanged biases."""
    weights = {}
    for layer, is_left in enumerate(alive(scores, threshold)):
        scale = np.where(is_left, moments(params, layer).mean, 0).astype(np.float32)
        weights[f"weight{layer}"] = scale[:, None] * params[f"weight{layer}"]
    return weights | {name: array for name, array in params.items() if name.startswith("bias")}


def variance(scale: Moments, mean: Array, std: Array) -> Array:
    r"""Variance of the outgoing weights of units, (in, out), for independent scales and weights.

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
    r"""Log alpha of every unit, (in,), by the names of the outgoing weights: the smallest log alpha of these weights.

    The smallest, because a unit is needed if one of its weights is needed. It does not change if the scales of a layer
    are multiplied by a number and its weights are divided by it.

    $$ \log \alpha_i = \min_j \log
       \frac{\operatorname{Var}[z_i \tilde w_{ij}]}{\mathbb{E}[z_i \tilde w_{ij}]^2} $$
    """
    by_name = {}
    for layer, (name, noise) in enumerate(variances(params, moments).items()):
        signal = np.square(moments(params, layer).mean[:, None] * params[name])
        with np.errstate(divide="ignore"):  # log alpha of a weight that is exactly 0 is infinite
            by_name[name] = (np.log(noise) - np.log(signal)).min(1)
    return by_name


def left(params: Mapping[str, Array], scores: Scores, threshold: float) -> dict[str, int]:
    """The number of weights between two units that are both left, by the names of the weights of the layers."""
    counts = [int(each.sum()) for each in alive(scores, threshold)] + [params[f"bias{len(scores) - 1}"].shape[-1]]
    return {name: counts[layer] * counts[layer + 1] for layer, name in enumerate(scores)}


def sparsity(params: Mapping[str, Array], scores: Scores, threshold: float) -> dict[str, float]:
    """The share of weights that are not `left`, by the names of the weights of the layers."""
    return {name: 1 - count / params[name].size for name, count in left(params, scores, threshold).items()}


def compression(params: Mapping[str, Array], scores: Scores, threshold: float) -> float:
    """The number of weights divided by the number of those `left`; infinite if none is left."""
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
    """Scales and weights of S draws. Each draw has its own seed, so that the first draws do not depend on S.

    ``mean`` are the pruned mean weights. ``relative`` returns the scales of a layer divided by their means, (S, in),
    for standard normal noise (S, in).
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
