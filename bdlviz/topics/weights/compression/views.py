"""What is left of the network: its units before and after pruning, and the bits of its weights."""

from __future__ import annotations

import math

import numpy as np

from bdlviz.digits import factor, number, percent
from bdlviz.methods import group_scales, prunable, sparse_variational_dropout
from bdlviz.predictive import compression
from bdlviz.topics.shared import seeds, study_seeds
from bdlviz.topics.weights.compression import figures
from bdlviz.topics.weights.compression.controls import ALL, NOTHING, SHIFT
from bdlviz.topics.weights.compression.network import Network, call_of, digits_config
from bdlviz.topics.weights.sparsity.study import PLACES
from bdlviz.ui.model import Figure, Formula, Numbers, Part, Result, Says, Screen, Setting, Words

UNIT_NOISE = Formula(
    group_scales.log_alphas,
    "How noisy the scale of a unit is, relative to its size. Units above the threshold are removed.",
)
UNIT_VARIANCE = Formula(
    group_scales.variance,
    "The variance of a weight: that of its unit's scale, and its own.",
    {"z_i": "scale of unit i", r"\theta_{ij}, \sigma_{ij}": "mean and standard deviation of the weight before scaling"},
)
WEIGHT_NOISE = Formula(
    sparse_variational_dropout.log_alphas,
    "How noisy a weight is, relative to its size. Weights above the threshold are removed.",
    {r"\theta, \sigma": "mean and standard deviation of the weight"},
)
PLACES_NEEDED = Formula(
    compression.significand_bits,
    "Binary places that are not lost in the noise of the weights, on average over a layer.",
    {r"\sigma_j^2": "posterior variance of weight j", "t": "places after the point"},
)
EXPONENT = Formula(
    compression.exponent_bits, "Bits for the size of the largest weight.", {r"|w|_{\max}": "that weight, without sign"}
)
RATES = Formula(
    compression.compression_rates,
    "How many times smaller the network is, without dead units and with fewer bits besides.",
    {"n_l": "weights of layer l", "m_l": "weights between units that are left", "b_l": "bits of each of them"},
)


def network(setting: Setting, screen: Screen, found: Network) -> Result:
    """The layers as blocks of units; removed units are faint."""
    before, after = found.accuracies.whole, found.accuracies.pruned
    fig = figures.architecture(
        found.alive,
        found.layer_names,
        found.weights_left,
        _in_all(found),
        (before, after),
        image_shape=found.shape,
        theme=screen.theme,
        stacked=screen.is_narrow,
        height=screen.by_width(440, 700),
    )
    alt = figures.describe_architecture(found.alive, found.layer_names)
    pixels, *hidden = (f"{int(units.sum())} of {len(units)}" for units in found.alive[:-1])
    parts: list[Part] = [
        Says(_what_is_left(setting, found)),
        Figure("architecture", fig, alt),
        Words(f"The remaining network has {pixels} pixels and {', '.join(hidden)} hidden units."),
        *_other_seeds(found),
    ]
    values = Numbers(
        [
            ("Weights left", f"{found.num_left:,}", f"Of {found.num_weights:,}, at log α ≤ {found.threshold:.3g}."),
            (
                "Compression",
                times(found.ratio),
                "All weights, divided by the weights left.",
            ),
            ("Accuracy before", _percent(before), _held_out(found)),
            ("Accuracy after", _percent(after), _held_out(found)),
        ]
    )
    return Result(
        [*parts, values],
        (UNIT_NOISE, UNIT_VARIANCE) if "group" in found.method else (WEIGHT_NOISE,),
        (group_scales.pruned, compression.living_units, compression.compact),
        call_of(found, "alive = compression.living_units(pruned)  # bool, (units,) of every layer"),
    )


def _in_all(found: Network) -> str:
    """How many weights are left in all, as a title of the picture."""
    share = percent(found.num_left / found.num_weights)
    return f"{found.num_left:,} of {found.num_weights:,} weights left ({share})"


