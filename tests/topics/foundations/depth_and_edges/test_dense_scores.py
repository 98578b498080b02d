"""Dense prediction: the split of variance and entropy, draws in pieces, coverage and correlation."""

from __future__ import annotations

import numpy as np
import pytest

from bdlviz.topics.foundations.depth_and_edges import convolutional, dense_scores
from bdlviz.topics.foundations.depth_and_edges.convolutional import Convolutional, NumpyOperations, draw_masks

RNG = np.random.default_rng(0)


def test_depth_has_the_moments_of_the_mixture():
    """Total variance by the law of total variance, against a million draws, within four standard errors."""
    mean, log_variance = RNG.normal(size=(4, 2, 3)), RNG.normal(size=(4, 2, 3)) - 1
    found = dense_scores.depth_picture(mean, log_variance, offset=4.0, scale=2.0)
    size = 1_000_000
    which = RNG.integers(0, 4, size)
    y = 4 + 2 * (mean[which, 1, 2] + np.exp(log_variance[which, 1, 2] / 2) * RNG.standard_normal(size))
    assert abs(y.mean() - found.mean[1, 2]) < 4 * y.std() / np.sqrt(size)
    squares = np.square(y - y.mean())
    assert abs(squares.mean() - found.total_std[1, 2] ** 2) < 4 * squares.std() / np.sqrt(size)
    np.testing.assert_allclose(found.epistemic_std, 2 * mean.std(0))
    np.testing.assert_allclose(found.aleatoric_std, 2 * np.sqrt(np.exp(log_variance).mean(0)))


def test_one_draw_has_no_epistemic_uncertainty():
    found = dense_scores.depth_picture(RNG.normal(size=(1, 2, 2)), RNG.normal(size=(1, 2, 2)))
    assert not found.epistemic_std.any()
    assert not dense_scores.class_picture(RNG.normal(size=(1, 2, 2, 4))).mutual_information.any()


def test_the_entropy_of_disagreement_and_the_entropy_of_noise():
    certain = np.array([[50.0, 0], [0, 50.0]])  # two draws that contradict each other
    unsure = np.zeros((2, 2))  # two draws that are both uncertain
    found = dense_scores.class_picture(np.stack([certain, unsure], axis=1)[:, None])
    np.testing.assert_allclose(found.mutual_information, [[np.log(2), 0]], atol=1e-9)
    np.testing.assert_allclose(found.expected_entropy, [[0, np.log(2)]], atol=1e-9)
    np.testing.assert_allclose(found.probabilities, 0.5)
    assert found.classes.shape == (1, 2)


def test_draws_in_pieces_are_draws_at_once():
    network = Convolutional(2, (4, 6, 8))
    params = {name: RNG.normal(size=shape).astype(np.float32) / 3 for name, shape in network.shapes().items()}
    image, masks = RNG.random((8, 8, 3)), draw_masks(network, 0.2, 2 * dense_scores.CHUNK + 1, np.random.default_rng(0))
    found = dense_scores.draw_outputs(network, params, image, masks)
    whole = network.outputs(NumpyOperations(), params, convolutional.with_places(image[None]), masks)
    np.testing.assert_allclose(found, whole, atol=1e-5)
    assert dense_scores.draw_outputs(network, params, image, {}).shape == (1, 8, 8, 2)


def test_coverage_of_gaussian_readings():
    std = RNG.random((40, 500)) + 0.1
    y = std * RNG.standard_normal(std.shape)
    error = np.sqrt(0.95 * 0.05 / y.size)
    assert abs(dense_scores.coverage(y, np.zeros_like(y), std) - 0.95) < 4 * error
    assert dense_scores.coverage(y, y, np.zeros_like(y)) == 1 and dense_scores.coverage(y, y + 1, np.zeros_like(y)) == 0


def test_correlation_equals_numpy():
    one, other = RNG.random((3, 4)), RNG.random((3, 4))
    assert dense_scores.correlation(one, other) == pytest.approx(np.corrcoef(one.ravel(), other.ravel())[0, 1])
    assert np.isnan(dense_scores.correlation(one, np.ones((3, 4))))
