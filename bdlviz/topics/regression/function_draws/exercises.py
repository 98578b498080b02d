"""Exercises and predictions of the page regression/function_draws, with their checks."""

from __future__ import annotations

from collections.abc import Mapping

from bdlviz.data import load
from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.predictive.length_scale import model_precision, weight_decay_for
from bdlviz.topics.shared.regression_exercises import _has_own_data


def _matches_four(options: Mapping[str, str]) -> bool:
    if (options["method"], options["follows"]) != ("mc_dropout", "noise") or not _has_own_data(options, "1"):
        return False
    names = ("length_scale", "weight_decay", "dropout_rate")
    length_scale, weight_decay, rate = (float(options[name]) for name in names)
    return weight_decay > 0 and abs(_precision(length_scale, weight_decay, rate) - 4) <= 0.4


def _precision(length_scale: float, weight_decay: float, dropout_rate: float) -> float:
    return model_precision(length_scale, weight_decay, load("x_sin_x").num_data, dropout_rate)


FUNCTION_DRAWS: tuple[Exercise, ...] = (
    Setting(
        "Keep MC dropout and the data, choose τ under *Solve for*, and set λ, ℓ and p so that "
        "the noise band matches τ = 4, within a tenth.",
        _matches_four,
        {"follows": "noise", "weight_decay": "0.03", "length_scale": "2", "dropout_rate": "0.2"},
        "$\\tau = \\ell^2 / 2 N \\lambda (1 - p)$, and τ = 4 is a noise sd of half the sd of the data. Weight decay "
        "has a meaning only with ℓ: the two together determine the noise.",
        "N is 20, so $\\lambda (1 - p)$ has to be near $\\ell^2 / 160$.",
    ),
    Number(
        "You collect four times as many points. The prior (ℓ), the noise and the dropout rate stay the same. By which "
        "factor must λ be multiplied?",
        lambda: weight_decay_for(1.0, 10.0, 80, 0.1) / weight_decay_for(1.0, 10.0, 20, 0.1),
        0.02,
        "$\\lambda = \\ell^2 / 2 N \\tau (1 - p)$ is proportional to 1 / N. λ is added to the mean loss of a point, "
        "so the same prior has a smaller weight with more points. A constant λ is then a stronger prior.",
        "Solve τ = ℓ² / 2Nλ(1 − p) for λ.",
    ),
    Choice(
        "At the points the draws of *MC dropout* have an sd of 0.20 to 0.26 over 20 training seeds, those of *Deep "
        "ensemble* of 0.028 to 0.048. How can you find out on this page which of them is closer to the exact "
        "posterior?",
        (
            "By more draws S: both converge to the true sd.",
            "By the smaller held-out RMSE.",
            "By an overlay of the posterior of Hamiltonian Monte Carlo.",
            "The smaller one is right: all draws should pass through the points.",
        ),
        2,
        "The sd is correct if it equals that of the posterior of the same network under the same prior. Converged "
        "chains sample from it. More draws only estimate the method's own sd more precisely.",
        "RMSE measures the mean only. Which sd is the correct one, and which method on this page comes closest to it?",
    ),
)

BEFORE_NO_DROPOUT = Prediction(
    Choice(
        "These are fifty draws at a dropout rate of 0.1. What does the picture show at a rate of 0?",
        (
            "Fifty lines, half as far apart.",
            "One line and the noise band.",
            "One line and no band at all.",
        ),
        1,
        "Without masks all draws are the same function, so there is no epistemic band. The noise is assumed, so its "
        "band does not change.",
    ),
    {},
)

BEFORE_HIGH_DROPOUT = Prediction(
    Choice(
        "The dropout rate will be 0.5 instead of 0.1. How does the sd of the draws at the points change?",
        (
            "It does not change: the points determine the functions at any rate.",
            "It about doubles: the rate also determines the sd at the points.",
            "It shrinks: more dropout is more regularisation.",
        ),
        1,
        "It rises from 0.24 to 0.53. The epistemic sd of MC dropout depends on the chosen rate as much as on the data.",
    ),
    {},
)

BEFORE_TANH = Prediction(
    Choice(
        "Outside the data the draws of these ReLU networks are straight lines that diverge. What do the draws of tanh "
        "networks do there?",
        ("They diverge faster.", "They are flat, at a constant distance.", "They return to 0 and to each other."),
        1,
        "Every unit saturates, so every function becomes constant. How fast the uncertainty grows outside the data "
        "follows from the activation and is not learned from the data.",
    ),
    {},
)
