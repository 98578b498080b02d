"""Gaussians fitted to a posterior: the identity at every step, known optima, and gradients."""

import numpy as np
import pytest
from scipy import stats

import bdlviz
from bdlviz.models import targets
from bdlviz.models.targets import TARGETS
from bdlviz.topics.foundations.variational_or_mcmc import gaussian_fit as gf

ENDS = {name: [np.array([low + share * (high - low) for low, high in target.limits]) for share in (0.2, 0.6)]
        for name, target in TARGETS.items()}  # fmt: skip
FACTOR = np.array([[0.6, 0.0], [-0.4, 0.3]])
MEAN = np.array([0.4, -0.2])


def fit(name, family, direction, start=0, num_steps=100):
    target = TARGETS[name]
    grid = targets.grid_of(name)
    return gf.fit(target, grid, ENDS[name][start], 0.3, family=family, direction=direction, num_steps=num_steps)


@pytest.mark.parametrize("direction", gf.DIRECTIONS)
@pytest.mark.parametrize("family", gf.FAMILIES)
@pytest.mark.parametrize("name", TARGETS)
def test_evidence_is_elbo_plus_divergence_at_every_step(name, family, direction):
    course, grid = fit(name, family, direction), targets.grid_of(name)
    np.testing.assert_allclose(course.elbo + course.reverse, grid.log_evidence, atol=1e-6)
    objective = course.elbo if direction == "reverse" else -course.forward
    assert (np.diff(objective) > -1e-6).all(), "Every step helps."
    assert (course.reverse > -1e-9).all() and (course.forward > -1e-9).all()
    assert np.abs(np.diff(course.mean, axis=0)).max() <= gf.LARGEST_MOVE + 1e-9


@pytest.mark.parametrize("name", TARGETS)
def test_divergences_on_a_plain_grid(name):
    """A fixed grid, wide enough for this q, without any lattice of q's own."""
    target, grid = TARGETS[name], targets.on_grid(TARGETS[name], 1201)
    log_q = stats.multivariate_normal.logpdf(grid.points, MEAN, FACTOR @ FACTOR.T)  # type: ignore[arg-type]
    log_p = grid.log_joint - grid.log_evidence
    np.testing.assert_allclose(gf.log_density(grid.points, MEAN, FACTOR), log_q, rtol=1e-9)
    reverse = (np.exp(log_q) * (log_q - log_p)).sum() * grid.area
    np.testing.assert_allclose(gf.reverse_kl(target, grid.log_evidence, MEAN, FACTOR), reverse, rtol=1e-6)
    bound = (np.exp(log_q) * (grid.log_joint - log_q)).sum() * grid.area
    np.testing.assert_allclose(gf.elbo(target, MEAN, FACTOR), bound, rtol=1e-6)
    course = gf.fit(target, grid, MEAN, 0.4, num_steps=1)
    log_q = stats.multivariate_normal.logpdf(grid.points, MEAN, 0.16 * np.eye(2))  # type: ignore[arg-type]
    forward = (np.exp(log_p) * (log_p - log_q)).sum() * grid.area
    np.testing.assert_allclose(course.forward[0], forward, rtol=1e-6)


@pytest.mark.parametrize("name", TARGETS)
def test_gradients_of_the_bound(name):
    value, by_mean, by_factor = gf.elbo_and_gradient(TARGETS[name], MEAN, FACTOR)
    np.testing.assert_allclose(value, gf.elbo(TARGETS[name], MEAN, FACTOR), rtol=1e-5)
    step = 1e-5
    for axis, move in enumerate(step * np.eye(2)):
        change = gf.elbo(TARGETS[name], MEAN + move, FACTOR) - gf.elbo(TARGETS[name], MEAN - move, FACTOR)
        np.testing.assert_allclose(by_mean[axis], change / (2 * step), rtol=1e-4, atol=1e-4)
    for entry in ((0, 0), (1, 0), (1, 1)):
        move = np.zeros((2, 2))
        move[entry] = step
        change = gf.elbo(TARGETS[name], MEAN, FACTOR + move) - gf.elbo(TARGETS[name], MEAN, FACTOR - move)
        np.testing.assert_allclose(by_factor[entry], change / (2 * step), rtol=1e-4, atol=1e-4)


