r"""Which weights of a network matter: a weight's mean over its standard deviation, and networks without the others.

Blundell, Cornebise, Kavukcuoglu & Wierstra, "Weight uncertainty in neural networks", ICML 2015, section 5.1; Graves,
"Practical variational inference for neural networks", NIPS 2011. Only weights are ranked and removed: biases stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Draws

WEIGHT = "weight"  # how the names of weights begin; biases have another


def signal_to_noise(mean: Mapping[str, Array], std: Mapping[str, Array]) -> dict[str, Array]:
    r"""How far each weight's mean is from zero, in its own standard deviations: (in, out) by the weights' names.

    Source: Graves 2011.

    $$ \operatorname{SNR}_{ij} = \frac{\lvert \mu_{ij} \rvert}{\sigma_{ij}} $$
    """
    return {name: np.abs(mean[name]) / std[name] for name in mean if name.startswith(WEIGHT)}


def magnitude(weights: Mapping[str, Array]) -> dict[str, Array]:
    r"""The size of each weight, whatever its noise: (in, out) by the weights' names.

    $$ \lvert w_{ij} \rvert $$
    """
    return {name: np.abs(values) for name, values in weights.items() if name.startswith(WEIGHT)}


def decibels(ratio: Array) -> Array:
    r"""A ratio of amplitudes in decibels; 0 dB where signal and noise are equal, minus infinity for 0.

    $$ 20 \log_{10} \operatorname{SNR} $$
    """
    with np.errstate(divide="ignore"):
        return 20 * np.log10(ratio)


def power_ratio(ratio: Array) -> Array:
    r"""The signal-to-noise ratio of several weights together, by their mean power: (..., J) -> (...).

    $$ \sqrt{\frac1J \sum_j \operatorname{SNR}_j^2} $$
    """
    return np.sqrt(np.square(ratio).mean(-1))


def kept(scores: Mapping[str, Array], fraction: float) -> dict[str, Array]:
    r"""Which weights stay when a fraction of all weights is removed, the lowest scores of the whole network first.

    True where a weight stays, (in, out) by name. All layers are ranked together; of equal scores the first goes.

    $$ w_{ij} \to 0 \quad\text{where}\quad \operatorname{rank}(s_{ij}) \le \operatorname{round}(f J),
       \qquad J = \text{number of weights} $$

    Raises:
        InvalidInput: the fraction is not between 0 and 1.
    """
    if not 0 <= fraction <= 1:
        raise InvalidInput(f"The fraction of weights to remove must be between 0 and 1, not {fraction:g}.")
    pooled = np.concatenate([values.ravel() for values in scores.values()])
    stays = np.ones(len(pooled), bool)
    stays[np.argsort(pooled, kind="stable")[: round(fraction * len(pooled))]] = False
    ends = np.cumsum([values.size for values in scores.values()])
    pieces = np.split(stays, ends)[:-1]
    return {name: piece.reshape(scores[name].shape) for name, piece in zip(scores, pieces, strict=True)}


def without(values: Mapping[str, Array], stays: Mapping[str, Array]) -> dict[str, Array]:
    """Weights, or their standard deviations, with 0 for those that are removed; arrays without a mask are unchanged."""
    return {name: np.where(stays[name], array, 0) if name in stays else array for name, array in values.items()}


def without_draws(draws: Draws, stays: Mapping[str, Array]) -> Draws:
    """The same draws, in which the removed weights are exactly 0."""
    assert draws.weight_std is not None
    return replace(draws, params=without(draws.params, stays), weight_std=without(draws.weight_std, stays))


def paired_standard_error(is_right: Array, is_right_too: Array) -> float:
    r"""Standard error of the difference between two accuracies on the same N images, from (N,) right or wrong each.

    Only images on which the two disagree count, so it is smaller than that of two separate sets of images.

    $$ \sqrt{\frac{1}{N} \left( \frac1N \sum_n d_n^2 - \bar d^{\,2} \right)}, \qquad d_n = r_n - r'_n $$
    """
    difference = np.asarray(is_right, float) - np.asarray(is_right_too, float)
    return float(difference.std() / len(difference) ** 0.5)
