"""What a page shows of a network that removes its own weights: its pixels, units, noise and training."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.methods import sparse_variational_dropout as sparse
from bdlviz.methods.common import beside
from bdlviz.models import divergences
from bdlviz.predictive.functions import evaluate
from bdlviz.topics.weights.sparsity import figures, figures_pixels
from bdlviz.topics.weights.sparsity.study import EDGES, THRESHOLDS
from bdlviz.topics.weights.sparsity.views_runs import (
    Run,
    percents,
    present_threshold,
    show_numbers,
    shown,
    times,
    with_run,
)
from bdlviz.types import Array, Draws
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import by_width, is_narrow

MOMENT = Control(
    "done",
    "After so much of training",
    tuple(str(percent) for percent in range(0, 101, 5)),
    "100",
    "slider",
    "0: after the first pass over the images.",
    {str(percent): f"{percent} %" for percent in range(0, 101, 5)},
)
UNITS = Control(
    "units",
    "Units",
    ("most", "middle", "none"),
    "most",
    "buttons",
    "Of the first hidden layer, by how many incoming weights are left.",
    {"most": "most left", "middle": "in between", "none": "fewest left"},
)
NUM_UNITS, NARROW_COLUMNS = 12, 3
CONTROLS = (MOMENT, UNITS)
FIRST = "weight0"
SMALLEST = 1e-9  # of |theta|; what half precision keeps as 0 has some place, too


def _finite(run: Run) -> None:
    if not all(np.isfinite(array).all() for array in run.params.values()):
        raise InvalidInput("This network diverged: its weights are no longer finite.")


# Pixels and units -----------------------------------------------------------------------------------------------------


def show_pixels() -> Shown | None:
    """How many weights each pixel has left at one moment of training, and how large they are."""

    def draw(run: Run) -> None:
        _finite(run)
        steps, alive = run.extra["step"], run.extra["alive"]
        at = _moment(run)
        magnitude = np.abs(run.params[FIRST]).mean(1).reshape(run.shape)
        fig = figures_pixels.weights_left(
            alive[at].reshape(run.shape),
            magnitude,
            num_units=run.params[FIRST].shape[1],
            theme=present_theme(),
            stacked=is_narrow(),
        )
        without = int((alive[at] == 0).sum())
        figure(fig, key="weights_left", alt=f"{without} of {alive[at].size} pixels have no weight left.")
        MOMENT.show()
        numbers(
            [
                ("Held-out accuracy", f"{run.extra['accuracy'][at]:.1%}", f"After step {int(steps[at]):,}, pruned."),
                ("Compression", times(run.extra["compression"][at]), "Weights there are for each that is left."),
                (
                    "Left in layers 1 · 2 · 3",
                    percents(1 - run.extra["sparsity"][at]),
                    "Log α up to 3.",
                ),
                ("Pixels without a weight", f"{without} of {alive[at].size}", "The network does not look at them."),
            ]
        )

    return _left_by(with_run(draw), figures_pixels.weights_left)


def _moment(run: Run) -> int:
    """The recorded moment that is nearest to the chosen share of training."""
    steps = run.extra["step"]
    return int(np.abs(steps - float(MOMENT.present()) / 100 * run.fit.config.num_steps).argmin())


def show_units() -> Shown | None:
    """Incoming weights of single units, before and after pruning."""

    def draw(run: Run) -> None:
        _finite(run)
        first, threshold = run.params[FIRST], present_threshold()
        is_left = sparse.log_alphas(run.params)[FIRST] <= threshold
        chosen = _units(is_left.sum(0))
        before, left = (array.T[chosen].reshape(-1, *run.shape) for array in (first, is_left))
        counts = is_left.sum(0)[chosen]
        names = [f"{count} of {len(first)}" for count in counts]
        columns, height = by_width((NUM_UNITS // 2, 600), (NARROW_COLUMNS, 1060))
        fig = figures_pixels.unit_weights(
            before, left, names=names, columns=columns, theme=present_theme(), height=height
        )
        alt = f"Incoming weights of {len(chosen)} hidden units; {', '.join(names)} are left."
        figure(fig, key="unit_weights", alt=alt)
        dead = int((is_left.sum(0) == 0).sum())
        st.caption(
            f"Above: the weights as trained; below: what is left at log α ≤ {threshold:g}. "
            f"{dead} of {is_left.shape[1]} units of this layer have no incoming weight left."
        )
        show_numbers(run, threshold)

    return _left_by(with_run(draw), figures_pixels.unit_weights)


def _units(left: Array) -> Array:
    """Which units to show, by how many incoming weights (H,) they have left."""
    order = np.argsort(-left.astype(int), kind="stable")
    first = {"most": 0, "middle": _middle(left[order]), "none": len(order) - NUM_UNITS}[UNITS.present()]
    return order[max(first, 0) : max(first, 0) + NUM_UNITS]


def _middle(left: Array) -> int:
    """Where the middle of the units that have any weight begins."""
    return max(int((left > 0).sum()) // 2 - NUM_UNITS // 2, 0)


# Noise ----------------------------------------------------------------------------------------------------------------


def show_histograms() -> Shown | None:
    """Log alpha of every layer's weights, and what a threshold makes of the network."""

    def draw(run: Run) -> None:
        _finite(run)
        threshold = present_threshold()
        counts = dict(zip((name.capitalize() for name in run.layers), run.extra["histograms"][-1], strict=True))
        fig = figures.noise_histograms(
            EDGES,
            counts,
            threshold=threshold,
            thresholds=THRESHOLDS,
            accuracy=run.extra["threshold_accuracy"],
            theme=present_theme(),
            stacked=is_narrow(),
        )
        alt = figures.describe_sparsity(run.layers, run.left(threshold), run.accuracy(threshold))
        figure(fig, key="noise_histograms", alt=alt)
        st.caption(_what_is_left(run, threshold))
        show_numbers(run, threshold)

    return _left_by(with_run(draw), figures.noise_histograms, sparse.WeightPruner)


