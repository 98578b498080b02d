"""One learned noise for all x: its optimum, its gradient, what it is the marginal of, and how it weighs tasks."""

import numpy as np
import pytest
from scipy import integrate, stats

import bdlviz
from bdlviz.models.likelihoods import MIN_NOISE_VAR, likelihood

RNG = np.random.default_rng(0)
LEARNED = likelihood("homoscedastic")


def test_its_loss_and_slope():
    outputs, y = RNG.normal(size=(1, 1, 40, 2)), RNG.normal(size=(1, 1, 40, 2)) * (0.5, 3.0)
    best = np.sqrt(np.square(outputs - y).mean(-2))[0, 0]
    expected = -stats.norm.logpdf(y, outputs, best).sum(-1).mean(-1)
    np.testing.assert_allclose(LEARNED.loss(outputs, y), expected, atol=2 * MIN_NOISE_VAR)
    for factor in (0.9, 1.1):
        other = -stats.norm.logpdf(y, outputs, factor * best).sum(-1).mean(-1)
        assert (other > LEARNED.loss(outputs, y)).all()
    outputs, y = RNG.normal(size=(1, 1, 6, 2)), RNG.normal(size=(1, 1, 6, 2))
    written, step = np.empty_like(outputs), 1e-5
    LEARNED.gradient(outputs, y, written)
    for index in np.ndindex(outputs.shape):
        moved = [outputs.copy(), outputs.copy()]
        moved[0][index] += step
        moved[1][index] -= step
        slope = (LEARNED.loss(moved[0], y) - LEARNED.loss(moved[1], y)) / (2 * step)
        assert written[index] == pytest.approx(slope.item(), rel=1e-5, abs=1e-9)
    # A task whose residuals are ten times as large pulls a tenth as hard for each unit of residual.
    y = np.zeros((1, 1, 50, 2))
    outputs = np.repeat(RNG.normal(size=(1, 1, 50, 1)), 2, -1) * (1.0, 10.0)
    gradient = np.empty_like(outputs)
    LEARNED.gradient(outputs, y, gradient)
    np.testing.assert_allclose(gradient[..., 0], 10 * gradient[..., 1], rtol=1e-3)
    y = np.zeros((1, 1, 1, 1), np.float32)
    gradient = np.empty_like(y)
    LEARNED.gradient(y, y, gradient)
    assert gradient.item() == 0
    assert LEARNED.loss(y, y).item() == pytest.approx(0.5 * np.log(2 * np.pi * np.e * MIN_NOISE_VAR), abs=1e-5)


def test_it_is_the_noise_integrated_out_under_jeffreys_prior():
    """Up to a constant that no function changes, so that drawing from this posterior is exact."""
    y, functions = RNG.normal(size=12), RNG.normal(size=(4, 12))

    def log_marginal(f: np.ndarray) -> float:
        def integrand(log_std: float) -> float:  # with the prior 1/sigma, d sigma / sigma = d log sigma
            return float(np.exp(stats.norm.logpdf(y, f, np.exp(log_std)).sum() + 20))

        return float(np.log(integrate.quad(integrand, -5, 8, limit=200)[0]))

    exact = np.array([log_marginal(f) for f in functions])
    ours = -len(y) * LEARNED.loss(functions[:, None, :, None], np.broadcast_to(y[:, None], (4, 1, 12, 1)))[:, 0]
    np.testing.assert_allclose(exact - exact[0], ours - ours[0], rtol=2e-3)


def test_a_fit_from_the_library_predicts_with_the_noise_it_learned(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, 400)
    y = np.stack([1 - x + 0.3 * rng.standard_normal(400), x + 0.1 * rng.standard_normal(400)], 1)
    fit = bdlviz.fit("map", (x[:, None], y), likelihood="homoscedastic", hidden=(), batch_size=None, learning_rate=0.02)
    found = fit.predict([0.0]).aleatoric_std[0]
    error = np.array([0.3, 0.1]) / np.sqrt(2 * 400)
    assert (np.abs(found - [0.3, 0.1]) < 4 * error).all()
    fit.save(tmp_path / "noise.safetensors")
    np.testing.assert_allclose(bdlviz.load(tmp_path / "noise.safetensors").predict([0.0]).aleatoric_std[0], found)
