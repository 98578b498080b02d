"""The controls of the page on deciding."""

from __future__ import annotations

from bdlviz.topics.shared.noisy_curve import DATA_PANEL, METHOD
from bdlviz.ui.controls.control import Control, number_control

TREAT = number_control("treat", "Cost of treating", (0, 0.5, 1, 2, 5, 10), 1, "For every treated person.")
MISS = number_control("miss", "Cost of missing", (1, 2, 5, 10, 20, 50, 100), 10, "For every untreated ill person.")
LIMIT = number_control(
    "limit", "Ill above y =", (-1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5), 1, "A person is ill if y is above it."
)
PEOPLE = Control(
    "people",
    "Who comes",
    ("alike", "everywhere"),
    "alike",
    "buttons",
    "Like the data: x is distributed as in the data. From everywhere: x is uniform on the axis, also where there are "
    "no data.",
    {"alike": "like the data", "everywhere": "from everywhere"},
)

DECISION = (PEOPLE, METHOD, DATA_PANEL)
