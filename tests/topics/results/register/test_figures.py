"""Figures of the published numbers."""

from __future__ import annotations

from typing import Any

import pytest

from bdlviz.published.claim import Outcome
from bdlviz.topics.results.register import figures
from bdlviz.topics.results.register.figures import Compared


@pytest.mark.parametrize(
    ("verdict", "symbol"), [("reproduced", "circle"), ("contradicted", "x"), ("inconclusive", "circle-open")]
)
def test_a_verdict_is_seen_without_colour(verdict: Outcome, symbol: str) -> None:
    fig: Any = figures.differences([Compared("a", 1.5, 1.1, 1.9, 2, 2, verdict)], unit="nats")
    assert fig.data[0].marker.symbol == symbol
    assert fig.layout.shapes[0].x0 == -2


def test_words_at_the_first_row_say_what_the_marks_are() -> None:
    rows = [Compared("a", -1.5, -1.9, -1.1, 2, 3, "contradicted"), Compared("b", 0, 0, 0, 1, 1, "reproduced")]
    fig: Any = figures.differences(rows, unit="nats")
    words = {note.text.split(",")[0]: note.x for note in fig.layout.annotations}
    assert words == {"printed": 0, "ours": pytest.approx(-1.5), "allowed": 3}
    assert not figures.differences(rows, unit="nats", is_narrow=True).layout.annotations  # type: ignore[attr-defined]
