"""The errata: every right formula against an independent reference, every wrong one shown to be another."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from scipy import integrate, optimize, stats

from bdlviz.errata import ERRATA, Erratum, Number, bayes, concrete, dropout, dropout_weights, inference, prediction
from bdlviz.errata import figures as errata_figures
from bdlviz.errata.figures import Maps
from bdlviz.fitted import bundles, shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.models import bayes_rule, four_networks
from bdlviz.models.likelihoods import softplus
from bdlviz.predictive.length_scale import model_precision, precision_without_rescaling, weight_decay_for
from bdlviz.predictive.summaries import summarise_classification

RNG = np.random.default_rng(0)
gaussian: Any = stats.norm  # frozen by a call; the stubs of scipy are vague about the result
multivariate: Any = stats.multivariate_normal
slope_of: Any = optimize.approx_fprime
EACH = pytest.mark.parametrize("erratum", ERRATA.values(), ids=ERRATA)


# What holds for all --------------------------------------------------------------------------------------------------


def test_all_of_them_are_there():
    assert len(ERRATA) == 21
    assert len({erratum.title for erratum in ERRATA.values()}) == 21


@EACH
def test_both_formulas_are_written_down_and_differ(erratum: Erratum):
    wrong, right = ((inspect.getdoc(function) or "").split("$$")[1] for function in (erratum.wrong, erratum.right))
    assert wrong.strip() != right.strip()
    assert all((inspect.getdoc(function) or "").count("$$") >= 2 for function in erratum.related)


@EACH
def test_the_effect_is_measured_and_repeats(erratum: Erratum):
    first, again = erratum.measure(), erratum.measure()
    assert 2 <= len(first.numbers) <= 4
    assert all(np.isfinite(number.value) for number in first.numbers)
    assert abs(first.wrong.value - first.right.value) > 0.04 * abs(first.right.value)
    assert first.numbers == again.numbers and first.says == again.says
    assert first.says.endswith(".") and any(letter.isdigit() for letter in first.says)
    assert "-" not in first.says.replace("LeNet-300-100", "").replace("MNIST-1000", "").replace("held-out", "")


@EACH
def test_the_picture_shows_both(erratum: Erratum):
    picture = erratum.measure().picture
    assert picture.says
    for stacked in (False, True):
        assert errata_figures.wrong_and_right(picture, stacked=stacked).data
    if isinstance(picture, Maps):
        assert {"wrong", "right"} == {panel.role for panel in picture.panels}
        assert all(0 <= panel.values.min() <= panel.values.max() <= 1 for panel in picture.panels)
        return
    curves = [curve for panel in picture.panels for curve in panel.curves]
    assert {"wrong", "right"} <= {curve.role.split()[0] for curve in curves}
    for curve in curves:
        assert np.isfinite(curve.y).all() and np.shape(curve.y)[-1] == len(curve.x)
    low, high = picture.y_range
    inside = [np.mean((low <= curve.y) & (curve.y <= high)) for curve in curves if curve.role != "exact"]
    assert min(inside) > 0.3, "Most of every curve is to be seen."


def test_numbers_have_a_true_minus():
    assert Number("", -1.5, ".2f").text == "−1.50"
    assert Number("", 2e-7, ".0e").text == "2e−07"


# Dropout --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.9])
def test_keep_or_drop(rate: float):
    uniform = (np.arange(1000) + 0.5) / 1000
    weights = RNG.normal(size=1000)
    assert dropout.drops_with_p(uniform, rate).mean() == pytest.approx(1 - rate, abs=1e-12)  # the factor of the penalty
    assert dropout.keeps_with_p(uniform, rate).mean() == pytest.approx(rate, abs=1e-12)
    expected = (1 - rate) * np.square(weights).sum()  # of the squared norm of masked weights
    shuffled = RNG.permuted(np.tile(uniform, (200, 1)), axis=1)
    norms = np.square(dropout.drops_with_p(shuffled, rate) * weights).sum(1)
    assert abs(norms.mean() - expected) < 4 * norms.std() / np.sqrt(200)


def test_the_exact_dropout_network_minimises_the_mean_over_masks():
    network, rate = dropout.ExactDropout(), dropout.RATE
    units, y = network.units(network.data.x[:, 0]), network.data.y[:, 0]

    def expected(weights: np.ndarray) -> float:
        noise = rate / (1 - rate) * (units**2).sum(0) @ weights**2
        return float((np.square(y - units @ weights).sum() + noise) / (2 * len(y)))

    def objective(weights: np.ndarray) -> float:
        return expected(weights) + dropout.WEIGHT_DECAY * float(weights @ weights)

    masks = dropout.drops_with_p(RNG.random((4000, units.shape[1])), rate) / (1 - rate)
    losses = np.square(y - dropout.draws_with_one_mask(units, network.weights, masks)).mean(1) / 2
    assert abs(losses.mean() - expected(network.weights)) < 4 * losses.std() / np.sqrt(len(losses))
    for direction in RNG.normal(size=(5, len(network.weights))):
        assert objective(network.weights + 0.01 * direction) > objective(network.weights)


def test_the_exact_spread_is_that_of_every_mask():
    network, x = dropout.ExactDropout(), np.array([-2.0, 0.5])
    few = np.argsort(-np.abs(network.weights))[:8]
    network.weights = np.where(np.isin(np.arange(dropout.NUM_HIDDEN), few), network.weights, 0.0)
    masks = np.zeros((256, dropout.NUM_HIDDEN))
    masks[:, few] = list(itertools.product((0, 1), repeat=8))
    chance = 0.9 ** masks.sum(1) * 0.1 ** (8 - masks.sum(1))
    draws = dropout.draws_with_one_mask(network.units(x), network.weights, masks / 0.9)
    variance = chance @ draws**2 - (chance @ draws) ** 2
    np.testing.assert_allclose(network.std(x, 0.1), np.sqrt(variance), rtol=1e-10)


def test_the_precision_follows_from_the_weight_decay():
    """Gradient descent on the penalised loss finds the posterior mean that prior and noise say, at any rate."""
    units, y, length_scale, decay = RNG.normal(size=(12, 3)), RNG.normal(size=12), 1.7, 0.03
    rates = np.array([0.05, 0.3])
    found = dropout.descend(units, y, decay, rates, 5000)

    def posterior_mean(precision: float) -> Any:
        return np.linalg.solve(precision * units.T @ units + length_scale**2 * np.eye(3), precision * units.T @ y)

    right = posterior_mean(dropout.precision_from_weight_decay(length_scale, decay, 12, 0.0))
    np.testing.assert_allclose(found, [right, right], rtol=1e-8)
    for rate in rates:
        wrong = posterior_mean(dropout.precision_from_learning_rate(length_scale, float(rate), 12, 0.0))
        assert np.abs(wrong - right).max() > 0.005


def test_crossings_are_those_of_a_gaussian_process():
    x = np.linspace(0, 10, 300)
    for length_scale in (0.5, 2.0):
        kernel = np.exp(-0.5 * np.square((x[:, None] - x) / length_scale)) + 1e-9 * np.eye(len(x))
        draws = RNG.standard_normal((300, len(x))) @ np.linalg.cholesky(kernel).T
        counts = dropout.count_crossings(x, draws)
        error = 4 * counts.std() / np.sqrt(len(counts))
        assert abs(counts.mean() - dropout.crossings(np.array(length_scale))) < error
        assert abs(counts.mean() - dropout.crossings_as_printed(np.array(length_scale))) > error


def test_wide_draws_have_the_covariance_of_their_kernel():
    x, length_scale = np.array([0.0, 0.7]), 0.9
    draws = dropout.wide_draws(x, length_scale, np.random.default_rng(1), 20_000)
    products = draws[:, 0] * draws[:, 1]
    expected = np.exp(-0.5 * (0.7 / length_scale) ** 2)
    assert abs(products.mean() - expected) < 4 * products.std() / np.sqrt(len(products))


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.8])
def test_gaussian_noise_has_the_variance_of_the_mask(rate: float):
    values, chances = np.array([0.0, 1 / (1 - rate)]), np.array([rate, 1 - rate])
    variance = chances @ np.square(values - 1)
    assert dropout.noise_with_variance_alpha(np.ones(()), rate) ** 2 == pytest.approx(variance)
    wrong = float(dropout.noise_with_sd_alpha(np.ones(()), rate)) ** 2
    assert (wrong == pytest.approx(variance)) == (rate == 0.5)


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_inverted_dropout(rate: float):
    """The penalty on W = (1 - p) M has to be the paper's penalty on M."""
    decay, length_scale, num_data = 1e-3, 0.4, 50
    weights = RNG.normal(size=7)
    unscaled = weights / (1 - rate)
    for formula, is_right in ((model_precision, True), (precision_without_rescaling, False)):
        precision = formula(length_scale, decay, num_data, rate)
        wanted = (1 - rate) * length_scale**2 / (2 * num_data * precision) * np.square(unscaled).sum()
        assert (decay * np.square(weights).sum() == pytest.approx(wanted)) == is_right


