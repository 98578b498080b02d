"""The controls of the page on likelihoods."""

from __future__ import annotations

from dataclasses import replace

from bdlviz.methods.vae import BETA
from bdlviz.ui.controls.control import Control, hyperparameter_control

DRAWS, MEANS, SAMPLES = "draws", "means", "samples"
SHOWN = Control(
    "shown",
    "Pictures",
    (DRAWS, MEANS, SAMPLES),
    DRAWS,
    "buttons",
    "Samples of p(x|z), with noise, or means of p(x|z), at the codes of held-out images; or means at codes drawn from "
    "the prior.",
    {DRAWS: "samples of p(x|z)", MEANS: "means", SAMPLES: "new images"},
)
WEIGHT = replace(hyperparameter_control(BETA), key="kl_weight")  # in a tab
