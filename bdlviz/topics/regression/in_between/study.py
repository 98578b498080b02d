"""The shipped fits of the page's scenes: a wide gap between two clusters, and clusters of few points."""

from __future__ import annotations

from functools import partial
from typing import Any

from bdlviz.studies.scene_fit import studies_of
from bdlviz.topics.regression.compare import study as compare_study

# What a scene changes of the first one: of the data ``gap`` (of x) and ``per_cluster`` (points), else of the network.
GAPS: dict[str, dict[str, Any]] = {
    "one-layer": {},
    "two-layers": {"hidden": compare_study.DEEP, "length_scale": compare_study.DEEP_LENGTH_SCALE},
    "wide": {"gap": 2.0},
    "few": {"per_cluster": 5},
}
OF_DATA = ("gap", "per_cluster")
WORDS = {"wide": "a wide gap", "few": "few points"}  # scenes whose fits are shipped under a name of their own

SCENE_FITS = {
    name: each
    for scene, words in WORDS.items()
    for name, each in compare_study.scene_fits(scene, words, partial(compare_study.clusters, **GAPS[scene])).items()
}
STUDIES = studies_of(SCENE_FITS)
