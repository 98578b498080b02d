"""Three models of the noise on a curve, and the two terms of their loss."""

from __future__ import annotations

import numpy as np

from bdlviz.digits import number
from bdlviz.fits import Fit
from bdlviz.models.likelihoods import Gaussian, HeteroscedasticGaussian, HomoscedasticGaussian
from bdlviz.predictive import comparison, kinds, summaries
from bdlviz.topics.foundations.noise_or_ignorance import figures, study
from bdlviz.topics.foundations.noise_or_ignorance.controls import HEAD, RESIDUAL
from bdlviz.topics.foundations.noise_or_ignorance.figures import noise_axis
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.topics.shared.noisy_curve import NUM_SAMPLES, call_of, dataset_of, prediction, true_noise
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.model import Figure, Formula, Function, Numbers, Part, Result, Says, Screen, Setting, Words

NOISE = np.geomspace(0.01, 10, 200)
SIGMA = {r"\sigma": "standard deviation of y around f, in the unit of y"}
LIKELIHOODS = {
    "gaussian": Formula(Gaussian, "The noise is one known number.", {r"\tau": "its precision, 1 over the variance"}),
    "homoscedastic": Formula(HomoscedasticGaussian, "One noise for all x is learned.", SIGMA),
    "heteroscedastic": Formula(HeteroscedasticGaussian, "The network also gives the noise at every x.", SIGMA),
}
PARTS = Formula(
    summaries.summarise_regression,
    "The variance of y is the mean noise of the draws plus the variance between the draws.",
)
TERMS = Formula(
    kinds.loss_terms,
    "The loss of one point: a large σ makes the squared term small, and log σ large.",
    {r"\sigma": "noise that the model gives, in the unit of y"},
)
LEFT = Formula(kinds.noise_left, "The best constant noise for the same functions: what they leave of the data.")


def _result(setting: Setting, parts: list[Part], formulas: tuple[Formula, ...], plot: Function) -> Result:
    low, high = dataset_of(setting).x_range
    call = call_of(
        setting,
        setting[HEAD],
        f"x = np.linspace({low!r}, {high!r}, 200)",
        f"predictive = fit.predict(x, {NUM_SAMPLES})",
        "print(predictive.aleatoric_std.mean(), predictive.epistemic_std.mean())",
    )
    return Result(parts, formulas, (study.head_config, kinds.noise_left, plot), call)


# Bands ----------------------------------------------------------------------------------------------------------------


def heads(setting: Setting, screen: Screen, fit: Fit) -> Result:
    """Both bands around the mean, and both standard deviations together with the true noise."""
    dataset = dataset_of(setting)
    predictive = prediction(fit, dataset)
    truth = true_noise(dataset, predictive.x)
    fig = figures.kinds_of_noise(predictive, dataset, truth, theme=screen.theme, stacked=screen.is_narrow)
    parts: list[Part] = [
        Says(_at_the_data(setting, fit, predictive, dataset)),
        Figure("kinds", fig, figures.describe_kinds(predictive, dataset, truth)),
        Numbers(_band_numbers(fit, predictive, dataset)),
        *(Words(sentence) for sentence in _remarks(predictive, dataset, truth)),
    ]
    return _result(setting, parts, (LIKELIHOODS[setting[HEAD]], PARTS), figures.kinds_of_noise)


def _at_the_data(setting: Setting, fit: Fit, predictive: Predictive, dataset: Dataset) -> str:
    """Both standard deviations at the data, and why the noise is too small where it is."""
    at_data, known = prediction(fit, dataset, dataset.x), true_noise(dataset, dataset.x)
    noise, between = float(at_data.aleatoric_std.mean()), float(at_data.epistemic_std.mean())
    if known is not None and setting[HEAD] != "gaussian" and noise < known.mean() / 2:
        count = "one point" if dataset.num_data == 1 else f"{dataset.num_data} points"
        return (
            f"From {count} too little noise is learned, {number(noise, 2)} instead of {number(float(known.mean()), 2)}"
            ": the functions pass through the data."
        )
    true = "" if known is None else f" (true: {number(float(known.mean()), 2)})"
    beyond = _beyond(predictive, dataset)
    outside = "" if beyond is None else f"; left and right of them it is {number(beyond, 2)}"
    return f"At the data the noise is {number(noise, 2)}{true} and the ignorance {number(between, 2)}{outside}."


def _beyond(predictive: Predictive, dataset: Dataset) -> float | None:
    """The mean epistemic sd left and right of all points; None where there is no such input."""
    x = predictive.x[:, 0]
    outside = (x < dataset.x.min()) | (x > dataset.x.max())
    return float(predictive.epistemic_std[outside, 0].mean()) if outside.any() else None


