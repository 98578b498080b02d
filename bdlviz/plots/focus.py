"""Some traces of a figure in focus: the others are dimmed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import plotly.graph_objects as go

DIMMED = 0.15  # opacity of what is not in focus


def focus(fig: go.Figure, names: Collection[str]) -> None:
    """Dim every trace but those of these names; a figure without any of them stays as it is."""
    traces: list[Any] = [*fig.data]
    if not any(trace.name in names for trace in traces):
        return
    for trace in traces:
        if trace.name not in names:
            trace.opacity = DIMMED
