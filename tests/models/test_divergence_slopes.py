"""Slopes of the divergences by numerical derivatives, and the Gaussian divergence against torch's."""

import numpy as np
import pytest
import torch
from torch.distributions import Normal, kl_divergence

from bdlviz.models import divergences


def test_slopes():
    for value, slope in [
        (divergences.sparse_variational, divergences.sparse_variational_slope),
        (divergences.ard, divergences.ard_slope),
    ]:
        at, step = np.linspace(-12, 12, 97), 1e-5
        np.testing.assert_allclose(slope(at), (value(at + step) - value(at - step)) / (2 * step), atol=1e-9, rtol=1e-6)
    # Every divergence falls with alpha, and for a certain weight as half a logarithm does.
    for slope in [divergences.sparse_variational_slope, divergences.ard_slope]:
        at = np.linspace(-30, 30, 61)
        assert (slope(at) < 0).all()
        assert slope(np.array([-30.0]))[0] == pytest.approx(-0.5, abs=1e-6)
    rng = np.random.default_rng(0)
    mean, std = rng.standard_normal(9), rng.uniform(1e-3, 2, 9)
    expected = kl_divergence(Normal(torch.from_numpy(mean), torch.from_numpy(std)), Normal(0.0, 1 / 3.0))
    np.testing.assert_allclose(divergences.gaussian(mean, std, 3.0), expected.numpy(), rtol=1e-6)
