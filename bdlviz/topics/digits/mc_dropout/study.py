"""The shipped classifiers that never saw a class: what does MC dropout say of it?"""

from __future__ import annotations

from functools import partial

from bdlviz.data import load
from bdlviz.data.shifts import without_class
from bdlviz.fits import fit
from bdlviz.studies.study import Made, Study
from bdlviz.topics.results.scoreboard.study import IMAGES, SEEDS, SETTINGS

LABEL = 7  # so often a 9 in part that a network without 7s is sure of many


def unseen(images: str) -> Made:
    """MC dropout on all training images but those of one class."""
    return fit("mc_dropout", without_class(load(IMAGES[images]), LABEL), seed=SEEDS[0], **SETTINGS[images]), {}


STUDIES = {
    "unseen_digits": Study("MC dropout, 8x8 digits without the 7s", partial(unseen, "digits")),
    "unseen_mnist": Study("MC dropout, MNIST-1000 without the 7s", partial(unseen, "mnist")),
}
