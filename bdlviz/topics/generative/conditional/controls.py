"""The controls of the page on the conditional VAE."""

from __future__ import annotations

from bdlviz.ui.controls.control import Control, number_control

ALL = "all"
CLASSES = tuple(map(str, range(10)))
CLASS = Control(
    "class",
    "Class y that the decoder is given",
    (*CLASSES, ALL),
    "0",
    help="0 to 9: the plane of styles of that class. All: one style in every class.",
)
WALK = Control(
    "walk",
    "Coordinate that varies",
    ("1", "2"),
    "1",
    "buttons",
    "This coordinate of the code varies from −2 to 2; the other one is constant.",
    {"1": "z₁", "2": "z₂"},
)
OTHER = number_control("other", "The other coordinate of the code", (-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2), 0)
