"""Exercises and predictions of the page results/register, with their checks."""

from __future__ import annotations

import numpy as np
from scipy.special import stdtrit

from bdlviz.lectures.exercise import Exercise, Number, Setting


def _least_trend() -> float:
    """Half the 95 % interval of a mean of five differences whose standard deviation is 0.25, in points."""
    return float(stdtrit(4, 0.975)) * 0.25 / np.sqrt(5)


REGISTER: tuple[Exercise, ...] = (
    Number(
        "A difference of two accuracies was measured with five seeds. Its standard deviation over the seeds is 0.25 "
        "points. Student's quantile for five runs is 2.78. How many points must its mean be away from 0 at least, so "
        "that it counts as a trend?",
        _least_trend,
        0.02,
        "The standard error of a mean is the standard deviation divided by the root of the number of seeds. The 95 % "
        "interval reaches 2.78 standard errors to both sides, and for a trend all of it must be on one side of 0.",
        "First find the standard error of the mean.",
        "points",
    ),
    Setting(
        "Show only the rows of Blundell et al. 2015 that our runs reproduce.",
        lambda options: options["source"] == "blundell" and options["verdict"] == "reproduced",
        {"source": "blundell", "verdict": "reproduced"},
        "The table below the picture names the place in the paper, the number of seeds and the rule of each row.",
        "Use both menus.",
    ),
)
