"""t-SNE: deterministic, faithful to neighbours, and clear about what it refuses."""

import numpy as np
import pytest
from sklearn.manifold import trustworthiness

import bdlviz
from bdlviz.predictive.embedding import embed


def clusters(num_dimensions: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Three tight clouds of 50 codes each, and their numbers."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 50)
    return 9 * rng.normal(size=(3, num_dimensions))[labels] + rng.normal(size=(150, num_dimensions)), labels


def test_same_codes_same_picture():
    codes, _ = clusters()
    state = np.random.get_state(legacy=False)
    one, other = embed(codes), embed(codes)
    assert one.shape == (150, 2) and one.dtype == np.float32
    np.testing.assert_array_equal(one, other)
    np.testing.assert_equal(np.random.get_state(legacy=False), state)


@pytest.mark.parametrize("num_dimensions", [2, 6])
def test_neighbours_stay_neighbours(num_dimensions):
    codes, labels = clusters(num_dimensions)
    positions = embed(codes)
    assert trustworthiness(codes, positions, n_neighbors=10) > 0.95
    centres = np.stack([positions[labels == label].mean(0) for label in range(3)])
    nearest = np.linalg.norm(positions[:, None] - centres, axis=-1).argmin(1)
    assert np.mean(nearest == labels) > 0.95


@pytest.mark.parametrize(
    ("codes", "perplexity", "message"),
    [
        (np.zeros((40, 1)), 30, "at least two dimensions"),
        (np.zeros(40), 30, "at least two dimensions"),
        (np.zeros((20, 3)), 30, "below the 20 codes"),
        (np.full((40, 3), np.nan), 30, "finite codes"),
    ],
)
def test_refusals(codes, perplexity, message):
    with pytest.raises(bdlviz.InvalidInput, match=message):
        embed(codes, perplexity=perplexity)
