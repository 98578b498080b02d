"""The controls of the page on weight decay."""

from __future__ import annotations

from bdlviz.topics.regression.effect_of_lambda import study
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.control import Control, number_control, text

DATA = data_choice.data_controls("x_sin_x", noise=3)
RATE = number_control("dropout_rate", "Dropout rate p", study.LAMBDA_RATES, 0)
CHOSEN = Control(
    "weight_decay",
    "Weight decay λ",
    tuple(map(text, study.LAMBDA_DECAYS)),
    "0.00178",
    help="In the middle panel. A click on the curve chooses a λ, too; the ring is at the lowest error.",
)
METRIC = Control(
    "metric",
    "Error at new points",
    ("rmse", "nll"),
    "rmse",
    "buttons",
    "RMSE: root mean square of the distances to the mean. NLL: average negative log density, in nats; it "
    "also judges the width of the band.",
    {"rmse": "RMSE", "nll": "NLL"},
)
