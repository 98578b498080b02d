"""Votes of draws: counted by hand, and against the limit of infinitely many."""

import numpy as np
import pytest

from bdlviz.errors import InvalidInput
from bdlviz.predictive.votes import accuracy_by_samples, variation_ratio


def one_hot(votes: list[list[int]], num_classes: int = 3) -> np.ndarray:
    return np.eye(num_classes, dtype=np.float32)[np.array(votes)]


def test_the_variation_ratio_counts_votes():
    draws = one_hot([[0, 1, 2], [0, 1, 1], [0, 2, 0], [0, 2, 2]])  # (S, N): agreement, a tie, half of the votes
    np.testing.assert_allclose(variation_ratio(draws), [0, 0.5, 0.5])
    rng = np.random.default_rng(0)
    assert variation_ratio(rng.random((1, 4, 10))).max() == 0
    np.testing.assert_allclose(variation_ratio(one_hot([[0], [1], [2]])), [1 - 1 / 3])
    rng = np.random.default_rng(1)
    share, count = 0.7, 4000
    draws = one_hot([[int(vote)] for vote in rng.random(count) < share], 2)
    assert abs(variation_ratio(draws)[0] - (1 - share)) < 4 * np.sqrt(share * (1 - share) / count)
    for shape in [(0, 3, 2), (3, 2)]:
        with pytest.raises(InvalidInput, match="shape"):
            variation_ratio(np.zeros(shape))


def test_accuracy_by_samples_uses_disjoint_sets():
    draws = one_hot([[0, 0], [1, 1], [0, 0], [0, 0]])
    mean, std = accuracy_by_samples(draws, np.array([0, 0]), (1, 2, 4, 5))
    np.testing.assert_allclose(mean, [0.75, 1.0, 1.0, np.nan])  # the set (0, 1) is a tie, which class 0 wins
    np.testing.assert_allclose(std, [0.5, 0.0, np.nan, np.nan])
    rng = np.random.default_rng(2)
    right = rng.random((600, 200)) < 0.7
    draws = np.stack([right, ~right], -1).astype(np.float32)
    mean, _ = accuracy_by_samples(draws, np.zeros(200, int), (1, 5, 21, 101))
    assert abs(mean[0] - 0.7) < 4 * np.sqrt(0.7 * 0.3 / (20 * 200))
    majority = 0.83692  # of five votes, each right with probability .7
    assert abs(mean[1] - majority) < 4 * np.sqrt(majority * (1 - majority) / (20 * 200))
    assert mean[2] > 0.95 and mean[3] > 0.999
