"""Some traces of a figure in focus: the others are dimmed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import plotly.graph_objects as go

from bdlviz.plots.theme import tint

DIMMED = 0.15  # opacity of what is not in focus


def focus(fig: go.Figure, names: Collection[str]) -> bool:
    """Dim all traces without these names; True if it did. A figure without such names is not changed."""
    traces: list[Any] = [*fig.data]
    if not any(trace.name in names for trace in traces):
        return False
    for trace in traces:
        if trace.name not in names:
            trace.opacity = DIMMED
            if fill := getattr(trace, "fillcolor", None):  # not affected by the opacity of a trace
                trace.fillcolor = _fainter(fill)
    return True


def _fainter(color: str) -> str:
    """A colour of the theme with the opacity of dimmed traces."""
    if color.startswith("#"):
        return tint(color, DIMMED)
    channels, opacity = color.removesuffix(")").rsplit(",", 1)
    return f"{channels},{float(opacity) * DIMMED:g})"
