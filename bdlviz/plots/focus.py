"""Some traces of a figure in focus: the others are dimmed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import plotly.graph_objects as go

from bdlviz.plots.theme import tint

DIMMED = 0.15  # opacity of what is not in focus


def focus(fig: go.Figure, names: Collection[str]) -> bool:
    """Dim every trace but those of these names; a figure without any of them stays as it is. Was it dimmed?"""
    traces: list[Any] = [*fig.data]
    if not any(trace.name in names for trace in traces):
        return False
    for trace in traces:
        if trace.name not in names:
            trace.opacity = DIMMED
            if fill := getattr(trace, "fillcolor", None):  # which a trace's opacity leaves as it is
                trace.fillcolor = _fainter(fill)
    return True


def _fainter(color: str) -> str:
    """A colour as the theme writes it, see-through as what is not in focus."""
    if color.startswith("#"):
        return tint(color, DIMMED)
    channels, opacity = color.removesuffix(")").rsplit(",", 1)
    return f"{channels},{float(opacity) * DIMMED:g})"
