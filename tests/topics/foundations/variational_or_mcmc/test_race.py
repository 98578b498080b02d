"""Errors against work: estimates of the later half, errors in posterior units, and who ends where."""

import numpy as np
import pytest

from bdlviz.models import targets
from bdlviz.models.targets import TARGETS
from bdlviz.topics.foundations.variational_or_mcmc import gaussian_fit, race


def test_later_half_one_by_one():
    places, checks = np.random.default_rng(0).normal(size=(50, 3, 2)), np.array([2, 7, 50])
    mean, std = race.later_half(places, checks)
    for row, count in enumerate(checks):
        part = places[count // 2 : count]
        np.testing.assert_allclose(mean[row], part.mean(0), atol=1e-12)
        np.testing.assert_allclose(std[row], part.std(0), atol=1e-7)


def test_errors_are_in_standard_deviations_of_the_posterior():
    grid = targets.grid_of("line")
    mean, covariance = grid.moments
    std = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(race.moment_errors(mean, std, grid), 0, atol=1e-12)
    np.testing.assert_allclose(race.moment_errors(mean + 0.3 * std, 0.6 * std, grid), [0.3, 0.4], rtol=1e-9)
    np.testing.assert_allclose(race.moment_errors(mean + np.array([std[0], 0]), std, grid)[0], 0.5**0.5, rtol=1e-9)


def test_a_fit_ends_at_its_bias():
    """Mean field on a Gaussian: no error of the means, sds too small by sqrt(1 - rho^2)."""
    found = race.run(TARGETS["line"], "mean_field", num_seeds=20)
    assert found is not None and found.mean.shape == (len(found.evaluations), 20)
    assert found.evaluations[-1] == race.FIT_EVALUATIONS
    covariance = targets.grid_of("line").moments[1]
    std = np.sqrt(np.diag(covariance))
    bias = np.sqrt(np.square(np.sqrt(gaussian_fit.best_mean_field(covariance)) / std - 1).mean())
    np.testing.assert_allclose(np.median(found.std[-1]), bias, rtol=0.02)
    assert np.median(found.mean[-1]) < 0.05


@pytest.mark.parametrize("runner", ["metropolis", "langevin", "hmc"])
def test_chains_go_on(runner):
    """Four times the work, about half the error: within what 40 seeds allow."""
    found = race.run(TARGETS["line"], runner, evaluations=8000)
    assert found is not None and found.evaluations[-1] == 8000
    late, early = found.mean[-1], found.mean[np.searchsorted(found.evaluations, 2000)]
    ratio = np.sqrt(np.square(late).mean() / np.square(early).mean())
    assert 0.3 < ratio < 0.75
    assert np.median(found.std[-1]) < 0.2


def test_a_seed_repeats_the_errors_and_a_race_can_be_stopped():
    one, two = (race.run(TARGETS["banana"], "hmc", num_seeds=3, evaluations=300, seed=4) for _ in range(2))
    assert one is not None and two is not None
    np.testing.assert_array_equal(one.mean, two.mean)
    shares: list[float] = []

    def stop(share: float) -> bool:
        shares.append(share)
        return False

    assert race.run(TARGETS["line"], "metropolis", num_seeds=2, evaluations=2000, on_progress=stop) is None
    assert shares == [0.05]


def test_every_chain_has_a_step_size_on_every_posterior():
    chains = race.RUNNERS.keys() - gaussian_fit.FAMILIES.keys()
    assert {name: set(sizes) for name, sizes in race.STEP_SIZES.items()} == dict.fromkeys(TARGETS, chains)
