"""The controls of the page on the autoencoder."""

from __future__ import annotations

from bdlviz.ui.controls.control import Control

ONE, OWN = "one", "own"
SCALE = Control(
    "scale",
    "Axes",
    (ONE, OWN),
    ONE,
    "buttons",
    "Both clouds of codes on one scale, with images from the prior; or each on its own, with reconstructions.",
    {ONE: "one scale", OWN: "own scales"},
)
