"""How much of the true function a 95 % band contains: place by place, and as a sentence."""

from __future__ import annotations

import numpy as np

from bdlviz.data.gaps import places
from bdlviz.digits import significant
from bdlviz.predictive.comparison import BAND, truth_coverage
from bdlviz.types import Dataset, Predictive


def covered_at(predictive: Predictive, data: Dataset) -> dict[str, float]:
    """The fractions of x at which the 95 % band contains the truth, by `places`; none if the truth is not known."""
    if data.truth is None:
        return {}
    is_inside = np.abs(data.truth(predictive.x) - predictive.mean)[:, 0] <= BAND * predictive.total_std[:, 0]
    at = places(predictive.x[:, 0], data.x[:, 0])
    return {place: float(is_inside[where].mean()) for place, where in at.items()}


def describe_coverage(predictive: Predictive, data: Dataset, method: str = "") -> str:
    """How much of the true function the 95 % band contains, in one sentence; "" if the truth is not known.

    It gives shares and no verdict: the coverage of one function does not tell whether a method is calibrated. The
    picture in the browser says the same (client/picture/coverage.js).
    """
    everywhere, near, away = truth_coverage(predictive, data)
    if np.isnan(everywhere):
        return ""
    digits = significant(*data.x_range)
    low, high = (f"{end:.{digits}g}".replace("-", "−") for end in data.x_range)
    places = f": {_percent(near)} at the data, {_percent(away)} away from them" if np.isfinite(near + away) else ""
    start = f"{method}: the" if method else "The"
    return f"{start} 95\u2009% band covers the truth on {_percent(everywhere)} of [{low}, {high}]{places}."


def _percent(share: float) -> str:
    return f"{int(100 * share + 0.5)}\u2009%"
