"""Exercises and predictions of the page results/scoreboard, with their checks."""

from __future__ import annotations

import numpy as np

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.predictive import calibration


def _error_of_95_and_89() -> float:
    """In per cent, of 100 answers of two classes that are all given with 95 %, 89 of them right."""
    probabilities = np.tile([0.95, 0.05], (100, 1))
    labels = np.repeat([0, 1], [89, 11])
    return 100 * calibration.expected_calibration_error(probabilities, labels)


SCOREBOARD: tuple[Exercise, ...] = (
    Number(
        "A classifier gives each of its answers a probability of 95 %, and 89 of 100 are right. How large is its "
        "expected calibration error?",
        _error_of_95_and_89,
        0.02,
        "One bin holds all answers, and its gap is 95 − 89. The plain network comes to 6.3 %, for the same reason.",
        "It is the gap between confidence and accuracy of every bin, weighted by the answers in it.",
        "%",
    ),
    Setting(
        "MC dropout on MNIST-1000: open *Refusing to answer* and refuse as few digits as the slider allows, so that "
        "fewer than 1 % of the others are wrong.",
        lambda options: (
            [options[key] for key in ("images", "view", "method", "refused")]
            == ["mnist", "refusing", "mc_dropout", "40"]
        ),
        {"view": "refusing", "refused": "40"},
        "Of 1,000 digits 98 are wrong at first; after 400 refusals five of 600 are. Most mistakes were uncertain, the "
        "last few cost many right answers.",
        "Move *Refuse the most uncertain* and read *Wrong, … refused*: 30 % is not enough.",
    ),
    Choice(
        "On MNIST-1000 averaging the draws of MC dropout hardly moves the accuracy, but takes the calibration error "
        "from 6.5 to 2.9 %. How can that be?",
        (
            "Accuracy asks only which class has the largest probability; how large it is does not matter to it.",
            "The draws answer like the mean: their probabilities are the same.",
            "Accuracy was measured on fewer digits.",
        ),
        0,
        "Where the draws disagree, the mean is less certain, and its most probable class rarely changes. So the "
        "same answer has a better probability.",
        "Which of the two scores would notice if every 0.99 became 0.7?",
    ),
)

BEFORE_OVERCONFIDENT = Prediction(
    Choice(
        "A plain network, without masks or draws, gives its answers 95 % on average. How often is it right?",
        ("In 98 of 100 cases.", "In 95 of 100 cases.", "In 89 of 100 cases."),
        2,
        "It is too certain by 6 points, twice the calibration error that is left when MC dropout averages its draws.",
    ),
    {},
)

BEFORE_LECTURE = Prediction(
    Choice(
        "How much accuracy does averaging bring, over one pass of the same network?",
        ("Several points.", "Hardly any: less than 0.1 points, up or down.", "It costs several points."),
        1,
        "From −0.06 to −0.01 points for all methods that average, means of five seeds and more with standard errors of "
        "0.07 to 0.12 points: no difference is shown. What averaging changes is the probabilities.",
    ),
    {},
)

BEFORE_CERTAIN_AND_WRONG = Prediction(
    Choice(
        "On MNIST a quarter turn takes the entropy of MC dropout from 0.21 to 0.76 nats. What does it do on the 8×8 "
        "digits?",
        (
            "It rises in the same way: turned digits are strange to every network.",
            "It falls: the network is more certain than upright.",
            "It stays as it was.",
        ),
        1,
        "From 0.14 to 0.08 nats, with 11 % right. There is ink where training had none, and the draws agree on what it "
        "means.",
    ),
    {"view": "rotation"},
)
