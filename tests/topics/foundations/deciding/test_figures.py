"""The figure of decisions: bars, shades and marks are where a rule treats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bdlviz.topics.foundations.deciding import figures_decisions
from bdlviz.topics.foundations.deciding.decisions import Costs
from bdlviz.topics.foundations.deciding.figures_decisions import Rule
from bdlviz.types import Dataset, Predictive
from tests.topics.shared.page_results import named


@pytest.mark.parametrize("stacked", [False, True])
def test_bars_shades_and_marks_are_where_a_rule_treats(predictive: Predictive, data: Dataset, stacked: bool):
    x = predictive.x[:, 0]
    rules = [Rule(name, np.clip(x, 0, 1), mask) for name, mask in (("a", x > 0), ("b", abs(x) > 1))]
    fig: Any = figures_decisions.decisions_over_x(
        predictive, data, rules, ["A", "B"], truth=x**2, limit=0.5, costs=Costs(1.0, 4.0), stacked=stacked
    )
    for row, rule in enumerate(rules):
        [bar] = [trace for trace in named(fig, rule.name) if trace.yaxis == "y3"]
        np.testing.assert_array_equal(np.isfinite(bar.y), rule.is_treated)
        assert set(bar.y[np.isfinite(bar.y)]) <= {row}
    left, right = x[x < -1], x[x > 1]
    shades = [(shade.x0, shade.x1) for shade in fig.layout.shapes]
    assert shades == [pytest.approx((each[0], each[-1])) for each in (left, right)]
    [marks] = named(fig, "crossing")
    np.testing.assert_allclose(marks.x, [left[-1], right[0]], rtol=1e-6)
    np.testing.assert_allclose(marks.y, 0.25)
    [truth] = named(fig, "truth")
    np.testing.assert_allclose(truth.y, x**2, rtol=1e-6)
    assert {"A", "B"} <= {note.text for note in fig.layout.annotations}
