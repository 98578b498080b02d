"""Exercises and predictions of the page digits/mc_dropout, with their checks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.predictive.summaries import summarise_classification


def _information_of_two_draws() -> float:
    draws = np.array([[[0.9, 0.1]], [[0.1, 0.9]]])
    found = summarise_classification(np.zeros((1, 1)), draws).mutual_information
    assert found is not None
    return found.item()


def _has_one_function(options: Mapping[str, str]) -> bool:
    """Does the method give one draw only? An ensemble has its five whatever S."""
    return options["method"] == "map" or (options["num_samples"] == "1" and options["method"] != "deep_ensemble")


MC_DROPOUT: tuple[Exercise, ...] = (
    Number(
        "There are two draws and two classes. One draw is (0.9, 0.1), the other (0.1, 0.9). How large is the mutual "
        "information?",
        _information_of_two_draws,
        0.03,
        "The mean is (½, ½) with an entropy of 0.69 nats; each draw alone has 0.33. The rest, 0.37, is disagreement. "
        "If both draws were (½, ½), the predictive entropy would be the same, but all of it would be noise.",
        "Subtract the mean entropy of the draws from the entropy of the mean; use natural logarithms.",
        "nats",
    ),
    Setting(
        "Set the page so that the mutual information is 0 for every digit, however strange it is.",
        _has_one_function,
        {"num_samples": "1"},
        "With one function there is nothing to compare. All of its entropy counts as noise, even for a digit that no "
        "training image resembles: without several functions ignorance cannot be measured.",
        "Mutual information measures the disagreement between draws. How many draws does it need?",
    ),
    Choice(
        "Suppose that every fourth 4 is labelled 9 by chance, in training and in use. With infinitely many images, and "
        "draws that agree, what should a classifier predict for a clear 4?",
        (
            "A predictive entropy of 0.56 nats, all of it expected entropy.",
            "A predictive entropy of 0.56 nats, all of it mutual information.",
            "A predictive entropy of 0: the network has learned what a 4 is.",
        ),
        0,
        "The label itself is random with probabilities (¾, ¼), and its entropy is 0.56 nats. All draws learn these "
        "probabilities. More data reduce the mutual information, but not this entropy.",
        "Would more images determine the label of the next 4?",
    ),
)

BEFORE_NOISE = Prediction(
    Choice(
        "More and more noise is added to this 4; no training image had such noise. How does the predictive entropy "
        "change as the noise grows?",
        (
            "It rises all the way towards log 10.",
            "It rises and falls again.",
            "It stays low, because it is a 4 all along.",
        ),
        1,
        "At the largest noise most draws classify it as 2. Far from the training images a network can be certain of "
        "any class.",
    ),
    {"change": "none", "class": "4", "order": "confident"},
)

BEFORE_UNSEEN = Prediction(
    Choice(
        "This network was trained with 7s. Another one was trained without them. For the 7 with its largest entropy, "
        "which part of the entropy is larger?",
        (
            "Mutual information: its draws disagree.",
            "Expected entropy: single draws are uncertain.",
            "Both are near 0: it is certain of other classes.",
        ),
        1,
        "61 % of it counts as noise, as if more data could not help, although a few 7s would. Order by *most "
        "confident*: nearly every draw classifies the first 7 as a 9 with high probability.",
    ),
    {"change": "none", "class": "7", "order": "uncertain"},
)
