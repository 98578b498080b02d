"""The loop of active learning: what is asked for in which order, where it ends, and what several runs say."""

import numpy as np
import pytest
from scipy import stats

from bdlviz.errors import InvalidInput
from bdlviz.predictive.intervals import mean_interval
from bdlviz.topics.regression.active_learning import active
from bdlviz.topics.regression.active_learning.acquisition import at_random, epistemic_variance
from bdlviz.topics.regression.active_learning.active import Course, Seen, labels_needed, learn
from bdlviz.types import Array, Predictive

X = np.linspace(0, 1, 11)[:, None]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def look(labelled: Array) -> Seen:
    """A model that is as uncertain as the distance to the nearest label."""
    std = np.abs(X - X[labelled].T).min(1, keepdims=True).round(9)
    empty = np.empty((0, len(X), 1))
    return Seen(Predictive(X, empty, 0 * X, std, 0 * X + 0.1, 0), float(std.max()))


def test_labels_asked_for_until_the_pool_is_exhausted():
    course = learn(look, 11, np.array([0]), epistemic_variance, num_rounds=3, rng=rng())
    assert [int(picks[0]) for picks in course.picks] == [10, 5, 2]
    np.testing.assert_array_equal(course.counts, [1, 2, 3, 4])
    np.testing.assert_allclose(course.quality, [1.0, 0.5, 0.2, 0.2])
    np.testing.assert_array_equal(course.labelled(1), [0, 10])
    np.testing.assert_allclose(course.scores[0], X[:, 0] ** 2)
    seen: list[int] = []

    def on_round(course: Course) -> bool:
        seen.append(len(course.picks))
        return len(course.picks) < 2

    course = learn(look, 11, np.array([0]), epistemic_variance, num_rounds=9, rng=rng(), on_round=on_round)
    assert seen == [0, 1, 2] and len(course.picks) == 2
    first, again, other = (
        learn(look, 11, np.array([0]), at_random, num_rounds=5, rng=rng(seed)).labelled().tolist() for seed in (1, 1, 2)
    )
    assert first == again != other

    def same(labelled: Array) -> Seen:
        zeros = np.zeros((5, 1))
        return Seen(Predictive(zeros, np.empty((0, 5, 1)), zeros, zeros, zeros + 0.1, 0), 0.0)

    course = learn(same, 5, np.array([2]), epistemic_variance, num_rounds=9, rng=rng())
    assert course.labelled().tolist() == [2, 0, 1, 3, 4]
    for batch in [1, 3]:
        course = learn(look, 11, np.array([0, 1]), at_random, num_rounds=99, rng=rng(), batch=batch)
        assert sorted(course.labelled().tolist()) == list(range(11))
        assert len(course.picks) == 9 // batch
        everything = learn(look, 11, np.arange(11), at_random, num_rounds=5, rng=rng())
        assert not everything.picks and len(everything.seen) == 1
    for start, options in [
        ([], {}),
        ([1, 1], {}),
        ([11], {}),
        ([-1], {}),
        ([0], {"batch": 0}),
        ([0], {"num_rounds": -1}),
    ]:
        num_rounds, batch = options.get("num_rounds", 1), options.get("batch", 1)
        with pytest.raises(InvalidInput, match=r"starts with|at least one label"):
            learn(look, 11, np.array(start, int), at_random, rng=rng(), num_rounds=num_rounds, batch=batch)


def test_starting_points_and_labels():
    assert len(set(active.starting_points(20, 20, rng()).tolist())) == 20
    for count in (0, 21):
        with pytest.raises(InvalidInput, match="as many"):
            active.starting_points(20, count, rng())
    labels = np.repeat(np.arange(4), 25)
    each = active.starting_labels(labels, 8, "each", rng())
    np.testing.assert_array_equal(np.bincount(labels[each]), [2, 2, 2, 2])
    assert set(labels[active.starting_labels(labels, 8, "one", rng())]) == {0}
    assert len(set(active.starting_labels(labels, 8, "random", rng()).tolist())) == 8
    for count, kind in ((7, "each"), (200, "each"), (26, "one"), (101, "random"), (8, "nonsense")):
        with pytest.raises(InvalidInput):
            active.starting_labels(labels, count, kind, rng())


def test_labels_needed_and_students_interval():
    counts = np.array([10, 20, 30, 40])
    assert labels_needed(counts, np.array([0.5, 0.7, 0.9, 0.8]), 0.8) == pytest.approx(25)
    assert labels_needed(counts, np.array([0.5, 0.7, 0.9, 0.8]), 0.5) == 10
    assert labels_needed(counts, np.array([4.0, 2.0, 1.0, 3.0]), 1.5, higher_is_better=False) == pytest.approx(25)
    assert np.isnan(labels_needed(counts, np.array([0.5, 0.7, 0.9, 0.8]), 0.95))
    values = rng().normal(size=(7, 3))
    mean, low, high = mean_interval(values)
    theirs = stats.t.interval(0.95, 6, values.mean(0), stats.sem(values))
    np.testing.assert_allclose([low, high], theirs)
    np.testing.assert_allclose(mean, values.mean(0))
    assert np.isnan(mean_interval(values[:1])[1]).all()
    _, low, high = mean_interval(rng(3).normal(size=(5, 4000)))
    share = np.mean((low < 0) & (high > 0))
    assert abs(share - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 4000)
