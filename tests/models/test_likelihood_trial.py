"""A likelihood of the user's own: it says whether y may be scaled, and each mistake in it has its sentence."""

from typing import Any

import numpy as np
import pytest
import torch
from sklearn.linear_model import PoissonRegressor

import bdlviz

QUICK: dict[str, Any] = {"hidden": (4,), "num_steps": 3}
RNG = np.random.default_rng(0)
X = RNG.standard_normal(60)
Y = np.sin(X) + 0.1 * RNG.standard_normal(60)
COUNTS = RNG.poisson(np.exp(1 + 0.5 * X)).astype(float)


class Squares(bdlviz.Likelihood):
    """Gaussian noise, written by a user."""

    def negative_log_likelihood(self, outputs: Any, y: Any) -> Any:
        return 0.5 * (outputs - y).square().sum(-1)

    def mean(self, outputs: Any) -> Any:
        return outputs


class Poisson(Squares):
    name = "poisson"
    standardises_y = False

    def negative_log_likelihood(self, outputs: Any, y: Any) -> Any:
        return (outputs.exp() - y * outputs).sum(-1)

    def mean(self, outputs: Any) -> Any:
        return np.exp(outputs)

    def variance(self, outputs: Any) -> Any:
        return np.exp(outputs)


def test_counts_stay_as_they_are():
    """Without hidden layers it is Poisson regression."""
    settings: dict[str, Any] = {"hidden": (), "weight_decay": 0, "num_steps": 2000, "learning_rate": 0.02}
    fit = bdlviz.fit("map", (X, COUNTS), likelihood=Poisson(), batch_size=None, **settings)
    expected = PoissonRegressor(alpha=0, tol=1e-10, max_iter=1000).fit(X[:, None], COUNTS).predict(X[:, None])
    predictive = fit.predict(X)
    np.testing.assert_allclose(predictive.mean[:, 0], expected, rtol=1e-4)
    np.testing.assert_allclose(predictive.aleatoric_std[:, 0], np.sqrt(expected), rtol=1e-4)


def test_whole_numbers_need_an_answer_and_values_do_not():
    with pytest.raises(bdlviz.InvalidInput, match=r"must say whether .* set standardises_y = False, or True"):
        bdlviz.fit("map", (X, COUNTS), likelihood=Squares(), **QUICK)
    scaled = type("Scaled", (Squares,), {"standardises_y": True})()
    for data, likelihood in (((X, COUNTS), scaled), ((X, Y), Squares())):
        assert bdlviz.fit("map", data, likelihood=likelihood, **QUICK).scaling.y_scale != 1


def wrong(name: str, function: Any) -> Any:
    return type("Wrong", (Squares,), {name: function})()


@pytest.mark.parametrize(
    ("likelihood", "sentence"),
    [
        (wrong("negative_log_likelihood", lambda _, f, y: (f - y).square()), r"not the shape \(2, 3, 5, 1\)"),
        (wrong("negative_log_likelihood", lambda _, f, y: None), "one number for each data point.* not a NoneType"),
        (wrong("negative_log_likelihood", lambda _, f, y: f.sum()), r"one number for each data point.* the shape \(\)"),
        (wrong("negative_log_likelihood", lambda _, f, y: f.nonsense()), "fails: .*nonsense"),
        (wrong("negative_log_likelihood", lambda _, f, y: f.detach()[..., 0]), "no gradient by the outputs"),
        (
            wrong("negative_log_likelihood", lambda _, f, y: (f[..., 0] - f.mean((-1, -2))[..., None]).square()),
            "depends on other points",
        ),
        (wrong("negative_log_likelihood", lambda _, f, y: f[..., 0] * np.nan), "not finite for your y.*scaled to"),
        (
            wrong("mean", lambda _, f: f[..., 0]),
            r"mean of the likelihood 'custom' must return a numpy array .*\(2, 5\)",
        ),
        (wrong("mean", lambda _, f: torch.tensor(f)), "mean of .* not a Tensor"),
        (wrong("variance", lambda _, f: 1.0), "variance of .* not a float"),
        (bdlviz.Likelihood(), "negative_log_likelihood of the likelihood 'custom' fails: NotImplementedError"),
    ],
)
def test_each_mistake_has_its_sentence(likelihood, sentence):
    with pytest.raises(bdlviz.InvalidInput, match=sentence):
        bdlviz.fit("map", (X, Y), likelihood=likelihood, **QUICK)


@pytest.mark.parametrize("method", ["map", "mc_dropout", "concrete_dropout", "hmc"])
def test_modes_of_numpy_and_torch_change_nothing(method):
    def scored() -> tuple[float, float]:
        fit = bdlviz.fit(method, (X, Y), likelihood=Squares(), **QUICK)
        predictive = fit.predict(X, 20)
        return float(predictive.mean.sum()), -float(predictive.log_prob(100 * Y).mean())

    expected = scored()
    with np.errstate(all="raise"):
        assert scored() == expected
    with torch.inference_mode():
        assert scored() == expected
    with torch.no_grad():
        assert scored() == expected
