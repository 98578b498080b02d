"""Likelihoods: gradients against autograd, a user's own, and the examples of docs/own_model.md as they are printed."""

import re

import numpy as np
import pytest
import torch
from scipy import stats

import bdlviz
from bdlviz.models.elementary import softplus
from bdlviz.models.likelihood_base import HALF_LOG_TWO_PI, Likelihood
from bdlviz.models.likelihoods import LIKELIHOODS, likelihood
from bdlviz.models.pixel_likelihoods import MIN_PIXEL_STD, log_normaliser

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
    num_targets = next(n for n in range(outputs.shape[-1] + 1) if chosen.num_outputs(n) == outputs.shape[-1])
    return rng.random((*outputs.shape[:-1], num_targets)).astype(np.float32)


@pytest.mark.parametrize("name", LIKELIHOODS)
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


PIXELS = [name for name, chosen in LIKELIHOODS.items() if chosen.is_generative]
EXTREMES = np.array([0, 1e-8, -1e-7, 1e-3, -0.3, 0.4999, -0.5001, 2, -9, 40, -88, 300], np.float32)


def logit(p):
    return np.log(p / (1 - np.asarray(p)))


@pytest.mark.parametrize("name", PIXELS)
def test_pixels_in_numpy_and_torch_and_at_extremes(name):
    rng, chosen = np.random.default_rng(1), likelihood(name)
    outputs, y = 4 * rng.standard_normal((6, chosen.num_outputs(9))), rng.random((6, 9))
    expected = -chosen.negative_log_likelihood(torch.tensor(outputs), torch.tensor(y)).numpy()
    np.testing.assert_allclose(chosen.log_likelihood(outputs, y), expected, rtol=1e-9)
    assert chosen.mean(outputs).shape == y.shape
    assert chosen.mean(outputs).min() >= 0 and chosen.mean(outputs).max() <= 1
    # Log density, mean and gradient, in float32 and without a warning.
    chosen = likelihood(name)
    outputs = np.stack([EXTREMES, -EXTREMES, np.zeros_like(EXTREMES)])
    y = np.tile([0.0, 0.5, 1.0], 4)[: len(EXTREMES) + len(EXTREMES) - chosen.num_outputs(len(EXTREMES))]
    y = np.broadcast_to(y.astype(np.float32), (3, len(y)))
    gradient = np.empty_like(outputs)
    chosen.gradient(outputs, y, gradient)
    for found in (chosen.log_likelihood(outputs, y), chosen.mean(outputs), gradient, chosen.loss(outputs, y)):
        assert np.isfinite(found).all()


def test_continuous_bernoulli_is_that_of_torch():
    """Derived from the definition, to the digits given there."""
    np.testing.assert_allclose(
        log_normaliser(logit([0.1, 0.3, 0.5, 0.7])), [1.0103386, 0.7505878, np.log(2), 0.7505878], atol=5e-8
    )
    assert likelihood("continuous_bernoulli").mean(logit(np.array([0.1])))[0] == pytest.approx(0.3301196, abs=5e-8)
    # Where torch is exact: its parameters are clamped far out, and it interpolates near 1/2.
    chosen, y = likelihood("continuous_bernoulli"), np.linspace(0, 1, 60)[:, None]
    logits = np.linspace(-12, 12, 60)[:, None]
    twin = torch.distributions.ContinuousBernoulli(logits=torch.tensor(logits))
    np.testing.assert_allclose(chosen.log_likelihood(logits, y), twin.log_prob(torch.tensor(y)).sum(-1), atol=1e-6)
    np.testing.assert_allclose(chosen.mean(logits), twin.mean, atol=1e-6)
    single = logits.astype(np.float32)
    np.testing.assert_allclose(chosen.mean(single), chosen.mean(logits), atol=1e-6)
    # By the midpoint rule over pixel values, at logits on both sides of the series' end.
    chosen, y = likelihood("continuous_bernoulli"), (np.arange(20_000)[:, None] + 0.5) / 20_000
    for f in (-7.0, -0.51, -0.49, 0.0, 1e-5, 0.2, 3.0):
        density = np.exp(chosen.log_likelihood(np.full_like(y, f), y))
        assert density.mean() == pytest.approx(1, abs=1e-7)
        assert (density * y[:, 0]).mean() == pytest.approx(chosen.mean(np.array([f]))[0], abs=1e-7)
    rng = np.random.default_rng(2)
    logits, y = 3 * rng.standard_normal((5, 8)), rng.random((5, 8))
    difference = likelihood("continuous_bernoulli").log_likelihood(logits, y) - likelihood("bernoulli").log_likelihood(
        logits, y
    )
    np.testing.assert_allclose(difference, log_normaliser(logits).sum(-1), rtol=1e-10)
    assert (difference >= 8 * np.log(2)).all()


def test_gaussian_pixels_and_black_and_white():
    chosen = likelihood("binarised_bernoulli")
    every = np.array([[a, b, c] for a in (0.1, 0.9) for b in (0.49, 0.5) for c in (0, 1)])
    logits = np.broadcast_to([0.3, -2.0, 5.0], every.shape)
    assert np.exp(chosen.log_likelihood(logits, every)).sum() == pytest.approx(1)
    np.testing.assert_array_equal(chosen.observe(every[0]), [0, 0, 0])
    np.testing.assert_array_equal(chosen.observe(every[-1]), [1, 1, 1])
    np.testing.assert_array_equal(chosen.observe(torch.tensor([0.2, 0.7])), [0, 1])
    rng, chosen = np.random.default_rng(3), likelihood("gaussian_pixels")
    outputs, y = rng.standard_normal((5, 9)), rng.random((5, 8))
    std = MIN_PIXEL_STD + softplus(outputs[:, -1:])
    twin = torch.distributions.Normal(torch.tensor(chosen.mean(outputs)), torch.tensor(std))
    np.testing.assert_allclose(chosen.log_likelihood(outputs, y), twin.log_prob(torch.tensor(y)).sum(-1), rtol=1e-10)
    assert pytest.approx(0.5 * np.log(2 * np.pi)) == HALF_LOG_TWO_PI