def test_mean_field_on_a_gaussian():
    """Its optimum has the mean, and variances 1 / Lambda_ii; the divergence left is -log(1 - rho^2) / 2."""
    mean, precision = targets.line_moments(TARGETS["line"])
    covariance = np.linalg.inv(precision)
    course = fit("line", "mean_field", "reverse", num_steps=400)
    np.testing.assert_allclose(course.mean[-1], mean, atol=1e-3)
    variances = np.diag(course.covariance[-1])
    np.testing.assert_allclose(variances, 1 / np.diag(precision), rtol=1e-4)
    np.testing.assert_allclose(gf.best_mean_field(covariance), 1 / np.diag(precision), rtol=1e-9)
    correlation = covariance[0, 1] ** 2 / covariance[0, 0] / covariance[1, 1]
    np.testing.assert_allclose(variances / np.diag(covariance), 1 - correlation, rtol=1e-4)
    np.testing.assert_allclose(course.reverse[-1], -np.log(1 - correlation) / 2, rtol=1e-4)


def test_full_covariance_finds_a_gaussian():
    mean, precision = targets.line_moments(TARGETS["line"])
    course = fit("line", "full", "reverse", num_steps=400)
    assert course.reverse[-1] < 1e-4
    np.testing.assert_allclose(course.mean[-1], mean, atol=0.01)
    np.testing.assert_allclose(course.covariance[-1], np.linalg.inv(precision), rtol=0.03)


@pytest.mark.parametrize("family", gf.FAMILIES)
@pytest.mark.parametrize("name", ["banana", "unit", "ring"])
def test_forward_matches_moments(name, family):
    moments = targets.grid_of(name).moments
    mean, covariance = gf.best_forward(*moments, family)
    course = fit(name, family, "forward", num_steps=150)
    np.testing.assert_allclose(course.mean[-1], mean, atol=2e-3)
    np.testing.assert_allclose(course.covariance[-1], covariance, atol=5e-3)


def test_one_mode_or_both():
    """In VI's direction q takes the mode that is nearer, and more than log 2 is missing; forward it covers both."""
    ends = [fit("unit", "full", "reverse", start=start) for start in (0, 1)]
    np.testing.assert_allclose(ends[0].mean[-1], -ends[1].mean[-1], atol=1e-3)
    for course in ends:
        assert np.log(2) < course.reverse[-1] < np.log(2) + 0.5
        assert course.reverse[-1] < course.forward[-1]
    covering = fit("unit", "full", "forward")
    np.testing.assert_allclose(covering.mean[-1], 0, atol=1e-3)
    assert covering.forward[-1] < ends[0].forward[-1]
    assert covering.reverse[-1] > ends[0].reverse[-1]


@pytest.mark.parametrize("is_full", [False, True])
def test_fit_by_draws_ends_where_the_fit_without_noise_does(is_full):
    """40 seeds; each within its own noise, their mean within four standard errors and a step's length."""
    name, family = "banana", "full" if is_full else "mean_field"
    target, rng = TARGETS[name], np.random.default_rng(0)
    start = np.tile(ENDS[name][1], (40, 1))
    means, factors = gf.fit_by_draws(target, start, 0.3, rng, is_full=is_full, num_steps=1000)
    assert means.shape == (1001, 40, 2) and factors.shape == (1001, 40, 2, 2)
    expected = fit(name, family, "reverse", start=1, num_steps=400)
    found = means[-1]
    np.testing.assert_allclose(found.mean(0), expected.mean[-1], atol=4 * found.std() / 40**0.5 + 0.01)
    stds = np.sqrt(np.square(factors[-1]).sum(-1))
    np.testing.assert_allclose(stds.mean(0), np.sqrt(np.diag(expected.covariance[-1])), rtol=0.05)
    assert is_full or (factors[..., 1, 0] == 0).all()


def test_bad_settings():
    grid = targets.grid_of("line")
    with pytest.raises(bdlviz.InvalidInput, match="mean_field"):
        gf.fit(TARGETS["line"], grid, MEAN, 0.3, family="low_rank")
