"""Functions for all views of dense prediction: the shipped networks, and their predictions for a scene."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np

from bdlviz.fitted import bundles
from bdlviz.predictive.summaries import entropy
from bdlviz.topics.foundations.depth_and_edges import study_dense
from bdlviz.topics.foundations.depth_and_edges.controls import (
    DRAWS,
    FRONT,
    NUM_SCENES,
    ROOM,
    TASKS,
    draws_are_masks,
)
from bdlviz.topics.foundations.depth_and_edges.dense_network import DEPTH_MEAN, DEPTH_SCALE, heads
from bdlviz.topics.foundations.depth_and_edges.dense_scores import (
    ClassPicture,
    DepthPicture,
    class_picture,
    depth_picture,
)
from bdlviz.topics.foundations.depth_and_edges.scenes import Change, Scenes, label_probabilities, make_scenes
from bdlviz.types import Array
from bdlviz.ui.cache import VALUES, memoised
from bdlviz.ui.model import Need, Setting

FIRST_SEED = 2_000_000  # seeds of the scenes on the page start here; no network was trained on these scenes
Arrays = Mapping[str, Array]


# What is shipped ------------------------------------------------------------------------------------------------------


def bundle_needed(name: str) -> Need[Arrays]:
    """The arrays of a shipped bundle."""
    missing = f"`python -m bdlviz train {name}` computes it in some minutes."
    return Need(name, shipped=lambda: bundle(name), missing=missing)


def networks_needed(_: Setting) -> Need[Arrays]:
    """The arrays of the networks of dense prediction."""
    return bundle_needed(study_dense.SCENES)


def bundle(name: str) -> Arrays:
    """The arrays of a shipped bundle.

    Raises:
        CheckpointError: the bundle is missing or cannot be read.
    """
    return bundles.shipped(name, study_dense.ARRAYS[name].settings)


# Scenes and their predictions -----------------------------------------------------------------------------------------


def scene_of(setting: Setting) -> Scenes:
    """The chosen scene, as N = 1 scenes."""
    return _scene(int(setting[ROOM]), cast(Change, setting[FRONT]))


@memoised()
def _scene(room: int, front: Change) -> Scenes:
    return make_scenes(1, FIRST_SEED + room, front)


def depth(setting: Setting, arrays: Arrays) -> DepthPicture:
    """The depth of the scene of `scene_of`, predicted by the chosen network or by the ensemble of three."""
    return _picture_of(_depth_draws(setting, arrays))


def noise_by_passes(setting: Setting, arrays: Arrays) -> Array:
    """The noise of depth (S, H, W) in metres as each of the S passes through a network gives it."""
    return np.array([_picture_of(draw[None]).aleatoric_std for draw in _depth_draws(setting, arrays)])


def _depth_draws(setting: Setting, arrays: Arrays) -> Array:
    """The draws (S, H, W, 2) of mean and log variance of the depth, from the cache if they are there."""
    if draws_are_masks(setting):
        return _outputs(setting, arrays, setting[TASKS])["depth"]
    count, scene = int(setting[NUM_SCENES]), scene_of(setting)
    key = ("networks", count, setting[ROOM], setting[FRONT])
    return VALUES.obtain(key, lambda: study_dense.network_depths(arrays, count, scene.images[0]))


def _picture_of(draws: Array) -> DepthPicture:
    return depth_picture(draws[..., 0], draws[..., 1], offset=DEPTH_MEAN, scale=DEPTH_SCALE)


def classes(setting: Setting, arrays: Arrays) -> ClassPicture:
    """The classes of the scene of `scene_of`, predicted by the network of depth and classes."""
    return class_picture(_outputs(setting, arrays, "classes")["classes"])


def _outputs(setting: Setting, arrays: Arrays, tasks: str) -> dict[str, Array]:
    """The draws (S, H, W, K) of every head, from the cache if they are there."""
    trained, num_draws = study_dense.settings_of(tasks, int(setting[NUM_SCENES])), int(setting[DRAWS])
    scene = scene_of(setting)
    params = study_dense.params_of(arrays, tasks, trained.num_scenes)
    key = ("dense", trained, num_draws, setting[ROOM], setting[FRONT])
    draws = VALUES.obtain(key, lambda: study_dense.outputs_of(trained, params, scene.images[0], num_draws))
    return heads(draws, trained.tasks)


def label_entropy(scene: Scenes) -> Array:
    """The known entropy of the annotator's labels, (H, W) in nats."""
    return entropy(label_probabilities(scene.classes[0]))


def call_of(setting: Setting, tasks: str, *lines: str, imports: tuple[str, ...] = ()) -> str:
    """Code that loads the shipped network and creates the chosen scene, followed by these lines."""
    return "\n".join(
        [
            "from bdlviz.fitted import bundles\nfrom bdlviz.topics.foundations.depth_and_edges import study_dense",
            "from bdlviz.topics.foundations.depth_and_edges.scenes import make_scenes",
            *imports,
            "",
            f'arrays = bundles.shipped("{study_dense.SCENES}", study_dense.ARRAYS["{study_dense.SCENES}"].settings)',
            f'settings = study_dense.settings_of("{tasks}", {setting[NUM_SCENES]})',
            f'params = study_dense.params_of(arrays, "{tasks}", {setting[NUM_SCENES]})',
            f'scene = make_scenes(1, {FIRST_SEED + int(setting[ROOM])}, "{setting[FRONT]}")',
            *lines,
        ]
    )
