"""The control of the figure index: whose figures are listed."""

from __future__ import annotations

from bdlviz.topics.results.figure_index.entries import ENTRIES, LECTURES
from bdlviz.ui.controls.control import Control

ALL = "all"
COUNTS = {name: sum(entry.lecture == name for entry in ENTRIES) for name in LECTURES}
WHOSE = Control(
    "figures_of",
    "Figures of",
    (ALL, *LECTURES),
    ALL,
    "buttons",
    "Lectures whose slides have these figures; only those of the chosen one are listed.",
    {
        ALL: f"All five sources ({len(ENTRIES)})",
        **{name: f"{title} ({COUNTS[name]})" for name, title in LECTURES.items()},
    },
)
CONTROLS = (WHOSE,)
