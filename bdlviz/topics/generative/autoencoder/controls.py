"""The controls of the page on the autoencoder."""

from __future__ import annotations

from bdlviz.topics.generative.autoencoder.study import WEIGHTS
from bdlviz.ui.controls.control import Control, text

WEIGHT = Control(
    "kl_weight",
    "Weight of the KL term β",
    tuple(map(text, WEIGHTS)),
    "0",
    help="0: a plain autoencoder. 1: a VAE, whose loss is the negative bound on log p(x).",
    names={"0": "0, autoencoder", "1": "1, VAE"},
)
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