def _what_is_left(setting: Setting, found: Network) -> str:
    """The share of the weights that is left at the chosen limit, and what it costs."""
    before, after = percent(found.accuracies.whole), percent(found.accuracies.pruned)
    removed = {ALL: "All units are", NOTHING: "Nothing is"}.get(setting[SHIFT])
    what, limit = "units" if "group" in found.method else "weights", percent(math.exp(found.threshold / 2))
    removed = removed or f"At {SHIFT.name(setting[SHIFT])}, {what} with noise over {limit} of their size are"
    share = percent(found.num_left / found.num_weights)
    left = f"{share} of weights are left" if found.num_left else f"every answer is {found.only_answer}"
    return f"{removed} removed: {left}, {after} of digits are right (all weights: {before})."


def _other_seeds(found: Network) -> list[Part]:
    """How far what is left of the shipped network on 8x8 digits depends on the training seed."""
    is_usual = found.images == "digits" and found.threshold == prunable.pruner(found.method).threshold
    if not (is_usual and found.is_done and found.fit.config == digits_config(found.method)):
        return []
    arrays = seeds.study(study_seeds.WEIGHTS)
    if not arrays:
        return seeds.problem(study_seeds.WEIGHTS)
    left, units = arrays[f"{found.method}_left"], arrays[f"{found.method}_units"]
    pixels, *hidden = (seeds.told(units[:, layer]) for layer in range(units.shape[1] - 1))
    told = f"{seeds.told(left)} weights, {pixels} pixels and {' and '.join(hidden)} hidden units are left"
    return [Words(seeds.sentence(len(left), told))]


def times(ratio: float) -> str:
    """A compression as text: ×21.5; ∞ where nothing is left."""
    return factor(ratio, 3) if np.isfinite(ratio) else "∞"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _held_out(found: Network) -> str:
    return f"One pass with the mean weights over {found.accuracies.num_images:,} held-out images."


# Bits -----------------------------------------------------------------------------------------------------------------


def bits(_: Setting, screen: Screen, found: Network) -> Result:
    """Accuracy against the bits of the weights, and the bits that the posterior variances ask for."""
    names, precisions = compression.weight_names(found.pruned), found.precisions
    full, after = found.accuracies.pruned, found.accuracies.rounded
    fig = figures.rounding(
        PLACES,
        found.accuracies.by_places,
        by_layer=[precisions[name].significand for name in names],
        after=after,
        full=full,
        theme=screen.theme,
    )
    by_layer = "-".join(str(precisions[name].bits) for name in names)
    alt = f"Accuracy {100 * full:.1f} % with 32 bits, {100 * after:.1f} % with {by_layer} bits in the layers."
    split = ", ".join(f"1 + {precisions[name].exponent} + {precisions[name].significand}" for name in names)
    without, with_bits = found.rates
    values = Numbers(
        [
            ("Bits per weight, by layer", by_layer, "An ordinary network uses 32 bits per weight."),
            (
                "Smaller, 32 bits",
                times(without),
                "All weights, divided by those between remaining units.",
            ),
            ("Smaller, fewer bits", times(with_bits), "The same ratio in bits. Biases and indices are not counted."),
            ("Accuracy, rounded", _percent(after), f"{_percent(full)} before. {_held_out(found)}"),
        ]
    )
    told = Words(f"Bits of the weights of each layer, as sign + exponent + places: {split}.")
    return Result(
        [Says(_with_few_bits(found)), Figure("rounding", fig, alt), told, values],
        (PLACES_NEEDED, EXPONENT, RATES),
        (compression.precisions, compression.rounded, group_scales.variances),
        call_of(
            found,
            "found = compression.precisions(pruned, prunable.pruner(method).variances(params))",
            "small = compression.rounded(pruned, {name: each.significand for name, each in found.items()})",
            "rates = compression.compression_rates(pruned, found)  # without and with fewer bits",
        ),
    )


def _with_few_bits(found: Network) -> str:
    """What rounding to the bits that the variances ask for does to the accuracy and to the size."""
    if not found.num_left:
        return "Every weight is removed, so there is none to round."
    *some, last = (str(found.precisions[name].bits) for name in found.kept)
    full, after = percent(found.accuracies.pruned), percent(found.accuracies.rounded)
    return (
        f"With {', '.join(some)} and {last} bits for the layers accuracy is {after}, with 32 bits {full}; the network "
        f"is {number(found.rates[1], 2)} times smaller."
    )
