"""The pictures of one network that removes its own weights: its weights at a moment, noise, training."""

from __future__ import annotations

import math

import numpy as np

from bdlviz.digits import number, percent
from bdlviz.errors import InvalidInput
from bdlviz.methods import sparse_variational_dropout as sparse
from bdlviz.methods.common import with_prefix
from bdlviz.models import divergences
from bdlviz.predictive.functions import evaluate
from bdlviz.topics.weights.sparsity import figures, figures_pixels
from bdlviz.topics.weights.sparsity.controls import MOMENT, THRESHOLD
from bdlviz.topics.weights.sparsity.figures_pixels import Course
from bdlviz.topics.weights.sparsity.run import Run, numbers_of, percents, result_of, times
from bdlviz.topics.weights.sparsity.study import EDGES, THRESHOLDS
from bdlviz.types import Array, Draws
from bdlviz.ui.model import Figure, Numbers, Result, Says, Screen, Setting, Words

NUM_SHOWN = 50  # weights that stand for all, each for as many
FIRST = "weight0"
SMALLEST = 1e-9  # of |theta|; a mean that half precision keeps as 0 is drawn there


def _refuse_infinite(run: Run) -> None:
    if not all(np.isfinite(array).all() for array in run.params.values()):
        raise InvalidInput("This network diverged: its weights are no longer finite.")


# One moment -----------------------------------------------------------------------------------------------------------


def noise(setting: Setting, screen: Screen, run: Run) -> Result:
    """Some weights with their noise at one moment, beside accuracy and weights left over training."""
    at = _moment(setting, run)
    below = run.extra["histograms"][at].sum(0).cumsum()
    shares = (np.arange(NUM_SHOWN) + 0.5) / NUM_SHOWN
    log_alpha = np.interp(shares * below[-1], np.concatenate([[0], below]), EDGES)
    draw, pruned = figures_pixels.noisy_weights, divergences.PRUNED
    fig = draw(log_alpha, _course(run, at), pruned=pruned, theme=screen.theme, stacked=screen.is_narrow)
    alt = f"{(log_alpha <= pruned).sum()} of {NUM_SHOWN} weights that stand for all are left."
    return _at_moment(setting, run, at, Figure("noisy_weights", fig, alt))


