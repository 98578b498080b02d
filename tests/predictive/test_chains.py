"""R-hat and effective sample size against autoregressive series, whose worth is known, and against ArviZ."""

import numpy as np
import pytest
from numpy.random import PCG64, Generator

import bdlviz
from bdlviz.predictive.chains import CONVERGED, ENOUGH, effective_sample_size, judge, split_r_hat, stopped
from bdlviz.predictive.convergence import LARGEST_R_HAT, Convergence
from tests.told import numbers_in

# By ArviZ 0.22 and arviz-stats 0.8: rhat(method="split") and ess(method="mean") of the series below.
GOLDEN = {
    (0.9, 4, 200, 1): (1.104172614573246, 36.83419468882854),
    (-0.5, 2, 101, 2): (0.9911559086713064, 460.2059991327962),  # more than draws: errors of neighbours cancel
    (0.99, 3, 60, 4): (5.4355221517531085, 3.5870289147259258),
}


def series(correlation: float, chains: int, kept: int, seed: int, num: int | None = None) -> np.ndarray:
    """AR(1) in its stationary distribution, (chains, kept) or (chains, kept, num)."""
    noise = Generator(PCG64(seed)).standard_normal((chains, kept) if num is None else (chains, kept, num))
    draws = np.empty_like(noise)
    draws[:, 0] = noise[:, 0] / np.sqrt(1 - correlation**2)
    for step in range(1, kept):
        draws[:, step] = correlation * draws[:, step - 1] + noise[:, step]
    return draws


def test_agrees_with_arviz_and_known_series():
    for setting in GOLDEN:
        draws, (r_hat, size) = series(*setting), GOLDEN[setting]
        np.testing.assert_allclose(split_r_hat(draws), r_hat, rtol=1e-12)
        np.testing.assert_allclose(effective_sample_size(draws), size, rtol=1e-12)
    # N (1 - phi) / (1 + phi); 200 series, within four standard errors and the bias of a sum that ends by a rule.
    for correlation in [0.0, 0.5, 0.9]:
        size = effective_sample_size(series(correlation, 4, 4000, 0, 200))
        expected = 16_000 * (1 - correlation) / (1 + correlation)
        np.testing.assert_allclose(size.mean(), expected, atol=4 * size.std() / 200**0.5 + 0.02 * expected)
    draws = series(0.7, 3, 101, 1, 6).reshape(3, 101, 2, 3)
    for function in (split_r_hat, effective_sample_size):
        one_by_one = [[function(draws[:, :, i, j]) for j in range(3)] for i in range(2)]
        np.testing.assert_allclose(function(draws), one_by_one, rtol=1e-12)
        assert function(draws).shape == (2, 3)
    draws = series(0.7, 3, 100, 1)
    for function in (split_r_hat, effective_sample_size):
        np.testing.assert_allclose(function(1e6 - 3e-4 * draws), function(draws), rtol=1e-6)


def test_chains_that_disagree():
    r"""Means 0 and d, variance 1: R-hat is sqrt(1 + var of means) with four halves, d^2 / 3; they count as two."""
    draws = series(0, 2, 20_000, 0)
    draws[1] += 6
    np.testing.assert_allclose(split_r_hat(draws), np.sqrt(1 + 6**2 / 3), rtol=0.02)
    assert effective_sample_size(draws) < 6
    drift = series(0, 1, 1000, 0) + np.linspace(0, 5, 1000)
    assert split_r_hat(drift) > 1.5
    draws = np.repeat([[0.0], [1.0]], 20, axis=1)
    assert np.isinf(split_r_hat(draws))
    # Halves of two: no lag is left to judge by, so the answer is the largest one.
    draws = series(0, 4, 4, 0)
    assert np.isfinite(split_r_hat(draws))
    np.testing.assert_allclose(effective_sample_size(draws), 16 * np.log10(16))
    # Never moved, or ran away: never a small R-hat.
    for value in [0.1, np.nan, np.inf]:
        draws = np.full((4, 50), 0.1)
        draws[0, 7:] = value
        assert np.isinf(split_r_hat(draws))
        assert effective_sample_size(draws) == 0
    for shape in [(4,), (4, 3)]:
        for function in (split_r_hat, effective_sample_size):
            with pytest.raises(bdlviz.InvalidInput, match="keep"):
                function(np.zeros(shape))


@pytest.mark.parametrize("still", ["never", "first half", "second half"])
def test_a_chain_that_does_not_move_is_said_to_be_one(still: str):
    """By arviz-stats 0.8, split R-hat is 1.0004 and the effective sample size 1894 if one of four never moves."""
    draws = series(0, 4, 500, 0, 2)
    frozen = {"never": slice(None), "first half": slice(250), "second half": slice(250, None)}[still]
    draws[0, frozen, 0] = draws[1:, :, 0].mean()
    np.testing.assert_array_equal(stopped(draws), [[True, False], *[[False, False]] * 3])
    r_hat, size = split_r_hat(draws), effective_sample_size(draws)
    assert np.isinf(r_hat[0]) and size[0] == 0 and judge(r_hat[0], size[0]) == "disagree"
    assert judge(r_hat[1], size[1]) == "agree"
    found = Convergence(r_hat, size, 0.8, 4, 2000, num_stopped=1)
    assert not found.is_reached and {1, 4} <= set(numbers_in(found.numbers))


def test_the_limit_of_the_worst_of_many_inputs():
    """Independent draws at 25 independent inputs in 16 chains of 64: many exceed 1.01, and none comes near 1.05."""
    worst = np.array([split_r_hat(series(0, 16, 64, seed, 25)).max() for seed in range(200)])
    assert (worst > CONVERGED).mean() > 0.2
    assert worst.max() < 1 + (LARGEST_R_HAT - 1) / 2


def test_agreement_needs_enough_effective_draws():
    """R-hat of independent chains of a few draws is often below 1: that alone is no agreement."""
    few = series(0, 4, 8, 0, 200)
    r_hat, size = split_r_hat(few), effective_sample_size(few)
    below = r_hat < 1
    assert below.sum() > 20
    assert {judge(*pair) for pair in zip(r_hat[below], size[below], strict=True)} == {"too few"}
    assert judge(CONVERGED, 10 * ENOUGH) == judge(np.inf, 0) == judge(np.nan, 10 * ENOUGH) == "disagree"
    assert judge(1.0, ENOUGH - 1) == "too few" and judge(1.0, ENOUGH) == "agree"
    many = series(0, 4, 1000, 3)
    assert judge(float(split_r_hat(many)), float(effective_sample_size(many))) == "agree"
    for r_hat, size, expected in [
        (0.95, 33, False),
        (1.0, ENOUGH - 1, False),
        (1.0, ENOUGH, True),
        (LARGEST_R_HAT, 10 * ENOUGH, False),
    ]:
        found = Convergence(np.array([0.99, r_hat]), np.array([size, 10.0 * ENOUGH]), 0.8, 4, 2000)
        assert found.is_reached is expected
        assert f"{max(0.99, r_hat):.3f}" in found.numbers and f"{size:,.0f}" in found.numbers
