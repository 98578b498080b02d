"""The shipped comparison of variational inference and MCMC: the error of each method against its work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bdlviz.models import targets
from bdlviz.studies.scene_fit import GROUP
from bdlviz.studies.study import ArrayStudy
from bdlviz.topics.foundations.variational_or_mcmc import race
from bdlviz.types import Array

RACE = "race"  # name of the arrays


def runs() -> dict[str, Array]:
    """Every method on every target: ``TARGET.METHOD.evaluations`` (T,); ``.mean`` and ``.std`` (T, R), its errors."""
    found: dict[str, Array] = {}
    for name in race.STEP_SIZES:
        for runner in race.RUNNERS:
            ended = race.run(targets.find(name), runner)
            assert ended is not None  # nobody stops it
            parts = {"evaluations": ended.evaluations, "mean": ended.mean, "std": ended.std}
            found |= {f"{name}.{runner}.{part}": array.astype(np.float32) for part, array in parts.items()}
    return found


def runs_on(arrays: Mapping[str, Array], target: str) -> dict[str, race.Run]:
    """The runs on one target, of the arrays that `runs` makes."""
    return {
        runner: race.Run(*(arrays[f"{target}.{runner}.{part}"] for part in ("evaluations", "mean", "std")))
        for runner in race.RUNNERS
    }


def settings() -> dict[str, Any]:
    """What decides how a race ends, as plain JSON."""
    return {
        "step_sizes": race.STEP_SIZES,
        "evaluations": [race.EVALUATIONS, race.FIT_EVALUATIONS],
        "fit": [race.FIT_DRAWS, race.FIT_RATE, race.START_STD],
        "num_leapfrog": race.NUM_LEAPFROG,
        "checks": [race.FIRST_CHECK, race.NUM_CHECKS],
        "num_seeds": race.NUM_SEEDS,
    }


ARRAYS = {
    RACE: ArrayStudy("Fits and chains on posteriors of two weights: error against work", runs, settings(), group=GROUP)
}
