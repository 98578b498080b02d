"""Figures of the published numbers."""

from __future__ import annotations

from typing import Any

import pytest

from bdlviz.topics.results.register import figures
from bdlviz.topics.results.register.figures import Compared


@pytest.mark.parametrize(("accepted", "symbol"), [(True, "circle"), (False, "x")])
def test_a_verdict_is_seen_without_colour(accepted: bool, symbol: str) -> None:
    fig: Any = figures.differences([Compared("a", 1.5, 1.1, 1.9, 2, 2, accepted)], unit="nats")
    assert fig.data[0].marker.symbol == symbol
    assert fig.layout.shapes[0].x0 == -2
