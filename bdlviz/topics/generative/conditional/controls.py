"""The controls of the page on the conditional VAE."""

from __future__ import annotations

from bdlviz.ui.controls.control import Control, number_control

ALL = "all"
CLASSES = tuple(map(str, range(10)))
CLASS = Control(
    "class",
    "Given class y",
    (*CLASSES, ALL),
    ALL,
    help="0 to 9: the plane of styles of that class. All: one style in every class.",
)
MOVED = Control(
    "moved",
    "Coordinate that moves",
    ("2", "1"),
    "2",
    "buttons",
    "The slider moves this coordinate of the code; the other one is 0.",
    {"1": "z₁", "2": "z₂"},
)
OTHER = number_control("other", "Value of z₂ (or z₁)", (-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2), -1)