def test_a_mask_per_point_leaves_no_covariance():
    rate, num_draws = 0.2, 20_000
    units, weights = RNG.normal(size=(2, 6)), RNG.normal(size=6)
    exact = rate / (1 - rate) * (units[0] * units[1]) @ weights**2
    shared = dropout.drops_with_p(RNG.random((num_draws, 6)), rate) / (1 - rate)
    per_point = dropout.drops_with_p(RNG.random((num_draws, 2, 6)), rate) / (1 - rate)
    for draws, expected in (
        (dropout.draws_with_one_mask(units, weights, shared), exact),
        (dropout.draws_with_a_mask_per_point(units, weights, per_point), 0.0),
    ):
        products = np.prod(draws - units @ weights, axis=1)
        assert abs(products.mean() - expected) < 4 * products.std() / np.sqrt(num_draws)
    assert abs(exact) > 0.05
    smooth = np.sin(np.linspace(0.1, 1, 50)) * RNG.normal(size=(30, 1))
    assert dropout.neighbour_correlation(smooth) == pytest.approx(1)
    assert abs(dropout.neighbour_correlation(RNG.normal(size=(30, 500)))) < 0.1


# Weights under dropout -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [0.0, 0.3])
def test_the_penalty_over_2n_is_the_prior(rate: float):
    """Weights that minimise the mean loss over masks are the most probable ones under N(0, l^-2), at noise 1.

    The bound's penalty on M is (1 - p) l^2 / 2 for the sum of the losses; without dropout that is the MAP estimate.
    """
    x, y = RNG.uniform(-5, 5, 12), RNG.normal(size=12)
    units, length_scale = dropout_weights.bumps(x), 0.7

    def bound(weights: Any) -> float:
        keep = 1 - rate
        squares = np.square(y - keep * units @ weights).sum() + keep * rate * (units**2).sum(0) @ weights**2
        return float(squares / 2 + keep * length_scale**2 / 2 * weights @ weights)

    best = optimize.minimize(bound, np.zeros(units.shape[1]), tol=1e-12).x
    right, wrong = (
        dropout_weights.fit_bumps(x, y, rule(length_scale, 12, rate), rate)
        for rule in (dropout_weights.weight_decay_per_point, dropout_weights.weight_decay_without_n)
    )
    np.testing.assert_allclose(right, best, atol=1e-4)
    assert np.abs(wrong - best).max() > 0.02
    if rate == 0:
        assert dropout_weights.weight_decay_per_point(length_scale, 12, 0.0) == pytest.approx(
            weight_decay_for(length_scale, 1.0, 12, 0.0)
        )


