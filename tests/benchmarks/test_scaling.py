"""Exponents of cost."""

import numpy as np

from benchmarks import scaling
from benchmarks.memory import peak_megabytes


def test_exponents_are_those_of_power_laws_round_by_round():
    sizes = (10, 100, 1000)
    amounts = np.stack([3.0 * np.array(sizes) ** power for power in (0.5, 1.0, 2.0)], axis=1)
    spread = scaling.exponents(sizes, amounts)
    np.testing.assert_allclose((spread.low, spread.median, spread.high), (0.5, 1.0, 2.0))


def test_the_largest_size_is_the_figure_and_all_are_noted():
    row = scaling._largest("memory", (10, 1000), [[1.0, 3.0], [20.0, 30.0]])
    assert row.what == "memory: 1,000"
    assert (row.value.median, row.unit) == (25.0, "MB")
    assert row.note == "10: 2, 1,000: 25 MB"


def test_the_peak_is_at_least_what_was_held():
    before = peak_megabytes()
    held = np.ones(8 * 1024**2)
    assert peak_megabytes() >= max(before, held.nbytes / 1024**2)
