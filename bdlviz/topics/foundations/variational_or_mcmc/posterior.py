"""The chosen posterior: as pictures show it, its moments, and a line about its model."""

from __future__ import annotations

from functools import cache

import numpy as np

from bdlviz.models import targets
from bdlviz.models.targets import Target
from bdlviz.topics.foundations.variational_or_mcmc.controls import TARGET
from bdlviz.topics.foundations.variational_or_mcmc.figures import Plane
from bdlviz.types import Array
from bdlviz.ui.model import Setting, Words


def target_of(setting: Setting) -> Target:
    """The posterior that is chosen."""
    return targets.find(setting[TARGET])


@cache
def plane_of(name: str) -> Plane:
    """A posterior as pictures show it."""
    target = targets.find(name)
    return Plane(*targets.shown(target), target.labels)


@cache
def moments_of(name: str) -> tuple[Array, Array]:
    """Mean (2,) and standard deviations (2,) of a posterior, from its grid."""
    mean, covariance = targets.grid_of(name).moments
    return mean, np.sqrt(np.diag(covariance))


def about_model(target: Target, remark: str = "") -> Words:
    """One line about the model behind a posterior."""
    data = f"{len(target.y)} points" if len(target.y) > 1 else "one number"
    return Words(
        f"{target.model}, data: {data} with noise of sd {target.noise_std:g}; prior N(0, {target.prior_std:g}²) "
        f"on both weights. {remark}"
    )
