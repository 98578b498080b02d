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
        "Keep MC dropout and the data, let τ follow (*What follows from the other two*), and set λ, ℓ and p so that "
        "the noise band matches τ = 4, within a tenth.",
        _matches_four,
        {"follows": "noise", "weight_decay": "0.03", "length_scale": "2", "dropout_rate": "0.2"},
        "$\\tau = \\ell^2 / 2 N \\lambda (1 - p)$, and τ = 4 is noise of half the data's spread. Weight decay alone "
        "says nothing: beside a prior of that ℓ it is a statement about the noise.",
        "N is 20, so $\\lambda (1 - p)$ has to be near $\\ell^2 / 160$.",
    ),
    Number(
        "Somebody collects four times as many points. Prior (ℓ), noise and dropout rate are to stay what they are. By "
        "which factor must λ be multiplied?",
        lambda: weight_decay_for(1.0, 10.0, 80, 0.1) / weight_decay_for(1.0, 10.0, 20, 0.1),
        0.02,
        "$\\lambda = \\ell^2 / 2 N \\tau (1 - p)$ goes like 1 / N. λ stands beside the mean loss of a point; the same "
        "prior weighs less beside more of them, and a λ that is kept is a stronger prior.",
        "Solve τ = ℓ² / 2Nλ(1 − p) for λ.",
    ),
    Choice(
        "At the points the draws of *Good fit* have an sd of 0.20 to 0.26 over 20 training seeds, those of *Deep "
        "ensemble* of 0.028 to 0.048. How would one find out on this page which is nearer to the truth about the "
        "function?",
        (
            "By more draws S: the true spread is what both tend to.",
            "By the smaller held-out RMSE.",
            "By laying the posterior of Hamiltonian Monte Carlo over both.",
            "The smaller one is right: all draws should pass through the points.",
        ),
        2,
        "A spread is right or wrong beside the posterior of the same network under the same prior, which converged "
        "chains draw from. More draws only show the method's own opinion more clearly.",
        "RMSE judges the mean. What would be the right spread, and what on this page comes nearest to it?",
    ),
)

BEFORE_NO_DROPOUT = Prediction(
    Choice(
        "These are fifty draws at a dropout rate of 0.1. What will be left at a rate of 0?",
        (
            "Fifty lines, half as far apart.",
            "One line and the noise band.",
            "One line and no band at all.",
        ),
        1,
        "Without masks all draws are one function, so nothing is left of the epistemic band. The noise is assumed, and "
        "stays.",
    ),
    {},
)

BEFORE_HIGH_DROPOUT = Prediction(
    Choice(
        "The dropout rate will be 0.5 instead of 0.1. What becomes of the spread at the points?",
        (
            "Nothing: the points hold the functions, whatever the rate.",
            "It about doubles: the rate sets the spread at the points, too.",
            "It shrinks: more dropout is more regularisation.",
        ),
        1,
        "From 0.24 to 0.53. What MC dropout calls ignorance is a setting as much as a finding.",
    ),
    {},
)

BEFORE_TANH = Prediction(
    Choice(
        "Outside the points these ReLU networks run on as straight lines, and part. What will the draws of tanh "
        "networks do there?",
        ("Part faster than these.", "Run flat and keep their distance.", "Come back to 0, and to each other."),
        1,
        "Every unit saturates, so every function becomes a constant. How fast uncertainty grows out there was chosen "
        "with the activation, not learned from data.",
    ),
    {},
)
