"""Made scenes: the noise that is said to be known is the noise that the readings have."""

from __future__ import annotations

import numpy as np
import pytest

from bdlviz.errors import InvalidInput
from bdlviz.topics.foundations.depth_and_edges import scenes as made
from bdlviz.topics.foundations.depth_and_edges.scenes import label_probabilities, make_scenes, sensor_moments

MANY = 300


@pytest.fixture(scope="module")
def scenes():
    return make_scenes(MANY, 5)


def test_readings_have_the_moments_that_are_known(scenes):
    """Standardised by the known moments, readings have mean 0 and variance 1, within four standard errors."""
    z = ((scenes.readings - scenes.mean) / scenes.noise_std).astype(float)
    by_scene = z.reshape(MANY, -1)
    for found, expected in ((by_scene.mean(1), 0.0), (np.square(by_scene).mean(1), 1.0)):
        assert abs(found.mean() - expected) < 4 * found.std(ddof=1) / np.sqrt(MANY)


def test_labels_have_the_probabilities_that_are_known(scenes):
    wrong, known = (scenes.labels != scenes.classes).mean((1, 2)), np.empty(MANY)
    for index, classes in enumerate(scenes.classes):
        right = np.take_along_axis(label_probabilities(classes), classes[..., None].astype(int), -1)
        known[index] = 1 - right.mean()
    assert abs((wrong - known).mean()) < 4 * (wrong - known).std(ddof=1) / np.sqrt(MANY)


def test_moments_of_a_flat_wall_are_those_of_the_sensor():
    mean, std = sensor_moments(np.full((4, 5), 6.0), np.zeros((4, 5), bool))
    np.testing.assert_allclose(mean, 6.0)
    np.testing.assert_allclose(std, 0.008 * 36)
    _, glossy = sensor_moments(np.full((4, 5), 6.0), np.ones((4, 5), bool))
    np.testing.assert_allclose(glossy, np.hypot(0.008 * 36, 0.35))


def test_moments_beside_a_jump():
    """A pixel at 2 m with one neighbour at 7 m reads that one a tenth of the time."""
    depth = np.full((3, 3), 2.0)
    depth[1, 2] = 7.0
    mean, std = sensor_moments(depth, np.zeros((3, 3), bool))
    own, far = 0.008 * 4, 0.008 * 49
    assert mean[1, 1] == pytest.approx(0.9 * 2 + 0.1 * 7)
    variance = 0.9 * (4 + own**2) + 0.1 * (49 + far**2) - mean[1, 1] ** 2
    assert std[1, 1] == pytest.approx(np.sqrt(variance))


def test_a_label_inside_a_class_is_certain():
    classes = np.zeros((5, 5), int)
    classes[:, 3:] = 1
    found = label_probabilities(classes)
    np.testing.assert_allclose(found.sum(-1), 1)
    np.testing.assert_allclose(found[2, 0], [1, 0, 0, 0])
    np.testing.assert_allclose(found[2, 2], [0.9, 0.1, 0, 0])


def test_edges_are_jumps_and_not_the_floor(scenes):
    depth = np.full((4, 4), 5.0)
    assert not made.edges_of(depth).any()
    depth[:, 2:] = 2.0
    assert made.edges_of(depth)[:, 1:3].all() and not made.edges_of(depth)[:, [0, 3]].any()
    assert 0.02 < scenes.edges.mean() < 0.15
    assert not scenes.edges[:, -3:][(scenes.classes[:, -3:] == 1).all((1, 2))].any()  # plain floor


def test_scene_does_not_depend_on_how_many_there_are(scenes):
    few = make_scenes(3, 5)
    for name in ("images", "readings", "labels", "front"):
        np.testing.assert_array_equal(getattr(few, name), getattr(scenes, name)[:3])
    assert not np.array_equal(make_scenes(1, 6).images, few.images[:1])


@pytest.mark.parametrize("change", [change for change in made.CHANGES if change != "none"])
def test_a_change_alters_only_the_thing_in_front(change):
    usual, changed = make_scenes(20, 8), make_scenes(20, 8, change)
    elsewhere = ~(usual.front | changed.front)
    assert np.abs(usual.images - changed.images)[elsewhere].max() < 1e-6
    np.testing.assert_array_equal(usual.depth[elsewhere], changed.depth[elsewhere])
    np.testing.assert_array_equal(usual.classes[elsewhere], changed.classes[elsewhere])
    assert not np.array_equal(usual.images, changed.images)
    assert (changed.classes == made.UNSEEN_CLASS).any() == (change == "tent")


def test_what_is_never_trained_on_is_not_there(scenes):
    """No thing is green, none of a class that has no name, and none hangs in the air."""
    assert scenes.classes.max() < len(made.CLASSES) and scenes.classes.min() == 0
    things = scenes.images[(scenes.classes >= 2) & ~scenes.glossy]
    red, green, blue = things.T
    greenest = (green > 2 * red) & (green > 2 * blue)
    assert greenest.mean() < 0.005
    assert (make_scenes(20, 8, "green").images[..., 1] > 1.3 * make_scenes(20, 8).images[..., 1]).any()


def test_shapes_and_limits(scenes):
    assert len(scenes) == MANY and scenes.images.shape == (MANY, made.SIZE, made.SIZE, 3)
    assert scenes.images.min() >= 0 and scenes.images.max() <= 1
    low, high = made.DEPTH_RANGE
    assert low < scenes.depth.min() and scenes.depth.max() < high
    assert len(scenes[:4]) == 4


@pytest.mark.parametrize(
    ("arguments", "says"),
    [((0,), "1 to"), ((2, -1), "seed"), ((1, 0, "purple"), "purple")],
)
def test_bad_input_is_refused(arguments, says):
    with pytest.raises(InvalidInput, match=says):
        make_scenes(*arguments)
