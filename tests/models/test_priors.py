"""The scale-mixture prior of one weight: its density, its limits and its slope."""

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from scipy.stats import norm

from bdlviz.models.priors import Logarithms, log_scale_mixture, log_scale_mixture_slope

WIDE, NARROW, SHARE = np.exp(-1.0), np.exp(-7.0), 0.25
W = np.array([0.0, 1e-4, -1e-3, 4e-3, 0.03, -0.7, 3.0])


def test_density_is_that_of_a_mixture():
    expected = SHARE * norm.pdf(W, 0, WIDE) + (1 - SHARE) * norm.pdf(W, 0, NARROW)
    np.testing.assert_allclose(log_scale_mixture(W, WIDE, NARROW, SHARE), np.log(expected), rtol=1e-10)


def test_density_integrates_to_one():
    parts = [(-8 * WIDE, -10 * NARROW), (-10 * NARROW, 10 * NARROW), (10 * NARROW, 8 * WIDE)]
    mass = sum(quad(lambda w: np.exp(log_scale_mixture(w, WIDE, NARROW, SHARE)), *ends)[0] for ends in parts)
    assert mass == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(("narrow", "share"), [(NARROW, 1.0), (WIDE, 0.25)])
def test_one_gaussian_is_a_limit(narrow, share):
    """All of the share, or two components alike; and the density far out does not overflow."""
    w = np.append(W, 1e3)
    np.testing.assert_allclose(log_scale_mixture(w, WIDE, narrow, share), norm.logpdf(w, 0, WIDE), rtol=1e-10)


@pytest.mark.parametrize(("wide", "narrow"), [(WIDE, NARROW), (NARROW, WIDE), (WIDE, WIDE)])
def test_slope_is_the_numerical_derivative(wide, narrow):
    step = 1e-7 * np.maximum(np.abs(W), NARROW)
    up, down = (log_scale_mixture(W + s, wide, narrow, SHARE) for s in (step, -step))
    found = log_scale_mixture_slope(W, wide, narrow, SHARE)
    np.testing.assert_allclose(found, (up - down) / (2 * step), rtol=1e-4, atol=1e-3)


def test_tensors_give_the_same():
    w = torch.from_numpy(W)
    of = Logarithms(torch.log, torch.logaddexp)
    wide, narrow, share = (torch.tensor(value, dtype=torch.float64) for value in (WIDE, NARROW, SHARE))
    found = log_scale_mixture(w, wide, narrow, share, of)
    np.testing.assert_allclose(found.numpy(), log_scale_mixture(W, WIDE, NARROW, SHARE), rtol=1e-10)