def test_weights_of_a_unit_drop_together():
    """Every mask of a small network in turn, against both variances of a difference of outputs."""
    rate, units, weights = 0.2, RNG.normal(size=(3, 6)), RNG.normal(size=(6, 2))
    masks = np.array(list(itertools.product((0, 1), repeat=6)))
    chance = (1 - rate) ** masks.sum(1) * rate ** (6 - masks.sum(1))
    outputs = np.einsum("sh,ph,hk->spk", masks / (1 - rate), units, weights)
    difference = outputs[..., 0] - outputs[..., 1]
    exact = chance @ difference**2 - (chance @ difference) ** 2
    np.testing.assert_allclose(dropout_weights.variance_of_dropped_units(units, weights, rate), exact, rtol=1e-10)
    each = [chance @ outputs[..., k] ** 2 - (chance @ outputs[..., k]) ** 2 for k in (0, 1)]
    wrong = dropout_weights.variance_of_independent_weights(units, weights, rate)
    np.testing.assert_allclose(wrong, each[0] + each[1], rtol=1e-10)  # as if the outputs were independent
    assert np.abs(wrong - exact).min() > 0.01


@pytest.mark.parametrize("variable", [0.0, 0.3, 1.0])
def test_a_probability_read_as_a_logit(variable: float):
    """Counted on torch's relaxed masks with the variable as ``logits`` and as ``probs``."""
    torch.manual_seed(0)
    value, count = torch.tensor(variable), 20_000
    for settings, rule in (
        ({"logits": value}, concrete.kept_when_read_as_logit),
        ({"probs": value}, concrete.kept_as_meant),
    ):
        relaxed = torch.distributions.RelaxedBernoulli(torch.tensor(0.1), **settings, validate_args=False)
        draws: Any = relaxed.sample((count,))
        kept = float((draws > 0.5).double().mean())
        expected = float(rule(np.array(variable)))
        assert kept == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / count) + 1e-3)
    assert 0.5 <= concrete.kept_when_read_as_logit(np.array(variable)) <= 0.732


