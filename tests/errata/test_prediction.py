"""Errata about prediction: sums and means, densities of grey pixels, and the bound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from scipy import integrate, stats

from bdlviz.errata import (
    prediction,
)
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.predictive.summaries import summarise_classification

RNG = np.random.default_rng(0)
gaussian: Any = stats.norm  # frozen by a call; the stubs of scipy are vague about the result


def test_the_predictive_is_a_mean():
    probabilities = RNG.dirichlet(np.ones(3), size=(8, 5))
    right, wrong = prediction.predictive_mean(probabilities), prediction.predictive_as_printed(probabilities)
    np.testing.assert_allclose(right.sum(-1), 1)
    np.testing.assert_allclose(wrong.sum(-1), 8)
    np.testing.assert_allclose(right, summarise_classification(np.zeros((5, 1)), probabilities).mean)
    mixture = torch.distributions.MixtureSameFamily(
        torch.distributions.Categorical(torch.ones(8)),
        torch.distributions.Categorical(torch.tensor(probabilities[:, 0])),
    )
    np.testing.assert_allclose(right[0], [float(mixture.log_prob(torch.tensor(k)).exp()) for k in range(3)], rtol=1e-6)


@pytest.mark.parametrize("parameter", [0.05, 0.2, 0.5, 0.9])
def test_the_density_of_grey_pixels(parameter: float):
    x = np.linspace(0, 1, 11)
    reference = torch.distributions.ContinuousBernoulli(torch.tensor(parameter, dtype=torch.float64))
    found = prediction.continuous_bernoulli(x, parameter)
    np.testing.assert_allclose(found, reference.log_prob(torch.tensor(x)).exp(), rtol=1e-6)
    density: Callable[[Any], Any] = lambda at: prediction.continuous_bernoulli(at, parameter)  # noqa: E731
    assert integrate.quad(density, 0, 1)[0] == pytest.approx(1)
    assert integrate.quad(lambda at: prediction.bernoulli_of_grey(at, parameter), 0, 1)[0] <= 0.5 + 1e-12


def test_the_smallest_autoencoder():
    code = prediction.LinearCode(1.2, 0.4)
    evidence = integrate.quad(lambda z: stats.norm.pdf(z) * gaussian(z, 0.4).pdf(1.2), -8, 8)[0]
    assert code.log_evidence == pytest.approx(np.log(evidence))
    for std in (0.2, code.std, 1.0):
        q = gaussian(code.mean, std)
        bound = integrate.quad(
            lambda z, q=q: q.pdf(z) * (gaussian(z, 0.4).logpdf(1.2) + stats.norm.logpdf(z) - q.logpdf(z)),
            code.mean - 10 * std,
            code.mean + 10 * std,
        )[0]
        assert code.elbo(np.array(std)) == pytest.approx(bound)
        assert code.elbo(np.array(std)) <= code.log_evidence + 1e-9
    assert code.elbo(np.array(code.std)) == pytest.approx(code.log_evidence)
    assert code.plug_in(np.array(code.std)) > code.log_evidence + 0.3


def test_the_shipped_bound_and_its_absence(monkeypatch: pytest.MonkeyPatch):
    effect = prediction.measure_plug_in()
    _, extra = shelf.shipped(prediction.SHIPPED)
    assert (effect.wrong.value, effect.right.value) == (extra["bound_plug_in"].item(), extra["bound_elbo"].item())
    assert not effect.remark

    def missing(name: str) -> None:
        raise CheckpointError("It is not there.")

    monkeypatch.setattr(shelf, "shipped", missing)
    effect = prediction.measure_plug_in()
    assert effect.remark.startswith("It is not there.") and effect.wrong.value > effect.right.value
