"""Posteriors of two parameters: their slopes, and the straight line's against its closed form."""

import numpy as np
import pytest
from scipy import integrate, stats

import bdlviz
from bdlviz.models import targets
from bdlviz.models.targets import TARGETS

EACH = pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)


@EACH
def test_the_posterior_by_its_definition_and_on_grids(target):
    weights, step = np.random.default_rng(0).normal(size=(3, 4, 2)), 1e-5
    for axis in range(2):
        move = step * np.eye(2)[axis]
        slope = (target.log_joint(weights + move) - target.log_joint(weights - move)) / (2 * step)
        np.testing.assert_allclose(target.gradient(weights)[..., axis], slope, rtol=1e-6, atol=1e-7)
    weights = np.array([0.7, -1.2])
    f, _ = target.function(weights[None], target.x)
    prior = stats.norm.logpdf(weights, 0, target.prior_std).sum()
    expected = prior + stats.norm.logpdf(target.y, f, target.noise_std).sum()
    np.testing.assert_allclose(target.log_joint(weights), expected, rtol=1e-12)
    grid = targets.on_grid(target)
    density = grid.density
    assert max(density[0].max(), density[-1].max(), density[:, 0].max(), density[:, -1].max()) < 1e-12
    np.testing.assert_allclose(density.sum() * grid.area, 1, rtol=1e-12)
    across, up = (
        (axis >= low) & (axis <= high) for axis, (low, high) in zip((grid.across, grid.up), target.limits, strict=True)
    )
    shown = np.ix_(up, across)
    assert density[shown].sum() * grid.area > 0.998
    fine, coarse = (targets.on_grid(target, count).log_evidence for count in (501, 401))
    np.testing.assert_allclose(fine, coarse, atol=1e-9)


def test_the_line_and_the_unit():
    """Mean, covariance and evidence of a conjugate model: the targets are one draw of a Gaussian."""
    target, grid = TARGETS["line"], targets.grid_of("line")
    mean, precision = targets.line_moments(target)
    found_mean, found_covariance = grid.moments
    np.testing.assert_allclose(found_mean, mean, rtol=1e-9)
    np.testing.assert_allclose(found_covariance, np.linalg.inv(precision), rtol=1e-9)
    design = np.stack([np.ones(8), target.x], axis=1)
    marginal = target.noise_std**2 * np.eye(8) + target.prior_std**2 * design @ design.T
    expected = stats.multivariate_normal.logpdf(target.y, np.zeros(8), marginal)  # type: ignore[arg-type]
    np.testing.assert_allclose(grid.log_evidence, expected, rtol=1e-10)
    target = TARGETS["unit"]
    weights = np.random.default_rng(0).normal(size=(9, 2))
    np.testing.assert_allclose(target.log_joint(-weights), target.log_joint(weights), rtol=1e-12)
    assert target.log_joint(np.full(2, 1.3)) - target.log_joint(np.zeros(2)) > 3
    value = integrate.dblquad(
        lambda up, across: np.exp(target.log_joint(np.array([across, up]))), -9, 9, -9, 9, epsabs=1e-8
    )[0]
    np.testing.assert_allclose(targets.grid_of("unit").log_evidence, np.log(value), atol=1e-6)
    with pytest.raises(bdlviz.InvalidInput, match="choose one of line"):
        targets.find("cigar")
