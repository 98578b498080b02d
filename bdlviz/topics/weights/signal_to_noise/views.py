"""The weights of one run: without those of the lowest ratios, by their ratio, as histograms, and over training."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bdlviz.digits import factor, percent, with_article
from bdlviz.methods import bayes_by_backprop
from bdlviz.predictive.functions import drawn_weights, evaluate
from bdlviz.topics.weights.signal_to_noise import figures, signal, study
from bdlviz.topics.weights.signal_to_noise.controls import PREDICTS, REMOVED
from bdlviz.topics.weights.signal_to_noise.figures import Line, Meaning
from bdlviz.topics.weights.signal_to_noise.run import Run, call_head, lines_of, numbers_of, result_of
from bdlviz.topics.weights.signal_to_noise.study import FRACTIONS
from bdlviz.types import Array, Draws
from bdlviz.ui.model import Figure, Formula, Result, Says, Screen, Setting, Words

CUT = 0.75  # share of the weights below the line that the paper draws

RATIO = Formula(
    signal.signal_to_noise,
    "The signal-to-noise ratio of a weight: how many of its own standard deviations its mean is away from 0.",
    {
        r"\mu_{ij}": "posterior mean of the weight from unit i to unit j",
        r"\sigma_{ij}": "its posterior standard deviation, in the same unit",
    },
)
KEPT = Formula(
    signal.kept,
    "All weights of the network are ranked together, and those of the lowest rank are set to 0.",
    {
        "s_{ij}": "the ratio; for a plain network the size of the weight",
        "f": "share removed, 0 to 1",
        "J": "number of weights",
    },
)
KL = Formula(
    bayes_by_backprop.kl_to_prior,
    "Training pays for a weight that differs from the prior, so a weight without use keeps the prior's noise.",
    {
        r"\mu_j, \sigma_j": "mean and standard deviation of weight j",
        r"\ell": "inverse of the prior's standard deviation",
    },
)


def removal(setting: Setting, screen: Screen, run: Run) -> Result:
    """Held-out error against the share of weights removed, and what the first layer has left."""
    fraction, how = FRACTIONS[REMOVED.options.index(setting[REMOVED])], setting[PREDICTS]
    stays = signal.kept(run.ratios, fraction)
    lines = lines_of(run, [(f"snr_{how}", "Bayes by Backprop", "bayes"), ("plain", "plain network", "plain")])
    rises = [run.rises_from(curve) for curve in (f"snr_{how}", "plain")]
    ratios, masks = (np.concatenate([each.ravel() for each in by.values()]) for by in (run.ratios, stays))
    fig = figures.removal_curves(lines, fraction, ratios, masks, rises, theme=screen.theme, stacked=screen.is_narrow)
    says = _at_this_share(lines, fraction, rises)
    parts = [Says(says), Figure("removal", fig, says), Words(_what_is_left(run, fraction, stays)), *numbers_of(run)]
    formulas = (RATIO, KEPT, KL)
    code = (signal.kept, signal.without_draws, study.by_fraction)
    return result_of(setting, screen, parts, formulas, code, _removal_call(run, fraction))


def _at_this_share(lines: Sequence[Line], fraction: float, rises: Sequence[float]) -> str:
    """Which errors have risen at this share of weights removed, and which of them is lower."""
    errors, risen = [float(line.y[line.x == fraction][0]) for line in lines], [fraction >= rise for rise in rises]
    bayes, plain = (percent(each / 100) + " (better here)" * (each < max(errors)) for each in errors)
    only = "the plain network's" if risen[1] else "Bayes by Backprop's"
    what = ("no error rises", f"only {only} error rises", "both errors rise")[sum(risen)]
    return f"With {percent(fraction)} of the weights removed {what}: plain network {plain}, Bayes by Backprop {bayes}."


def _what_is_left(run: Run, fraction: float, stays: dict[str, Array]) -> str:
    """How many weights are left and, where none is, the answer of the biases alone."""
    total, kept = sum(each.size for each in stays.values()), sum(int(each.sum()) for each in stays.values())
    if fraction < 1:
        blind = int((stays["weight0"].sum(1) == 0).sum())
        pixels = f"; {blind} of {stays['weight0'].shape[0]} pixels have no weight left" if blind else ""
        return f"{kept:,} of {total:,} weights are left{pixels}."
    biases = signal.without(run.parts[0], stays)
    outputs = evaluate(run.fit.model.network, Draws(biases), np.zeros((1, len(stays["weight0"])), np.float32))
    answer = with_article(int(outputs.argmax()))
    return f"Only the biases are left: their means call every digit {answer}, whatever the image is."


def _removal_call(run: Run, fraction: float) -> list[str]:
    height, width = run.shape
    return [
        *call_head(run),
        f"stays = signal.kept(signal.signal_to_noise(mean, std), {fraction:g})",
        f'left = stays["weight0"].mean(1).reshape({height}, {width})',
        f"removed = study.FRACTIONS.index({fraction:g})",
        'print(dict(zip(study.CURVES, extra["removed_error"][:, removed])))',
        "print(left)",
    ]


def ratios(setting: Setting, screen: Screen, run: Run) -> Result:
    """Density and distribution of the signal-to-noise ratios, and where in the image they are high."""
    layers = {f"layer {index}": values for index, values in enumerate(run.ratios.values(), 1)}
    pooled = np.concatenate([values.ravel() for values in layers.values()])
    by_layer = {"all weights": pooled, **layers}
    decibels = {name: signal.decibels(values.ravel()) for name, values in by_layer.items()}
    threshold = float(np.quantile(decibels["all weights"], CUT))
    pixels = signal.decibels(signal.power_ratio(run.ratios["weight0"])).reshape(run.shape)
    fig = figures.signal_to_noise(decibels, threshold, pixels, theme=screen.theme, stacked=screen.is_narrow)
    told = f"Three quarters of weights are below {threshold:.1f} dB; {100 * run.share_below(1):.0f} % are below 0 dB."
    told = told.replace("-", "−")
    words = Words(
        f"{told} 0 dB: signal and noise are equal; every 20 dB is a factor of ten. The map: the mean "
        "power of each pixel's weights."
    )
    call = [
        *call_head(run),
        "ratios = signal.signal_to_noise(mean, std)",
        "for name, values in ratios.items():",
        "    print(name, (values < 1).mean(), signal.decibels(values.max()))",
    ]
    says = Says(f"{percent(run.share_below(1))} of the weights are noise: their standard deviation exceeds their mean.")
    parts = [says, Figure("ratios", fig, told), words, *numbers_of(run)]
    decibels_of = Formula(signal.decibels, "In decibels: 0 dB is equality, 20 dB a factor of ten.")
    power = Formula(signal.power_ratio, "A pixel has the root mean square over its weights.", {"J": "their number"})
    formulas = (RATIO, decibels_of, power)
    code = (signal.signal_to_noise, signal.power_ratio, figures.signal_to_noise)
    return result_of(setting, screen, parts, formulas, code, call)


def histograms(setting: Setting, screen: Screen, run: Run) -> Result:
    """Histograms of the weights of the three networks."""
    named: list[tuple[str, str, Meaning]] = [
        ("plain", "plain network", "plain"),
        ("dropout", "dropout, behind a mask", "dropout"),
        ("means", "Bayes by Backprop, means", "bayes"),
        ("draw", "Bayes by Backprop, one draw", "draw"),
    ]
    counts: dict[str, tuple[Array, Meaning]] = {
        name: (run.extra[f"histogram_{key}"].astype(float), of) for key, name, of in named
    }
    plain, _, means, draw = (_standard_deviation(count) for count, _ in counts.values())
    says = Says(
        f"One draw of all weights is {factor(draw / plain)} as wide as the plain network's weights; the means alone "
        f"are {factor(means / plain)}."
    )
    told = "; ".join(f"{name} {_standard_deviation(count):.3f}" for name, (count, _) in counts.items())
    fig = figures.weight_histograms(study.EDGES, counts, theme=screen.theme)
    dropped = float(run.extra["num_dropped"][0]) / sum(values.size for values in run.ratios.values())
    words = Words(
        f"Standard deviations: {told}. The mask of dropout sets {100 * dropped:.0f} % of its weights to exactly 0, "
        "which the curve leaves out; the others are divided by the keep probability. Pixels are not dropped. Weights "
        "beyond ±1 are not drawn."
    )
    call = [
        *call_head(run),
        'for name in ("plain", "dropout", "means", "draw"):',
        '    print(name, extra[f"histogram_{name}"])  # over study.EDGES',
    ]
    shown = Figure("weight_histograms", fig, f"Histograms of weights. Standard deviations: {told}.")
    code = (study.histograms, study.masked_weights, drawn_weights)
    drawn = Formula(drawn_weights, "A draw adds the noise of each weight to its mean.")
    return result_of(setting, screen, [says, shown, words, *numbers_of(run)], (drawn,), code, call)


def _standard_deviation(count: Array) -> float:
    """The standard deviation of weights from their counts over the bins of `study.EDGES`."""
    centres = (study.EDGES[1:] + study.EDGES[:-1]) / 2
    mean = (count * centres).sum() / count.sum()
    return float(np.sqrt((count * (centres - mean) ** 2).sum() / count.sum()))


def over_training(setting: Setting, screen: Screen, run: Run) -> Result:
    """Held-out error of the three networks over training."""
    named: list[tuple[str, str, Meaning]] = [
        ("error_plain", "plain network", "plain"),
        ("error_dropout", "MC dropout", "dropout"),
        ("error_bayes", "Bayes by Backprop", "bayes"),
    ]
    lines = [Line(name, run.epochs, 100 * run.extra[key].astype(float), of) for key, name, of in named]
    fig = figures.errors_over_training(lines, x_label="Epochs", theme=screen.theme)
    words = Words(
        f"The same sizes, minibatches and epochs for all three, with Adam; dropout at rate "
        f"{study.DROPOUT_RATE:g}, the mean of {study.NUM_DRAWS} masks or draws. "
        f"{_standard_error(run)}"
    )
    call = [*call_head(run), 'print(extra["step"], extra["error_bayes"], extra["error_dropout"])']
    plain, dropout, bayes = (percent(float(line.y[-1]) / 100) for line in lines)
    says = Says(
        f"At the end the plain network is wrong on {plain} of the digits, dropout on {dropout}, Bayes on {bayes}."
    )
    parts = [says, Figure("error_course", fig, figures.describe_lines(lines)), words, *numbers_of(run)]
    loss = Formula(bayes_by_backprop.build, "The loss: the data term of a minibatch and the divergence from the prior.")
    formulas = (loss, KL)
    return result_of(setting, screen, parts, formulas, (study.bayes, study.error_of), call)


def _standard_error(run: Run) -> str:
    """The binomial standard error of an error rate on so many images, in words."""
    count, error = len(run.extra["labels"]), float(run.extra["error_bayes"][-1])
    points = 100 * (error * (1 - error) / count) ** 0.5
    return f"With {count:,} held-out images the binomial standard error is {points:.2f} points."
