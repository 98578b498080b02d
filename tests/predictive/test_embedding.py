"""t-SNE: deterministic, faithful to neighbours, and clear about what it refuses."""

import threading

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import TSNE, _t_sne, trustworthiness

import bdlviz
from bdlviz.errors import InvalidInput
from bdlviz.predictive import embedding
from bdlviz.predictive.embedding import embed, gradient, symmetric_affinities


def clusters(num_dimensions: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Three tight clouds of 50 codes each, and their numbers."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 50)
    return 9 * rng.normal(size=(3, num_dimensions))[labels] + rng.normal(size=(150, num_dimensions)), labels


def squared_distances(codes):
    return squareform(pdist(codes, "sqeuclidean"))


def test_same_codes_same_picture_and_progress():
    codes, _ = clusters()
    state = np.random.get_state(legacy=False)
    one, other = embed(codes), embed(codes)
    assert one.shape == (150, 2) and one.dtype == np.float32
    np.testing.assert_array_equal(one, other)
    np.testing.assert_equal(np.random.get_state(legacy=False), state)
    # Half of them the same, or all: finite positions and no warning.
    codes = clusters()[0]
    codes[::2] = codes[0]
    assert np.isfinite(embed(codes)).all()
    assert np.isfinite(embed(np.ones((50, 3)))).all()
    codes, seen = clusters()[0], []
    whole = embed(codes, on_snapshot=seen.append)
    assert [snapshot.fraction for snapshot in seen][::10] == pytest.approx([0.02, 0.22, 0.42, 0.62, 0.82])
    assert seen[-1].fraction == 1 and seen[0].take().shape == (150, 2)
    np.testing.assert_allclose(seen[-1].take() - seen[-1].take().mean(0), whole, atol=1e-4)
    stopped = embed(codes, on_snapshot=lambda snapshot: snapshot.fraction < 0.5)
    np.testing.assert_allclose(stopped, seen[24].take() - seen[24].take().mean(0), atol=1e-4)


@pytest.mark.parametrize("num_dimensions", [2, 6])
def test_neighbours_stay_neighbours(num_dimensions):
    codes, labels = clusters(num_dimensions)
    positions = embed(codes)
    assert trustworthiness(codes, positions, n_neighbors=10) > 0.95
    centres = np.stack([positions[labels == label].mean(0) for label in range(3)])
    nearest = np.linalg.norm(positions[:, None] - centres, axis=-1).argmin(1)
    assert np.mean(nearest == labels) > 0.95


def test_as_good_as_scikit_learn():
    """The trustworthiness after as many iterations. It is lower if the gains have no lower bound."""
    codes, _ = clusters()
    theirs = TSNE(init="pca", max_iter=embedding.NUM_ITERATIONS, random_state=0).fit_transform(codes)
    mine, other = (trustworthiness(codes, positions, n_neighbors=10) for positions in (embed(codes), theirs))
    assert mine > other - 0.01


def test_affinities_are_those_of_scikit_learn():
    """It keeps float32 distances and stops its bisection earlier, hence the tolerance."""
    codes, _ = clusters()
    codes = codes.astype(np.float32)
    theirs = squareform(_t_sne._joint_probabilities(squared_distances(codes).astype(np.float32), 20.0, 0))
    mine = symmetric_affinities(codes, 20.0)
    assert mine.sum() == pytest.approx(1, abs=1e-5)
    np.testing.assert_allclose(mine, theirs, atol=2e-4 * mine.max())


@pytest.mark.parametrize("piece", [2**16, 7 * 40])  # the second cuts 40 codes into pieces of 7, one shorter
def test_gradient_is_the_derivative_of_the_objective(monkeypatch, piece):
    monkeypatch.setattr(embedding, "PIECE_PAIRS", piece)
    rng = np.random.default_rng(1)
    affinities = symmetric_affinities(rng.normal(size=(40, 4)), 8.0)
    positions = 2 * rng.normal(size=(40, 2))

    def objective(y):
        w = 1 / (1 + squared_distances(y))
        np.fill_diagonal(w, 0)
        kept = ~np.eye(len(y), dtype=bool)
        return -(affinities[kept] * np.log(w[kept] / w.sum())).sum()

    found = gradient(affinities, positions, 1.0)
    for row, column in ((0, 0), (5, 1), (39, 0)):
        step = np.zeros_like(positions)
        step[row, column] = 1e-4
        slope = (objective(positions + step) - objective(positions - step)) / 2e-4
        assert found[row, column] == pytest.approx(slope, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("looks", [0, 3, 200])
def test_it_stops_at_the_first_check_after_a_cancel(looks: int):
    """A cancel is heard before every piece of rows: among the affinities, too, which take longest."""

    class SetAfter(threading.Event):
        seen = 0

        def is_set(self) -> bool:
            self.seen += 1
            return self.seen > looks

    cancel, codes = SetAfter(), np.random.default_rng(0).normal(size=(700, 3))
    with pytest.raises(InvalidInput, match="stopped"):
        embedding.embed(codes, cancel=cancel)
    assert cancel.seen == looks + 1


@pytest.mark.parametrize(
    ("codes", "perplexity", "message"),
    [
        (np.zeros((40, 1)), 30, "dimensions"),
        (np.zeros(40), 30, "dimensions"),
        (np.zeros((20, 3)), 30, "20"),
        (np.full((40, 3), np.nan), 30, "finite"),
        (np.zeros((5001, 2)), 30, "5,000"),
    ],
)
def test_refusals(codes, perplexity, message):
    with pytest.raises(bdlviz.InvalidInput, match=message):
        embed(codes, perplexity=perplexity)
