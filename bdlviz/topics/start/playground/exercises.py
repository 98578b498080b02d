"""Exercises of the page start/playground, with their checks."""

from __future__ import annotations

import numpy as np

from bdlviz.lectures.exercise import Choice, Exercise, Number
from bdlviz.predictive.summaries import entropy, summarise_regression


def _mutual_information() -> float:
    """Of two networks that are certain of different classes of two, in nats."""
    probabilities = np.array([[1.0, 0.0], [0.0, 1.0]])
    return float(entropy(probabilities.mean(0)) - entropy(probabilities).mean())


def _sd_of_two() -> float:
    """Epistemic standard deviation of two networks that predict 1 and 3."""
    predictions = np.array([[[1.0]], [[3.0]]])
    return summarise_regression(np.zeros((1, 1)), predictions, None, 0.1).epistemic_std.item()


PLAYGROUND: tuple[Exercise, ...] = (
    Number(
        "Two classes, an ensemble of two networks. At one place the first network gives the probabilities (1, 0), the "
        "second (0, 1). What is the mutual information of the class and the network there?",
        _mutual_information,
        0.03,
        "The mean of the probabilities is (½, ½), with an entropy of log 2 = 0.693 nats. Each network alone has an "
        "entropy of 0. The difference of the two is the mutual information.",
        "It is the entropy of the mean minus the mean of the entropies.",
        "nats",
    ),
    Number(
        "Two networks of an ensemble predict 1 and 3 at one x. What is the epistemic standard deviation there, as the "
        "picture computes it?",
        _sd_of_two,
        0.03,
        "The mean is 2, and both predictions differ from it by 1. The variance over the networks is the mean "
        "square, 1.",
        "Divide by the number of networks.",
    ),
    Choice(
        "MC dropout with a fixed dropout rate is trained on more and more points at the same inputs. What happens to "
        "the spread of its samples at these inputs?",
        (
            "It goes to 0, as the variance of the exact posterior does.",
            "It stays above 0: the rate is fixed, and so is the relative noise of the weights.",
            "It grows with the number of points.",
        ),
        1,
        "The rate p is a setting and no result of training. The masks have the variance p / (1 − p) for any number of "
        "points.",
        "Which quantity sets the noise of the masks, and does training change it?",
    ),
)
