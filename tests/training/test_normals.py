"""Normal numbers by Box and Muller: their distribution, their independence, their bits."""

import numpy as np
import pytest
from scipy.stats import kstest

from bdlviz.training.noise import generator
from bdlviz.training.normals import Normals

COUNT = 200_001


@pytest.fixture(scope="module")
def numbers() -> np.ndarray:
    """A long row."""
    row = np.empty(COUNT, np.float32)
    Normals(COUNT).fill(generator(0, "noise"), row)
    return row.astype(float)


def test_numbers_are_independent_and_normal_to_the_tails(numbers):
    """Within four standard errors; the variances of the powers are 1, 2, 15 and 96."""
    for power, expected, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert np.mean(numbers**power) == pytest.approx(expected, abs=4 * (variance / COUNT) ** 0.5)
    assert kstest(numbers, "norm").pvalue > 1e-3
    assert 4 < np.abs(numbers).max() < 6.8
    assert np.mean(np.abs(numbers) > 3) == pytest.approx(0.0027, abs=4 * (0.0027 / COUNT) ** 0.5)
    half = -(-COUNT // 2)
    first, second = numbers[: COUNT - half], numbers[half:]
    for a, b in ((first, second), (first**2, second**2), (numbers[:-1], numbers[1:])):
        assert abs(np.corrcoef(a, b)[0, 1]) < 4 / len(a) ** 0.5


@pytest.mark.parametrize("count", [1, 2, 7, 4096])
def test_bits_depend_on_the_generator_alone(count):
    """Also of a row in the middle of an array, and after another generator's."""
    rows = np.empty((3, count), np.float32)
    normals = Normals(count)
    for seed in (5, 1, 3):
        normals.fill(generator(seed, "noise"), rows[{5: 0, 1: 1, 3: 2}[seed]])
    alone = np.empty(count, np.float32)
    Normals(count).fill(generator(3, "noise"), alone)
    np.testing.assert_array_equal(rows[2], alone)
    assert not np.array_equal(rows[0], rows[1]) and np.isfinite(rows).all()
