"""Exercises and predictions of the page regression/compare, with their checks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.predictive import comparison


def _distance_of_widths() -> float:
    mean = np.zeros(1)
    return comparison.gaussian_wasserstein(mean, np.array([0.1]), mean, np.array([0.5])).item()


def _shows_where(options: Mapping[str, str]) -> bool:
    return (options["look"], options["data"], options["reference"]) == ("distance", "two_clusters", "hmc")


COMPARE: tuple[Exercise, ...] = (
    Number(
        "You hold out 50 points of your own. By how many percentage points at most does chance alone move the coverage "
        "of a calibrated 90 % band, in 95 of 100 such tests?",
        lambda: 100 * comparison.coverage_by_chance(50, 0.9),
        0.05,
        "$1.96 \\sqrt{0.9 \\cdot 0.1 / 50} = 0.083$. A method that covers 84 % of 50 points may be calibrated. With "
        "the 500 of this page such a difference can hardly be chance.",
        "Each point is inside with probability 0.9: the share has an sd of $\\sqrt{0.9 \\cdot 0.1 / 50}$; take 1.96 of "
        "them.",
        "percentage points",
    ),
    Number(
        "At some x the exact posterior of f(x) is N(0, 0.5²), and that of a method is N(0, 0.1²): its mean is right, "
        "and its sd is too small. How large is their Wasserstein distance?",
        _distance_of_widths,
        0.04,
        "Every quantile has to be moved by 0.4 |z|, on average $0.4 \\sqrt{2 / \\pi} = 0.32$. The distance is in y's "
        "unit, and it is not 0 where a band is too narrow although the mean is right.",
        "The quantile at z lies at 0.5 z in one and at 0.1 z in the other. How large is |z| on average?",
    ),
    Setting(
        "With a gap in the data coverage is good for nearly every method. Set the page so that it shows *at which x* "
        "methods on the two clusters differ from the exact answer.",
        _shows_where,
        {"look": "distance", "data": "two_clusters"},
        "Held-out points lie where the data lie, so coverage is measured only there. The distance is measured at every "
        "x: all its curves but one have their peak in the gap.",
        "Change the data and the view. Which reference is exact for this network?",
    ),
)

BEFORE_GAP = Prediction(
    Choice(
        "Next are two clusters with a gap between them; the held-out points lie in the clusters, too. Which number "
        "will show which methods are too certain in the gap?",
        (
            "The share inside the 90 % band.",
            "The held-out NLL.",
            "The distance to the exact posterior.",
        ),
        2,
        "All bands hold between 85 % and 90 %, and the NLLs are alike, for no held-out point lies in the gap. The "
        "distance differs by a factor of nearly three.",
    ),
    {},
)

BEFORE_WHERE = Prediction(
    Choice(
        "The next picture shows the distance of each method to the exact answer at every x. Where is it largest?",
        (
            "At the points, because the noise changes the fit there.",
            "Away from the points: beyond them, and in the gaps between them.",
            "Nowhere: it is about the same at every x.",
        ),
        1,
        "At the points the data determine the functions. Between and beyond them the functions depend on the prior and "
        "on the method, and there methods differ from the exact answer.",
    ),
    {},
)
