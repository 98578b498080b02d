"""What is said of peers: which is the fastest, and that all reached the same."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.peers import check_alike, compared, imported
from benchmarks.timing import Runs


def runs(*seconds: float, reached: float = 1.0) -> Runs:
    return Runs(list(seconds), [np.array(reached)] * len(seconds))


def test_the_fastest_peer_has_the_target_and_its_name_stands_in_the_note() -> None:
    rows = compared(
        "a step", runs(0.001, 0.001), {"slow": runs(0.008, 0.008), "quick": runs(0.002, 0.004)}, ">= 1.8", 1e3, "ms"
    )
    assert [row.what for row in rows] == ["a step: fastest peer / bdlviz", "a step: slow / bdlviz"]
    assert rows[0].value.median == pytest.approx(3) and rows[0].target == ">= 1.8"
    assert rows[0].note == "quick; 3 / 1 ms" and not rows[1].target


def test_without_peers_there_are_no_rows() -> None:
    assert compared("a step", runs(1.0), {}, ">= 1.8", 1, "s") == []


@pytest.mark.parametrize("reached", [1.06, 0.94, float("nan")])
def test_another_loss_fails(reached: float) -> None:
    with pytest.raises(AssertionError, match="torch reached"):
        check_alike("a step", runs(1.0), {"torch": runs(1.0, reached=reached)}, 0.05)


def test_a_similar_loss_passes() -> None:
    check_alike("a step", runs(1.0), {"torch": runs(1.0, reached=1.04)}, 0.05)


def test_a_missing_peer_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert imported("a_library_that_nobody_has") is None
    assert "a_library_that_nobody_has: left out" in capsys.readouterr().err
