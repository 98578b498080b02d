"""The controls of the page on concrete dropout."""

from __future__ import annotations

from dataclasses import replace

from bdlviz.topics.digits.concrete_dropout import study
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.jobs import shipped
from bdlviz.ui.model import Setting, When

# Learned keep probabilities -------------------------------------------------------------------------------------------

IMAGES = replace(shipped.IMAGES, names={"mnist": "MNIST", "digits": "8×8 digits"})
NUM_IMAGES = {
    "mnist": Control(
        "n_mnist",
        "Training images N",
        tuple(map(str, study.NUM_MNIST)),
        "1000",
        "slider",
        "1,000: MNIST-1000. Otherwise the first N of MNIST.",
        {str(count): f"{count:,}" for count in study.NUM_MNIST},
    ),
    "digits": number_control("n_digits", "Training images N", study.NUM_DIGITS, 100),
}
ENTROPY = Control(
    "entropy_term",
    "Entropy term",
    ("on", "off"),
    "on",
    "buttons",
    "The term of the bound that favours dropping. Without it the rates follow only the data and the prior.",
)
MOMENT = number_control(
    "moment",
    "Training steps",
    range(0, study.NUM_STEPS + 1, study.NUM_STEPS // study.NUM_MOMENTS),
    study.NUM_STEPS,
    "Steps of Adam. The logit of a rate moves by at most one learning rate per step.",
)
AMOUNT = (
    When(lambda setting: setting[IMAGES] == "mnist", (NUM_IMAGES["mnist"],)),
    When(lambda setting: setting[IMAGES] == "digits", (NUM_IMAGES["digits"],)),
)
RUN = (IMAGES, ENTROPY)


def num_images(setting: Setting) -> int:
    """The chosen number of training images."""
    return int(setting[NUM_IMAGES[setting[IMAGES]]])


# The relaxation -------------------------------------------------------------------------------------------------------

TEMPERATURE = number_control(
    "temperature",
    "Temperature t",
    (0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10),
    0.1,
    "0.1 in the authors' code.",
)
RELAXED_RATE = number_control(
    "relaxed_rate", "Dropout rate p", (0.01, 0.05, 0.12, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99), 0.12, "Where all rates start."
)

# Changed digits -------------------------------------------------------------------------------------------------------

CLASSES = tuple(map(str, range(10)))
CHANGE = Control(
    "synthetic", "Change", ("rotate", "blend"), "rotate", "buttons", "", {"rotate": "rotate", "blend": "blend"}
)
DIGIT = Control("shown_digit", "Digit", CLASSES, "3", "menu", "The first held-out image of this class.")
OTHER = Control("blended_with", "Blend with", CLASSES, "8", "menu", "The first held-out image of this class.")
CHANGED = (IMAGES, *AMOUNT, CHANGE, DIGIT, When(lambda setting: setting[CHANGE] == "blend", (OTHER,)))

# Studies --------------------------------------------------------------------------------------------------------------

WIDTH = number_control("net_width", "Hidden units", study.WIDTHS, 256, "In the only hidden layer.")
SCORE = Control(
    "width_score",
    "Held-out score",
    ("nll", "accuracy", "auroc"),
    "nll",
    "menu",
    "AUROC: how well the predictive entropy separates held-out digits from digits with shuffled patches.",
    {"nll": "negative log likelihood", "accuracy": "accuracy", "auroc": "shuffled digits found (AUROC)"},
)
TRAINED = Control(
    "authors_steps",
    "Trained",
    ("published", "settled"),
    "published",
    "buttons",
    "With the authors' number of steps, or until the rates hardly move.",
    {"published": "as published", "settled": "to convergence"},
)
