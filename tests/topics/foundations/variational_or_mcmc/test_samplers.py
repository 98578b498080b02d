"""Chains against what they are drawn from, leapfrog steps against Hamilton's equations."""

import numpy as np
import pytest

import bdlviz
from bdlviz.models import targets
from bdlviz.models.targets import TARGETS
from bdlviz.predictive.chains import effective_sample_size, split_r_hat
from bdlviz.topics.foundations.variational_or_mcmc import samplers
from bdlviz.topics.foundations.variational_or_mcmc.samplers import SAMPLERS, run_chains

STEPS = {  # sampler -> step size on each target; all but the last sampler reject
    "metropolis": {"line": 0.3, "banana": 0.8, "ring": 1.2},
    "langevin": {"line": 0.12, "banana": 0.2, "ring": 0.4},
    "hmc": {"line": 0.1, "banana": 0.2, "ring": 0.3},
}
CHAINS, LENGTH = 64, 1500


def starts(target, count, rng):
    return rng.uniform(*np.array(target.limits).T, (count, 2))


def exact_draws(name, count, rng):
    """Draws of the posterior from its grid, spread evenly within their cells."""
    grid = targets.grid_of(name)
    mass = (grid.density * grid.area).ravel()
    cells = rng.choice(mass.size, count, p=mass / mass.sum())
    size = np.array([grid.across[1] - grid.across[0], grid.up[1] - grid.up[0]])
    return grid.points.reshape(-1, 2)[cells] + size * rng.uniform(-0.5, 0.5, (count, 2))


@pytest.mark.parametrize(("sampler", "name"), [(s, n) for s, sizes in STEPS.items() for n in sizes])
def test_moments_are_those_of_the_posterior(sampler, name):
    """From exact draws on, chains keep first and second moments: within four standard errors, by their ESS."""
    target, rng = TARGETS[name], np.random.default_rng(1)
    found = run_chains(
        target, sampler, STEPS[sampler][name], exact_draws(name, CHAINS, rng), LENGTH, rng, num_leapfrog=12
    )
    kept = found.places.swapaxes(0, 1)
    quantities = np.concatenate([kept, np.square(kept), kept.prod(-1, keepdims=True)], axis=-1)
    mean, covariance = targets.grid_of(name).moments
    second = covariance + np.outer(mean, mean)
    expected = [*mean, second[0, 0], second[1, 1], second[0, 1]]
    error = quantities.std((0, 1)) / np.sqrt(effective_sample_size(quantities))
    assert (np.abs(quantities.mean((0, 1)) - expected) < 4 * error).all()
    assert 0.1 < found.acceptance < 1


def test_unadjusted_chain_has_its_known_bias():
    """On a Gaussian: covariance within four standard errors of the closed form, and not of the posterior's."""
    target, rng, step = TARGETS["line"], np.random.default_rng(0), 0.12
    _, precision = targets.line_moments(target)
    expected = samplers.unadjusted_covariance(precision, step)
    found = run_chains(target, "unadjusted", step, starts(target, 512, rng), 1200, rng).places[600:].swapaxes(0, 1)
    centred = np.square(found - found.mean((0, 1)))
    error = centred.std((0, 1)) / np.sqrt(effective_sample_size(centred))
    variances = centred.mean((0, 1))
    assert (np.abs(variances - np.diag(expected)) < 4 * error).all()
    narrow = np.linalg.eigh(precision)[1][:, 1]  # along this direction the bias is largest
    spread = (found @ narrow).var()
    np.testing.assert_allclose(spread, narrow @ expected @ narrow, rtol=0.03)
    assert spread > 1.5 * narrow @ np.linalg.inv(precision) @ narrow


def test_unadjusted_bias_vanishes_with_the_step_and_has_an_end():
    _, precision = targets.line_moments(TARGETS["line"])
    np.testing.assert_allclose(samplers.unadjusted_covariance(precision, 1e-4), np.linalg.inv(precision), rtol=1e-5)
    with pytest.raises(bdlviz.InvalidInput, match="away"):
        samplers.unadjusted_covariance(precision, 2 / np.linalg.eigvalsh(precision)[-1] ** 0.5)


@pytest.mark.parametrize("name", TARGETS)
def test_leapfrog_can_be_reversed(name):
    target, rng = TARGETS[name], np.random.default_rng(0)
    place, momentum = rng.normal(size=(2, 7, 2))
    path, end, _ = samplers.leapfrog(target, place, momentum, 0.02, 25)
    back, start, _ = samplers.leapfrog(target, path[-1], -end, 0.02, 25)
    np.testing.assert_allclose(back[-1], place, atol=1e-9)
    np.testing.assert_allclose(-start, momentum, atol=1e-9)
    np.testing.assert_allclose(back[::-1], path, atol=1e-9)