def test_the_shipped_masks_keep_less_than_the_picture_shows():
    effect = concrete.measure_relaxed_bernoulli()
    assert not effect.remark and isinstance(effect.picture, Maps)
    learned, real, right = (panel.values for panel in effect.picture.panels)
    np.testing.assert_allclose(real, 1 / (1 + np.exp(-learned)))
    assert 0.5 <= real.min() <= real.max() <= 0.732 < right.max()
    assert effect.wrong.value == real.max() and effect.right.value == right.max()


def test_without_the_shipped_masks_the_probability_is_still_shown(monkeypatch: pytest.MonkeyPatch):
    def missing(name: str, settings: Any) -> None:
        raise CheckpointError("It is not there.")

    monkeypatch.setattr(bundles, "shipped", missing)
    effect = concrete.measure_relaxed_bernoulli()
    assert effect.remark.startswith("It is not there.")
    assert (effect.wrong.text, effect.right.text) == ("0.73", "1.00")


# Bayes' rule ----------------------------------------------------------------------------------------------------------


def test_the_posterior_integrates_to_one():
    model = inference.one_weight(4)
    w, likelihood, prior = bayes.grid_of(model)
    mean, std = model.posterior
    right, wrong = (rule(likelihood, prior, 0.01) for rule in (bayes.posterior_density, bayes.posterior_as_printed))
    np.testing.assert_allclose(right, gaussian(mean, std).pdf(w), atol=1e-6)
    assert np.log(wrong.sum() * 0.01) == pytest.approx(model.log_evidence, abs=1e-6)
    assert wrong.argmax() == right.argmax()


def test_one_theta_has_the_masses_of_all_its_entries():
    masses = bayes.masses_of_thetas(bayes.MASSES, bayes.THETAS)
    assert masses[0] == masses[1] == pytest.approx(0.5) == bayes.MASSES[:2].sum()
    np.testing.assert_array_equal(masses[2:], bayes.MASSES[2:])
    np.testing.assert_array_equal(bayes.masses_as_printed(bayes.MASSES, bayes.THETAS), bayes.MASSES)


def test_a_theta_listed_twice_changes_no_average():
    """Bayes' rule over three networks with one mass of 1/2, against the list of four."""
    once, first = np.unique(bayes.THETAS, return_index=True)
    prior = bayes.masses_of_thetas(bayes.MASSES, bayes.THETAS)[first]
    x = np.linspace(-3, 3, 9)
    for posterior in bayes.beliefs(np.array([0, 1, 5])):
        merged = bayes.masses_of_thetas(posterior, bayes.THETAS)[first]
        assert merged.sum() == pytest.approx(1)
        functions = four_networks.evaluate(x)
        listed, _ = bayes_rule.average(posterior, functions[bayes.THETAS])
        np.testing.assert_allclose(listed, bayes_rule.average(merged, functions[once])[0])
        assert posterior[1] / posterior[0] == pytest.approx(2)  # as before: no data tell equal entries apart
    assert bayes.masses_of_thetas(bayes.beliefs(np.array([0]))[0], bayes.THETAS)[first] == pytest.approx(prior)


