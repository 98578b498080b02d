"""The terms of a Gaussian's loss, the noise that is left, and powers of N."""

from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from bdlviz.errors import InvalidInput
from bdlviz.predictive.kinds import loss_terms, noise_left, power_of_number


def test_terms_and_powers():
    residual, std = np.array([0.0, 0.3, -2.0]), np.array([0.1, 0.5, 3.0])
    misfit, price = loss_terms(residual, std)
    np.testing.assert_allclose(misfit + price + 0.5 * np.log(2 * np.pi), -stats.norm.logpdf(residual, 0, std))
    with pytest.raises(InvalidInput, match="above 0"):
        loss_terms(np.ones(2), np.array([1.0, 0.0]))
    rng = np.random.default_rng(0)
    means, y = rng.normal(size=(3, 20, 2)), rng.normal(size=(20, 2))
    best = noise_left(means, y)

    def total(std: np.ndarray) -> float:
        return float(sum(term.sum() for term in loss_terms(y - means, std)))

    for factor in (0.99, 1.01):
        assert total(best * factor) > total(best)
    np.testing.assert_allclose(noise_left(means, means[0])[0] ** 2, np.square(means[:, :, 0] - means[0, :, 0]).mean())
    num_data = np.array([10, 100, 1000, 10_000])
    assert power_of_number(num_data, 3 * num_data**-0.5) == pytest.approx(-0.5)
    assert power_of_number(num_data, np.full(4, 0.1)) == pytest.approx(0, abs=1e-12)
    noisy = np.array([1.0, 0.5, 0.2, 0.15])
    line: Any = stats.linregress(np.log(num_data), np.log(noisy))
    assert power_of_number(num_data, noisy) == pytest.approx(line.slope)
    for bad in ((np.array([1, 1]), np.ones(2)), (num_data, np.zeros(4))):
        with pytest.raises(InvalidInput, match="different"):
            power_of_number(*bad)


@pytest.mark.parametrize("residual", [0.03, 0.5, 3.0])
def test_the_sum_is_lowest_where_the_noise_is_the_residual(residual):
    found: Any = optimize.minimize_scalar(
        lambda log_std: sum(loss_terms(np.asarray(residual), np.exp(log_std))), bounds=(-8, 3), method="bounded"
    )
    assert np.exp(found.x) == pytest.approx(residual, rel=1e-4)
    misfit, price = loss_terms(np.asarray(residual), np.asarray(residual))
    assert misfit == pytest.approx(0.5) and price == pytest.approx(np.log(residual))