def _band_numbers(fit: Fit, predictive: Predictive, dataset: Dataset) -> list[tuple[str, str, str]]:
    of_y = unit(dataset)
    at_data = prediction(fit, dataset, dataset.x)
    known = true_noise(dataset, dataset.x)
    aleatoric, epistemic = float(at_data.aleatoric_std.mean()), float(at_data.epistemic_std.mean())
    outside = _beyond(predictive, dataset)
    beyond = "–" if outside is None else f"{outside:.3f}"
    in_brackets = "" if known is None else f" ({known.mean():.3f})"
    covered = "–"
    if len(dataset.x_test):
        held_out = prediction(fit, dataset, dataset.x_test)
        covered = f"{100 * comparison.coverage(held_out, dataset.y_test, 0.95):.0f} %"
    return [
        (
            f"Aleatoric sd{of_y}",
            f"{aleatoric:.3f}{in_brackets}",
            "Mean over the data points (in brackets: true noise).",
        ),
        (f"Epistemic sd{of_y}", f"{epistemic:.3f}", "Mean over the data points."),
        (f"… outside the data{of_y}", beyond, "Epistemic sd, mean over the inputs left and right of all points."),
        ("Inside 95 % bands", covered, "Share of held-out points in the central 95 % of the predictive distribution."),
    ]


def _remarks(predictive: Predictive, dataset: Dataset, truth: Array | None) -> list[str]:
    """Sentences about special data sets and about values outside the axes."""
    sentences = []
    if dataset.num_data == 1:
        sentences.append(
            "One point. Noise cannot be estimated from one point: where the functions pass through it, the learned "
            "noise shrinks to 0. Only methods with a prior over functions (Bayes by Backprop, Hamiltonian Monte Carlo) "
            "stay uncertain."
        )
    elif len(np.unique(dataset.x)) < dataset.num_data:
        sentences.append(
            "Some points share an x. No function passes through two of them whose y differ: this is noise."
        )
    if truth is None:
        sentences.append("The true noise of these data is not known, so there is no dashed line to compare with.")
    if predictive.aleatoric_std.max() > noise_axis(dataset)[1]:
        sentences.append(
            f"The aleatoric sd leaves the axis; its maximum is {predictive.aleatoric_std.max():.2g}. Far from the data "
            "the draws of the learned noise differ, and the largest of them dominate the mean of its square."
        )
    return sentences


# The loss -------------------------------------------------------------------------------------------------------------


def loss(setting: Setting, screen: Screen, fit: Fit) -> Result:
    """The two terms of the loss for one residual, and the noise learned from all residuals."""
    dataset, residual = dataset_of(setting), setting.number(RESIDUAL)
    predictive = prediction(fit, dataset)
    truth = true_noise(dataset, predictive.x)
    terms = kinds.loss_terms(np.asarray(residual), NOISE)
    fig = figures.loss_of_noise(
        NOISE, terms, residual, predictive, dataset, truth, theme=screen.theme, stacked=screen.is_narrow
    )
    at = f"lowest at σ = {residual:g}" if residual else "without a minimum: it decreases without limit as σ goes to 0"
    alt = f"Loss against σ, {at}. {figures.describe_kinds(predictive, dataset, truth)}"
    parts: list[Part] = [
        Says(_lowest(residual)),
        Figure("loss", fig, alt),
        Numbers(_loss_numbers(fit, dataset, residual)),
    ]
    if residual == 0:
        parts.append(
            Words(
                "A residual of 0: the squared term is 0 for every σ, and log σ has no minimum. If the function passed "
                "through every point, the loss would have no lower limit. This cannot happen if there are more points "
                "than the function can pass through."
            )
        )
    return _result(setting, parts, (TERMS, LEFT), figures.loss_of_noise)


def _lowest(residual: float) -> str:
    """Where the loss of one residual is lowest, and what half of that noise would cost."""
    if residual == 0:
        return "With a residual of 0 the loss falls without limit as σ goes to 0."
    best, half = (float(np.sum(kinds.loss_terms(np.asarray(residual), np.asarray(at * residual)))) for at in (1, 0.5))
    return (
        f"For a residual of {number(residual)} the loss is lowest at σ = {number(residual)}; half that σ costs "
        f"{number(half - best, 2)} nats more."
    )


def _loss_numbers(fit: Fit, dataset: Dataset, residual: float) -> list[tuple[str, str, str]]:
    at_data = prediction(fit, dataset, dataset.x)
    residuals = dataset.y - at_data.draws
    squared, log_std = kinds.loss_terms(residuals, at_data.draw_std)
    constant = kinds.noise_left(at_data.draws, dataset.y)
    other = sum(term.mean() for term in kinds.loss_terms(residuals, constant))
    lowest = f"{0.5 + np.log(residual):.2f}".replace("-", "−") if residual else "−∞"
    return [
        ("Lowest loss, one residual", lowest, "In nats, at σ = |y − f|: ½ from the squared term, and log |y − f|."),
        (
            "Mean squared term (nats)",
            f"{squared.mean():.2f}",
            "Over all points and draws, each with its own σ. It is ½ if the noise is as large as the residuals.",
        ),
        ("Mean log σ (nats)", f"{log_std.mean():.2f}".replace("-", "−"), "Over all points and draws."),
        (
            "Sum (constant noise)",
            f"{squared.mean() + log_std.mean():.2f} ({other:.2f})".replace("-", "−"),
            "In nats per point, without the constant ½ log 2π. In brackets: the loss of the same functions with the "
            "best constant σ. Lower is better.",
        ),
    ]
