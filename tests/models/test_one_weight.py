"""One weight between data and prior: its best noise against a numerical search, the closed form, and the transition."""

import numpy as np
import pytest
from scipy.optimize import minimize

from bdlviz.models import divergences
from bdlviz.topics.weights.sparsity import one_weight
from bdlviz.topics.weights.sparsity.one_weight import Divergence

BOTH = pytest.mark.parametrize("divergence", [divergences.sparse_variational, divergences.ard])


def searched(strength: float, divergence: Divergence) -> tuple[float, float, float]:
    """Log alpha, theta and the loss that a search over theta and log sigma finds, w* being 1."""

    def loss(point: np.ndarray) -> float:
        theta, log_std = point
        noise = 2 * log_std - np.log(theta**2)
        return 0.5 * strength * ((theta - 1) ** 2 + np.exp(2 * log_std)) + float(divergence(noise))

    found = minimize(loss, [0.8, -1.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000})
    theta, log_std = found.x
    return 2 * log_std - np.log(theta**2), theta, found.fun


@BOTH
@pytest.mark.parametrize("strength", [1.5, 2.0, 10.0, 1000.0])
def test_the_best_noise_is_that_of_a_search_over_mean_and_noise(strength: float, divergence: Divergence) -> None:
    log_alpha, theta, loss = searched(strength, divergence)
    best = one_weight.best_log_alpha(strength, divergence)
    assert best == pytest.approx(log_alpha, abs=1e-3)
    assert 1 - one_weight.share_lost(best) == pytest.approx(theta, abs=1e-4)
    assert one_weight.objective(best, strength, divergence) == pytest.approx(loss, abs=1e-8)


def test_the_best_noise() -> None:
    for strength in [1.001, 1.05, 2.0, 300.0]:
        expected = -np.log(strength - 1)
        assert one_weight.best_log_alpha(strength, divergences.ard) == pytest.approx(expected, abs=1e-4)
        assert one_weight.strength_at(expected, divergences.ard) == pytest.approx(strength, rel=1e-5)
    for divergence in [divergences.sparse_variational, divergences.ard]:
        for strength in [0.0, 0.3, 1.0]:
            assert one_weight.best_log_alpha(strength, divergence) == np.inf
            course = one_weight.objective(np.linspace(-10, 10, 201), strength, divergence)
            assert (np.diff(course) < 0).all()
            assert course[-1] == pytest.approx(strength / 2, abs=1e-3)  # what setting it to 0 costs
    for divergence in [divergences.sparse_variational, divergences.ard]:
        assert (np.diff(one_weight.strength_at(np.linspace(-12, 10, 500), divergence)) < 0).all()
    # How much the data must care for log alpha = 3: a few percent above half a nat, whatever the divergence.
    exact, approximate, ard = (
        float(one_weight.strength_at(np.array([3.0]), divergence)[0])
        for divergence in (divergences.log_uniform, divergences.sparse_variational, divergences.ard)
    )
    assert ard == pytest.approx(1 + np.exp(-3), rel=1e-5)
    assert approximate == pytest.approx(exact, rel=0.05)
    assert ard == pytest.approx(exact, rel=0.05)
