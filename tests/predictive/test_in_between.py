"""Closed variances against Monte Carlo, and both theorems of Foong et al. 2020 on networks of every kind."""

import numpy as np
import pytest

from bdlviz.predictive import in_between
from bdlviz.types import Array

SEEDS = range(25)
X = np.linspace(-3, 3, 61)[:, None]


def network(seed: int, num_inputs: int = 1, width: int = 8) -> tuple[dict[str, Array], dict[str, Array]]:
    """Means and standard deviations of a random network, from nearly sure to all noise."""
    rng = np.random.default_rng(seed)
    shapes = {"weight0": (num_inputs, width), "bias0": (1, width), "weight1": (width, 1), "bias1": (1, 1)}
    size = 10.0 ** rng.uniform(-2, 1)
    mean = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    return mean, {name: size * rng.random(shape) for name, shape in shapes.items()}


def sampled(mean: dict[str, Array], std: dict[str, Array], x: Array, count: int) -> Array:
    """Outputs (count, N) of networks with their weights drawn."""
    rng = np.random.default_rng(99)
    w = {name: mean[name] + std[name] * rng.normal(size=(count, *mean[name].shape)) for name in mean}
    hidden = np.maximum(x @ w["weight0"] + w["bias0"], 0)
    return (hidden @ w["weight1"] + w["bias1"])[..., 0]


def test_variances_are_those_of_draws() -> None:
    for num_inputs in [1, 3]:
        for seed in range(4):
            mean, std = network(seed, num_inputs)
            x = np.random.default_rng(seed).normal(size=(5, num_inputs))
            draws = sampled(mean, std, x, 200_000)
            squares = (draws - draws.mean(0)) ** 2
            error = 4 * squares.std(0) / np.sqrt(len(squares))
            assert (np.abs(in_between.mean_field_variance(mean, std, x)[:, 0] - squares.mean(0)) < error).all()
    for rate in [0.05, 0.5, 0.9]:
        params, _ = network(1)
        x = np.array([[-1.0], [0.2], [2.0]])
        masks = (np.random.default_rng(0).random((200_000, 1, 8)) > rate) / (1 - rate)
        hidden = np.maximum(x @ params["weight0"] + params["bias0"], 0) * masks
        draws = (hidden @ params["weight1"] + params["bias1"])[..., 0]
        squares = (draws - draws.mean(0)) ** 2
        error = 4 * squares.std(0) / np.sqrt(len(squares))
        assert (np.abs(in_between.dropout_variance(params, rate, x)[:, 0] - squares.mean(0)) <= error).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_both_theorems(seed: int) -> None:
    """Var f(r) <= Var f(p) + Var f(q) wherever pq holds the origin and r is the nearest of the three to it."""
    mean, std = network(seed)
    variance = in_between.mean_field_variance(mean, std, X)[:, 0]
    left, right = X[:, 0] <= 0, X[:, 0] >= 0
    p, r, q = np.meshgrid(X[left, 0], X[:, 0], X[right, 0], indexing="ij")
    bound = variance[left][:, None, None] + variance[right][None, None]
    applies = np.abs(r) <= np.minimum(-p, q)
    exceeded = variance[None, :, None] - bound
    assert applies.any() and (exceeded[applies] <= 1e-9 * variance.max()).all()
    at = np.array([-2.0, -1.5, -1.0, 0.7, 1.2])[:, None]
    known = in_between.mean_field_variance(mean, std, at)[:, 0]
    ceiling = in_between.mean_field_ceiling(at[:, 0], known, X[:, 0])
    assert (variance <= ceiling * (1 + 1e-9)).all()
    # The variance of MC dropout is convex, so that between two points it is at most the larger of theirs.
    params, _ = network(seed)
    variance = in_between.dropout_variance(params, 0.3, X)[:, 0]
    assert (np.diff(variance, 2) >= -1e-9 * variance.max()).all()
    ceiling = in_between.dropout_ceiling(X[:, 0], variance, X[:, 0])
    assert (variance <= ceiling * (1 + 1e-9)).all()


def test_ceilings_are_the_lowest_that_the_points_give() -> None:
    at, variance = np.array([-3.0, -1.0, 1.0, 2.0]), np.array([1.0, 4.0, 3.0, 2.0])
    x = np.array([0.0, 0.9, 1.5, 2.5])
    np.testing.assert_allclose(in_between.mean_field_ceiling(at, variance, x), [3, 3, 3, np.inf])
    np.testing.assert_allclose(in_between.dropout_ceiling(at, variance, np.array([0.0, -2.0, 5.0])), [2, 2, np.inf])
    at = np.array([1.0, 2.0])
    assert np.isinf(in_between.mean_field_ceiling(at, np.ones(2), np.array([0.0]))).all()
    # Why the theorem needs one layer: two make a bump, and an unsure weight behind it a spread in the middle alone.
    x = np.linspace(-1, 1, 41)
    first = np.maximum(x[:, None] + np.array([0.5, 0.0, -0.5]), 0)
    second = np.maximum(first @ np.array([2.0, -4.0, 2.0]), 0)
    draws = np.random.default_rng(0).normal(1, 0.7, (1000, 1)) * second
    variance = draws.var(0) + 0.01  # and an unsure bias
    ceiling = in_between.mean_field_ceiling(x[[0, -1]], variance[[0, -1]], x)
    assert variance[20] > 10 * ceiling[20]


def test_widest_gap_and_averages_in_it() -> None:
    gap = in_between.widest_gap(np.array([2.0, 0.0, 0.5, 1.0]))
    assert gap == (1.0, 2.0)
    x = np.linspace(0, 2, 201)
    assert in_between.in_the_middle(x, x**2, gap) == pytest.approx((1.75**3 - 1.25**3) / 1.5, abs=1e-3)
    assert in_between.at_the_points(x, 3 * x, np.array([0.25, 0.75])) == pytest.approx(1.5)
    both = in_between.at_the_points_and_in_the_middle(x, 3 * x, np.array([0.25, 0.75]))
    assert both == pytest.approx((1.5, 1.5))
    x = np.linspace(-1, 3, 401)
    clusters, one_cluster = np.array([0.0, 0.2, 1.8, 2.0]), np.linspace(0, 2, 50)
    in_gap = np.where((x > 0.59) & (x < 1.41), 7.0, 1.0)  # the middle half of the gap
    assert in_between.among_and_away(x, in_gap, clusters) == (1.0, 7.0)
    beyond = np.where((x < 0) | (x > 2), 5.0, 1.0)
    assert in_between.among_and_away(x, beyond, one_cluster) == (1.0, 5.0)
    assert in_between.among_and_away(np.array([0.5, 1.0]), np.array([2.0, 2.0]), one_cluster) == (2.0, 0.0)
    assert in_between.inside_and_outside(x, beyond, clusters) == (1.0, 5.0)
    assert np.isnan(in_between.inside_and_outside(np.array([0.5]), np.array([2.0]), clusters)[1])
    for points, gap in [
        (np.array([0.0, 0.1, 1.1, 0.2, 1.0]), (0.4, 0.8)),
        (np.linspace(0, 1, 50), None),
        (np.array([2.0]), None),
    ]:
        found = in_between.wide_gap(points)
        assert found is None if gap is None else found == pytest.approx(gap)
