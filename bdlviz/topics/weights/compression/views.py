"""What is left of the network: its units before and after, and the bits of its weights."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz.methods import group_scales, prunable
from bdlviz.predictive import compression
from bdlviz.topics.shared import repeats, repeats_study
from bdlviz.topics.weights.compression import figures, views_runs
from bdlviz.topics.weights.compression.views_runs import Source
from bdlviz.topics.weights.sparsity.study import PLACES
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow


def show_network() -> Shown | None:
    """The layers as blocks of units, dead ones faint."""
    source = views_runs.show(_draw_network)
    if source is None:
        return None
    return Shown(
        (group_scales.log_alphas, group_scales.variance),
        (group_scales.pruned, compression.living_units, compression.compact),
        views_runs.snippet(source, "alive = compression.living_units(pruned)  # bool, (units,) of every layer"),
    )


def _draw_network(source: Source) -> None:
    stacked = is_narrow()
    fig = figures.architecture(
        source.alive,
        source.layer_names,
        source.weights_left,
        image_shape=views_runs.shape_of(source),
        theme=present_theme(),
        stacked=stacked,
        height=700 if stacked else 440 if source.images == "mnist" else 340,
    )
    told = figures.describe_architecture(source.alive, source.layer_names)
    figure(fig, key="architecture", alt=told)
    st.caption(_verdict(source))
    _say_other_seeds(source)
    before, after = source.accuracies.whole, source.accuracies.pruned
    numbers(
        [
            ("Weights left", f"{source.num_left:,}", f"Of {source.num_weights:,}, at log α ≤ {source.threshold:.3g}."),
            ("Weights for each left", _times(source.num_weights, source.num_left), "As the literature counts it."),
            ("Accuracy before", f"{before:.1%}", _held_out(source)),
            ("Accuracy after", f"{after:.1%}", _held_out(source)),
        ]
    )


def _verdict(source: Source) -> str:
    """What the pruned network does, in a sentence."""
    reads, hidden = int(source.alive[0].sum()), [int(units.sum()) for units in source.alive[1:-1]]
    if reads == 0:
        return (
            "**No pixel is read any more:** only the biases are left, and every image gets the same answer: "
            f"“{source.only_answer}”."
        )
    if source.threshold == np.inf:
        return "**Nothing is pruned:** this is the network of mean weights as it was trained."
    told = ", ".join(f"{count} of {size}" for count, size in zip(hidden, source.sizes[1:-1], strict=True))
    group = "Whole units leave" if "group" in source.method else "Single weights leave, units where none is left"
    return f"**{group}:** what remains reads {reads} of {source.sizes[0]} pixels and has {told} hidden units."


def _say_other_seeds(source: Source) -> None:
    """How far what is left of the shipped network on 8x8 digits depends on the training seed."""
    is_usual = source.threshold == prunable.pruner(source.method).threshold
    if not (is_usual and source.is_done and source.fit.config == views_runs.digits_config(source.method)):
        return
    found = repeats.study(repeats_study.WEIGHTS)
    if found:
        left, units = found[f"{source.method}_left"], found[f"{source.method}_units"]
        pixels, *hidden = (repeats.told(units[:, layer]) for layer in range(units.shape[1] - 1))
        repeats.say(
            len(left), f"{repeats.told(left)} weights, {pixels} pixels and {' and '.join(hidden)} hidden units are left"
        )


def _times(whole: int, left: int) -> str:
    return f"{whole / left:.1f}×" if left else "∞"


def _held_out(source: Source) -> str:
    return f"One pass with the mean weights over {source.accuracies.num_images:,} held-out images."


# Bits -----------------------------------------------------------------------------------------------------------------


def show_bits() -> Shown | None:
    """Accuracy against the bits of the weights, and the bits that the posterior asks for."""
    source = views_runs.show(_draw_bits)
    if source is None:
        return None
    lines = (
        "found = compression.precisions(pruned, prunable.pruner(method).variances(params))",
        "small = compression.rounded(pruned, {name: each.significand for name, each in found.items()})",
        "rates = compression.compression_rates(pruned, found)  # without and with fewer bits",
    )
    return Shown(
        (
            compression.significand_bits,
            compression.exponent_bits,
            compression.rounded,
            compression.compression_rates,
        ),
        (compression.precisions, compression.rounded, group_scales.variances),
        views_runs.snippet(source, *lines),
    )


def _draw_bits(source: Source) -> None:
    names, found = compression.weight_names(source.pruned), source.precisions
    if not source.num_left:
        st.caption("Everything is pruned: there is no weight to round.")
    places = [found[name].significand for name in names]
    full, after = source.accuracies.pruned, source.accuracies.rounded
    fig = figures.rounding(
        PLACES, source.accuracies.by_places, by_layer=places, after=after, full=full, theme=present_theme()
    )
    bits = "-".join(str(found[name].bits) for name in names)
    alt = f"Accuracy {full:.1%} with 32 bits, {after:.1%} with {bits} bits in the layers."
    figure(fig, key="rounding", alt=alt)
    spread = ", ".join(_split(found[name]) for name in names)
    st.caption(f"Bits of the weights of each layer, as sign + exponent + places: {spread}.")
    without, with_bits = compression.compression_rates(source.pruned, found)
    numbers(
        [
            ("Bits per weight, by layer", bits, "32 in an ordinary network."),
            ("Smaller, 32 bits", f"{without:.1f}×", "All weights over those between living units, 32 bits."),
            ("Smaller, fewer bits", f"{with_bits:.1f}×", "The same in bits. Biases and indices are not counted."),
            ("Accuracy, rounded", f"{after:.1%}", f"{full:.1%} before. {_held_out(source)}"),
        ]
    )


def _split(precision: compression.Precision) -> str:
    return f"1 + {precision.exponent} + {precision.significand}"
