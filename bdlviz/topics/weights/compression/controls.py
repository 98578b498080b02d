"""The controls of the page on compression."""

from __future__ import annotations

import math

from bdlviz.digits import factor
from bdlviz.methods import METHODS, prunable
from bdlviz.topics.weights.compression.shrinkage import PRIORS
from bdlviz.ui.controls.control import Control, number_control

PRIOR = Control(
    "shrinking_prior", "Prior", tuple(PRIORS), "horseshoe", "menu", "The prior that is highlighted.", PRIORS
)
ASPECT = Control(
    "aspect",
    "Picture",
    ("density", "tails", "kappa", "mean"),
    "mean",
    "menu",
    "",
    {"density": "density", "tails": "tails", "kappa": "shrinkage factor κ", "mean": "posterior mean"},
)
SCALE = number_control(
    "prior_scale",
    "Prior scale s",
    (0.01, 0.03, 0.1, 0.3, 1, 3, 10),
    1,
    "In standard deviations of the observation noise. With a small scale, small weights are expected.",
)
SLAB = number_control(
    "slab_share",
    "Share of the slab",
    (0.01, 0.05, 0.1, 0.3, 0.5, 0.9),
    0.1,
    "The prior probability that a weight is not 0, for the spike and slab only.",
)
METHOD = Control(
    "compressed_by",
    "Method",
    tuple(prunable.PRUNERS),
    "group_normal_jeffreys",
    "menu",
    "The two methods for groups remove whole units, the others single weights.",
    {name: METHODS[name].title for name in prunable.PRUNERS},
)
IMAGES = Control(
    "compressed_images",
    "Images",
    ("mnist", "digits"),
    "mnist",
    "buttons",
    "LeNet-300-100 trained on all of MNIST, or a small network on scikit-learn's digits.",
    {"mnist": "MNIST", "digits": "8×8 digits"},
)
ALL, NOTHING = "all", "nothing"
SHIFT = Control(
    "prune_at",
    "Noise limit (×1: the usual one)",
    (ALL, *(f"{shift}" for shift in range(-6, 7)), NOTHING),
    "0",
    "slider",
    "Units with more noise (sd) / size are removed. The limit is a multiple of the usual one of the method.",
    {ALL: "remove all", NOTHING: "remove nothing"}
    | {f"{shift}": factor(math.exp(shift / 2), 3) for shift in range(-6, 7)},
)
BATCH = number_control(
    "images_at_once", "Images at once", (1, 10, 100, 1000), 100, "The number of images in one forward pass."
)
