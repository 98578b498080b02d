"""How much of the true function a 95 % band contains, as a sentence."""

from __future__ import annotations

import numpy as np

from bdlviz.digits import significant
from bdlviz.predictive.comparison import truth_coverage
from bdlviz.types import Dataset, Predictive

ENOUGH = 0.85  # of the truth; a 95 % band that covers less is called overconfident


def describe_coverage(predictive: Predictive, data: Dataset, method: str = "") -> str:
    """How much of the true function the 95 % band contains, in one sentence; "" if the truth is not known.

    The picture in the browser says the same (client/picture/coverage.js).
    """
    everywhere, among, outside = truth_coverage(predictive, data)
    if np.isnan(everywhere):
        return ""
    digits = significant(*data.x_range)
    low, high = (f"{end:.{digits}g}".replace("-", "−") for end in data.x_range)
    where = "also among" if among < ENOUGH and outside < ENOUGH else "among" if among < ENOUGH else "outside"
    verdict = f"; overconfident {where} the data" if among < ENOUGH or outside < ENOUGH else ""
    start = f"{method}: the" if method else "The"
    share = int(100 * everywhere + 0.5)
    return f"{start} 95\u2009% band covers the truth on {share}\u2009% of [{low}, {high}]{verdict}."
