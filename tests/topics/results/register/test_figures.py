"""Figures of the published numbers."""

from __future__ import annotations

from typing import Any

import pytest

from bdlviz.topics.results.register import figures
from bdlviz.topics.results.register.figures import Dot


@pytest.mark.parametrize(
    ("verdict", "symbol"), [("reproduced", "circle"), ("contradicted", "x"), ("inconclusive", "circle-open")]
)
def test_a_verdict_is_seen_without_colour(verdict: str, symbol: str) -> None:
    fig: Any = figures.placed([Dot("a", 0.7, 0.6, 0.9, verdict, "")], reach=3, aside="")
    assert fig.data[0].marker.symbol == symbol
    assert (fig.layout.shapes[0].x0, fig.layout.shapes[0].x1) == (-1, 1)
