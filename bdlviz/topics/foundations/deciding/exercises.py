"""Exercises of the page foundations/deciding, with their checks."""

from __future__ import annotations

import math
from collections.abc import Mapping

from bdlviz.lectures.exercise import Exercise, Setting
from bdlviz.topics.foundations.deciding.decisions import Costs


def _asks_a_quarter(options: Mapping[str, str]) -> bool:
    return math.isclose(Costs(float(options["treat"]), float(options["miss"])).threshold, 0.25)


DECIDING: tuple[Exercise, ...] = (
    Setting(
        "Choose costs so that exactly the people whose probability of being ill is above one quarter are treated.",
        _asks_a_quarter,
        {"treat": "5", "miss": "20"},
        "Treating costs less than not treating if $p > c_{treat} / c_{miss}$. Who is treated depends only on this "
        "ratio. If it is not ½, the decision depends on the width of the predictive distribution and not only on its "
        "mean.",
        "Not treating costs p times the cost of missing. When is that as much as treating?",
    ),
)
