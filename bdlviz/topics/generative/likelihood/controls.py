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
    "Drawn from p(x|z) with its noise, or the mean of p(x|z), at the codes of held-out images; or means at codes drawn "
    "from the prior.",
    {DRAWS: "drawn", MEANS: "means", SAMPLES: "new, means"},
)
WEIGHT = replace(hyperparameter_control(BETA), key="kl_weight")  # in a tab
