"""What several views of the page need: the fit of the chosen model of noise, and the shipped studies."""

from __future__ import annotations

from collections.abc import Mapping

from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.topics.foundations.noise_or_ignorance.controls import HEAD
from bdlviz.topics.shared.noisy_curve import head_needed
from bdlviz.types import Array
from bdlviz.ui.model import Need, Setting


def fit_needed(setting: Setting) -> Need[Fit]:
    """The fit of the chosen method with the chosen model of noise."""
    return head_needed(setting, setting[HEAD])


def study_needed(name: str) -> Need[Mapping[str, Array]]:
    """The arrays of a shipped study."""
    missing = f"`python -m bdlviz train {name}` computes it in some minutes."
    return Need(name, shipped=lambda: shelf.shipped(name)[1], missing=missing)
