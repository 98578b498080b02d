"""Exercises and predictions of the page regression/in_between, with their checks."""

from __future__ import annotations

import numpy as np

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.predictive import in_between


def _ceiling() -> float:
    at, variance = np.array([-1.0, 0.8]), np.square([0.03, 0.04])
    return float(np.sqrt(in_between.mean_field_ceiling(at, variance, np.array([0.2])).item()))


def _rise_of_dropout() -> float:
    one = np.ones((1, 1))
    params = {"weight0": one, "bias0": one, "weight1": one}
    high, low = (in_between.dropout_variance(params, rate, one).item() for rate in (0.5, 0.1))
    return float(np.sqrt(high / low))


IN_BETWEEN: tuple[Exercise, ...] = (
    Number(
        "One hidden layer of ReLU, independent Gaussian weights. At the training points x = −1 and x = 0.8 "
        "(standardised) the sd of f is 0.03 and 0.04. What can it not exceed at x = 0.2, in the gap?",
        _ceiling,
        0.03,
        "Theorem 1 adds the variances: $\\sqrt{0.03^2 + 0.04^2} = 0.05$. If the sd is small at the clusters, it is "
        "small between them, whatever the training. For MC dropout the bound is the larger one, 0.04.",
        "Var f(r) ≤ Var f(p) + Var f(q): add variances, not sds.",
    ),
    Number(
        "The dropout rate goes from 0.1 to 0.5. If the weights stayed as they are, by which factor would the sd of MC "
        "dropout be multiplied in the gap?",
        _rise_of_dropout,
        0.03,
        "$\\sqrt{p / (1 - p)}$ goes from ⅓ to 1 at every x: the sd at the points is tripled, too. The rate raises "
        "the whole curve, in the gap no more than elsewhere.",
        "For one hidden layer the variance is p / (1 − p) times something without p.",
    ),
    Setting(
        "Set the page so that no theorem limits the sd of Bayes by Backprop or of MC dropout.",
        lambda options: options["depth"] == "2" or options["activation"] == "tanh",
        {"depth": "2", "length_scale": "2"},
        "The theorems hold for one hidden layer of ReLU. With two, the families may have any variance. Whether "
        "training finds it is another question: the ratios in the picture answer it.",
        "For which networks do the theorems hold? See the caveat.",
    ),
)

BEFORE_TWO_LAYERS = Prediction(
    Choice(
        "With two hidden layers no theorem limits Bayes by Backprop: its sd could be that of the exact posterior. How "
        "large will its sd in the middle of the gap be?",
        ("About that of the exact posterior.", "About half of it.", "Not a fifth of it."),
        2,
        "Over 20 training seeds it is 0.12 to 0.18 times the exact one, 0.16 in the median. A larger sd in the gap is "
        "possible, and training does not find it. With one layer it is 0.087 to 0.11 times, below the ceiling, too.",
    ),
    {},
)