# Learning -------------------------------------------------------------------------------------------------------------


def test_ridge_is_the_map_estimate():
    design, y, noise, prior = RNG.normal(size=(15, 4)), RNG.normal(size=15), 0.5, 3.0

    def minus_log_posterior(theta: Any) -> float:
        likelihood = gaussian(design @ theta, noise**0.5).logpdf(y).sum()
        return -likelihood - gaussian(0, prior**0.5).logpdf(theta).sum()

    best = optimize.minimize(minus_log_posterior, np.zeros(4), tol=1e-10).x
    np.testing.assert_allclose(inference.ridge(design, y, inference.ridge_weight(noise, prior)), best, atol=1e-5)
    wrong = inference.ridge(design, y, inference.ridge_weight_as_printed(noise, prior))
    assert np.abs(wrong - best).max() > 0.02


def test_ascent_climbs():
    y = RNG.normal(size=9)
    right = wrong = np.zeros(1)
    for _ in range(200):
        right = inference.step_of_ascent(right, (y - right).sum(keepdims=True), 0.02)
        wrong = inference.step_as_printed(wrong, (y - wrong).sum(keepdims=True), 0.02)
    assert right[0] == pytest.approx(stats.norm.fit(y, fscale=1)[0])
    assert abs(wrong[0]) > 1e6


def test_ard_kl():
    mean, std, prior = np.array([1.0, 0.2]), np.array([0.5, 1.5]), np.array([2.0, 0.7])
    q = torch.distributions.Normal(torch.tensor(mean), torch.tensor(std))
    p = torch.distributions.Normal(torch.zeros(2, dtype=torch.float64), torch.tensor(prior))
    reference = torch.distributions.kl_divergence(q, p).numpy()
    np.testing.assert_allclose(inference.ard_kl(mean, std, prior), reference, rtol=1e-12)
    assert np.abs(inference.ard_kl_as_printed(mean, std, prior) - reference).min() > 0.1
    assert inference.ard_kl(np.zeros(1), std[:1], std[:1]) == pytest.approx(0)
    assert inference.ard_kl_as_printed(np.ones(1), std[:1], np.full(1, 10.0)) < 0


@pytest.mark.parametrize(
    ("log_alpha", "golden"), [(-5, 2.50336), (-2, 1.06346), (0, 0.34657), (1, 0.15663), (3, 0.02429)]
)
def test_the_constant_of_ard_is_nothing(log_alpha: float, golden: float):
    mean, std = np.array(1.0), np.exp(np.array(log_alpha) / 2)

    def of_prior(log_prior: float) -> float:
        return float(inference.ard_kl(mean, std, np.exp(log_prior)))

    found = optimize.minimize_scalar(of_prior, bounds=(-5, 8), method="bounded")
    assert inference.ard_kl_at_best(mean, std) == pytest.approx(golden, abs=1e-5)
    assert found.fun == pytest.approx(golden, abs=1e-5)
    assert inference.ard_kl_with_constant(mean, std) - golden == pytest.approx(0.5, abs=1e-5)


def test_rho_gradient_is_that_of_finite_differences():
    model, mean, rho, noise = inference.one_weight(6), np.array([0.3]), np.array([-0.7]), np.array([-0.8])

    def loss(at: Any) -> float:
        std = softplus(at)
        weight = mean + std * noise
        likelihood = gaussian(weight, 1).logpdf(model.y).sum()
        return float((gaussian(mean, std).logpdf(weight) - stats.norm.logpdf(weight))[0] - likelihood)

    by_weight, by_mean, by_rho = inference.partial_derivatives(model, mean, rho, noise)
    slope = (loss(rho + 1e-5) - loss(rho - 1e-5)) / 2e-5
    assert inference.rho_gradient(by_weight, by_rho, noise, rho)[0] == pytest.approx(slope, rel=1e-6)
    assert abs(inference.rho_gradient_as_printed(by_weight, by_rho, noise, rho)[0] - slope) > 0.1
    assert (by_weight + by_mean)[0] == pytest.approx((mean + softplus(rho) * noise) * 7 - model.y.sum(), rel=1e-9)


