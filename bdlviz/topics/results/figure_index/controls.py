"""The control of the figure index: whose figures are listed."""

from __future__ import annotations

from bdlviz.topics.results.figure_index.entries import LECTURES
from bdlviz.ui.controls.control import Control
from bdlviz.ui.model import Note

ALL = "all"
WHOSE = Control(
    "figures_of",
    "Lecture",
    (ALL, *LECTURES),
    ALL,
    "menu",
    "Only the figures of this lecture are listed.",
    {ALL: "All lectures", **LECTURES},
)
INTRODUCTION = Note(
    lambda _: (
        "Every link opens the scene that shows the figure with our results. In grey: its page, and where to look or "
        "what differs."
    )
)
CONTROLS = (WHOSE, INTRODUCTION)