def pixels(setting: Setting, screen: Screen, run: Run) -> Result:
    """Weights left of each pixel at one moment, beside accuracy and weights left over training."""
    at = _moment(setting, run)
    fig = figures_pixels.weights_left(
        run.extra["alive"][at].reshape(run.shape),
        _course(run, at),
        num_units=run.params[FIRST].shape[1],
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    return _at_moment(setting, run, at, Figure("weights_left", fig, "Weights left of each pixel."))


def _course(run: Run, at: int) -> Course:
    return Course(run.done, 1 - run.removed_over_training, run.extra["accuracy"].astype(float), run.whole, at)


def _at_moment(setting: Setting, run: Run, at: int, shown: Figure) -> Result:
    _refuse_infinite(run)
    parts = [Says(_said_of(setting, run, at)), shown, _numbers_at(run, at)]
    return result_of(setting, run, parts, (figures_pixels.noisy_weights,))


def _said_of(setting: Setting, run: Run, at: int) -> str:
    """How good the network is with the weights left at a moment of training, beside all of them at the end."""
    left, right = 1 - run.removed_over_training[at], float(run.extra["accuracy"][at])
    done = setting.number(MOMENT)
    when = f"{percent(done / 100)} of the training" if done else "one pass over the images"
    return (
        f"After {when}, {percent(left)} of the weights are left: {percent(right)} of digits are right; all weights at "
        f"the end: {percent(run.whole)}."
    )


def _moment(setting: Setting, run: Run) -> int:
    """The recorded moment that is nearest to the chosen share of training."""
    wanted = setting.number(MOMENT) / 100 * run.fit.config.num_steps
    return int(np.abs(run.extra["step"] - wanted).argmin())


def _numbers_at(run: Run, at: int) -> Numbers:
    extra = run.extra
    without = int((extra["alive"][at] == 0).sum())
    return Numbers(
        [
            ("Held-out accuracy", f"{100 * extra['accuracy'][at]:.1f} %", f"Pruned, step {int(extra['step'][at]):,}."),
            ("Compression", times(extra["compression"][at]), "Number of weights / number left."),
            ("Left in layers 1 · 2 · 3", percents(1 - extra["sparsity"][at]), "Log α up to 3."),
            ("Pixels without a weight", f"{without} of {extra['alive'][at].size}", "The network ignores them."),
        ]
    )


# Noise ----------------------------------------------------------------------------------------------------------------


def histograms(setting: Setting, screen: Screen, run: Run) -> Result:
    """Log alpha of every layer's weights, and what a threshold makes of the network."""
    _refuse_infinite(run)
    threshold = setting.number(THRESHOLD)
    counts = dict(zip((name.capitalize() for name in run.layers), run.extra["histograms"][-1], strict=True))
    fig = figures.noise_histograms(
        EDGES,
        counts,
        threshold=threshold,
        thresholds=THRESHOLDS,
        accuracy=run.extra["threshold_accuracy"],
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    shown = Figure("noise_histograms", fig, _described(run, threshold))
    parts = [
        Says(_at_threshold(run, threshold)),
        shown,
        Words(_what_is_left(run, threshold)),
        numbers_of(run, threshold),
    ]
    return result_of(setting, run, parts, (figures.noise_histograms, sparse.WeightPruner))


def _at_threshold(run: Run, threshold: float) -> str:
    """How many weights a threshold removes, and how good the network is without them."""
    at, right = number(threshold), percent(run.accuracy(threshold))
    if (answer := _only_answer(run, threshold)) is not None:
        return f"With the threshold at {at} every image gets the answer {answer[0]}, and {right} are right."
    return f"Without the {percent(run.removed(threshold))} of weights whose log α is above {at}, accuracy is {right}."


def _only_answer(run: Run, threshold: float) -> tuple[int, float] | None:
    """The class, and its probability, that every image gets where a whole layer is removed; else None."""
    means = sparse.PRUNER.pruned(run.params, threshold)
    if all(means[f"weight{index}"].any() for index in range(len(run.layers))):
        return None
    return constant_answer(run, means)


def _described(run: Run, threshold: float) -> str:
    return figures.describe_sparsity(run.layers, run.left(threshold), run.accuracy(threshold))


def _what_is_left(run: Run, threshold: float) -> str:
    """What the network answers where a whole layer is gone, or what the end of the slider means."""
    if (answer := _only_answer(run, threshold)) is not None:
        label, probability = answer
        return (
            "A whole layer has no weight left, so every image gets the same answer: "
            f"{label}, with probability {100 * probability:.0f} %. It depends on the biases alone, which are never "
            "removed."
        )
    if threshold == THRESHOLDS[-1]:
        beyond = float(np.mean([share < 0.5 for share in run.left(threshold)]))
        most = "Most weights of most layers" if beyond >= 0.5 else "Many weights"
        return (
            f"{most} lie beyond even this threshold. With log α clipped to [−8, 8], as it often is, "
            "none would: ours is not clipped."
        )
    return (
        "Where the curve of the accuracy is flat, the choice of the threshold hardly matters. The last bar holds all "
        "weights with log α of 15 and more."
    )


def constant_answer(run: Run, means: dict[str, Array]) -> tuple[int, float]:
    """The class, and its probability, of a network in which some layer has no weight: the input does not matter."""
    network = run.fit.model.network
    outputs = evaluate(network, Draws(means), np.zeros((1, run.params[FIRST].shape[0]), np.float32))
    probabilities = run.fit.model.likelihood.mean(outputs)[0, 0]
    return int(probabilities.argmax()), float(probabilities.max())


def signal(setting: Setting, screen: Screen, run: Run) -> Result:
    """The size of every weight against its noise."""
    _refuse_infinite(run)
    threshold, noise = setting.number(THRESHOLD), with_prefix(run.params, sparse.LOG_STD)
    sizes = np.concatenate([np.abs(run.params[name]).ravel() for name in noise])
    log_stds = np.concatenate([values.ravel() for values in noise.values()]) / np.log(10)
    log_means = np.log10(np.maximum(sizes, SMALLEST))
    fig = figures.signal_and_noise(log_means, log_stds, threshold=threshold, theme=screen.theme)
    told = Words(
        "Every weight; the colour says how many lie at the same place. Removed weights have θ near 0 and keep a large "
        "σ: the KL term favours noise, and the data do not need these weights. What is left lies below the line."
    )
    share = run.removed(threshold)
    says = Says(
        f"{percent(share)} of the weights lie above the line: their noise σ is more than "
        f"{number(math.exp(threshold / 2), 2)} times their size |θ|."
    )
    parts = [says, Figure("signal_and_noise", fig, _described(run, threshold)), told, numbers_of(run, threshold)]
    return result_of(setting, run, parts, (figures.signal_and_noise,))


# Training -------------------------------------------------------------------------------------------------------------


def training(setting: Setting, screen: Screen, run: Run) -> Result:
    """Accuracy, sparsity, compression and the objective over training."""
    _refuse_infinite(run)
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
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    paid = (
        f"{extra['misfit'][-1]:.2f} nats per image for the expected negative log-likelihood, "
        f"{extra['kl'][-1] / num_data:.2f} for the KL"
    )
    removed = run.removed_over_training
    kind = "With a warm-up" if run.warm_up_steps else "Without a warm-up"
    says = Says(
        f"{kind}, {percent(removed[1])} of the weights are removed after {percent(run.done[1])} of training; accuracy "
        f"at the end is {percent(float(extra['accuracy'][-1]))}."
    )
    parts = [
        says,
        Figure("sparsity_course", fig, f"{_described(run, divergences.PRUNED)} At the end {paid}."),
        Words(f"At the end: {paid}. The first is a mean over draws; the KL is of all weights, over N = {num_data:,}."),
        numbers_of(run, divergences.PRUNED),
    ]
    return result_of(setting, run, parts, (figures.sparsity_course,))
