"""The controls of the page on depth and edges."""

from __future__ import annotations

from bdlviz.topics.foundations.depth_and_edges import study_dense
from bdlviz.topics.foundations.depth_and_edges.scenes import CHANGES
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.model import Setting, When

NUM_ROOMS = 500
ROOM = number_control("room", "Scene", range(NUM_ROOMS), 40, "Number of a held-out scene.")
FRONT = Control(
    "front",
    "The thing in front",
    CHANGES,
    "green",
    "menu",
    "Gives one thing of the scene a shape, place or colour that no training scene contains. The rest does not change.",
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
    "Every network was trained for the same number of steps.",
)
TASKS = Control(
    "tasks",
    "The network learns",
    tuple(study_dense.TASKS_OF),
    "depth",
    "buttons",
    "Depth alone, or depth and a second task in the same network.",
    {"depth": "depth", "edges": "depth, edges", "classes": "depth, classes"},
)
FROM = Control(
    "draws_of",
    "Networks",
    ("masks", "networks"),
    "networks",
    "buttons",
    "Draws are dropout masks of one network, or three networks that were trained separately, without dropout.",
    {"masks": "1 (dropout)", "networks": "3"},
)
DRAWS = number_control("dense_draws", "Draws S", (1, 2, 5, 10, 20, 50), 20, "Number of dropout masks.")


def draws_are_masks(setting: Setting) -> bool:
    """True if the draws are dropout masks in one network."""
    return setting[FROM] == "masks"


OF_MASKS = When(draws_are_masks, (TASKS, DRAWS))
