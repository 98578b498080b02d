"""Three models of the noise on a curve, and the two terms of their loss."""

from __future__ import annotations

import numpy as np

from bdlviz.fits import Fit
from bdlviz.models.likelihoods import Gaussian, HeteroscedasticGaussian, HomoscedasticGaussian
from bdlviz.predictive import comparison, kinds, summaries
from bdlviz.topics.foundations.kinds_of_uncertainty import figures, study
from bdlviz.topics.foundations.kinds_of_uncertainty.controls import HEAD, RESIDUAL
from bdlviz.topics.foundations.kinds_of_uncertainty.figures import noise_axis
from bdlviz.topics.foundations.kinds_of_uncertainty.run import NUM_SAMPLES, call_of, dataset_of, prediction, true_noise
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.model import Figure, Function, Numbers, Part, Result, Screen, Setting, Words

NOISE = np.geomspace(0.01, 10, 200)
LIKELIHOODS = {
    "gaussian": Gaussian,
    "homoscedastic": HomoscedasticGaussian,
    "heteroscedastic": HeteroscedasticGaussian,
}


def _result(setting: Setting, parts: list[Part], formulas: tuple[Function, ...], plot: Function) -> Result:
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
        Figure("kinds", fig, figures.describe_kinds(predictive, dataset, truth)),
        Numbers(_band_numbers(fit, predictive, dataset)),
        *(Words(sentence) for sentence in _remarks(predictive, dataset, truth)),
    ]
    return _result(setting, parts, (LIKELIHOODS[setting[HEAD]], summaries.summarise_regression), figures.kinds_of_noise)


def _band_numbers(fit: Fit, predictive: Predictive, dataset: Dataset) -> list[tuple[str, str, str]]:
    of_y = unit(dataset)
    at_data = prediction(fit, dataset, dataset.x)
    known = true_noise(dataset, dataset.x)
    aleatoric, epistemic = float(at_data.aleatoric_std.mean()), float(at_data.epistemic_std.mean())
    x = predictive.x[:, 0]
    outside = (x < dataset.x.min()) | (x > dataset.x.max())
    beyond = f"{predictive.epistemic_std[outside, 0].mean():.3f}" if outside.any() else "–"
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
    parts: list[Part] = [Figure("loss", fig, alt), Numbers(_loss_numbers(fit, dataset, residual))]
    if residual == 0:
        parts.append(
            Words(
                "A residual of 0: the squared term is 0 for every σ, and log σ has no minimum. If the function passed "
                "through every point, the loss would have no lower limit. This cannot happen if there are more points "
                "than the function can pass through."
            )
        )
    return _result(setting, parts, (kinds.loss_terms, kinds.noise_left), figures.loss_of_noise)


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
