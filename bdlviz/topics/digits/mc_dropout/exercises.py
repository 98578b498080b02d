"""Exercises and predictions of the page digits/mc_dropout, with their checks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.predictive.summaries import summarise_classification


def _information_of_two_draws() -> float:
    draws = np.array([[[0.9, 0.1]], [[0.1, 0.9]]])
    found = summarise_classification(np.zeros((1, 1)), draws, keep=2).mutual_information
    assert found is not None
    return found.item()


def _has_one_function(options: Mapping[str, str]) -> bool:
    """Does the method give one draw only? An ensemble has its five whatever S."""
    return options["method"] == "map" or (options["num_samples"] == "1" and options["method"] != "deep_ensemble")


MC_DROPOUT: tuple[Exercise, ...] = (
    Number(
        "Two draws and two classes: one draw says (0.9, 0.1), the other (0.1, 0.9). How large is the mutual "
        "information?",
        _information_of_two_draws,
        0.03,
        "The mean is (½, ½) with an entropy of 0.69 nats; each draw alone has 0.33. The rest, 0.37, is disagreement: "
        "had both said (½, ½), the predictive entropy would be the same and all of it noise.",
        "Entropy of the mean, less the mean entropy of a draw; with natural logarithms.",
        "nats",
    ),
    Setting(
        "Set the page so that the mutual information is 0 for every digit, however strange it is.",
        _has_one_function,
        {"num_samples": "1"},
        "One function cannot contradict itself. All its entropy then counts as noise, also on a digit that no training "
        "image resembles: without several explanations there is no ignorance to be seen.",
        "Mutual information is how far draws contradict each other. How many draws does it take?",
    ),
    Choice(
        "Suppose every fourth 4 were labelled 9 by chance, in training and in use. With endless images, and draws that "
        "come to agree, what should a classifier say of a clear 4?",
        (
            "A predictive entropy of 0.56 nats, all of it expected entropy.",
            "A predictive entropy of 0.56 nats, all of it mutual information.",
            "A predictive entropy of 0: the network has learned what a 4 is.",
        ),
        0,
        "The label itself is a coin with (¾, ¼), whose entropy is 0.56 nats. Draws that know this agree about the "
        "coin; more data take away mutual information, never that.",
        "Would more images settle how the next 4 is labelled?",
    ),
)

BEFORE_NOISE = Prediction(
    Choice(
        "This 4 will be covered with more and more noise, such as no training image had. What will the predictive "
        "entropy do as the noise grows from none to the most?",
        (
            "Rise all the way, towards log 10.",
            "Rise, and fall again.",
            "Stay low: it is a 4 all along.",
        ),
        1,
        "At the most noise most draws say 2. Far from the training images a network can be certain of anything.",
    ),
    {"class": "4", "order": "confident"},
)

BEFORE_UNSEEN = Prediction(
    Choice(
        "This network has seen the 7. Another was trained without a single 7. When it is least certain about a 7, "
        "what will most of its uncertainty be?",
        (
            "Mutual information: its draws contradict each other.",
            "Expected entropy: single draws are uncertain.",
            "There is next to none: it is certain of other classes.",
        ),
        1,
        "59 % of it counts as noise, as if more data would not help, which a few 7s would. Order by *most confident*: "
        "of the first 7 nearly every draw says 9, without a doubt.",
    ),
    {"class": "7"},
)
