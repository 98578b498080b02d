"""The shipped classifiers that never saw a class: what does MC dropout say of it?"""

from __future__ import annotations

from bdlviz.data import load
from bdlviz.data.shifts import without_class
from bdlviz.fits import Fit, fit
from bdlviz.topics.results.scoreboard.study import IMAGES, SEEDS, SETTINGS
from bdlviz.types import Array

LABEL = 7  # so often a 9 in part that a network without 7s is sure of many


def unseen(images: str) -> tuple[Fit, dict[str, Array]]:
    """MC dropout on all training images but those of one class."""
    return fit("mc_dropout", without_class(load(IMAGES[images]), LABEL), seed=SEEDS[0], **SETTINGS[images]), {}
