"""Helpers of the tests of views on weights: the screen, and what a result holds."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import pytest

from bdlviz import plots
from bdlviz.ui.model import Result, Screen

SCREEN = Screen(plots.theme("light"))


def layout_of(result: Result) -> Any:
    """The layout of the first figure."""
    return result.figures[0].figure.layout


def values_of(result: Result) -> list[str]:
    """The key numbers in their order."""
    return list(result.numbers.values())


def run_call(result: Result, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that the snippet of a result leaves behind; its figures are not opened."""
    monkeypatch.setattr(go.Figure, "show", lambda figure: None)
    names: dict[str, Any] = {}
    exec(compile(result.call, "snippet", "exec"), names)
    return names
