"""Exercises and predictions of the page foundations/variational_or_mcmc, with their checks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.models import targets


def _correlation() -> float:
    """The size of the correlation of the two weights of a line."""
    _, precision = targets.line_moments(targets.find("line"))
    covariance = np.linalg.inv(precision)
    return float(abs(covariance[0, 1]) / np.sqrt(covariance[0, 0] * covariance[1, 1]))


def _has_true_widths(options: Mapping[str, str]) -> bool:
    wanted = {"look": "fit", "posterior": "line", "family": "mean_field", "direction": "forward"}
    return all(options[key] == option for key, option in wanted.items())


VARIATIONAL_OR_MCMC: tuple[Exercise, ...] = (
    Number(
        "The scene *A fit, step by step*: a mean-field q ends with 0.31 of the true sd of both weights. How "
        "strongly are the two weights correlated in the posterior? (The size, from 0 to 1.)",
        _correlation,
        0.02,
        "Mean field ends at $1 / \\Lambda_{ii} = (1 - \\rho^2) \\operatorname{Var}_p$, at $\\sqrt{1 - \\rho^2}$: "
        "0.302, which this fit has not quite reached. The longer the ridge, the more q is too narrow. The correlation "
        "is −0.95: a higher intercept goes with a smaller slope.",
        "Under *Maths*: the variance of q is 1 − ρ² times the true one.",
        absolute=True,
    ),
    Setting(
        "The same line, and q mean field still. Set the page so that q ends with the true sd of both weights.",
        _has_true_widths,
        {"direction": "forward"},
        "KL[p ‖ q] is lowest where q has the posterior's means and variances. But it needs the posterior's moments, "
        "which are not known for a network. And the divergence of VI becomes larger: KL[q ‖ p] goes from 1.2 to 8.8 "
        "nats.",
        "The other divergence is large where p has mass and q has little.",
    ),
    Choice(
        "Open *Agreed and wrong*: R-hat is 1.000, there are 461 effective draws, and the mean is 0.9 sd off. What "
        "would have shown it?",
        (
            "More effective draws of the same four chains.",
            "The same chains from four places far apart.",
            "A smaller step size.",
            "A look at the acceptance.",
        ),
        1,
        "From four corners the same chains have an R-hat of 2.3, because they stay in different modes. Diagnostics "
        "compare the chains with each other; they say nothing of places that no chain has visited.",
        "R-hat finds a disagreement only if the starts allow one. Which control changes the starts?",
    ),
)

BEFORE_ONE_MODE = Prediction(
    Choice(
        "A network of one unit: with both signs turned it is the same function, so the posterior has two equal modes. "
        "A Gaussian q starts on the left and maximises the ELBO. Where will it end?",
        (
            "On one mode, as if there were no other.",
            "Over both modes, as wide as they lie apart.",
            "Half-way between them, where the posterior has its mean.",
        ),
        0,
        "KL[q ‖ p] is large where q has mass and p has little, so q avoids the space between the modes. Half of the "
        "posterior is missed, which alone is log 2 nats.",
    )
)

BEFORE_BOTH_MODES = Prediction(
    Choice(
        "This q minimised KL[q ‖ p]. Now it minimises KL[p ‖ q], which is large where p has mass and q has little. "
        "Where will it end?",
        (
            "On the same mode, only closer to its shape.",
            "On the other mode.",
            "Over both modes and the space between them.",
        ),
        2,
        "It matches the posterior's mean and covariance, and the mean lies between the modes. The sds are right, and "
        "most of q is where the posterior is nearly 0.",
    ),
    {"posterior": "unit", "family": "full"},
)

BEFORE_AGREE = Prediction(
    Choice(
        "Two modes, four chains from four corners: R-hat is far above 1.01. Now all four chains start in one "
        "place, near one mode. What will R-hat say?",
        (
            "About 1: the chains agree.",
            "The same as here: the posterior has two modes still.",
            "More than here: four chains in one place give less information.",
        ),
        0,
        "R-hat compares chains with each other, not with the posterior. All four stay at one mode, agree, and "
        "are wrong.",
    ),
    {"look": "walk", "posterior": "unit", "walk_step": "0.15"},
)
