"""Likelihoods: gradients against autograd, a user's own, and the examples of docs/own_model.md as they are printed."""

import re

import numpy as np
import pytest
import torch

import bdlviz
from bdlviz.models.likelihoods import LIKELIHOODS, Likelihood, likelihood

X = np.linspace(-2, 2, 24)
Y = np.sin(3 * X)
QUICK = {"hidden": (8, 8), "num_steps": 40, "learning_rate": 0.01}


class HalfSquare(bdlviz.Likelihood):
    """The Gaussian once more, the long way round."""

    def negative_log_likelihood(self, outputs, y):
        return 0.5 * (outputs - y).square().sum(-1)

    def mean(self, outputs):
        return outputs


class MeanAndVariance(bdlviz.Likelihood):
    """A Gaussian whose noise is an output of the network."""

    name = "mean_and_variance"

    def num_outputs(self, num_targets):
        return 2 * num_targets

    def negative_log_likelihood(self, outputs, y):
        mean, log_variance = outputs.chunk(2, -1)
        return 0.5 * (log_variance + (y - mean).square() * torch.exp(-log_variance)).sum(-1)

    def mean(self, outputs):
        return outputs[..., : outputs.shape[-1] // 2]

    def variance(self, outputs):
        return np.exp(outputs[..., outputs.shape[-1] // 2 :])


def targets_for(chosen, rng, outputs):
    if chosen.task == "classification":
        return rng.integers(0, outputs.shape[-1], (*outputs.shape[:-1], 1))
    return rng.random(outputs.shape).astype(np.float32)


@pytest.mark.parametrize("name", [name for name, chosen in LIKELIHOODS.items() if not chosen.is_generative])
def test_written_out_gradient_and_loss_equal_autograd(name):
    """The base class takes both from the torch form; the built-in ones are faster and must say the same."""
    rng, chosen = np.random.default_rng(0), LIKELIHOODS[name]
    outputs = rng.standard_normal((2, 3, 5, 4), np.float32)
    y = targets_for(chosen, rng, outputs)
    by_autograd, written_out = np.empty_like(outputs), np.empty_like(outputs)
    Likelihood.gradient(chosen, outputs, y, by_autograd)
    chosen.gradient(outputs, y, written_out)
    np.testing.assert_allclose(written_out, by_autograd, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(chosen.loss(outputs, y), Likelihood.loss(chosen, outputs, y), rtol=1e-5)
    assert np.abs(written_out).max() > 0.01


def test_categorical_probabilities_and_their_variance():
    outputs = np.array([[[0.0, np.log(3.0), 1000.0], [0.0, 0.0, 0.0]]], np.float32)
    chosen = likelihood("categorical")
    np.testing.assert_allclose(chosen.mean(outputs), [[[0, 0, 1], [1 / 3] * 3]], atol=1e-6)
    variance = chosen.variance(outputs)
    assert variance is not None
    np.testing.assert_allclose(variance, [[[0, 0, 0], [2 / 9] * 3]], atol=1e-6)


def test_own_likelihood_that_says_the_same_gives_the_same_fit():
    own = bdlviz.fit("mc_dropout", (X, Y), likelihood=HalfSquare(), **QUICK)
    built_in = bdlviz.fit("mc_dropout", (X, Y), **QUICK)
    assert own.config.likelihood == "custom"
    for name, array in built_in.params.items():
        np.testing.assert_allclose(own.params[name], array, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(own.predict(X, 9).aleatoric_std, own.noise_std)


def test_own_variance_is_in_the_users_units_and_averaged_over_draws():
    fit = bdlviz.fit("mc_dropout", (X, 50 + 10 * Y), likelihood=MeanAndVariance(), dropout_rate=0.3, **QUICK)
    predictive, outputs = fit.predict(X, 30), fit.draw_outputs(X, 30)
    assert outputs.shape == (30, 24, 2) and predictive.mean.shape == (24, 1)
    scale = fit.scaling.y_scale[0, 0]
    np.testing.assert_allclose(predictive.aleatoric_std**2, scale**2 * np.exp(outputs[..., 1:]).mean(0), rtol=1e-4)
    np.testing.assert_allclose(predictive.mean, 50 + 10 * Y.mean() + scale * outputs[..., :1].mean(0), rtol=1e-4)
    total = predictive.epistemic_std**2 + predictive.aleatoric_std**2
    np.testing.assert_allclose(predictive.total_std**2, total, rtol=1e-6)


def test_own_likelihood_determines_length_scale_without_noise():
    fit = bdlviz.fit("mc_dropout", (X, Y), likelihood=HalfSquare(), length_scale=0.5, dropout_rate=0.2, **QUICK)
    assert fit.precision == 1.0
    assert fit.length_scale == pytest.approx(0.5)
    assert fit.config.hyperparameter("weight_decay") == pytest.approx(0.5**2 / (2 * 24 * 0.8))


def test_refusals():
    with pytest.raises(bdlviz.InvalidInput, match="Unknown likelihood 'poisson': choose one of gaussian"):
        bdlviz.fit("map", (X, Y), likelihood="poisson", **QUICK)
    with pytest.raises(bdlviz.InvalidInput, match="'categorical' is for classification, the data are for regression"):
        bdlviz.fit("map", (X, Y), likelihood="categorical", **QUICK)
    with pytest.raises(bdlviz.InvalidInput, match="code is not stored"):
        bdlviz.fit("map", (X, Y), likelihood=HalfSquare(), **QUICK).save("never_written.safetensors")


def test_a_subclass_of_a_built_in_likelihood_is_not_saved_as_its_parent():
    class Louder(type(likelihood("gaussian"))):
        pass

    with pytest.raises(bdlviz.InvalidInput, match="code is not stored"):
        bdlviz.fit("map", (X, Y), likelihood=Louder(), **QUICK).save("never_written.safetensors")


def examples(root):
    text = (root / "docs" / "own_model.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def run_example(source):
    """What its last line is about, with few steps."""
    short, count = re.subn(r"num_steps=\d+", "num_steps=60", source)
    assert count == 1
    names: dict = {"__name__": "example"}
    exec(compile(short, "docs/own_model.md", "exec"), names)
    return names


def test_module_example_of_the_documentation(root, capsys):
    source, _ = examples(root)
    names = run_example(source)
    assert capsys.readouterr().out.strip() == source.strip().splitlines()[-1].partition("# ")[2]
    assert names["fit"].model.network.hidden == (32,)
    assert names["predictive"].epistemic_std.min() > 0


def test_likelihood_example_of_the_documentation(root, capsys):
    _, source = examples(root)
    names = run_example(source)
    assert capsys.readouterr().out.startswith("(100, 1)")
    scale, degrees = 0.1, 4.0
    y_scale = names["fit"].scaling.y_scale[0, 0]
    assert names["predictive"].aleatoric_std[0, 0] == pytest.approx(y_scale * scale * (degrees / (degrees - 2)) ** 0.5)
    chosen = names["StudentT"](scale, degrees)
    y, f = torch.randn(2, 5, 1, generator=torch.Generator().manual_seed(0))
    log_density = torch.distributions.StudentT(degrees, f, scale).log_prob(y).sum(-1)
    constants = chosen.negative_log_likelihood(f, y) + log_density
    np.testing.assert_allclose(constants, constants[0].expand(5), rtol=1e-5)
