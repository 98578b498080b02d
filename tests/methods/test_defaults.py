"""Every method at its defaults on five data sets: not at chance, finite, with the density of its moments or draws."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm
from sklearn.datasets import load_diabetes, load_iris, load_wine, make_moons
from sklearn.model_selection import train_test_split

import bdlviz
from bdlviz.data import estimate_noise_std, load
from bdlviz.methods import ordered
from bdlviz.types import Predictive

CLASSES = {"moons": make_moons(200, noise=0.2, random_state=0)}
CLASSES |= {"iris": load_iris(return_X_y=True), "wine": load_wine(return_X_y=True)}
SLOW = {"gaussian_dropout", "variational_dropout", "group_normal_jeffreys", "group_horseshoe", "hmc"}  # seconds a fit
# Steps that never diverge, as by default, do not reach the posterior within the default number of steps. Larger ones do
# within half of it, and so does the other chain.
CHAINS: dict[str, dict[str, Any]] = {"sgld": {"step_size": 0.02, "num_steps": 3000}, "sghmc": {"num_steps": 3000}}
CASES = [
    pytest.param(spec.name, name, marks=[pytest.mark.rest] if spec.name in SLOW else [])
    for spec in ordered()
    if not spec.is_generative
    for name in ("x_sin_x", "diabetes", *CLASSES)
    if name not in CLASSES or "classification" in spec.tasks
]


@cache
def split(name: str) -> Any:
    """Training inputs, held-out inputs, training targets, held-out targets."""
    if name == "x_sin_x":  # 20 points: all of them
        data = load("x_sin_x")
        return [data.x, data.x, data.y[:, 0], data.y[:, 0]]
    if name == "diabetes":
        return train_test_split(*load_diabetes(return_X_y=True), test_size=0.33, random_state=0)
    x, y = CLASSES[name]
    return train_test_split(x, y, test_size=0.33, random_state=0, stratify=y)


@pytest.fixture(scope="module")
def predicted() -> Any:
    """Predictions of a method at its defaults at the held-out points; each is trained once."""

    @cache
    def of(method: str, name: str) -> Predictive:
        x, x_test, y, _ = split(name)
        given: Any = "x_sin_x" if name == "x_sin_x" else (x, y)
        task = "classification" if name in CLASSES else None
        fit = bdlviz.fit(method, given, task=task, **CHAINS.get(method, {}))
        return fit.predict(x_test, 200)

    return of


@pytest.mark.parametrize(("method", "name"), CASES)
def test_defaults_are_not_at_chance_and_the_density_is_that_of_moments_or_draws(
    method: str, name: str, predicted: Any
) -> None:
    found, plain, y = predicted(method, name), predicted("map", name), split(name)[3]
    for array in (found.mean, found.epistemic_std, found.aleatoric_std, found.draws, found.log_prob(y)):
        assert np.isfinite(array).all()
    if name in CLASSES:
        right, usual = (np.mean(each.mean.argmax(1) == y) for each in (found, plain))
        assert right > max(usual - 0.05, 0.9)
        np.testing.assert_allclose(found.mean.sum(1), 1, rtol=1e-5)
        np.testing.assert_allclose(found.log_prob(y), np.log(found.mean[np.arange(len(y)), y]), rtol=1e-5)
        return
    explained, usual = (1 - np.mean((each.mean[:, 0] - y) ** 2) / y.var() for each in (found, plain))
    assert explained > usual - 0.1
    assert np.corrcoef(found.mean[:, 0], y)[0, 1] > (0.9 if name == "x_sin_x" else 0.4)
    noise = found.aleatoric_std[:, 0]
    if found.covariance is not None:  # an exact method: one Gaussian
        expected = norm.logpdf(y, found.mean[:, 0], found.total_std[:, 0])
    else:
        each = norm.logpdf(y, found.draws[:, :, 0].astype(float), noise)
        expected = logsumexp(each, 0) - np.log(len(each))
    np.testing.assert_allclose(found.log_prob(y), expected, rtol=1e-6)
    known: Any = load("x_sin_x").noise_std if name == "x_sin_x" else estimate_noise_std(*split(name)[::2])
    np.testing.assert_allclose(noise, known)


@pytest.mark.parametrize(
    "method", [spec.name for spec in ordered() if "regression" in spec.tasks and not spec.is_generative]
)
def test_the_noise_of_several_inputs_is_not_that_of_the_bends(method: str) -> None:
    """Of a sum of five waves and noise 0.1; a network that cannot follow the waves leaves more, but not as noise."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((500, 5))
    y = np.sin(2 * x).sum(1) + 0.1 * rng.standard_normal(500)
    fit = bdlviz.fit(method, (x, y), hidden=(8,), num_steps=2)
    np.testing.assert_allclose(fit.predict(x[:3], 5).aleatoric_std, 0.1, rtol=0.3)
