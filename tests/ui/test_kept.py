"""What counts towards the bound on remembered results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from bdlviz import fits
from bdlviz.ui.jobs import kept

ARRAY = np.zeros(10)


class Pair(NamedTuple):
    number: int
    value: Any


@dataclass(frozen=True)
class Holder:
    found: Any
    name: str = ""


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (ARRAY, 80),
        ({"a": ARRAY, "b": [np.zeros(1), (np.zeros(2),)]}, 104),
        (Holder({"x": Holder(ARRAY)}), 80),
        (Pair(3, Holder(ARRAY)), 80),
        ([ARRAY, ARRAY], 80),
        ("text", 0),
    ],
)
def test_bytes_of_every_kind_of_result(value: Any, size: int):
    assert kept.num_bytes(value) == size


def test_bytes_of_a_fit():
    fit = fits.fit("map", "x_sin_x", num_steps=20, hidden=(4,), num_snapshots=3)
    arrays = (fit.params, fit.snapshots)
    assert kept.num_bytes(fit) >= sum(array.nbytes for group in arrays for array in group.values()) > 0


def test_a_result_kept_anew_counts_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(kept, "MAX_RESULT_BYTES", 200)
    results = kept.Results()
    for key in ("a", "b", "b", "b"):
        results.keep(key, np.zeros(10))
    assert results.find("a") is not None
