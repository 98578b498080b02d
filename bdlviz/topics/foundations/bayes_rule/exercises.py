"""Exercises and predictions of the page foundations/bayes_rule, with their checks."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.models import four_networks

SAME_X = 1.5  # of all points in the scene *All points at one x*


def _ridge_weight(options: Mapping[str, str]) -> float:
    return (float(options["assumed_std"]) / float(options["prior_std"])) ** 2


def _std_of_new_point() -> float:
    none = np.empty(0)
    found = four_networks.infer(none, none, np.array([0.0, 3.0, 1.0, 0.0]), noise_std=0.5)
    return float(found.predict(np.array([3.5])).total_std[0, 0])


BAYES_RULE: tuple[Exercise, ...] = (
    Number(
        "Open *All points at one x*: every point lies at x = 1.5, and slope and intercept both have the prior N(0, 1). "
        "However many such points come, the sd of the slope stays above a limit. Which one?",
        lambda: 1 / math.hypot(1, SAME_X),
        0.03,
        "Infinitely many points determine the height $1.5\\,a + b$ and nothing else. Along this ridge the posterior is "
        "the prior: "
        "$\\operatorname{Var}[a] = 1 - 1.5^2 / (1 + 1.5^2) = 1 / 3.25$, an sd of 0.55.",
        "Let the height at x = 1.5 be known exactly, so that b = h − 1.5 a. How does the prior vary with a then?",
    ),
    Setting(
        "Set the maps of a line so that MAP is ridge regression with the weight 4.",
        lambda options: (
            options["look"] == "maps" and options["family"] == "line" and math.isclose(_ridge_weight(options), 4)
        ),
        {"assumed_std": "2"},
        "The weight is the variance of the noise over that of the prior, so the noise has to be twice the prior's sd. "
        "MAP is the same for noise 2 and prior 1 as for noise 1 and prior 0.5; the posterior is not: it shrinks with "
        "them, which no single choice of parameters shows.",
        "The weight is a ratio of two variances; *Maths* shows its value.",
    ),
    Number(
        "Choose *Four networks* under *Other pictures* and set N = 0, the prior weights 0, 3, 1, 0 and the noise 0.5. "
        "What is the sd of a new y at x = 3.5?",
        _std_of_new_point,
        0.03,
        "Variances add. The functions are 2.02 with probability ¾ and −1.05 with ¼, an sd of 1.33; noise of sd 0.5 "
        "comes on top: $\\sqrt{1.33^2 + 0.5^2} = 1.42$.",
        "The last row of the lower table has the sd of the function. A new y has noise, too, and variances add.",
    ),
)

BEFORE_ONE = Prediction(
    Choice(
        "No data: the posterior is the prior, a round spot. Now one point is seen. What will the posterior of slope "
        "and intercept look like?",
        (
            "A smaller round spot: both are known more precisely.",
            "A ridge: all lines that pass near the point and that the prior allows.",
            "A spot at one line: the point fixes it.",
        ),
        1,
        "One point determines one number, the height there. A steeper line with a lower intercept fits it as well.",
    ),
    {"points_seen": "0"},
)

BEFORE_NETWORK = Prediction(
    Choice(
        "A network of one hidden unit, $f(x) = w_2 \\tanh(w_1 x)$, has seen ten points. With both signs turned it is "
        "the same function, so the posterior has two modes. Its mean is taken as the weights. What does this network "
        "predict?",
        ("The same curve as MAP.", "The constant 0.", "The average of all curves under the posterior."),
        1,
        "The mean of w and −w is 0, and its function is 0. The average is to be taken of functions, not of weights.",
    )
)

BEFORE_FOUR_WRONG = Prediction(
    Choice(
        "The truth lies half-way between networks 2 and 4, so none of the four is right. What is the posterior after a "
        "hundred points?",
        (
            "Half on network 2, half on network 4.",
            "The same on all four: none explains the points.",
            "Nearly all on one network, which is wrong.",
        ),
        2,
        "Log likelihoods add up, so small advantages grow with every point. The posterior says which hypothesis is the "
        "best of those given, not that it is good.",
    ),
    {"look": "four", "four_truth": "between", "four_points": "0"},
)
