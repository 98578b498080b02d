"""The controls of the page on likelihoods."""

from __future__ import annotations

from dataclasses import replace

from bdlviz.methods.vae import BETA
from bdlviz.ui.controls.control import Control, hyperparameter_control, number_control

DRAWS, MEANS, SAMPLES = "draws", "means", "samples"
SHOWN = Control(
    "shown",
    "Pictures",
    (DRAWS, MEANS, SAMPLES),
    DRAWS,
    "buttons",
    "Samples of p(x|z), with noise, or means of p(x|z), at the codes of held-out images; or means at codes drawn from "
    "the prior.",
    {DRAWS: "samples", SAMPLES: "new"},
)
ALL = "all"
DECODERS = Control("decoders", "Decoders", ("one", ALL), "one", "buttons", names={"one": "Bernoulli", ALL: "all four"})
AVERAGED = number_control(
    "averaged",
    "Samples averaged",
    (1, 2, 4, 8, 32),
    2,
    "How many samples of p(x|z) at the code of an image are averaged. The average of very many is the mean.",
)
WEIGHT = replace(hyperparameter_control(BETA), key="kl_weight")
PIXEL = number_control(
    "pixel",
    "Parameter λ of the pixel",
    (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98),
    0.2,
    "What the decoder gives for a pixel: the probability of ink in a Bernoulli.",
)
