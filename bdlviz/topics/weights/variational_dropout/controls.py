"""The controls of the page on variational dropout."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bdlviz import data
from bdlviz.topics.weights.variational_dropout.study import ALPHA_PER, CURVE, KL_WEIGHTS, RATES
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.jobs import shipped

SETS = ("x_sin_x", "two_clusters", "step", "trend_and_season")

IMAGES = replace(shipped.IMAGES, names={"mnist": "MNIST", "digits": "8×8 digits"})
PER = Control(
    "alpha_of", "One α for each", tuple(ALPHA_PER), "neuron", "buttons", "The weights that share one learned α."
)
BETA = number_control(
    "noise_beta",
    "Weight β of the KL term, which rewards noise",
    KL_WEIGHTS,
    0.001,
    "1 is the evidence lower bound. A smaller β gives the data more weight than Bayes' rule does.",
)
TESTED = (0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4)
TESTED_WITH = number_control(
    "tested_noise",
    "Noise on every weight, in multiples of that in training",
    TESTED,
    1,
    "The standard deviation of the noise that multiplies every weight in the test; nothing is trained again.",
)
DATA = Control(
    "noise_data",
    "Data",
    SETS,
    CURVE,
    "menu",
    "For other data than the first, five networks are trained now.",
    {name: data.DATASETS[name].title for name in SETS},
)
RATE = number_control(
    "noise_rate", "Dropout rate p", RATES, 0.5, "Both kinds of noise have the variance α = p / (1 − p)."
)
NUM_INPUTS = number_control(
    "noise_inputs",
    "Inputs of the unit n",
    (1, 2, 3, 5, 10, 20, 50, 100, 200, 500),
    5,
    "All inputs contribute equally to the sum.",
)
LOG_ALPHA = number_control("log_alpha", "log α", np.arange(-10, 8.1, 0.5), 0, "Of one weight; α = 1 at log α = 0.")
