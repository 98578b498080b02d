"""What the page on signal-to-noise shows of the weights: pruned, by ratio, as histograms, and over training."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from bdlviz.methods import bayes_by_backprop
from bdlviz.predictive.functions import drawn_weights, evaluate
from bdlviz.topics.weights.signal_to_noise import figures, signal, study, views_runs
from bdlviz.topics.weights.signal_to_noise.figures import Line, Meaning
from bdlviz.topics.weights.signal_to_noise.views_runs import PREDICTS, REMOVED, Run
from bdlviz.types import Array, Draws
from bdlviz.ui.frame.look import figure, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow

CUT = 0.75  # share of the weights below the line that the paper draws
FORMULAS = (signal.signal_to_noise, signal.kept, bayes_by_backprop.kl_to_prior)


def choose_removal() -> None:
    """Draw the controls of the view that removes weights."""
    views_runs.choose()
    REMOVED.show()
    PREDICTS.show()


def show_removal() -> Shown | None:
    """Held-out error against weights removed, and what the first layer has left."""
    run = views_runs.present_run()
    if run is None:
        return None
    fraction, how = views_runs.present_fraction(), PREDICTS.present()
    stays = signal.kept(run.ratios, fraction)
    left = stays["weight0"].mean(1).reshape(run.shape)
    named: list[tuple[str, str, Meaning]] = [
        (f"snr_{how}", "lowest |μ|/σ first", "bayes"),
        (f"size_{how}", "smallest |μ| first", "size"),
        ("plain", "plain network, smallest |w| first", "plain"),
    ]
    lines = views_runs.lines_of(run, named)
    fig = figures.removal_curves(lines, fraction, left, theme=present_theme(), stacked=is_narrow())
    figure(fig, key="removal", alt=figures.describe_removal(lines, fraction))
    st.caption(_what_is_left(run, fraction, stays))
    views_runs.show_numbers(run)
    code = (signal.kept, signal.without_draws, study.by_fraction)
    return Shown(FORMULAS, code, _removal_snippet(run, fraction))


def _what_is_left(run: Run, fraction: float, stays: dict[str, Array]) -> str:
    """How many weights stay and, where none does, what the network still says."""
    total, kept = sum(each.size for each in stays.values()), sum(int(each.sum()) for each in stays.values())
    if fraction < 1:
        blind = int((stays["weight0"].sum(1) == 0).sum())
        pixels = f"; {blind} of {stays['weight0'].shape[0]} pixels are no longer looked at" if blind else ""
        return f"{kept:,} of {total:,} weights are left{pixels}."
    biases = signal.without(run.parts[0], stays)
    outputs = evaluate(run.fit.model.network, Draws(biases), np.zeros((1, len(stays["weight0"])), np.float32))
    return f"Only the biases are left: their means call every digit a {int(outputs.argmax())}, whatever it looks like."


def _removal_snippet(run: Run, fraction: float) -> str:
    height, width = run.shape
    return "\n".join(
        [
            *_head(run),
            f"stays = signal.kept(signal.signal_to_noise(mean, std), {fraction:g})",
            f'left = stays["weight0"].mean(1).reshape({height}, {width})',
            f"removed = study.FRACTIONS.index({fraction:g})",
            'print(dict(zip(study.CURVES, extra["removed_error"][:, removed])))',
            "print(left)",
        ]
    )


def _head(run: Run) -> list[str]:
    return [
        "from bdlviz.topics.weights.signal_to_noise import study\nfrom bdlviz.fitted import shelf",
        "from bdlviz.predictive import signal",
        "",
        f"fit, extra = shelf.shipped({run.name!r})",
        f"# or, in minutes: study.bayes({run.images!r}, {run.preset!r})",
        "mean, std = study.means_and_stds(fit)",
    ]


def show_ratios() -> Shown | None:
    """Density and distribution of the signal-to-noise ratios, and where in the image they are high."""
    run = views_runs.present_run()
    if run is None:
        return None
    layers = {f"layer {index}": values for index, values in enumerate(run.ratios.values(), 1)}
    pooled = np.concatenate([values.ravel() for values in layers.values()])
    by_layer = {"all weights": pooled, **layers}
    decibels = {name: signal.decibels(values.ravel()) for name, values in by_layer.items()}
    threshold = float(np.quantile(decibels["all weights"], CUT))
    pixels = signal.decibels(signal.power_ratio(run.ratios["weight0"])).reshape(run.shape)
    fig = figures.signal_to_noise(decibels, threshold, pixels, theme=present_theme(), stacked=is_narrow())
    told = f"Three quarters of the weights are below {threshold:.1f} dB; {run.share_below(1):.0%} are below 0 dB."
    told = told.replace("-", "−")
    figure(fig, key="ratios", alt=told)
    st.caption(
        f"{told} 0 dB: signal and noise are equal; every 20 dB is a factor of ten. The map: the mean "
        "power of each pixel's weights."
    )
    views_runs.show_numbers(run)
    snippet = "\n".join(
        [
            *_head(run),
            "ratios = signal.signal_to_noise(mean, std)",
            "for name, values in ratios.items():",
            "    print(name, (values < 1).mean(), signal.decibels(values.max()))",
        ]
    )
    formulas = (signal.signal_to_noise, signal.decibels, signal.power_ratio)
    return Shown(formulas, (signal.signal_to_noise, signal.power_ratio, figures.signal_to_noise), snippet)


def show_histograms() -> Shown | None:
    """Histograms of the weights of the three networks."""
    run = views_runs.present_run()
    if run is None:
        return None
    named: list[tuple[str, str, Meaning]] = [
        ("plain", "plain network", "plain"),
        ("dropout", "dropout, behind a mask", "dropout"),
        ("means", "Bayes by Backprop, means", "bayes"),
        ("draw", "Bayes by Backprop, one draw", "draw"),
    ]
    counts: dict[str, tuple[Array, Meaning]] = {
        name: (run.extra[f"histogram_{key}"].astype(float), of) for key, name, of in named
    }
    spreads = {name: _spread(count) for name, (count, _) in counts.items()}
    told = "; ".join(f"{name} {spread:.3f}" for name, spread in spreads.items())
    fig = figures.weight_histograms(study.EDGES, counts, theme=present_theme())
    figure(fig, key="weight_histograms", alt=f"Histograms of weights. Standard deviations: {told}.")
    dropped = float(run.extra["num_dropped"][0]) / sum(values.size for values in run.ratios.values())
    st.caption(
        f"Standard deviations: {told}. The mask of dropout sets {dropped:.0%} of its weights to exactly 0, which the "
        "curve leaves out; the others are divided by the keep probability. Pixels are not dropped. Weights "
        "beyond ±1 are not drawn."
    )
    views_runs.show_numbers(run)
    snippet = "\n".join(
        [
            *_head(run),
            'for name in ("plain", "dropout", "means", "draw"):',
            '    print(name, extra[f"histogram_{name}"])  # over study.EDGES',
        ]
    )
    return Shown(
        (drawn_weights,),
        (study.histograms, study.masked_weights, drawn_weights),
        snippet,
    )


def _spread(count: Array) -> float:
    """The standard deviation of what a histogram over `EDGES` counted."""
    centres = (study.EDGES[1:] + study.EDGES[:-1]) / 2
    mean = (count * centres).sum() / count.sum()
    return float(np.sqrt((count * (centres - mean) ** 2).sum() / count.sum()))


def show_course() -> Shown | None:
    """Held-out error of the three networks over training."""
    run = views_runs.present_run()
    if run is None:
        return None
    named: list[tuple[str, str, Meaning]] = [
        ("error_plain", "plain network", "plain"),
        ("error_dropout", "MC dropout", "dropout"),
        ("error_bayes", "Bayes by Backprop", "bayes"),
    ]
    lines = [Line(name, run.epochs, 100 * run.extra[key].astype(float), of) for key, name, of in named]
    fig = figures.errors_over_training(lines, x_label="Epochs", theme=present_theme())
    figure(fig, key="error_course", alt=figures.describe_lines(lines))
    st.caption(
        f"The same sizes, minibatches and epochs for all three, with Adam; dropout at rate "
        f"{study.DROPOUT_RATE:g}, the mean of {study.NUM_DRAWS} masks or draws. "
        f"{_standard_error(run)}"
    )
    views_runs.show_numbers(run)
    snippet = "\n".join([*_head(run), 'print(extra["step"], extra["error_bayes"], extra["error_dropout"])'])
    code: tuple[Callable[..., object], ...] = (study.bayes, study.error_of)
    return Shown((bayes_by_backprop.build, bayes_by_backprop.kl_to_prior), code, snippet)


def _standard_error(run: Run) -> str:
    """What chance alone does to an error rate on so many images."""
    count, error = len(run.extra["labels"]), float(run.extra["error_bayes"][-1])
    points = 100 * (error * (1 - error) / count) ** 0.5
    return f"With {count:,} held-out images the binomial standard error is {points:.2f} points."
