"""Sets with known noise: their laws, their seeds, and the noise that they say they have."""

import numpy as np
import pytest

from bdlviz.data import load, noisy_curves
from bdlviz.errors import InvalidInput

CURVES = ("noise_and_gap", "noise_in_waves")


@pytest.mark.parametrize("name", CURVES)
def test_points_are_nested_seeded_and_as_noisy_as_they_say(name):
    few, many, other = load(name, num_data=50), load(name, num_data=10_000), load(name, num_data=50, seed=1)
    np.testing.assert_array_equal(few.y, many.y[:50])
    assert not np.array_equal(few.y, other.y)
    np.testing.assert_array_equal(few.y_test, other.y_test)
    assert many.truth is not None
    scaled = (many.y - many.truth(many.x)) / noisy_curves.KNOWN_NOISE[name](many.x)
    for half in (many.x[:, 0] < 0, many.x[:, 0] >= 0):  # the noise is right on either side
        assert abs(scaled[half].std() - 1) < 4 / np.sqrt(2 * half.sum())
        assert abs(scaled[half].mean()) < 4 / np.sqrt(half.sum())


def test_known_noise_and_gaps():
    x = load("noise_and_gap").x
    assert np.abs(x).min() >= 1 and np.abs(x).max() <= 4
    assert np.mean(x < 0) == 0.5
    assert noisy_curves.noise_and_gap_noise_std(np.array([-50.0, 0.0, 50.0])) == pytest.approx([0.1, 0.3, 0.5])
    assert noisy_curves.noise_in_waves_noise_std(np.array([0.0, np.pi / 2])) == pytest.approx([0.5, 0.1])
    x = np.array([[0.0], [2.0]])
    for name, expected in (("x_sin_x", [[0.3], [0.3]]), ("heteroscedastic", [[0.05], [0.25]])):
        found = noisy_curves.true_noise_std(load(name), x)
        assert found is not None
        np.testing.assert_allclose(found, expected)
    assert noisy_curves.true_noise_std(load("diabetes_bmi"), x) is None
    assert noisy_curves.unseen_noise_std(0) == pytest.approx(0.1)
    assert noisy_curves.unseen_noise_std(1e9) == pytest.approx(noisy_curves.unseen_noise_std(None))
    with pytest.raises(InvalidInput, match="at least 0"):
        noisy_curves.unseen_noise_std(-1)
    # Least squares on the right terms finds the noise, within four standard errors.
    for error in [None, 0.8, 0.2, 0.0]:
        data = noisy_curves.second_feature(10_000, error)
        assert data.x.shape == (10_000, 1 if error is None else 2)
        terms = np.concatenate([np.sin(2 * data.x[:, :1]), data.x[:, 1:]], 1)
        _, [left], _, _ = np.linalg.lstsq(terms, data.y[:, 0])
        found, noise = np.sqrt(left / len(data.y)), noisy_curves.unseen_noise_std(error)
        assert data.noise_std == noise
        assert abs(found - noise) < 4 * noise / np.sqrt(2 * len(data.y))
    alone, both = noisy_curves.two_tasks(100, num_tasks=1), noisy_curves.two_tasks(100)
    np.testing.assert_array_equal(alone.y, both.y[:, :1])
    np.testing.assert_array_equal(alone.x_test, both.x_test)
    with pytest.raises(InvalidInput, match="1 or 2"):
        noisy_curves.two_tasks(num_tasks=3)
    x = np.linspace(-3, 3, 50)[:, None]
    up, down = (noisy_curves.two_tasks_truth(x + step)[:, 0] for step in (1e-6, -1e-6))
    np.testing.assert_allclose(noisy_curves.two_tasks_truth(x)[:, 1], np.abs(up - down) / 2e-6, atol=1e-6)
    data = noisy_curves.two_tasks(10_000)
    found = (data.y - noisy_curves.two_tasks_truth(data.x)).std(0)
    assert (np.abs(found / noisy_curves.TASK_NOISE - 1) < 4 / np.sqrt(20_000)).all()


def test_classes_follow_their_probability_and_leave_the_gap_empty():
    data = noisy_curves.two_classes(10_000)
    x = data.x[:, 0]
    assert not ((x > noisy_curves.GAP[0]) & (x < noisy_curves.GAP[1])).any()
    assert data.truth is not None
    for low, high in ((-5, -4), (-3.5, -2.5), (-2, -0.5), (2, 4)):
        where = (x > low) & (x < high)
        p = data.truth(data.x[where])[:, 0]
        error = np.sqrt((p * (1 - p)).sum()) / where.sum()
        assert abs(data.y[where].mean() - p.mean()) < 4 * error + 1e-3
    assert set(noisy_curves.two_classes(2).y) == {0, 1}
    with pytest.raises(InvalidInput, match="from 2"):
        noisy_curves.two_classes(1)
