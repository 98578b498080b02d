"""What is left of the network: its units before and after pruning, and the bits of its weights."""

from __future__ import annotations

import numpy as np

from bdlviz.methods import group_scales, prunable
from bdlviz.predictive import compression
from bdlviz.topics.shared import seeds, study_seeds
from bdlviz.topics.weights.compression import figures
from bdlviz.topics.weights.compression.network import Network, call_of, digits_config
from bdlviz.topics.weights.sparsity.study import PLACES
from bdlviz.ui.model import Figure, Numbers, Part, Result, Screen, Setting, Words


def network(_: Setting, screen: Screen, found: Network) -> Result:
    """The layers as blocks of units; removed units are faint."""
    fig = figures.architecture(
        found.alive,
        found.layer_names,
        found.weights_left,
        image_shape=found.shape,
        theme=screen.theme,
        stacked=screen.is_narrow,
        height=screen.by_width(440, 700),
    )
    before, after = found.accuracies.whole, found.accuracies.pruned
    left = f"<b>{found.num_left:,} of {found.num_weights:,}</b> weights left"
    fig = figures.with_heading(
        fig, f"{left}{screen.by_width(' · ', '<br>')}held-out accuracy <b>{_percent(after)}</b>", screen.theme
    )
    alt = figures.describe_architecture(found.alive, found.layer_names)
    parts: list[Part] = [Figure("architecture", fig, alt), Words(_verdict(found)), *_other_seeds(found)]
    values = Numbers(
        [
            ("Weights left", f"{found.num_left:,}", f"Of {found.num_weights:,}, at log α ≤ {found.threshold:.3g}."),
            ("Compression", _times(found.num_weights, found.num_left), "All weights, divided by the weights left."),
            ("Accuracy before", _percent(before), _held_out(found)),
            ("Accuracy after", _percent(after), _held_out(found)),
        ]
    )
    return Result(
        [*parts, values],
        (group_scales.log_alphas, group_scales.variance),
        (group_scales.pruned, compression.living_units, compression.compact),
        call_of(found, "alive = compression.living_units(pruned)  # bool, (units,) of every layer"),
    )


def _verdict(found: Network) -> str:
    """What the pruned network still uses, in a sentence."""
    reads, hidden = int(found.alive[0].sum()), [int(units.sum()) for units in found.alive[1:-1]]
    if reads == 0:
        return (
            "**No pixel is connected any more.** Only the biases are left, so every image is classified as "
            f"{found.only_answer}."
        )
    if found.threshold == np.inf:
        return "**Nothing is pruned.** This is the trained network with its mean weights."
    told = ", ".join(f"{count} of {size}" for count, size in zip(hidden, found.sizes[1:-1], strict=True))
    is_group = "group" in found.method
    what = "Whole units are removed" if is_group else "Single weights are removed, and units that have none left"
    return f"**{what}.** The remaining network has {reads} of {found.sizes[0]} pixels and {told} hidden units."


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


def _times(whole: int, left: int) -> str:
    return f"{whole / left:.1f}×" if left else "∞"


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
    without, with_bits = compression.compression_rates(found.pruned, precisions)
    all_pruned: list[Part] = [] if found.num_left else [Words("Everything is pruned, so there is no weight to round.")]
    values = Numbers(
        [
            ("Bits per weight, by layer", by_layer, "An ordinary network uses 32 bits per weight."),
            (
                "Smaller, 32 bits",
                f"{without:.1f}×",
                "All weights, divided by those between remaining units.",
            ),
            ("Smaller, fewer bits", f"{with_bits:.1f}×", "The same ratio in bits. Biases and indices are not counted."),
            ("Accuracy, rounded", _percent(after), f"{_percent(full)} before. {_held_out(found)}"),
        ]
    )
    told = Words(f"Bits of the weights of each layer, as sign + exponent + places: {split}.")
    return Result(
        [*all_pruned, Figure("rounding", fig, alt), told, values],
        (
            compression.significand_bits,
            compression.exponent_bits,
            compression.rounded,
            compression.compression_rates,
        ),
        (compression.precisions, compression.rounded, group_scales.variances),
        call_of(
            found,
            "found = compression.precisions(pruned, prunable.pruner(method).variances(params))",
            "small = compression.rounded(pruned, {name: each.significand for name, each in found.items()})",
            "rates = compression.compression_rates(pruned, found)  # without and with fewer bits",
        ),
    )
