"""Errata about dropout: formulas against closed forms, counted masks and exact expectations."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch
from scipy import optimize

from bdlviz.errata import (
    concrete,
    dropout,
    dropout_scales,
    dropout_weights,
    exact_dropout,
)
from bdlviz.errata.figures import Maps
from bdlviz.fitted import bundles
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.predictive.length_scale import model_precision, precision_without_rescaling, weight_decay_for

RNG = np.random.default_rng(0)

# Dropout --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.9])
def test_masks_with_keep_and_drop_probabilities(rate: float):
    uniform = (np.arange(1000) + 0.5) / 1000
    weights = RNG.normal(size=1000)
    assert dropout.drops_with_p(uniform, rate).mean() == pytest.approx(1 - rate, abs=1e-12)  # the factor of the penalty
    assert dropout.keeps_with_p(uniform, rate).mean() == pytest.approx(rate, abs=1e-12)
    expected = (1 - rate) * np.square(weights).sum()  # of the squared norm of masked weights
    shuffled = RNG.permuted(np.tile(uniform, (200, 1)), axis=1)
    norms = np.square(dropout.drops_with_p(shuffled, rate) * weights).sum(1)
    assert abs(norms.mean() - expected) < 4 * norms.std() / np.sqrt(200)


def test_the_exact_dropout_network_minimises_the_mean_over_masks():
    network, rate = exact_dropout.ExactDropout(), exact_dropout.RATE
    units, y = network.units(network.data.x[:, 0]), network.data.y[:, 0]

    def expected(weights: np.ndarray) -> float:
        noise = rate / (1 - rate) * (units**2).sum(0) @ weights**2
        return float((np.square(y - units @ weights).sum() + noise) / (2 * len(y)))

    def objective(weights: np.ndarray) -> float:
        return expected(weights) + exact_dropout.WEIGHT_DECAY * float(weights @ weights)

    masks = dropout.drops_with_p(RNG.random((4000, units.shape[1])), rate) / (1 - rate)
    losses = np.square(y - exact_dropout.draws_with_one_mask(units, network.weights, masks)).mean(1) / 2
    assert abs(losses.mean() - expected(network.weights)) < 4 * losses.std() / np.sqrt(len(losses))
    for direction in RNG.normal(size=(5, len(network.weights))):
        assert objective(network.weights + 0.01 * direction) > objective(network.weights)


def test_the_exact_spread_is_that_of_every_mask():
    network, x = exact_dropout.ExactDropout(), np.array([-2.0, 0.5])
    few = np.argsort(-np.abs(network.weights))[:8]
    network.weights = np.where(np.isin(np.arange(exact_dropout.NUM_HIDDEN), few), network.weights, 0.0)
    masks = np.zeros((256, exact_dropout.NUM_HIDDEN))
    masks[:, few] = list(itertools.product((0, 1), repeat=8))
    chance = 0.9 ** masks.sum(1) * 0.1 ** (8 - masks.sum(1))
    draws = exact_dropout.draws_with_one_mask(network.units(x), network.weights, masks / 0.9)
    variance = chance @ draws**2 - (chance @ draws) ** 2
    np.testing.assert_allclose(network.std(x, 0.1), np.sqrt(variance), rtol=1e-10)


def test_the_precision_follows_from_the_weight_decay():
    """Gradient descent on the penalised loss finds the posterior mean that prior and noise say, at any rate."""
    units, y, length_scale, decay = RNG.normal(size=(12, 3)), RNG.normal(size=12), 1.7, 0.03
    rates = np.array([0.05, 0.3])
    found = dropout_scales.descend(units, y, decay, rates, 5000)

    def posterior_mean(precision: float) -> Any:
        return np.linalg.solve(precision * units.T @ units + length_scale**2 * np.eye(3), precision * units.T @ y)

    right = posterior_mean(dropout_scales.precision_from_weight_decay(length_scale, decay, 12, 0.0))
    np.testing.assert_allclose(found, [right, right], rtol=1e-8)
    for rate in rates:
        wrong = posterior_mean(dropout_scales.precision_from_learning_rate(length_scale, float(rate), 12, 0.0))
        assert np.abs(wrong - right).max() > 0.005


def test_crossings_are_those_of_a_gaussian_process():
    x = np.linspace(0, 10, 300)
    for length_scale in (0.5, 2.0):
        kernel = np.exp(-0.5 * np.square((x[:, None] - x) / length_scale)) + 1e-9 * np.eye(len(x))
        draws = RNG.standard_normal((300, len(x))) @ np.linalg.cholesky(kernel).T
        counts = dropout_scales.count_crossings(x, draws)
        error = 4 * counts.std() / np.sqrt(len(counts))
        assert abs(counts.mean() - dropout_scales.crossings(np.array(length_scale))) < error
        assert abs(counts.mean() - dropout_scales.crossings_as_printed(np.array(length_scale))) > error


def test_wide_draws_have_the_covariance_of_their_kernel():
    x, length_scale = np.array([0.0, 0.7]), 0.9
    draws = dropout_scales.wide_draws(x, length_scale, np.random.default_rng(1), 20_000)
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


def test_a_mask_per_point_has_no_covariance():
    rate, num_draws = 0.2, 20_000
    units, weights = RNG.normal(size=(2, 6)), RNG.normal(size=6)
    exact = rate / (1 - rate) * (units[0] * units[1]) @ weights**2
    shared = dropout.drops_with_p(RNG.random((num_draws, 6)), rate) / (1 - rate)
    per_point = dropout.drops_with_p(RNG.random((num_draws, 2, 6)), rate) / (1 - rate)
    for draws, expected in (
        (exact_dropout.draws_with_one_mask(units, weights, shared), exact),
        (dropout.draws_with_a_mask_per_point(units, weights, per_point), 0.0),
    ):
        products = np.prod(draws - units @ weights, axis=1)
        assert abs(products.mean() - expected) < 4 * products.std() / np.sqrt(num_draws)
    assert abs(exact) > 0.05
    assert dropout.mean_jump(np.array([[0.0, 1, 3], [2, 2, -1]])) == pytest.approx(1.5)


# Weights under dropout ------------------------------------------------------------------------------------------------


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
