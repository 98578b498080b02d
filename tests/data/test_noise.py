"""The noise estimate: unbiased, blind to a linear trend and to the order of rows, never zero."""

import numpy as np
import pytest

from bdlviz.data import estimate_noise_std, load


def test_the_published_formula_and_its_limits():
    x = np.array([0.0, 1.0, 3.0, 4.0])
    y = np.array([1.0, 0.0, 2.0, 5.0])
    # Weights of the neighbours 2/3, 1/3 and 1/3, 2/3; sum of squares 5/9 each.
    first, second = 2 / 3 * 1 + 1 / 3 * 2 - 0, 1 / 3 * 0 + 2 / 3 * 5 - 2
    expected = np.sqrt((first**2 + second**2) / (1 + 5 / 9) / 2)
    assert estimate_noise_std(x, y) == pytest.approx(expected, rel=1e-12)
    y = np.array([1.0, 4.0, 2.0, 8.0])
    assert estimate_noise_std(np.zeros(4), y) == pytest.approx(np.std(y, ddof=1))
    rng = np.random.default_rng(1)
    x, noise = rng.uniform(0, 10, 50), rng.standard_normal(50)
    assert estimate_noise_std(x, noise + 3 * x - 7) == pytest.approx(estimate_noise_std(x, noise), rel=1e-9)
    assert estimate_noise_std(x, x) == pytest.approx(0.01 * np.std(x))  # only the floor is left
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 8, 60).astype(float), rng.standard_normal(60)
    order = np.lexsort((y, x))  # sorted y within ties would fool an estimate from neighbours in the file
    assert estimate_noise_std(x[order], y[order]) == pytest.approx(estimate_noise_std(x, y), rel=1e-12)
    data = load("two_clusters")
    estimate = estimate_noise_std(data.x, data.y)
    assert estimate == pytest.approx(0.1, rel=0.4)
    for scale in (1e-200, 1e12):
        assert estimate_noise_std(data.x, scale * data.y) == pytest.approx(scale * estimate)
    for x, y, expected in [
        ([0], [5], 0.01),
        ([0, 1, 2], [5, 5, 5], 0.01),
        ([0, 1], [0, 2], 0.1),
        ([3, 3], [0, 2], 0.1),
        ([0, 1, 2, 3], [0, 10, 20, 30], 0.01 * np.std([0, 10, 20, 30])),
    ]:
        assert estimate_noise_std(np.array(x), np.array(y)) == pytest.approx(expected)
    for num_ties in [1, 3]:
        rng = np.random.default_rng(0)
        x = np.repeat(np.sort(rng.uniform(-3, 3, 300 // num_ties)), num_ties)
        curve = 0.2 * np.sin(x)  # its curvature between neighbours is far below the noise
        variances = [estimate_noise_std(x, curve + 0.5 * rng.standard_normal(300)) ** 2 for _ in range(400)]
        assert abs(np.mean(variances) - 0.25) < 4 * np.std(variances) / np.sqrt(400)
