"""Exercises and predictions of the page regression/effect_of_lambda, with their checks."""

from __future__ import annotations

from collections.abc import Mapping

from bdlviz.data import load
from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.models.scaling import Scaling
from bdlviz.predictive.length_scale import length_scale_for
from bdlviz.topics.shared.regression_exercises import _has_own_data
from bdlviz.types import Dataset


def _noisy() -> tuple[Dataset, float]:
    """The data of the page on weight decay, three times as noisy as usual, and the precision of their noise."""
    usual = load("x_sin_x").noise_std
    assert usual is not None
    data = load("x_sin_x", noise_std=3 * usual)
    return data, float(Scaling.of(data).y_scale.item() / (3 * usual)) ** 2


def _length_scale(weight_decay: float, dropout_rate: float) -> float:
    data, precision = _noisy()
    return length_scale_for(weight_decay, precision, data.num_data, dropout_rate)


def _has_unit_prior(options: Mapping[str, str]) -> bool:
    if options["weight_decay"] == "best" or not _has_own_data(options, "3"):
        return False
    rates = (0.0, float(options["dropout_rate"]))  # of the input of the first layer, and of the other layers
    return all(abs(_length_scale(float(options["weight_decay"]), rate) - 1) <= 0.15 for rate in rates)


EFFECT_OF_LAMBDA: tuple[Exercise, ...] = (
    Setting(
        "Leave the data as they are. Choose λ yourself so that the prior of every weight is as good as N(0, 1): ℓ "
        "within 15 % of 1 in every layer.",
        _has_unit_prior,
        {"weight_decay": "0.00316"},
        "The noise is given, so λ is a statement about weights before the data: $\\ell = \\sqrt{2 N \\lambda \\tau (1 "
        "- p)}$. Here λ = 0.00316 is ℓ = 0.90, and a slider without a unit has a meaning.",
        "The tab *Prior and posterior* tells which ℓ the chosen λ amounts to; ℓ goes like the root of λ.",
    ),
    Number(
        "By NLL the best λ is 0.00178 without dropout and 0.000178 at p = 0.05. By which factor is the prior's "
        "length-scale ℓ of the layers with dropped inputs multiplied from the first to the second?",
        lambda: _length_scale(0.000178, 0.05) / _length_scale(0.00178, 0.0),
        0.04,
        "$\\sqrt{0.1 \\cdot 0.95} = 0.31$. Dropout regularises too, so weights may have a prior three times as wide.",
        "$\\ell = \\sqrt{2 N \\lambda \\tau (1 - p)}$, with N and τ the same in both.",
    ),
    Choice(
        "Suppose λ were chosen by how well the mean fits the twenty training points. Which of the three panels wins?",
        (
            "The left one, with the smallest λ.",
            "The middle one, with the best held-out score.",
            "The right one, with the largest λ.",
        ),
        0,
        "A penalty can only take the mean away from the points. Their RMSE grows from panel to panel, so the training "
        "points always vote for no penalty at all: it takes others to judge λ.",
        "Which panel's mean comes closest to the points, noise included?",
    ),
)

BEFORE_TOO_LARGE = Prediction(
    Choice(
        "The right panel has thirty times the best λ, and its function still bends. What will be left of the function "
        "at λ = 0.1, nearly twice as much again?",
        (
            "A smoother curve through the points.",
            "A constant: nothing of the curve.",
            "Much the same as in the right panel.",
        ),
        1,
        "The weights are pressed to 0 altogether, and only the mean of the points is left. The prior's ℓ is 5 there.",
    ),
    {},
)

BEFORE_DROPOUT = Prediction(
    Choice(
        "Without dropout the held-out score is lowest at λ = 0.00178. Where will the lowest point be with a dropout "
        "rate of 0.05?",
        ("At the same λ.", "At a larger λ.", "At a smaller λ."),
        2,
        "It moves to 0.000178. Dropout regularises, too, so less is left for λ to do, and choosing it too small costs "
        "less: the left end falls.",
    ),
    {},
)
