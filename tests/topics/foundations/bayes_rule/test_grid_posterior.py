"""Posteriors of two parameters on a grid: against the conjugate closed form, ridge regression, and themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import Ridge

from bdlviz.errata.point_estimates import ridge, ridge_weight
from bdlviz.errors import InvalidInput
from bdlviz.models import bayes_rule
from bdlviz.topics.foundations.bayes_rule import grid_posterior, two_parameters
from bdlviz.topics.foundations.bayes_rule.grid_posterior import GridPosterior
from bdlviz.topics.foundations.bayes_rule.two_parameters import LINE, NETWORK, Family
from bdlviz.types import Array

Exact = tuple[Array, Array, float]  # mean (2,), covariance (2, 2), log evidence
SETTINGS = [
    pytest.param(count, noise, prior, x_range, id=f"{count}-{noise}-{prior}-{x_range[0]}")
    for count in (0, 1, 2, 3, 20)
    for noise in (0.1, 0.7, 5.0)
    for prior in (0.1, 1.0, 3.0)
    for x_range in ((-2.5, 2.5), (2.0, 2.5))
]


def some_points(count: int, x_range: tuple[float, float] = (-2.5, 2.5), seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(*x_range, count)
    return x, 0.9 * x - 0.6 + 0.7 * rng.standard_normal(count)


def design(x: Array) -> Array:
    return np.column_stack([x, np.ones_like(x)])


def conjugate(x: Array, y: Array, noise_std: float, prior_std: float) -> Exact:
    """The posterior of a line and its evidence in closed form (Bishop 2006, eqs. 3.53, 3.54 and 2.115)."""
    covariance = np.linalg.inv(design(x).T @ design(x) / noise_std**2 + np.eye(2) / prior_std**2)
    mean = covariance @ design(x).T @ y / noise_std**2
    of_y = noise_std**2 * np.eye(len(x)) + prior_std**2 * design(x) @ design(x).T
    evidence = -0.5 * (y @ np.linalg.solve(of_y, y) + np.linalg.slogdet(2 * np.pi * of_y)[1]) if len(x) else 0.0
    return mean, covariance, float(evidence)


def posterior(family: Family, x: Array, y: Array, noise_std: float = 0.7, prior_std: float = 1.0) -> GridPosterior:
    return grid_posterior.grid_posterior(family, x, y, noise_std=noise_std, prior_std=prior_std)


def likelihood(grid: GridPosterior, x: Array, y: Array) -> Array:
    return grid_posterior.log_likelihood(grid.family, grid.first, grid.second, x, y, grid.noise_std)


@pytest.mark.parametrize(("count", "noise_std", "prior_std", "x_range"), SETTINGS)
def test_a_line_has_the_conjugate_posterior(
    count: int, noise_std: float, prior_std: float, x_range: tuple[float, float]
):
    x, y = some_points(count, x_range)
    found = posterior(LINE, x, y, noise_std, prior_std)
    mean, covariance, evidence = conjugate(x, y, noise_std, prior_std)
    std = np.sqrt(np.diag(covariance))
    assert found.terms.log_evidence == pytest.approx(evidence, abs=1e-5)
    np.testing.assert_allclose((found.mean - mean) / std, 0, atol=1e-5)
    np.testing.assert_allclose((found.covariance - covariance) / np.outer(std, std), 0, atol=1e-5)
    assert found.terms.posterior.sum() == pytest.approx(1)
    assert found.lost < 1e-6


def test_the_predictive_of_a_line_in_closed_form():
    x, y = some_points(4)
    inputs, y_new = np.append(np.linspace(-4, 4, 9), [1.0, 3.0]), np.array([0.2, -2.0])
    whole = posterior(LINE, x, y)
    found = whole.predict(inputs, num_draws=3)
    mean, covariance, _ = conjugate(x, y, 0.7, 1.0)
    exact, variance = design(inputs) @ mean, np.einsum("ni,ij,nj->n", design(inputs), covariance, design(inputs))
    np.testing.assert_allclose(found.mean[:, 0], exact, atol=1e-6)
    np.testing.assert_allclose(found.epistemic_std[:, 0], np.sqrt(variance), rtol=1e-5)
    assert (found.aleatoric_std == 0.7).all() and found.draws.shape == (3, 11, 1)
    density = stats.norm.logpdf(y_new, exact[-2:], np.sqrt(variance[-2:] + 0.7**2))
    np.testing.assert_allclose(whole.log_predictive(inputs[-2:], y_new), density, atol=1e-5)


@pytest.mark.parametrize("family", [LINE, NETWORK], ids=lambda family: family.name)
def test_moments_are_those_of_all_nodes(family: Family):
    found = posterior(family, *some_points(5))
    inputs = np.array([-3.0, 0.4, 2.0])
    parameters, share = found.nodes()
    mean, std = bayes_rule.average(share, family.at(parameters, inputs))
    np.testing.assert_allclose(found.moments(inputs)[0], mean, atol=1e-5)
    np.testing.assert_allclose(found.moments(inputs)[1], std, rtol=1e-4)


@pytest.mark.parametrize("family", [LINE, NETWORK], ids=lambda family: family.name)
def test_one_more_point_updates_the_posterior_before(family: Family):
    x, y = some_points(6)
    whole = posterior(family, x, y)
    prior = grid_posterior.log_prior(whole.first, whole.second, 1.0)
    after_five = bayes_rule.update(prior, likelihood(whole, x[:5], y[:5]))
    with np.errstate(divide="ignore"):
        step = bayes_rule.update(np.log(after_five.posterior), likelihood(whole, x[5:], y[5:]))
    np.testing.assert_allclose(step.posterior, whole.terms.posterior, atol=1e-12)
    # The evidence of all points is that of five times what those foretell of the sixth.
    alone = posterior(family, x[:5], y[:5])
    foretold = float(alone.log_predictive(x[5:], y[5:])[0])
    assert alone.terms.log_evidence + foretold == pytest.approx(whole.terms.log_evidence, abs=1e-4)


@pytest.mark.parametrize("count", [1, 3, 20])
@pytest.mark.parametrize("prior_std", [0.1, 1.0, 3.0])
def test_map_is_ridge_regression(count: int, prior_std: float):
    x, y = some_points(count)
    weight = ridge_weight(0.7**2, prior_std**2)
    found = two_parameters.most_likely(LINE, x, y, ridge_weight=weight)
    np.testing.assert_allclose(found, ridge(design(x), y, weight), atol=1e-9)
    library = Ridge(alpha=weight, fit_intercept=False, solver="cholesky").fit(design(x), y)
    np.testing.assert_allclose(found, library.coef_, atol=1e-9)
    np.testing.assert_allclose(found, posterior(LINE, x, y, prior_std=prior_std).mean, atol=1e-6)


def test_maximum_likelihood_is_least_squares():
    x, y = some_points(7)
    np.testing.assert_allclose(two_parameters.most_likely(LINE, x, y, ridge_weight=0.0), np.polyfit(x, y, 1))


@pytest.mark.parametrize("ridge_weight", [0.0, 0.05, 0.49])
@pytest.mark.parametrize("count", [3, 10, 20])
def test_map_of_a_network_is_the_top_of_its_posterior(count: int, ridge_weight: float):
    x, _ = some_points(count)
    y = 1.5 * np.tanh(1.2 * x) + 0.5 * np.random.default_rng(1).standard_normal(count)
    found = two_parameters.most_likely(NETWORK, x, y, ridge_weight=ridge_weight)
    first, second = (value + np.linspace(-0.05, 0.05, 41) for value in found)
    costs = np.square(y - second[:, None, None] * np.tanh(first[:, None] * x)).sum(-1)
    costs = costs + ridge_weight * (first**2 + second[:, None] ** 2)
    inside = np.abs(first) <= two_parameters.REACH
    assert costs[:, inside].min() >= costs[20, 20] - 1e-9
    assert found[0] > 0


@pytest.mark.parametrize("family", [LINE, NETWORK], ids=lambda family: family.name)
def test_gradients_are_finite_differences(family: Family):
    at, x, step = np.array([0.8, -1.3]), np.array([-2.0, 0.3, 1.7]), 1e-6
    for k, shift in enumerate(step * np.eye(2)):
        difference = (family.at(at + shift, x) - family.at(at - shift, x)) / (2 * step)
        np.testing.assert_allclose(family.gradients(at, x)[:, k], difference, atol=1e-8)


def test_families_are_their_formulas():
    x = np.array([-1.0, 2.0])
    np.testing.assert_allclose(two_parameters.line(np.array([2.0, 0.5]), x), [-1.5, 4.5])
    np.testing.assert_allclose(two_parameters.tiny_network(np.array([2.0, 0.5]), x), 0.5 * np.tanh([-2.0, 4.0]))
    np.testing.assert_allclose(two_parameters.tiny_network(np.array([[2.0, 0.5], [-2.0, -0.5]]), x).std(0), 0)


def test_the_likelihood_by_sums_is_the_likelihood_point_by_point():
    x, y = some_points(8)
    first, second = np.linspace(-2, 2, 5), np.linspace(-1, 3, 4)
    for family in (LINE, NETWORK):
        found = grid_posterior.log_likelihood(family, first, second, x, y, 0.7)
        for row, b in enumerate(second):
            for column, a in enumerate(first):
                squares = np.square(y - family.at(np.array([a, b]), x)).sum()
                assert found[row, column] == pytest.approx(float(bayes_rule.log_normal(squares, 8, 0.7)))


def test_the_posterior_of_a_network_is_symmetric_with_mean_zero():
    x = np.linspace(-2, 2, 10)
    found = posterior(NETWORK, x, 1.5 * np.tanh(1.2 * x), 0.3)
    np.testing.assert_allclose(found.mean, 0, atol=1e-6)
    np.testing.assert_allclose(found.terms.posterior, found.terms.posterior[::-1, ::-1], atol=1e-9)
    function, _ = found.moments(x)
    assert np.abs(function - 1.5 * np.tanh(1.2 * x)).max() < 0.15
    assert np.abs(NETWORK.at(found.mean, x)).max() < 1e-9


# The flat prior -------------------------------------------------------------------------------------------------------


def test_a_flat_prior_leaves_the_likelihood():
    x, y = some_points(6)
    found = posterior(LINE, x, y, prior_std=np.inf)
    np.testing.assert_allclose(found.mean, np.polyfit(x, y, 1), atol=1e-5)
    covariance = 0.7**2 * np.linalg.inv(design(x).T @ design(x))
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-4)
    # The integral of a Gaussian likelihood, times the prior's constant density.
    residual = np.square(y - np.polyval(np.polyfit(x, y, 1), x)).sum()
    wanted = float(bayes_rule.log_normal(residual, 6, 0.7)) + 0.5 * np.linalg.slogdet(2 * np.pi * covariance)[1]
    assert found.terms.log_evidence == pytest.approx(wanted - 2 * np.log(20), abs=1e-5)


@pytest.mark.parametrize("family", [LINE, NETWORK], ids=lambda family: family.name)
def test_flat_without_data_is_uniform(family: Family):
    found = posterior(family, np.empty(0), np.empty(0), prior_std=np.inf)
    assert found.terms.log_evidence == pytest.approx(0, abs=1e-9)
    assert np.ptp(found.terms.posterior) < 1e-12 and found.lost == 0
    assert np.sqrt(found.covariance[0, 0]) == pytest.approx(20 / np.sqrt(12), rel=1e-4)


# The grid -------------------------------------------------------------------------------------------------------------


def test_the_grid_follows_points_far_away():
    x = np.array([-0.1, 0.0, 0.1])
    found = posterior(LINE, x, np.array([80.0, 90.0, 100.0]), 0.1, 3.0)
    mean, _, evidence = conjugate(x, np.array([80.0, 90.0, 100.0]), 0.1, 3.0)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-6)
    assert found.terms.log_evidence == pytest.approx(evidence, rel=1e-6)


def test_shares_outside_a_box_and_outside_a_map():
    """Half of an even posterior lies on each side of its mean; 31.7 % farther than one sd."""
    none = np.empty(0)
    half = grid_posterior.grid_posterior(LINE, none, none, noise_std=1, prior_std=1.0, box=(0, 6, -6, 6))
    assert half.lost == pytest.approx(0.5, abs=0.01)
    inner = grid_posterior.grid_posterior(LINE, none, none, noise_std=1, prior_std=1.0, box=(-3, 3, -1, 1))
    assert inner.lost == pytest.approx(0.317, abs=0.02)
    assert np.exp(half.terms.log_evidence) == pytest.approx(0.5, abs=1e-4)
    found = posterior(LINE, none, none)
    assert found.outside(1.0) == pytest.approx(1 - 0.6827**2, abs=0.02)
    assert found.outside(100.0) == pytest.approx(0.0, abs=1e-12)


def test_a_posterior_narrower_than_the_grid_is_reported():
    x = np.ones(200)
    thin = posterior(LINE, x, x, 0.02, 3.0)
    assert thin.unresolved > 0.5
    assert posterior(LINE, *some_points(20)).unresolved < 0.05


def test_the_contour_of_a_gaussian():
    found = posterior(LINE, *some_points(5))
    assert found.level(0.95) == pytest.approx(0.05, rel=0.02)


def test_draws_have_the_moments_of_the_posterior():
    found = posterior(LINE, *some_points(5))
    draws = found.draw(20_000, seed=0)
    std = np.sqrt(np.diag(found.covariance))
    assert (np.abs(draws.mean(0) - found.mean) < 4 * std / np.sqrt(20_000)).all()
    ratio = draws.var(0) / np.diag(found.covariance)
    assert (np.abs(ratio - 1) < 4 * np.sqrt(2 / 20_000) + 1e-3).all()
    np.testing.assert_array_equal(found.draw(5, seed=3), found.draw(5, seed=3))


def test_one_x_determines_one_direction():
    assert two_parameters.num_determined(LINE, np.zeros(2), np.empty(0)) == 0
    assert two_parameters.num_determined(LINE, np.zeros(2), np.array([1.5, 1.5])) == 1
    assert two_parameters.num_determined(LINE, np.zeros(2), np.array([1.5, 1.6])) == 2


def test_a_point_estimate_predicts_with_noise_only():
    found = two_parameters.plug_in(LINE, np.array([2.0, 1.0]), np.array([0.0, 3.0]), 0.4)
    np.testing.assert_allclose(found.mean[:, 0], [1.0, 7.0])
    assert (found.epistemic_std == 0).all() and (found.total_std == 0.4).all()


@pytest.mark.parametrize(
    ("x", "y", "noise_std", "prior_std", "said"),
    [
        ([1.0], [1.0, 2.0], 1.0, 1.0, "pairs"),
        ([np.nan], [1.0], 1.0, 1.0, "finite"),
        ([1.0], [np.inf], 1.0, 1.0, "finite"),
        ([1.0], [1.0], 0.0, 1.0, "noise"),
        ([1.0], [1.0], np.inf, 1.0, "noise"),
        ([1.0], [1.0], 1.0, 0.0, "prior"),
        ([1.0], [1.0], 1.0, np.nan, "prior"),
    ],
)
def test_bad_input_gets_a_sentence(x: list[float], y: list[float], noise_std: float, prior_std: float, said: str):
    with pytest.raises(InvalidInput, match=said):
        posterior(LINE, np.array(x), np.array(y), noise_std, prior_std)