def _what_is_left(run: Run, threshold: float) -> str:
    """What the network says of images where a whole layer is gone, or what the end of the slider means."""
    means = sparse.PRUNER.pruned(run.params, threshold)
    empty = [name for index, name in enumerate(run.layers) if not means[f"weight{index}"].any()]
    if empty:
        label, probability = constant_answer(run, means)
        are = f"{empty[0].capitalize()} has" if len(empty) == 1 else f"{len(empty)} layers have"
        return (
            f"{are} no weight left, so every image gets the same answer: {label}, with probability "
            f"{probability:.0%}. Only the biases speak, which are never removed."
        )
    if threshold == THRESHOLDS[-1]:
        beyond = float(np.mean([share < 0.5 for share in run.left(threshold)]))
        most = "Most weights of most layers" if beyond >= 0.5 else "Many weights"
        return (
            f"{most} lie beyond even this threshold. With log α clipped to [−8, 8], as it often is, "
            "none would: ours is not clipped."
        )
    return "Where the curve of the accuracy is flat, the choice of the threshold hardly matters. Last bar: 15 and more."


def constant_answer(run: Run, means: dict[str, Array]) -> tuple[int, float]:
    """The class, and its probability, of a network in which some layer has no weight: the input does not matter."""
    network = run.fit.model.network
    outputs = evaluate(network, Draws(means), np.zeros((1, run.params[FIRST].shape[0]), np.float32))
    probabilities = run.fit.model.likelihood.mean(outputs)[0, 0]
    return int(probabilities.argmax()), float(probabilities.max())


def show_signal() -> Shown | None:
    """The size of every weight against its noise."""

    def draw(run: Run) -> None:
        _finite(run)
        threshold = present_threshold()
        noise = beside(run.params, sparse.LOG_STD)
        sizes = np.concatenate([np.abs(run.params[name]).ravel() for name in noise])
        log_stds = np.concatenate([values.ravel() for values in noise.values()]) / np.log(10)
        log_means = np.log10(np.maximum(sizes, SMALLEST))
        fig = figures.signal_and_noise(log_means, log_stds, threshold=threshold, theme=present_theme())
        alt = figures.describe_sparsity(run.layers, run.left(threshold), run.accuracy(threshold))
        figure(fig, key="signal_and_noise", alt=alt)
        st.caption(
            "Every weight, coloured by how many lie there. Removed weights have θ near 0 and keep a large σ: the data "
            "do not notice their noise, and noise is free. What is left lies below the threshold."
        )
        show_numbers(run, threshold)

    return _left_by(with_run(draw), figures.signal_and_noise)


# Training -------------------------------------------------------------------------------------------------------------


def show_training() -> Shown | None:
    """Accuracy, sparsity, compression and the objective over training."""

    def draw(run: Run) -> None:
        _finite(run)
        extra, num_data = run.extra, run.fit.num_data
        fig = figures.sparsity_course(
            extra["step"].astype(float),
            extra["sparsity"],
            accuracy=extra["accuracy"],
            compression=extra["compression"],
            misfit=extra["misfit"],
            kl=extra["kl"] / num_data,
            layers=run.layers,
            warm_up=run.warm_up_steps,
            theme=present_theme(),
            stacked=is_narrow(),
        )
        paid = f"{extra['misfit'][-1]:.2f} nats per image for the data, {extra['kl'][-1] / num_data:.2f} for the KL"
        alt = figures.describe_sparsity(run.layers, run.left(divergences.PRUNED), run.accuracy(divergences.PRUNED))
        figure(fig, key="sparsity_course", alt=f"{alt} At the end {paid}.")
        st.caption(
            f"At the end: {paid}. The data term is a mean over draws; the KL is of all weights, over N = {num_data:,}."
        )
        show_numbers(run, divergences.PRUNED)

    return _left_by(with_run(draw), figures.sparsity_course)


def _left_by(run: Run | None, *code: Callable[..., object]) -> Shown | None:
    return None if run is None else shown(run, code=code)
