"""The controls of the scoreboard, besides the menu of its pictures."""

from __future__ import annotations

from bdlviz.topics.results.scoreboard.rows import ON_BOARD
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.jobs.shipped import IMAGES

VIEW = "view"  # the key of the menu of pictures
METHOD = Control(
    "method",
    "Method",
    tuple(ON_BOARD),
    "mc_dropout",
    "menu",
    "The method whose picture is shown.",
    {name: spec.title for name, spec in ON_BOARD.items()},
)
REFUSED = number_control(
    "refused",
    "Refuse the most uncertain (%)",
    (0, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90),
    10,
    "Digits with the largest predictive entropy get no answer.",
)
SURE = number_control(
    "sure",
    "The method says (%)",
    (50, 57, 63, 70, 77, 83, 90, 99),
    90,
    "Answers with about this probability are marked.",
)
CONTROLS = (IMAGES, METHOD)
LIVE = (REFUSED,)  # under the picture of refusing; the table follows it too
