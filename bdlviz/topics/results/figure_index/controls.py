"""The control of the figure index: whose figures are listed."""

from __future__ import annotations

from bdlviz.topics.results.figure_index.entries import LECTURES
from bdlviz.ui.controls.control import Control

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
CONTROLS = (WHOSE,)
