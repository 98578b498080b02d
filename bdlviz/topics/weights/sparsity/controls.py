"""The controls of the page on sparsity."""

from __future__ import annotations

from dataclasses import replace

from bdlviz.methods.common import KL_WEIGHT
from bdlviz.models import divergences
from bdlviz.topics.weights.sparsity.study import THRESHOLDS
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.jobs import shipped

METHOD = Control(
    "method",
    "Method",
    ("sparse_variational_dropout", "ard"),
    "sparse_variational_dropout",
    "buttons",
    "They differ in the prior: log-uniform, or one learned variance for each weight.",
    {"sparse_variational_dropout": "Sparse VD", "ard": "ARD"},
)
IMAGES = replace(
    shipped.IMAGES,
    help="LeNet-300-100 on 60,000 images of MNIST, or a network of 64 and 32 units on scikit-learn's 8×8 digits.",
    names={"mnist": "MNIST", "digits": "8×8 digits"},
)
WARM_UP = Control(
    "warm_up",
    "Warm-up of the KL term",
    ("0", "0.1"),
    "0.1",
    "buttons",
    "The first tenth of training: weight 0 for a quarter of it, then a straight line up to the full weight.",
    {"0": "none", "0.1": "first tenth"},
)
THRESHOLD = number_control(
    "threshold",
    "Threshold of log α",
    THRESHOLDS,
    divergences.PRUNED,
    "A weight with more noise than this is removed. 3, the papers' choice: 20 times as much variance as squared mean.",
)
MOMENT = Control(
    "done",
    "Share of the training",
    tuple(str(percent) for percent in range(0, 101, 5)),
    "100",
    "slider",
    "0: after the first pass over the images.",
    {str(percent): f"{percent} %" for percent in range(0, 101, 5)},
    plays=True,
)
NUM_DATA = number_control(
    "n_pruned",
    "Training images N",
    (100, 200, 400, 800, 1437),
    100,
    "The first of the 8×8 digits. Every N gets the same number of steps.",
)
BETA = number_control("beta", "Weight of the KL term, β", KL_WEIGHT.values, KL_WEIGHT.default, KL_WEIGHT.help)
STRENGTH = number_control(
    "strength",
    "Curvature times squared optimum, c",
    (0, 0.3, 0.5, 0.8, 0.9, 1, 1.05, 1.1, 1.2, 1.5, 2, 3, 4, 5, 7, 10),
    10,
    "The weight's best value squared, times the curvature of the loss of all data: it grows with N. "
    "Setting the weight to 0 costs c / 2 nats.",
)
