"""The controls of the page on two clusters: the points, and what of the comparison's controls it shows."""

from __future__ import annotations

from bdlviz.topics.regression.compare.study import CLUSTER_GAP, clusters
from bdlviz.topics.shared import compare_choice as choice
from bdlviz.topics.shared.views_compare_choice import METHODS
from bdlviz.types import Dataset
from bdlviz.ui.controls.control import number_control
from bdlviz.ui.model import Panel, Setting

GAP = number_control(
    "gap",
    "Width of the gap (x)",
    (0.3, 0.6, 0.9, CLUSTER_GAP, 1.6, 2.0),
    CLUSTER_GAP,
    "Without points between the clusters, which move apart. A width that is not stored is trained here: HMC takes a "
    "minute or two.",
)
PER_CLUSTER = number_control("per_cluster", "Points per cluster", (1, 2, 5, 10, 20, 50, 100), 50)
DATA_SEED = number_control("data_seed", "Data seed", range(5), 0, "Other points of the same two clusters.")
SLIDERS = (GAP, PER_CLUSTER, choice.RATE)
_FURTHER, _PANEL = (
    (DATA_SEED, choice.LENGTH_SCALE, choice.WIDTH, choice.ACTIVATION, choice.SEED),
    "Data, prior, network",
)
IN_FRONT = (choice.DEPTH, choice.REFERENCE, choice.RATE_IN_FRONT, Panel(_PANEL, (GAP, PER_CLUSTER, *_FURTHER)))
ALL = (choice.DEPTH, METHODS, choice.REFERENCE, Panel(_PANEL, _FURTHER))


def dataset_of(setting: Setting) -> Dataset:
    """The two clusters as they are chosen."""
    return clusters(setting.number(GAP), int(setting[PER_CLUSTER]), int(setting[DATA_SEED]))
