"""What the views of the page on fitting and walking share: the posterior, and how it is seen."""

from __future__ import annotations

from functools import cache

import numpy as np
import streamlit as st

from bdlviz.models import targets
from bdlviz.models.targets import TARGETS, Target
from bdlviz.topics.foundations.variational_or_mcmc import figures
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control
from bdlviz.ui.scrub import switch

TARGET = Control(
    "posterior",
    "Posterior",
    tuple(TARGETS),
    "line",
    "menu",
    "Of two weights, so that all of it can be seen; each is that of a small model with Gaussian noise and prior.",
    {name: target.title for name, target in TARGETS.items()},
)

PLAYS = "walk_plays"  # key in the session state


def present_target() -> Target:
    """The posterior that is chosen."""
    return targets.find(TARGET.present())


@cache
def plane_of(name: str) -> figures.Plane:
    """A posterior as pictures show it."""
    target = targets.find(name)
    return figures.Plane(*targets.shown(target), target.labels)


@cache
def moments_of(name: str) -> tuple[Array, Array]:
    """Mean (2,) and standard deviations (2,) of a posterior, from its grid."""
    mean, covariance = targets.grid_of(name).moments
    return mean, np.sqrt(np.diag(covariance))


def choose(*controls: Control) -> None:
    """Draw the controls of a view with a picture that plays, and the switch to its plain figure."""
    TARGET.show()
    for control in controls:
        control.show()
    st.session_state[PLAYS] = switch.choose(switch.PICTURE)


def plays() -> bool:
    """Is the picture to be the one that plays?"""
    return st.session_state[PLAYS]


def say_model(target: Target, remark: str = "Purple: the exact posterior, by the root of its density.") -> None:
    """One line about the model behind a posterior."""
    seen = f"{len(target.y)} points" if len(target.y) > 1 else "one number"
    st.caption(
        f"{target.model}, seen in {seen} with noise of sd {target.noise_std:g}; prior N(0, {target.prior_std:g}²) "
        f"on both weights. {remark}"
    )
