"""The controls of the page on the learned manifold."""

from __future__ import annotations

from bdlviz.ui.controls.control import Control, number_control

GRID = Control(
    "grid",
    "Grid",
    ("linear", "quantile"),
    "linear",
    "buttons",
    "Evenly spaced codes, or codes that enclose equal prior mass (through the inverse normal distribution function).",
    {"linear": "even steps", "quantile": "equal prior mass"},
)
REACH = number_control("reach", "Range of z, ±", (1, 1.5, 2, 2.5, 3, 4), 2.5, "In units of the prior's sd.")
STEPS = number_control("steps", "Digits per side", (5, 11, 15, 20, 25, 30), 11)
OVERLAY = Control(
    "overlay",
    "Map of codes",
    ("none", "train", "test"),
    "train",
    "buttons",
    "The codes of images, beside the decoded images. Far from all codes the decoder was never trained.",
    {"train": "training", "test": "held out"},
)
