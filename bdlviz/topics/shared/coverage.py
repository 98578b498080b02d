"""How much of the true function a 95 % band contains: place by place, and as a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from plotly.graph_objects import Figure

from bdlviz.data.gaps import places
from bdlviz.digits import THIN, number
from bdlviz.plots.theme import Theme, tint
from bdlviz.predictive.comparison import BAND
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.controls.control import Control
from bdlviz.ui.model import Setting

FAR = 2  # standard deviations of the noise; a mean that is farther from the points on average misses them


def is_covered(predictive: Predictive, data: Dataset) -> Array:
    """At which x (N,) the 95 % band contains the truth, which is known."""
    assert data.truth is not None
    return np.abs(data.truth(predictive.x) - predictive.mean)[:, 0] <= BAND * predictive.total_std[:, 0]


def covered_at(predictive: Predictive, data: Dataset) -> dict[str, float]:
    """The fractions of x at which the 95 % band contains the truth, by `places`; none if the truth is not known."""
    if data.truth is None:
        return {}
    is_inside, at = is_covered(predictive, data), places(predictive.x[:, 0], data.x[:, 0])
    return {place: float(is_inside[where].mean()) for place, where in at.items()}


def distance_to(predictive: Predictive, data: Dataset) -> float:
    """How far the points are from the predicted mean on average, in units of y."""
    means = np.interp(data.x[:, 0], predictive.x[:, 0], predictive.mean[:, 0])
    return float(np.abs(means - data.y[:, 0]).mean())


def misses_points(predictive: Predictive, data: Dataset) -> bool:
    """Whether the predicted mean is far from the points, compared with the noise."""
    return distance_to(predictive, data) > FAR * float(predictive.aleatoric_std[0, 0])


def miss_text(predictive: Predictive, data: Dataset) -> str:
    """How far the predicted mean is from the points, in words."""
    return f"the mean misses points by {number(distance_to(predictive, data), 2)}"


def with_value(setting: Setting, sliders: Sequence[Control], rest: str) -> str:
    """A sentence that begins with the value of the slider that was moved, else of the first one: "With p = 0.1 ...".

    The picture in the browser says the same during a drag (client/picture/told.js).
    """
    if not sliders:
        return f"{rest[0].upper()}{rest[1:]}"
    slider = next((each for each in sliders if not setting.is_default(each)), sliders[0])
    symbol = slider.label.split(" (")[0].split()[-1]
    return f"With {symbol} = {number(float(slider.read(setting[slider])[0]))} {rest}"


def stretches(predictive: Predictive, data: Dataset) -> list[tuple[int, int, str, str]]:
    """Every stretch of x in one place: its first and last index, the place, and how much of the truth is covered there.

    The picture in the browser shows the same (client/picture/coverage.js).
    """
    shares, at = covered_at(predictive, data), places(predictive.x[:, 0], data.x[:, 0])
    parts = {place: _unbroken(np.flatnonzero(at[place])) for place in shares}
    return [
        (int(part[0]), int(part[-1]), place, whole(shares[place])) for place, found in parts.items() for part in found
    ]


def mark_coverage(fig: Figure, predictive: Predictive, data: Dataset, theme: Theme) -> None:
    """Along the lower edge: how much of the truth the band contains; above: the points' distance."""
    if data.truth is None:
        return
    x, foot = predictive.x[:, 0].astype(float), {"yref": "y domain", "y": 0.02, "yanchor": "bottom"}
    middle = {"x": float(data.x.min() + data.x.max()) / 2, "yref": "y domain", "y": 0.98, "yanchor": "top"}
    font = theme.font(small=True, bold=True)
    fig.add_annotation(text=f"{miss_text(predictive, data)} on average", font=font, showarrow=False, **middle)
    found = stretches(predictive, data)
    for first, last, place, share in found:
        everywhere = " in all" if sum(each[2] == place for each in found) > 1 else ""
        is_wide = x[last] - x[first] > 0.18 * (x[-1] - x[0])
        text = f"band holds {share}{everywhere}" if is_wide else share
        look = {"font": theme.font(small=True, bold=True, color=theme.text(theme.mean)), "showarrow": False}
        fig.add_annotation(text=text, x=(x[first] + x[last]) / 2, bgcolor=tint(theme.paper, 0.75), **foot, **look)


def _unbroken(indices: Array) -> list[Array]:
    """Ascending indices, split where one is missing."""
    return [part for part in np.split(indices, np.flatnonzero(np.diff(indices) > 1) + 1) if len(part)]


def whole(share: float) -> str:
    """A share in whole per cent: the curves are known at a few hundred x."""
    return f"{int(100 * share + 0.5)}{THIN}%"
