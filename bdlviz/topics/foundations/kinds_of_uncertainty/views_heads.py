"""Three ways to model noise on a curve, and what the loss of each pays for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from bdlviz.fits import Fit
from bdlviz.models.likelihoods import Gaussian, HeteroscedasticGaussian, HomoscedasticGaussian
from bdlviz.predictive import comparison, kinds, summaries
from bdlviz.topics.foundations.kinds_of_uncertainty import figures, study
from bdlviz.topics.foundations.kinds_of_uncertainty import views_setting as setting
from bdlviz.topics.foundations.kinds_of_uncertainty.figures import noise_axis
from bdlviz.topics.foundations.kinds_of_uncertainty.views_setting import DATA, HEAD, METHOD
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.controls.control import number_control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow

RESIDUALS = (0, 0.03, 0.1, 0.2, 0.5, 1, 2, 3)
RESIDUAL = number_control("residual", "One residual |y − f|", RESIDUALS, 0.5, "How far one point is from the function.")
NOISE = np.geomspace(0.01, 10, 200)
CONTROLS = (METHOD, HEAD, *DATA, RESIDUAL)
LIKELIHOODS = {
    "gaussian": Gaussian,
    "homoscedastic": HomoscedasticGaussian,
    "heteroscedastic": HeteroscedasticGaussian,
}


def choose() -> None:
    """The controls of the bands."""
    METHOD.show()
    HEAD.show()
    setting.choose_data()


def choose_loss() -> None:
    """The controls of the loss."""
    RESIDUAL.show()
    METHOD.show()
    HEAD.show()
    setting.choose_data()


def show() -> Shown | None:
    """Both bands around the mean, and both standard deviations beside the true noise."""
    formulas = (LIKELIHOODS[HEAD.present()], summaries.summarise_regression)
    return _show(_draw_bands, formulas, figures.kinds_of_noise)


def show_loss() -> Shown | None:
    """The two terms of the loss for one residual, and the noise that all residuals have taught."""
    return _show(_draw_loss, (kinds.loss_terms, kinds.noise_left), figures.loss_of_noise)


def _show(
    draw: Callable[[Fit, Dataset], None], formulas: tuple[Callable[..., Any], ...], plot: Callable[..., Any]
) -> Shown | None:
    dataset, method, head = setting.present_dataset(), METHOD.present(), HEAD.present()
    with setting.said():
        config = study.head_config(dataset, method, head)
        fit = setting.get(config, dataset, lambda fit: draw(fit, dataset))
        if fit is not None:
            snippet = setting.snippet(
                method,
                head,
                dataset,
                f"x = np.linspace({dataset.x_range[0]!r}, {dataset.x_range[1]!r}, 200)",
                f"predictive = fit.predict(x, {setting.NUM_SAMPLES})",
                "print(predictive.aleatoric_std.mean(), predictive.epistemic_std.mean())",
            )
            return Shown(formulas, (study.head_config, kinds.noise_left, plot), snippet)
    return None


def _draw_bands(fit: Fit, dataset: Dataset) -> None:
    predictive = setting.prediction(fit, dataset)
    truth = setting.true_noise(dataset, predictive.x)
    fig = figures.kinds_of_noise(predictive, dataset, truth, theme=present_theme(), stacked=is_narrow())
    figure(fig, key="kinds", alt=figures.describe_kinds(predictive, dataset, truth))
    numbers(_band_numbers(fit, predictive, dataset, truth))
    for sentence in _warnings(predictive, dataset, truth):
        st.caption(sentence)


def _band_numbers(
    fit: Fit, predictive: Predictive, dataset: Dataset, truth: Array | None
) -> list[tuple[str, str, str]]:
    of_y = unit(dataset)
    at_data = setting.prediction(fit, dataset, dataset.x)
    known = setting.true_noise(dataset, dataset.x)
    aleatoric, epistemic = float(at_data.aleatoric_std.mean()), float(at_data.epistemic_std.mean())
    x = predictive.x[:, 0]
    outside = (x < dataset.x.min()) | (x > dataset.x.max())
    beyond = f"{predictive.epistemic_std[outside, 0].mean():.3f}" if outside.any() else "–"
    told = "" if known is None else f" ({known.mean():.3f})"
    covered = "–"
    if len(dataset.x_test):
        held_out = setting.prediction(fit, dataset, dataset.x_test)
        covered = f"{comparison.coverage(held_out, dataset.y_test, 0.95):.0%}"
    return [
        (f"Aleatoric sd{of_y}", f"{aleatoric:.3f}{told}", "Mean over the data points; in brackets the true noise."),
        (f"Epistemic sd{of_y}", f"{epistemic:.3f}", "Mean over the data points."),
        (f"… outside the data{of_y}", beyond, "Epistemic, mean over the inputs left and right of all points."),
        ("Inside 95 % bands", covered, "Share of held-out points in the central 95 % of the predictive distribution."),
    ]


def _warnings(predictive: Predictive, dataset: Dataset, truth: Array | None) -> list[str]:
    """What is to be said of these data and these bands."""
    told = []
    if dataset.num_data == 1:
        told.append(
            "One point. A learned noise has nothing to learn from: where the functions pass through the point it "
            "shrinks to nothing. Only a prior over functions (Bayes by Backprop, Hamiltonian Monte Carlo) keeps doubt."
        )
    elif len(np.unique(dataset.x)) < dataset.num_data:
        told.append("Some points share an x. Where they differ in y no function passes through both: that is noise.")
    if truth is None:
        told.append("Nobody knows the true noise of these data, so there is no dashed line to compare with.")
    if predictive.aleatoric_std.max() > noise_axis(dataset)[1]:
        told.append(
            f"The aleatoric sd leaves the axis: up to {predictive.aleatoric_std.max():.2g}. Far from the data the "
            "learned noise is itself unknown, and the mean of its square is ruled by the largest draws."
        )
    return told


def _draw_loss(fit: Fit, dataset: Dataset) -> None:
    residual = float(RESIDUAL.present())
    predictive = setting.prediction(fit, dataset)
    truth = setting.true_noise(dataset, predictive.x)
    terms = kinds.loss_terms(np.asarray(residual), NOISE)
    fig = figures.loss_of_noise(
        NOISE, terms, residual, predictive, dataset, truth, theme=present_theme(), stacked=is_narrow()
    )
    at = f"lowest at σ = {residual:g}" if residual else "without a lowest point: it falls for ever as σ goes to 0"
    figure(fig, key="loss", alt=f"Loss against σ, {at}. {figures.describe_kinds(predictive, dataset, truth)}")
    numbers(_loss_numbers(fit, dataset, residual))
    if residual == 0:
        st.caption(
            "A residual of 0: the misfit vanishes for every σ, and log σ falls without end. A function through every "
            "point would be rewarded without limit; more points than the function can follow are what prevents it."
        )


def _loss_numbers(fit: Fit, dataset: Dataset, residual: float) -> list[tuple[str, str, str]]:
    at_data = setting.prediction(fit, dataset, dataset.x)
    residuals = dataset.y - at_data.draws
    misfit, price = kinds.loss_terms(residuals, at_data.draw_std)
    constant = kinds.noise_left(at_data.draws, dataset.y)
    other = sum(term.mean() for term in kinds.loss_terms(residuals, constant))
    lowest = f"{0.5 + np.log(residual):.2f}".replace("-", "−") if residual else "−∞"
    return [
        ("Lowest loss, one residual", lowest, "In nats, at σ = |y − f|: ½ from the squared term, and log |y − f|."),
        (
            "Mean squared term (nats)",
            f"{misfit.mean():.2f}",
            "Over all points and draws, each with its own σ. A half means noise as large as the residuals.",
        ),
        ("Mean log σ (nats)", f"{price.mean():.2f}".replace("-", "−"), "Over all points and draws, too."),
        (
            "Sum (constant noise)",
            f"{misfit.mean() + price.mean():.2f} ({other:.2f})".replace("-", "−"),
            "In nats per point, without the constant ½ log 2π; in brackets, the same functions with their best single "
            "σ. Lower is better.",
        ),
    ]
