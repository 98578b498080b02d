"""Some traces of a figure in focus: the others are dimmed."""

from __future__ import annotations

from collections.abc import Collection

import plotly.graph_objects as go

DIMMED = 0.15  # opacity of what is not in focus


def focus(fig: go.Figure, names: Collection[str]) -> None:
    """Dim every trace but those of these names; a figure without any of them stays as it is."""
    if not any(trace.name in names for trace in fig.data):
        return
    for trace in fig.data:
        if trace.name not in names:
            trace.opacity = DIMMED
