"""Scores of fits with a user's own likelihood, against mixtures of scipy's distributions in y's units."""

import numpy as np
import pytest
import torch
from scipy import stats
from scipy.special import logsumexp

import bdlviz
from bdlviz.models.own_density import OwnDensity
from bdlviz.predictive import comparison
from bdlviz.predictive.summaries import negative_log_likelihood
from bdlviz.topics.foundations.deciding import decisions
from bdlviz.types import Array, Predictive

SCALE, DEGREES = 0.3, 4.0
RNG = np.random.default_rng(0)
X = np.linspace(-2, 2, 40)
Y = 20 + 7 * np.sin(2 * X) + 2 * RNG.standard_t(DEGREES, len(X))
QUICK = {"hidden": (16,), "num_steps": 60, "learning_rate": 0.01}


class StudentT(bdlviz.Likelihood):
    """Student's t. ``constant`` is added to the loss and has no gradient."""

    name = "student_t"

    def __init__(self, constant: float | None = None) -> None:
        log_density = stats.t.logpdf(0, DEGREES, scale=SCALE)
        self.constant = -float(log_density) if constant is None else constant

    def negative_log_likelihood(self, outputs: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        squares = ((y - outputs) / SCALE) ** 2
        return (0.5 * (DEGREES + 1) * torch.log1p(squares / DEGREES) + self.constant).sum(-1)

    def mean(self, outputs: Array) -> Array:
        return outputs

    def variance(self, outputs: Array) -> Array:
        return np.full_like(outputs, SCALE**2 * DEGREES / (DEGREES - 2))


class WithCdf(StudentT):
    def cdf(self, outputs: Array, y: Array) -> Array:
        return stats.t.cdf(y, DEGREES, outputs, SCALE)


class InNumpy(StudentT):
    """Its torch form is nonsense as a density; scores use the other one."""

    def log_likelihood(self, outputs: Array, y: Array) -> Array:
        return stats.t.logpdf(y, DEGREES, outputs, SCALE).sum(-1)


class Gamma(bdlviz.Likelihood):
    """Positive values whose noise grows with the mean, of y that was divided by its sd: skewed, and 0 left of 0."""

    name = "gamma"
    shape = 3.0

    def negative_log_likelihood(self, outputs: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        scale = outputs.exp() / self.shape
        log_density = (self.shape - 1) * torch.log(y + 5) - (y + 5) / scale - self.shape * scale.log()
        return -log_density.sum(-1)

    def mean(self, outputs: Array) -> Array:
        return np.exp(outputs) - 5

    def variance(self, outputs: Array) -> Array:
        return np.exp(outputs) ** 2 / self.shape


class Tempered(StudentT):
    """Its width follows the output, which its loss does not account for: no density, whatever is added."""

    def negative_log_likelihood(self, outputs: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return ((y - outputs) ** 2 * (0.1 + outputs**2)).sum(-1)


def fitted(likelihood: bdlviz.Likelihood, y: Array = Y) -> bdlviz.Fit:
    return bdlviz.fit("mc_dropout", (X, y), likelihood=likelihood, dropout_rate=0.2, **QUICK)


def mixture(predictive: Predictive, y: Array, scale: float) -> float:
    """The score of a mixture of Student t distributions in y's units."""
    each = stats.t.logpdf(y[:, None], DEGREES, predictive.draws, SCALE * scale).sum(-1)
    return -float(np.mean(logsumexp(each, 0) - np.log(len(each))))


@pytest.mark.parametrize("likelihood", [StudentT(), StudentT(0.0), StudentT(7.0), InNumpy(123.0)])
def test_the_score_is_that_of_the_likelihood_with_or_without_its_constants(likelihood: StudentT) -> None:
    fit = fitted(likelihood)
    predictive = fit.predict(X, 50)
    expected = mixture(predictive, Y, float(fit.scaling.y_scale[0, 0]))
    assert negative_log_likelihood(predictive, Y) == pytest.approx(expected, abs=2e-3)
    assert negative_log_likelihood(predictive, Y[:, None]) == negative_log_likelihood(predictive, Y)
    assert predictive.variances is not None
    as_gaussian = stats.norm.logpdf(Y[:, None], predictive.draws, np.sqrt(predictive.variances)).sum(-1)
    assert abs(expected + float(np.mean(logsumexp(as_gaussian, 0) - np.log(50)))) > 0.02


def test_the_tails_and_bounds_of_a_density_count() -> None:
    fit = fitted(StudentT())
    predictive = fit.predict(X[:1], 50)
    far = np.array([Y.max() + 100])
    expected = mixture(predictive, far, float(fit.scaling.y_scale[0, 0]))
    assert negative_log_likelihood(predictive, far) == pytest.approx(expected, rel=1e-3)
    assert expected < 20
    outputs = np.log(RNG.uniform(2, 8, (6, 9, 1))).astype(np.float32)
    density = OwnDensity(Gamma(), outputs, np.zeros((1, 1)), np.ones((1, 1)))
    y = RNG.uniform(-4, 3, (9, 1))
    expected = stats.gamma.logpdf(y[:, 0] + 5, 3, scale=np.exp(outputs[..., 0]) / 3)
    np.testing.assert_allclose(density.log_prob(y), expected, atol=3e-3)
    with pytest.raises(bdlviz.InvalidInput, match="'student_t' is no density of y"):
        negative_log_likelihood(fitted(Tempered()).predict(X, 5), Y)


def test_coverage_and_decisions_come_from_the_cdf() -> None:
    fit = fitted(WithCdf())
    predictive, scale = fit.predict(X, 50), SCALE * float(fit.scaling.y_scale[0, 0])
    below = stats.t.cdf(Y[:, None], DEGREES, predictive.draws, scale).mean(0)
    np.testing.assert_allclose(comparison.probability_below(predictive, Y), below, rtol=1e-4)
    assert comparison.coverage(predictive, Y, 0.9) == (np.abs(2 * below - 1) <= 0.9).mean()
    above = stats.t.sf(22.0, DEGREES, predictive.draws, scale).mean(0)[:, 0]
    np.testing.assert_allclose(decisions.full_probability(predictive, 22.0), above, rtol=1e-4)
    predictive = fitted(StudentT()).predict(X, 5)
    for score in (comparison.probability_below, lambda p, y: comparison.coverage(p, y, 0.9)):
        with pytest.raises(
            bdlviz.InvalidInput, match=r"'student_t' has no cumulative distribution function.* cdf\(outputs, y\)"
        ):
            score(predictive, Y)
    with pytest.raises(bdlviz.InvalidInput, match="cdf"):
        decisions.full_probability(predictive, 22.0)


def test_several_outputs_need_the_whole_density() -> None:
    two = np.column_stack([Y, 100 * np.cos(X) + 3 * RNG.standard_normal(len(X))])
    with pytest.raises(bdlviz.InvalidInput, match=r"several outputs .* log_likelihood\(outputs, y\)"):
        negative_log_likelihood(fitted(StudentT(), two).predict(X, 5), two)
    fit = fitted(InNumpy(), two)
    predictive = fit.predict(X, 50)
    each = stats.t.logpdf(two, DEGREES, predictive.draws, SCALE * fit.scaling.y_scale).sum(-1)
    expected = -float(np.mean(logsumexp(each, 0) - np.log(50)))
    assert negative_log_likelihood(predictive, two) == pytest.approx(expected, rel=1e-4)


def test_a_subclass_of_a_built_in_likelihood_is_scored_by_its_own_density() -> None:
    """Half the usual squares: a Gaussian of variance 2 in standardised units, not one of ``noise_std``."""

    class Wider(type(bdlviz.models.likelihoods.likelihood("gaussian"))):
        def negative_log_likelihood(self, outputs: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return 0.25 * (outputs - y).square().sum(-1)

    fit = fitted(Wider())
    predictive, std = fit.predict(X, 50), np.sqrt(2) * float(fit.scaling.y_scale[0, 0])
    each = stats.norm.logpdf(Y[:, None], predictive.draws, std).sum(-1)
    expected = -float(np.mean(logsumexp(each, 0) - np.log(50)))
    assert negative_log_likelihood(predictive, Y) == pytest.approx(expected, abs=2e-3)
