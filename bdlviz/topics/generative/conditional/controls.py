"""The controls of the page on the conditional VAE."""

from __future__ import annotations

from bdlviz.ui.controls.control import Control, number_control

ALL = "all"
CLASSES = tuple(map(str, range(10)))
CLASS = Control(
    "class", "Class y", (ALL, *CLASSES), ALL, help="All: one style in every class. One: the plane of its styles."
)
WALK = Control(
    "walk",
    "Along the row",
    ("1", "2"),
    "1",
    "buttons",
    "The coordinate of the style that runs from end to end; the other stays.",
    {"1": "z₁", "2": "z₂"},
)
OTHER = number_control("other", "The other coordinate", (-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2), 0)