def test_without_the_noise_the_width_has_no_gradient():
    model, rho = inference.one_weight(), np.array([0.0])
    mean, _ = model.posterior
    noise, weights = np.polynomial.hermite_e.hermegauss(20)
    parts = inference.partial_derivatives(model, np.array([mean]), rho, noise)
    right, wrong = (
        float(weights @ gradient(parts[0], parts[2], noise, rho) / weights.sum())
        for gradient in (inference.rho_gradient, inference.rho_gradient_as_printed)
    )
    std = float(softplus(rho)[0])
    assert right == pytest.approx((21 * std - 1 / std) / (1 + np.exp(-rho[0])))  # of KL and likelihood, in closed form
    assert wrong == pytest.approx(0, abs=1e-9)


def test_the_exact_posterior_and_evidence():
    model = inference.one_weight(5)
    joint = multivariate(np.zeros(5), np.eye(5) + np.ones((5, 5)))
    assert model.log_evidence == pytest.approx(joint.logpdf(model.y))
    mean, std = model.posterior
    precision = slope_of([mean], lambda w: (w - (model.y - w).sum())[0], 1e-6)[0]
    assert std == pytest.approx(precision**-0.5, rel=1e-5)


def test_an_epoch_counts_the_kl_once():
    ratios, likelihoods = RNG.normal(size=(5, 4)), RNG.normal(size=(5, 4))  # five minibatches of four points
    kl = RNG.normal()
    same = np.full_like(ratios, kl)
    assert inference.minibatch_loss(same, likelihoods, 20).sum() == pytest.approx(kl - likelihoods.sum())
    wrong = inference.minibatch_loss_as_printed(same, likelihoods, 20).sum()
    assert wrong == pytest.approx(4 * kl - likelihoods.sum())
    assert inference.minibatch_loss(ratios, likelihoods, 20).sum() == pytest.approx(ratios.mean() - likelihoods.sum())


@pytest.mark.parametrize("kl_weight", [1.0, 20.0])
def test_the_tempered_posterior_minimises_the_loss(kl_weight: float):
    model = inference.one_weight(30)

    def loss(at: Any) -> float:
        mean, std = at[0], np.exp(at[1])
        kl = np.log(1 / std) + (std**2 + mean**2) / 2 - 0.5
        return float(kl_weight * kl - model.expected_log_likelihood(mean, std))

    best = optimize.minimize(loss, np.zeros(2), tol=1e-10).x
    np.testing.assert_allclose(inference.tempered_posterior(model, kl_weight), (best[0], np.exp(best[1])), rtol=1e-4)
    assert (inference.tempered_posterior(model, kl_weight) == pytest.approx(model.posterior)) == (kl_weight == 1)


def test_the_description_length_is_least_at_the_posterior():
    model = inference.one_weight()
    mean, std = model.posterior

    def parts(scale: float) -> tuple[Any, Any]:
        q = gaussian(mean, scale * std)
        kl = integrate.quad(lambda w: q.pdf(w) * (q.logpdf(w) - stats.norm.logpdf(w)), -3, 5)[0]
        return model.expected_log_likelihood(mean, scale * std), np.array(kl)

    lengths = [float(inference.description_length(*parts(scale))) for scale in (0.7, 1.0, 1.4)]
    costs = [float(inference.cost_as_printed(*parts(scale))) for scale in (0.7, 1.0, 1.4)]
    assert np.argmin(lengths) == 1 and lengths[1] == pytest.approx(-model.log_evidence)
    assert np.argmax(costs) == 1


# Prediction -----------------------------------------------------------------------------------------------------------


def test_the_predictive_is_a_mean():
    probabilities = RNG.dirichlet(np.ones(3), size=(8, 5))
    right, wrong = prediction.predictive_mean(probabilities), prediction.predictive_as_printed(probabilities)
    np.testing.assert_allclose(right.sum(-1), 1)
    np.testing.assert_allclose(wrong.sum(-1), 8)
    np.testing.assert_allclose(right, summarise_classification(np.zeros((5, 1)), probabilities, 8).mean)
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
