"""Exercises of the section on foundations: Bayes' rule, the kinds of uncertainty, and how one gets at a posterior."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from bdlviz.exercises.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.models import four_networks, targets
from bdlviz.predictive import kinds
from bdlviz.predictive.decisions import Costs

SAME_X = 1.5  # of all points in the scene *All at one x*


# Bayes' rule ----------------------------------------------------------------------------------------------------------


def _ridge_weight(options: Mapping[str, str]) -> float:
    return (float(options["assumed_std"]) / float(options["prior_std"])) ** 2


def _std_of_new_point() -> float:
    none = np.empty(0)
    believed = four_networks.believe(none, none, np.array([0.0, 3.0, 1.0, 0.0]), noise_std=0.5)
    return float(believed.predict(np.array([3.5])).total_std[0, 0])


BAYES_RULE: tuple[Exercise, ...] = (
    Number(
        "Open *All at one x*: every point lies at x = 1.5, and slope and intercept both have the prior N(0, 1). "
        "However many such points come, the sd of the slope stays above a limit. Which one?",
        lambda: 1 / math.hypot(1, SAME_X),
        0.03,
        "Endless points tell the height $1.5\\,a + b$ exactly and nothing else. Along that ridge the prior decides: "
        "$\\operatorname{Var}[a] = 1 - 1.5^2 / (1 + 1.5^2) = 1 / 3.25$, an sd of 0.55.",
        "Let the height at x = 1.5 be known exactly, so that b = h − 1.5 a. How does the prior vary with a then?",
    ),
    Setting(
        "Set the maps of two parameters so that MAP is ridge regression with the weight 4.",
        lambda options: options["look"] == "maps" and math.isclose(_ridge_weight(options), 4),
        {"assumed_std": "2"},
        "The weight is σ²/σ_w², so the noise has to be twice the prior's sd. MAP is the same for σ = 2 and σ_w = 1 as "
        "for σ = 1 and σ_w = 0.5; the posterior is not: it shrinks with them, which no single choice of parameters "
        "shows.",
        "The weight is σ²/σ_w²; the page tells its value under *Equation*, and in words once there are points.",
    ),
    Number(
        "Open *Four networks* and set N = 0, the prior weights 0, 3, 1, 0 and the noise 0.5. What is the sd of a new y "
        "at x = 3.5?",
        _std_of_new_point,
        0.03,
        "Variances add. The functions are 2.02 with probability ¾ and −1.05 with ¼, an sd of 1.33; noise of sd 0.5 "
        "comes on top: $\\sqrt{1.33^2 + 0.5^2} = 1.42$.",
        "The table's last row has the sd of the function. A new y has noise, too, and variances add.",
    ),
)
BEFORE_ONE = Prediction(
    Choice(
        "No data: the posterior is the prior, a round spot. Now one point is seen. What will the posterior of slope "
        "and intercept look like?",
        (
            "A smaller round spot: both are known a little better.",
            "A ridge: all lines that pass near the point, as far as the prior lets them.",
            "A spot at one line: the point fixes it.",
        ),
        1,
        "One point tells one number, the height there. A steeper line with a lower intercept explains it as well.",
    ),
    {"points_seen": "0"},
)
BEFORE_NETWORK = Prediction(
    Choice(
        "A network of one hidden unit, $f(x) = w_2 \\tanh(w_1 x)$, has seen ten points. With both signs turned it is "
        "the same function, so belief lies on two sides. What does the network predict whose weights are the mean of "
        "the posterior?",
        ("The same curve as MAP.", "The constant 0.", "The average of all curves that are believed in."),
        1,
        "The mean of w and −w is 0, and its function is 0. The average is to be taken of functions, not of weights.",
    )
)
BEFORE_FOUR_WRONG = Prediction(
    Choice(
        "The truth lies half-way between networks 2 and 4, so none of the four is right. What will Bayes' rule believe "
        "after a hundred points?",
        (
            "Half in network 2, half in network 4.",
            "In all four alike: none explains the points.",
            "Nearly all in one network, which is wrong.",
        ),
        2,
        "Log likelihoods add up, so small advantages grow with every point. The posterior says which hypothesis is the "
        "best of those given, not that it is good.",
    ),
    {"look": "four", "four_truth": "between", "four_points": "0"},
)


# Kinds of uncertainty -------------------------------------------------------------------------------------------------


def _price_of_too_little_noise() -> float:
    residual = np.array(0.5)
    claimed, right = (sum(term.item() for term in kinds.loss_terms(residual, at * residual)) for at in (0.5, 1.0))
    return claimed - right


def _asks_a_quarter(options: Mapping[str, str]) -> bool:
    costs = Costs(float(options["treat"]), float(options["miss"]))
    return options["look"] == "decision" and math.isclose(costs.threshold, 0.25)


KINDS_OF_UNCERTAINTY: tuple[Exercise, ...] = (
    Choice(
        "Which of these lowers the orange band, the noise, to below what it is now?",
        (
            "More points of the same kind.",
            "More networks in the ensemble.",
            "A further input that tells something of y.",
            "A smaller dropout rate.",
        ),
        2,
        "Noise is what the inputs do not tell. *Two claims* has the numbers: with a second feature the true noise "
        "falls from 0.41 to 0.10, while more points only teach how large it is.",
        "Points, members and masks belong to what the model does not know. Look at *Two claims*.",
    ),
    Number(
        "Open *The loss*. A model claims noise that is half as large as its residual. How many nats above the lowest "
        "loss is that?",
        _price_of_too_little_noise,
        0.05,
        "$\\frac12 \\cdot 4 - \\log 2 - \\frac12 = 0.81$ nats, whatever the residual. Claiming twice as much costs "
        "only 0.32: too sure is dearer than too cautious.",
        "Take $r^2 / 2\\sigma^2 + \\log\\sigma$ at σ = r / 2 and at σ = r.",
        "nats",
    ),
    Setting(
        "Set *treat or not* so that treating pays for everybody whose probability of need is above one quarter.",
        _asks_a_quarter,
        {"look": "decision", "treat": "5", "miss": "20"},
        "Treating costs less than waiting where $p > c_{treat} / c_{miss}$. Only the ratio decides who is treated, and "
        "a threshold away from ½ is where the width of the prediction, not its mean alone, changes the decision.",
        "Leaving somebody alone costs p times the cost of missing. When is that as much as treating?",
    ),
)
BEFORE_CONSTANT = Prediction(
    Choice(
        "The noise grows from 0.1 on the left to 0.5 on the right. If the networks may learn one σ for all x only, "
        "where will it settle?",
        (
            "Near 0.1: quiet points lie close to the curve and count most.",
            "Near 0.36, the root of the mean square.",
            "Near 0.5: it has to allow for the largest residuals.",
        ),
        1,
        "The best constant is the root of the mean squared residual: too wide on the left, too narrow on the right.",
    ),
    {},
)
BEFORE_DROPOUT = Prediction(
    Choice(
        "MC dropout, first with a hundred points, then with ten thousand. What becomes of the epistemic sd at inputs "
        "with data?",
        (
            "It falls to a tenth: it goes like $1 / \\sqrt N$.",
            "It falls by about a half.",
            "It stays as it is.",
        ),
        2,
        "Its power of N is 0.00. The spread of the draws is set by the dropout rate; a posterior would shrink.",
    )
)
BEFORE_GREEN = Prediction(
    Choice(
        "The thing in front will be green, a colour that no training scene has, and the depth predicted for it will be "
        "more than a metre wrong. How far will the draws of MC dropout part there?",
        (
            "By a metre or more: they notice that they do not know.",
            "By about 0.3 m, three times as far as before.",
            "By about 0.1 m, hardly farther than before.",
        ),
        2,
        "Masks share one set of weights and with it one mistake. Networks that were trained apart differ more: see "
        "*The same, three networks*.",
    ),
    {"look": "depth"},
)


# Fit or walk ----------------------------------------------------------------------------------------------------------


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
        "The first picture, *Evidence = ELBO + KL*: a mean-field q ends with 0.31 of the true sd of both weights. How "
        "strongly are the two weights correlated in the posterior? (The size, from 0 to 1.)",
        _correlation,
        0.02,
        "Mean field ends at $1 / \\Lambda_{ii} = (1 - \\rho^2) \\operatorname{Var}_p$: $\\sqrt{1 - \\rho^2} = 0.3$. "
        "The longer the ridge, the more it is too sure. The correlation is −0.95: a higher intercept goes with a "
        "smaller slope.",
        "Under *Equation*: the variance of q is 1 − ρ² times the true one.",
        absolute=True,
    ),
    Setting(
        "The same line, and q mean field still. Set the page so that q ends with the true sd of both weights.",
        _has_true_widths,
        {"direction": "forward"},
        "KL[p ‖ q] is lowest where q has the posterior's means and variances. But it takes the posterior's own "
        "moments, which nobody has, and what VI sees gets worse: KL[q ‖ p] goes from 1.2 to 8.8 nats.",
        "The other divergence forbids q to miss any of p.",
    ),
    Choice(
        "Open *Agreed, and wrong*: R-hat is 1.000, there are 461 effective draws, and the mean is 0.9 sd off. What "
        "would have shown it?",
        (
            "More effective draws of the same four chains.",
            "The same walk from four places far apart.",
            "A smaller step size.",
            "A look at the acceptance.",
        ),
        1,
        "From four corners the same walk has an R-hat of 2.3, for chains sit in both modes. Diagnostics compare what "
        "chains have seen; where nobody has been they know nothing.",
        "R-hat finds a disagreement only if the starts allow one. Which control changes the starts?",
    ),
)
BEFORE_ONE_MODE = Prediction(
    Choice(
        "A network of one unit: with both signs turned it is the same function, so the posterior has two equal modes. "
        "A Gaussian q starts on the left and climbs the ELBO. Where will it end?",
        (
            "On one mode, as if there were no other.",
            "Over both modes, as wide as they lie apart.",
            "Half-way between them, where the posterior has its mean.",
        ),
        0,
        "KL[q ‖ p] costs most where q stands and p is small, so q keeps out of the empty ground. Half of the posterior "
        "is missed, which alone is log 2 nats.",
    )
)
BEFORE_BOTH_MODES = Prediction(
    Choice(
        "This q shrank KL[q ‖ p]. Now it shrinks KL[p ‖ q] instead, which costs most where p stands and q is small. "
        "Where will it end?",
        (
            "On the same mode, only closer to its shape.",
            "On the other mode.",
            "Over both modes and the empty ground between them.",
        ),
        2,
        "It matches the posterior's mean and covariance, and the mean lies between the modes. The sds are right, and "
        "most of q is where nothing is believed.",
    ),
    {"posterior": "unit", "family": "full"},
)
BEFORE_AGREE = Prediction(
    Choice(
        "Two modes, four chains from four corners: R-hat is far above 1.01. Now the same walk starts four times in one "
        "place, near one mode. What will R-hat say?",
        (
            "About 1: the chains agree.",
            "The same as here: the posterior has two modes still.",
            "More than here: four chains in one place know less.",
        ),
        0,
        "R-hat compares chains with each other, not with the posterior. All four stay at one mode, agree, and are "
        "wrong.",
    ),
    {"look": "walk", "posterior": "unit", "walk_step": "0.15"},
)
