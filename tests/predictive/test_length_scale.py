"""The calculator between length-scale, noise and weight decay, and draws from the prior it speaks of."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bdlviz
from bdlviz.models.mlp import MLP
from bdlviz.predictive.length_scale import (
    layer_length_scales,
    length_scale_for,
    model_precision,
    precision_without_rescaling,
    weight_decay_for,
)
from bdlviz.predictive.prior import prior_draws

positive = st.floats(1e-3, 1e3)
rates = st.floats(0, 0.95)
counts = st.integers(1, 10_000)


@given(positive, positive, counts, rates)
def test_any_two_determine_the_third(length_scale, precision, num_data, rate):
    decay = weight_decay_for(length_scale, precision, num_data, rate)
    assert model_precision(length_scale, decay, num_data, rate) == pytest.approx(precision)
    assert length_scale_for(decay, precision, num_data, rate) == pytest.approx(length_scale)
    # Penalising W = keep_prob M instead of M: a factor 1 / keep_prob^2.
    ours = model_precision(length_scale, decay, num_data, rate)
    papers = precision_without_rescaling(length_scale, decay, num_data, rate)
    assert ours / papers == pytest.approx((1 - rate) ** -2)


def test_known_values_and_the_papers_objective():
    assert model_precision(1.0, 0.005, 100, 0.0) == pytest.approx(1.0)
    assert model_precision(1.0, 0.005, 100, 0.5) == pytest.approx(2.0)
    assert precision_without_rescaling(1.0, 0.005, 100, 0.5) == pytest.approx(0.5)  # 4 times smaller at rate 0.5
    assert length_scale_for(0.0, 10.0, 100, 0.1) == 0
    assert length_scale_for(0.01, 4.0, 50, 0.0) == pytest.approx(2.0)
    # The paper's penalty keep_prob l^2 / (2 N) |M|^2, divided by tau, is lambda |W|^2.
    rng = np.random.default_rng(0)
    matrix, keep, length_scale, precision, num_data = rng.standard_normal((5, 4)), 0.7, 0.3, 25.0, 60
    papers = keep * length_scale**2 / (2 * num_data) * np.sum(matrix**2) / precision
    decay = weight_decay_for(length_scale, precision, num_data, 1 - keep)
    assert decay * np.sum((keep * matrix) ** 2) == pytest.approx(papers)


@given(positive, positive, counts, rates, st.integers(1, 5))
def test_only_layers_with_dropped_inputs_feel_the_rate(decay, precision, num_data, rate, num_layers):
    """The ratio is sqrt(1 - p), and each length-scale inverts the formula of its own layer."""
    first, *later = layer_length_scales(decay, precision, num_data, rate, num_layers)
    assert len(later) == num_layers - 1
    assert weight_decay_for(first, precision, num_data, 0.0) == pytest.approx(decay)
    for scale in later:
        assert scale / first == pytest.approx((1 - rate) ** 0.5)
        assert weight_decay_for(scale, precision, num_data, rate) == pytest.approx(decay)


def test_prior_draws_have_their_closed_forms():
    """For f = w x + b with w ~ N(0, l^-2) and b ~ N(0, 1) the covariance is x x' / l^2 + 1."""
    for length_scale in [0.5, 2.0]:
        count, x = 20_000, np.array([[-1.0, 2.0], [0.0, 0.0], [3.0, 1.0]], np.float32)
        draws = prior_draws(MLP((2, 1)), x, [length_scale], np.random.default_rng(0), count)[..., 0].astype(float)
        expected = x @ x.T / length_scale**2 + 1
        found = draws.T @ draws / count
        spread = np.sqrt((expected**2 + np.outer(np.diag(expected), np.diag(expected))) / count)
        assert (np.abs(found - expected) < 4 * spread).all()
        assert (np.abs(draws.mean(0)) < 4 * np.sqrt(np.diag(expected) / count)).all()
    # E[relu(a)^2] = Var[a] / 2 for a ~ N(0, v): Var[f] = H v / (2 l_2^2) + 1 with v = x^2 / l_1^2 + 1.
    # At x = 0 only the biases of the hidden layer are left: sd sqrt(H / (2 l_2^2) + 1).
    for x in [0.0, 2.0]:
        count, width, (first, second) = 20_000, 8, (1.5, 0.7)
        network, rng = MLP((1, width, 1), "relu"), np.random.default_rng(1)
        draws = prior_draws(network, np.array([[x]], np.float32), (first, second), rng, count)[:, 0, 0]
        expected = width * (x**2 / first**2 + 1) / (2 * second**2) + 1
        squares = draws.astype(float) ** 2
        assert abs(squares.mean() - expected) < 4 * squares.std() / np.sqrt(count)
    for scales in [(1.0,), (1.0, 1.0, 1.0), (1.0, 0.0), (1.0, np.inf), (np.nan, 1.0)]:
        with pytest.raises(bdlviz.InvalidInput, match=r"length-scale"):
            prior_draws(MLP((1, 4, 1)), np.zeros((1, 1)), scales, np.random.default_rng(0), 2)
