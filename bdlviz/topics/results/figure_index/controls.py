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
    lambda _: "\n".join(
        (
            "Have you seen one of these lectures? A link opens its figure as this explorer draws it. In grey: the "
            "lecture, and what differs.\n",
            *(f"- {title}" for title in LECTURES.values()),
        )
    )
)
CONTROLS = (WHOSE, INTRODUCTION)
