"""The scale-mixture prior of one weight: its density, its limits and its slope."""

import numpy as np
import torch
from scipy.stats import norm

from bdlviz.models.priors import Logarithms, log_scale_mixture, log_scale_mixture_slope

WIDE, NARROW, SHARE = np.exp(-1.0), np.exp(-7.0), 0.25
W = np.array([0.0, 1e-4, -1e-3, 4e-3, 0.03, -0.7, 3.0])


def test_the_density_and_its_slope():
    expected = SHARE * norm.pdf(W, 0, WIDE) + (1 - SHARE) * norm.pdf(W, 0, NARROW)
    np.testing.assert_allclose(log_scale_mixture(W, WIDE, NARROW, SHARE), np.log(expected), rtol=1e-10)
    w = torch.from_numpy(W)
    of = Logarithms(torch.log, torch.logaddexp)
    wide, narrow, share = (torch.tensor(value, dtype=torch.float64) for value in (WIDE, NARROW, SHARE))
    found = log_scale_mixture(w, wide, narrow, share, of)
    np.testing.assert_allclose(found.numpy(), log_scale_mixture(W, WIDE, NARROW, SHARE), rtol=1e-10)
    # All of the share, or two components alike; and the density far out does not overflow.
    for narrow, share in [(NARROW, 1.0), (WIDE, 0.25)]:
        w = np.append(W, 1e3)
        np.testing.assert_allclose(log_scale_mixture(w, WIDE, narrow, share), norm.logpdf(w, 0, WIDE), rtol=1e-10)
    for wide, narrow in [(WIDE, NARROW), (NARROW, WIDE), (WIDE, WIDE)]:
        step = 1e-7 * np.maximum(np.abs(W), NARROW)
        up, down = (log_scale_mixture(W + s, wide, narrow, SHARE) for s in (step, -step))
        found = log_scale_mixture_slope(W, wide, narrow, SHARE)
        np.testing.assert_allclose(found, (up - down) / (2 * step), rtol=1e-4, atol=1e-3)