def test_heteroscedastic_gaussian_is_that_of_torch_and_scipy():
    rng, chosen = np.random.default_rng(4), likelihood("heteroscedastic")
    outputs, y = 2 * rng.standard_normal((5, 6)), rng.standard_normal((5, 3))
    std = np.exp(outputs[:, 3:] / 2)
    twin = torch.distributions.Normal(torch.tensor(outputs[:, :3]), torch.tensor(std))
    np.testing.assert_allclose(chosen.log_likelihood(outputs, y), twin.log_prob(torch.tensor(y)).sum(-1), rtol=1e-12)
    expected = stats.norm.logpdf(y, outputs[:, :3], std).sum(-1)
    found = chosen.negative_log_likelihood(torch.tensor(outputs), torch.tensor(y)).numpy()
    np.testing.assert_allclose(-found, expected, rtol=1e-12)
    variance = chosen.variance(outputs)
    assert variance is not None
    np.testing.assert_allclose(variance, std**2, rtol=1e-12)
    a = np.array([-800.0, -3, 0, 2, 900])
    np.testing.assert_allclose(softplus(a), np.logaddexp(0, a), rtol=1e-12)
    outputs = np.array([[[0.0, np.log(3.0), 1000.0], [0.0, 0.0, 0.0]]], np.float32)
    chosen = likelihood("categorical")
    np.testing.assert_allclose(chosen.mean(outputs), [[[0, 0, 1], [1 / 3] * 3]], atol=1e-6)
    variance = chosen.variance(outputs)
    assert variance is not None
    np.testing.assert_allclose(variance, [[[0, 0, 0], [2 / 9] * 3]], atol=1e-6)


def test_heteroscedastic_fit_finds_noise_that_grows():
    """Noise of sd 0.05 + 0.4 |x|: the learned one is small in the middle, large at the ends, in y's units."""
    rng = np.random.default_rng(6)
    x = np.linspace(-1, 1, 2000)
    y = 30 + 10 * (x + (0.05 + 0.4 * np.abs(x)) * rng.standard_normal(len(x)))
    settings = {"likelihood": "heteroscedastic", "hidden": (32, 32), "num_steps": 1500, "learning_rate": 3e-3}
    found = bdlviz.fit("map", (x, y), **settings).predict([-1.0, -0.5, 0.0, 0.5, 1.0])
    np.testing.assert_allclose(found.aleatoric_std[:, 0], [4.5, 2.5, 0.5, 2.5, 4.5], rtol=0.2, atol=0.6)
    np.testing.assert_allclose(found.mean[:, 0], [20, 25, 30, 35, 40], atol=1.5)


def test_own_likelihoods():
    own = bdlviz.fit("mc_dropout", (X, Y), likelihood=HalfSquare(), **QUICK)
    built_in = bdlviz.fit("mc_dropout", (X, Y), **QUICK)
    assert own.config.likelihood == "custom"
    for name, array in built_in.params.items():
        np.testing.assert_allclose(own.params[name], array, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(own.predict(X, 9).aleatoric_std, own.noise_std)
    fit = bdlviz.fit("mc_dropout", (X, Y), likelihood=HalfSquare(), length_scale=0.5, dropout_rate=0.2, **QUICK)
    assert fit.precision == 1.0
    assert fit.length_scale == pytest.approx(0.5)
    assert fit.config.hyperparameter("weight_decay") == pytest.approx(0.5**2 / (2 * 24 * 0.8))
    fit = bdlviz.fit("mc_dropout", (X, 50 + 10 * Y), likelihood=MeanAndVariance(), dropout_rate=0.3, **QUICK)
    predictive, outputs = fit.predict(X, 30), fit.draw_outputs(X, 30)
    assert outputs.shape == (30, 24, 2) and predictive.mean.shape == (24, 1)
    scale = fit.scaling.y_scale[0, 0]
    np.testing.assert_allclose(predictive.aleatoric_std**2, scale**2 * np.exp(outputs[..., 1:]).mean(0), rtol=1e-4)
    np.testing.assert_allclose(predictive.mean, 50 + 10 * Y.mean() + scale * outputs[..., :1].mean(0), rtol=1e-4)
    total = predictive.epistemic_std**2 + predictive.aleatoric_std**2
    np.testing.assert_allclose(predictive.total_std**2, total, rtol=1e-6)
    with pytest.raises(bdlviz.InvalidInput, match="Unknown likelihood 'poisson': choose one of gaussian"):
        bdlviz.fit("map", (X, Y), likelihood="poisson", **QUICK)
    with pytest.raises(bdlviz.InvalidInput, match="'categorical' is for classification, the data are for regression"):
        bdlviz.fit("map", (X, Y), likelihood="categorical", **QUICK)
    with pytest.raises(bdlviz.InvalidInput, match="code is not stored"):
        bdlviz.fit("map", (X, Y), likelihood=HalfSquare(), **QUICK).save("never_written.safetensors")

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


def test_the_examples_of_the_documentation(root, capsys):
    source, _ = examples(root)
    names = run_example(source)
    assert capsys.readouterr().out.strip() == source.strip().splitlines()[-1].partition("# ")[2]
    assert names["fit"].model.network.hidden == (32,)
    assert names["predictive"].epistemic_std.min() > 0
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
