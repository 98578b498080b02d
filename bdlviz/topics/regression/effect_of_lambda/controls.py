"""The controls of the page on weight decay."""

from __future__ import annotations

from bdlviz.topics.regression.effect_of_lambda import study
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.control import Control, number_control, text
from bdlviz.ui.scrub import switch

DATA = data_choice.data_controls("x_sin_x", noise=3)
RATE = number_control("dropout_rate", "Dropout rate p", study.LAMBDA_RATES, 0)
BEST = "best"
CHOSEN = Control(
    "weight_decay",
    "Weight decay λ",
    (BEST, *(text(value) for value in study.LAMBDA_DECAYS)),
    BEST,
    help="In the middle panel. “best”: where the held-out score is lowest.",
    names={BEST: "best held-out"},
)
METRIC = Control("metric", "Held-out score", ("nll", "rmse"), "nll", "buttons", names={"nll": "NLL", "rmse": "RMSE"})
PANELS = Control(
    "panels",
    "Picture",
    ("three", switch.SCRUB),
    "three",
    "buttons",
    "Three panels: too small, chosen, too large. Scrub: one picture that redraws while you drag.",
    {"three": "Three panels", switch.SCRUB: "Scrub"},
)
