"""Signal-to-noise ratios and what is left without the lowest: by hand, and at both ends."""

import numpy as np
import pytest

from bdlviz.errors import InvalidInput
from bdlviz.models.mlp import MLP
from bdlviz.predictive.functions import drawn_weights, evaluate
from bdlviz.topics.weights.signal_to_noise import signal
from bdlviz.types import Array, Draws

MEAN = {
    "weight0": np.array([[0.3, -2.0], [0.0, 1.0]], np.float32),
    "weight1": np.array([[-0.1], [4.0]], np.float32),
    "bias0": np.array([[9.0, 9.0]], np.float32),
    "bias1": np.array([[-0.5]], np.float32),
}
STD = {name: np.full_like(values, 0.5) for name, values in MEAN.items()} | {
    "weight1": np.array([[0.01], [40.0]], np.float32)
}
RATIOS = {"weight0": [[0.6, 4.0], [0.0, 2.0]], "weight1": [[10.0], [0.1]]}


def test_the_lowest_of_all_layers_go_first():
    found = signal.signal_to_noise(MEAN, STD)
    assert found.keys() == RATIOS.keys()
    for name, expected in RATIOS.items():
        np.testing.assert_allclose(found[name], expected, rtol=1e-6)
    np.testing.assert_allclose(signal.magnitude(MEAN)["weight1"], [[0.1], [4.0]], rtol=1e-6)
    np.testing.assert_allclose(signal.decibels(np.array([1.0, 10.0, 0.1, 2.0])), [0, 20, -20, 6.0206], atol=1e-4)
    assert signal.decibels(np.zeros(1))[0] == -np.inf
    np.testing.assert_allclose(signal.power_ratio(np.array([[3.0, 4.0], [2.0, 2.0]])), [12.5**0.5, 2])
    stays = signal.kept({"weight0": np.ones((2, 2)), "weight1": np.ones((2, 1))}, 0.5)
    np.testing.assert_array_equal(stays["weight0"], [[False, False], [False, True]])
    assert stays["weight1"].all()
    for fraction, lowest in [(0, 0), (1 / 6, 1), (0.5, 3), (0.75, 4), (1, 6)]:
        ratios = signal.signal_to_noise(MEAN, STD)
        stays = signal.kept(ratios, fraction)
        pooled = np.concatenate([values.ravel() for values in ratios.values()])
        limit = np.sort(pooled)[lowest - 1] if lowest else -1.0
        assert {name: mask.shape for name, mask in stays.items()} == {name: np.shape(v) for name, v in RATIOS.items()}
        for name, mask in stays.items():
            np.testing.assert_array_equal(mask, ratios[name] > limit)
    for fraction in [-0.1, 1.1, float("nan")]:
        with pytest.raises(InvalidInput, match="between"):
            signal.kept({"weight0": np.ones((2, 2))}, fraction)


def test_removed_weights_are_0_and_biases_stay():
    stays = signal.kept(signal.signal_to_noise(MEAN, STD), 0.5)
    draws = Draws(MEAN, num_samples=3, weight_std=STD, weight_seeds=np.arange(3))
    pruned = signal.without_draws(draws, stays)
    for index in range(3):
        before, after = drawn_weights(draws, index), drawn_weights(pruned, index)
        for name in MEAN:
            kept: Array = stays.get(name, np.ones_like(MEAN[name], bool))
            np.testing.assert_array_equal(after[name], np.where(kept, before[name], 0))
    np.testing.assert_array_equal(signal.without(MEAN, stays)["bias0"], MEAN["bias0"])
    stays = signal.kept(signal.signal_to_noise(MEAN, STD), 1)
    x = np.random.default_rng(0).normal(size=(5, 2)).astype(np.float32)
    outputs = evaluate(MLP((2, 2, 1)), Draws(signal.without(MEAN, stays)), x)
    np.testing.assert_array_equal(outputs, np.full((1, 5, 1), -0.5))


def test_paired_standard_error_against_repeats():
    """The spread of the difference over many sets of images is what one set says of it."""
    rng = np.random.default_rng(0)
    num_images, repeats = 400, 4000
    u = rng.random((repeats, num_images))
    right, other = u < 0.9, (u < 0.85) | (u > 0.97)  # they disagree on 0.05 + 0.03 of the images
    said = np.mean([signal.paired_standard_error(a, b) for a, b in zip(right, other, strict=True)])
    spread = (right.mean(1) - other.mean(1)).std()
    assert spread == pytest.approx(said, abs=4 * spread / (2 * repeats) ** 0.5)
