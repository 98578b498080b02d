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
    if not _has_own_data(options, "3"):
        return False
    rates = (0.0, float(options["dropout_rate"]))  # of the input of the first layer, and of the other layers
    return all(abs(_length_scale(float(options["weight_decay"]), rate) - 1) <= 0.15 for rate in rates)


EFFECT_OF_LAMBDA: tuple[Exercise, ...] = (
    Setting(
        "Do not change the data. Choose λ so that the prior of every weight is close to N(0, 1): ℓ within 15 % of 1 in "
        "every layer.",
        _has_unit_prior,
        {"weight_decay": "0.00316"},
        "The noise is given, so λ determines the prior of the weights: $\\ell = \\sqrt{2 N \\lambda \\tau (1 "
        "- p)}$. Here λ = 0.00316 corresponds to ℓ = 0.90.",
        "*Prior and posterior* shows the ℓ of the chosen λ. ℓ is proportional to the square root of λ.",
    ),
    Number(
        "Without dropout the error at new points is lowest at λ = 0.00178. A network with p = 0.05 is trained with "
        "a tenth of it, 0.000178. By which factor is the prior's length-scale ℓ of the layers with dropped inputs "
        "multiplied from the first to the second?",
        lambda: _length_scale(0.000178, 0.05) / _length_scale(0.00178, 0.0),
        0.04,
        "$\\sqrt{0.1 \\cdot 0.95} = 0.31$. The prior of the second is three times as wide.",
        "$\\ell = \\sqrt{2 N \\lambda \\tau (1 - p)}$, with N and τ the same in both.",
    ),
    Choice(
        "Suppose you choose λ by how well the mean fits the twenty training points. Which of the three panels is best?",
        (
            "The left one, with the smallest λ.",
            "The middle one, with the lowest error at new points.",
            "The right one, with the largest λ.",
        ),
        0,
        "A penalty increases the error at the training points: their RMSE grows from panel to panel. The error is "
        "lowest without a penalty, so λ must be chosen on other points.",
        "Which panel's mean comes closest to the points, noise included?",
    ),
)

BEFORE_TOO_LARGE = Prediction(
    Choice(
        "In the right panel λ is 10, and the function is a constant. What is it at λ = 0.1, a hundredth of that?",
        (
            "A smoother curve through the points.",
            "A constant.",
            "Halfway between the middle and the right panel.",
        ),
        1,
        "All weights are close to 0 already, and the function is the mean of the points. The prior's ℓ is 5 there.",
    ),
    {},
)

BEFORE_DROPOUT = Prediction(
    Choice(
        "Without dropout the error at new points is lowest at λ = 0.00178, and larger at small λ. What does the curve "
        "look like with a dropout rate of 0.05?",
        (
            "The same: the best λ depends on the data alone.",
            "Worse everywhere: dropout adds noise.",
            "Nearly flat at small λ, with no clear best one.",
        ),
        2,
        "Dropout is also a regulariser, so little weight decay is needed. Below λ = 0.001 the mean error of three "
        "trainings changes by less than 0.06. Their lowest errors lie at 3.16e-7, 3.16e-7 and 1.78e-4: no best λ is "
        "shown.",
    ),
    {},
)
