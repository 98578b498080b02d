"""What the views of dense prediction share: their controls, the shipped networks, and what these say of a scene."""

from __future__ import annotations

from typing import cast

import numpy as np
import streamlit as st

from bdlviz.fitted import bundles
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.predictive.summaries import entropy
from bdlviz.topics.foundations.kinds_of_uncertainty import study_dense
from bdlviz.topics.foundations.kinds_of_uncertainty.dense_network import DEPTH_MEAN, DEPTH_SCALE, DenseSettings, heads
from bdlviz.topics.foundations.kinds_of_uncertainty.dense_scores import (
    ClassPicture,
    DepthPicture,
    class_picture,
    depth_picture,
)
from bdlviz.topics.foundations.kinds_of_uncertainty.scenes import (
    CHANGES,
    SIZE,
    Change,
    Scenes,
    label_probabilities,
    make_scenes,
)
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.jobs.memory import remembered_by

NUM_ROOMS = 500
FIRST_SEED = 2_000_000  # of the scenes that the page shows: nobody was trained on them

ROOM = number_control("room", "Scene", range(NUM_ROOMS), 40, "Every number is a scene that no network was trained on.")
FRONT = Control(
    "front",
    "The thing in front",
    CHANGES,
    "none",
    "menu",
    "Changes one thing of the scene into what no training scene holds; all else stays.",
    {
        "none": "as in training",
        "tent": "a shape never seen: a tent",
        "floating": "a place never seen: in the air",
        "green": "a colour never seen: green",
    },
)
NUM_SCENES = number_control(
    "n_scenes",
    "Training scenes N",
    study_dense.NUM_SCENES,
    300,
    "Each network took the same number of steps.",
    "buttons",
)
TASKS = Control(
    "tasks",
    "The network learns",
    tuple(study_dense.TASKS_OF),
    "depth",
    "buttons",
    "Depth alone, or with a second task in the same network.",
    {"depth": "depth", "edges": "depth, edges", "classes": "depth, classes"},
)
FROM = Control(
    "draws_of",
    "Draws are",
    ("masks", "networks"),
    "masks",
    "buttons",
    "Masks of dropout in one network, or three networks without dropout: an ensemble.",
    {"masks": "dropout masks", "networks": "three networks"},
)
DRAWS = number_control("dense_draws", "Draws S", (1, 2, 5, 10, 20, 50), 20, "Masks of dropout: each makes a function.")
ROW = number_control("row", "Row of pixels", range(SIZE), 15, "The dotted line; its pixels are drawn as a curve below.")


def choose_scene() -> None:
    """The controls of the scene, with a button to the next one."""
    ROOM.show()
    st.button("Next scene ›", key="next_room", on_click=_next_room)
    FRONT.show()


def _next_room() -> None:
    st.session_state[ROOM.key] = str((int(ROOM.present()) + 1) % NUM_ROOMS)


def bundle(name: str) -> dict[str, Array] | None:
    """The arrays of a shipped bundle; None, and a sentence on the page, where they cannot be had."""
    try:
        return bundles.shipped(name, study_dense.BUNDLES[name].settings)
    except CheckpointError as error:
        st.warning(f"{error} `python -m bdlviz train {name}` makes it in some minutes.")
        return None


def present_settings(tasks: str) -> DenseSettings:
    """How the chosen network was trained."""
    return study_dense.settings_of(tasks, int(NUM_SCENES.present()))


def present_scene(change: str | None = None) -> Scenes:
    """The chosen scene, as N = 1 scenes; ``change`` instead of the chosen one."""
    room, front = int(ROOM.present()), cast(Change, change or FRONT.present())
    return remembered_by((room, front), lambda: make_scenes(1, FIRST_SEED + room, front))


def depth(arrays: dict[str, Array], scene: Scenes, change: str) -> DepthPicture:
    """The depth that the chosen network, or all three, give a scene whose front is as ``change`` says."""
    if FROM.present() == "networks":
        count = int(NUM_SCENES.present())
        key = ("networks", count, ROOM.present(), change)
        outputs = remembered_by(key, lambda: study_dense.network_depths(arrays, count, scene.images[0]))
    else:
        outputs = _outputs(arrays, scene, TASKS.present(), change)["depth"]
    return depth_picture(outputs[..., 0], outputs[..., 1], offset=DEPTH_MEAN, scale=DEPTH_SCALE)


def classes(arrays: dict[str, Array], scene: Scenes, change: str) -> ClassPicture:
    """The classes that the network of depth and classes gives a scene."""
    return class_picture(_outputs(arrays, scene, "classes", change)["classes"])


def _outputs(arrays: dict[str, Array], scene: Scenes, tasks: str, change: str) -> dict[str, Array]:
    """The draws (S, H, W, K) of every head, remembered."""
    settings, num_draws = present_settings(tasks), int(DRAWS.present())
    key = (settings, num_draws, ROOM.present(), change)
    params = study_dense.params_of(arrays, tasks, settings.num_scenes)
    found = remembered_by(key, lambda: study_dense.outputs_of(settings, params, scene.images[0], num_draws))
    return heads(found, settings.tasks)


def label_entropy(scene: Scenes) -> Array:
    """The entropy of the annotator's labels, (H, W) in nats: what no network can be without."""
    return entropy(label_probabilities(scene.classes[0]))


def mean_in_front(values: Array, scene: Scenes) -> float:
    """The mean over the thing in front; NaN where it is out of the picture."""
    front = scene.front[0]
    return float(values[front].mean()) if front.any() else float(np.nan)


def snippet(tasks: str, *lines: str, imports: tuple[str, ...] = ()) -> str:
    """Code that makes the chosen scene, asks the shipped network, and goes on with these lines."""
    return "\n".join(
        [
            "from bdlviz.fitted import bundles\nfrom bdlviz.topics.foundations.kinds_of_uncertainty import study_dense",
            "from bdlviz.topics.foundations.kinds_of_uncertainty.scenes import make_scenes",
            *imports,
            "",
            f'arrays = bundles.shipped("{study_dense.SCENES}", study_dense.BUNDLES["{study_dense.SCENES}"].settings)',
            f'settings = study_dense.settings_of("{tasks}", {NUM_SCENES.present()})',
            f'params = study_dense.params_of(arrays, "{tasks}", {NUM_SCENES.present()})',
            f'scene = make_scenes(1, {FIRST_SEED + int(ROOM.present())}, "{FRONT.present()}")',
            *lines,
        ]
    )
