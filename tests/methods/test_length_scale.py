"""One convention: length_scale l is the prior N(0, 1/l^2) of every weight, whatever the method."""

from typing import Any

import numpy as np
import pytest

import bdlviz
from bdlviz.data import as_dataset
from bdlviz.methods import METHODS
from bdlviz.methods.common import LENGTH_SCALE
from bdlviz.models.scaling import Scaling
from bdlviz.topics.shared.curves import all_own_controls, own_controls

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 4))
Y = X.sum(1, keepdims=True) + RNG.normal(size=(12, 1))
SCALE = 3.0
TRAINING: dict[str, dict[str, Any]] = {"laplace": {"num_steps": 3000, "learning_rate": 0.02}, "hmc": {"num_steps": 600}}


def prior_share(variances: np.ndarray) -> np.ndarray:
    """Standard deviation at X of a linear model's posterior under these prior variances of weights and bias."""
    data = as_dataset((X, Y))
    x = Scaling.of(data).standardise_x(X).astype(float)
    design = np.column_stack([x, np.ones(len(x))])
    precision = Scaling.of(data).precision(2.0)
    covariance = np.linalg.inv(precision * design.T @ design + np.diag(1 / variances))
    return np.sqrt(np.einsum("nd,de,ne->n", design, covariance, design)) * Y.std()


def found(method: str, **settings: Any) -> np.ndarray:
    fit = bdlviz.fit(
        method, (X, Y), hidden=(), noise_std=2.0, length_scale=SCALE, **TRAINING.get(method, {}), **settings
    )
    return fit.predict(X, 20_000).epistemic_std[:, 0]


@pytest.mark.parametrize("method", ["gaussian_process", "laplace", "hmc"])
def test_every_weight_has_the_same_prior_or_one_by_width(method):
    """Four inputs: the other convention would have a quarter of the variance for each weight."""
    expected, other = (prior_share(np.array([share] * 4 + [1]) / SCALE**2) for share in (1, 1 / 4))
    assert (np.abs(expected / other - 1) > 0.1).any()  # or the test could not fail
    np.testing.assert_allclose(found(method), expected, rtol=0.06 if method == "hmc" else 0.01)
    expected = prior_share(np.array([1 / 4] * 4 + [1]) / SCALE**2)
    np.testing.assert_allclose(found(method, prior_by_width=1), expected, rtol=0.06 if method == "hmc" else 0.01)


def test_every_method_shares_the_parameter():
    with_length_scale = [spec for spec in METHODS.values() if spec.hyperparameter("length_scale") is not None]
    assert len(with_length_scale) > 4
    assert all(spec.hyperparameter("length_scale") is LENGTH_SCALE for spec in with_length_scale)
    # A link without the setting means the prior scaled by width; the control shows which prior it is.
    by_key = {control.key: control for control in all_own_controls()}
    control = by_key["prior_by_width"]
    assert control.default == "1" and control.name("1") == "1/(nℓ²)" and control.name("0") == "1/ℓ²"
    for method in ("gaussian_process", "laplace", "hmc"):
        assert control in own_controls(method)
    assert [control.read(value)[0] for value in ("0", "1")] == ["0", "1"]