@pytest.mark.parametrize("name", TARGETS)
def test_energy_error_falls_with_the_square_of_the_step(name):
    target, rng = TARGETS[name], np.random.default_rng(3)
    place, momentum = 0.5 * rng.normal(size=(2, 200, 2))

    def error(step_size: float) -> float:
        path, end, _ = samplers.leapfrog(target, place, momentum, step_size, round(0.4 / step_size))
        before = np.square(momentum).sum(-1) / 2 - target.log_joint(place)
        return float(np.abs(np.square(end).sum(-1) / 2 - target.log_joint(path[-1]) - before).mean())

    np.testing.assert_allclose(error(0.01) / error(0.005), 4, rtol=0.1)


def test_leapfrog_keeps_areas():
    """The determinant of its derivative by place and momentum is 1, else Metropolis' rule would be wrong."""
    target, at, step = TARGETS["banana"], np.array([0.3, -0.5, 0.7, 0.2]), 1e-6

    def moved(state: np.ndarray) -> np.ndarray:
        path, end, _ = samplers.leapfrog(target, state[:2], state[2:], 0.15, 6)
        return np.concatenate([path[-1], end])

    derivative = [(moved(at + step * axis) - moved(at - step * axis)) / (2 * step) for axis in np.eye(4)]
    np.testing.assert_allclose(np.linalg.det(derivative), 1, rtol=1e-6)


def test_langevin_is_one_leapfrog_step():
    """W + eps^2 / 2 grad + eps r."""
    target, rng = TARGETS["banana"], np.random.default_rng(0)
    place, momentum = rng.normal(size=(2, 5, 2))
    path, _, _ = samplers.leapfrog(target, place, momentum, 0.3, 1)
    np.testing.assert_allclose(path[1], place + 0.3**2 / 2 * target.gradient(place) + 0.3 * momentum, rtol=1e-12)


def test_metropolis_rule():
    error = np.array([-5.0, 0.0, np.log(2), np.log(2), np.inf, np.nan, 1e300])
    uniform = np.array([0.99, 0.99, 0.49, 0.51, 0.0, 0.0, 0.0])
    accepted = samplers.accepts(error, uniform)
    np.testing.assert_array_equal(accepted[:4], [True, True, True, False])
    assert not accepted[4:].any() or (np.exp(-samplers.LARGEST_ERROR) > 0)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_chains_stay_or_go_where_proposed_and_a_seed_repeats_them(sampler):
    start = exact_draws("ring", 3, np.random.default_rng(0))
    found, again = (
        run_chains(TARGETS["ring"], sampler, 0.2, start, 20, np.random.default_rng(5), num_leapfrog=4, keeps_paths=True)
        for _ in range(2)
    )
    np.testing.assert_array_equal(found.places, again.places)
    length = 5 if sampler == "hmc" else 2
    assert found.places.shape == (21, 3, 2) and found.paths.shape == (20, 3, length, 2)
    assert found.evaluations == (4 if sampler == "hmc" else 1)
    np.testing.assert_array_equal(found.paths[:, :, 0], found.places[:-1])
    expected = np.where(found.is_accepted[..., None], found.paths[:, :, -1], found.places[:-1])
    np.testing.assert_array_equal(found.places[1:], expected)


@pytest.mark.parametrize("sampler", ["unadjusted", "langevin", "hmc"])
@pytest.mark.parametrize("name", TARGETS)
def test_too_large_steps_never_look_converged(sampler, name):
    target, rng = TARGETS[name], np.random.default_rng(0)
    found = run_chains(target, sampler, 6.0, starts(target, 4, rng), 200, rng)
    r_hat = split_r_hat(found.places[100:].swapaxes(0, 1))
    assert r_hat.max() > 1.1, "Chains that ran away, or never moved, must not count as converged."


def test_a_small_step_from_one_place_agrees_and_is_wrong():
    """All chains in one mode: R-hat says nothing of the other one."""
    rng = np.random.default_rng(0)
    found = run_chains(TARGETS["unit"], "hmc", 0.15, np.full((4, 2), 1.3), 400, rng).places[200:].swapaxes(0, 1)
    assert split_r_hat(found).max() < 1.1
    assert (found[..., 0] > 0).all()


def test_chains_can_be_stopped():
    rng = np.random.default_rng(0)
    found = run_chains(TARGETS["line"], "hmc", 0.1, np.zeros((2, 2)), 100, rng, on_step=lambda count: count < 7)
    assert len(found.is_accepted) == 7


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"sampler": "gibbs"}, "one of"), ({"step_size": 0}, "positive"), ({"step_size": np.nan}, "positive")],
)
def test_bad_settings(settings, message):
    usual = {"sampler": "hmc", "step_size": 0.1, "starts": np.zeros((2, 2)), "num_steps": 5} | settings
    with pytest.raises(bdlviz.InvalidInput, match=message):
        run_chains(TARGETS["line"], rng=np.random.default_rng(0), **usual)
