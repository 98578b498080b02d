"""Exercises and predictions of the page weights/variational_dropout, with their checks."""

from __future__ import annotations

from collections.abc import Mapping

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.topics.weights.variational_dropout import weight_noise


def _looks_gaussian_with_few(options: Mapping[str, str]) -> bool:
    num_inputs, rate = int(options["noise_inputs"]), float(options["noise_rate"])
    is_near = weight_noise.distance_to_gaussian(num_inputs, rate) < 0.14
    return options["noise_look"] == "noise" and num_inputs <= 10 and is_near


VARIATIONAL_DROPOUT: tuple[Exercise, ...] = (
    Number(
        "A unit sums n equal inputs that add up to 1 without noise, at the dropout rate p = 0.2. How large must n be "
        "for the sum to have an sd of 0.05? Check it in *Two kinds of noise*.",
        lambda: weight_noise.matched_alpha(0.2) / 0.05**2,
        0.01,
        "The variance is α / n with α = p / (1 − p) = 0.25, so n = 0.25 / 0.0025. It is the same for masks and for "
        "Gaussian noise.",
        "One input has the noise variance α = p / (1 − p). What is the variance of a mean of n of them?",
    ),
    Setting(
        "In *Two kinds of noise*, bring the gap between the two below 14 % with at most 10 inputs.",
        _looks_gaussian_with_few,
        {"noise_look": "noise", "noise_inputs": "10"},
        "At p = 0.5 a mask is symmetric, and 10 inputs come to 12.3 %. Where drops are rare or frequent the sum is "
        "skewed, and more inputs are needed to average that out.",
        "More inputs help. At which p is a mask as symmetric as a Gaussian?",
    ),
    Choice(
        "*Noise by pixel* at β = 0.001 shows where the ink is. Set β to 1: what does the picture show then?",
        (
            "The same differences, more clearly.",
            "No differences: every α of the first layer is at its cap.",
            "The opposite: the pixels with ink have the most noise.",
        ),
        1,
        "All of them would grow past 1. The likelihood of a thousand images cannot outweigh the KL terms of so many "
        "weights, so every pixel gets the same noise.",
        "Read *At the cap, layer 1*.",
    ),
)

BEFORE_MANY = Prediction(
    Choice(
        "With 3 inputs the two sums differ by 22 %, although their means and variances agree. How much do they differ "
        "with 200 inputs?",
        (
            "Still by 22 %: the means and variances still agree.",
            "By about 3 %: the gap falls with the root of n.",
            "Not at all: the sums are the same.",
        ),
        1,
        "The gap is 2.8 %. The root of 200 / 3 is about 8.",
    ),
    {"noise_look": "noise", "noise_inputs": "3"},
)

BEFORE_DROWNED = Prediction(
    Choice(
        "Learned noise at β = 0.001 follows the twenty points. What do the functions do at β = 1?",
        (
            "They follow the points more closely: this is the true bound.",
            "They no longer follow the points.",
            "They stay as they are; only the noise between the points grows.",
        ),
        1,
        "With an α per neuron the held-out NLL rises from 0.50 to 1.80; in five trainings, from 0.50 – 0.70 to "
        "1.77 – 2.02. Twenty points do not outweigh the KL terms of thousands of weights.",
    ),
    {"noise_look": "functions"},
)
