"""Quantities against a setting: single repeats, means and published values."""

from typing import Any

import numpy as np

from bdlviz import plots
from tests.plots.figure_properties import named


def test_single_repeats_are_thin_and_published_values_are_rings() -> None:
    series = plots.Series("wide", np.array([[1.0, 2.0], [3.0, 4.0]]))
    panel = plots.Panel("sd", "units of y", (0.0, 5.0), [series], [(10, 2.5)], truth=1.0)
    fig: Any = plots.against_setting(np.array([10.0, 100.0]), [panel, panel], x_label="N")
    thin, mean = named(fig, "wide")[:2]
    assert thin.line.width < mean.line.width
    np.testing.assert_allclose(mean.y, [2, 3])
    assert named(fig, "published")[0].marker.symbol == "circle-open"
    assert [trace.showlegend for trace in named(fig, "published")] == [True, False]
    assert named(fig, "truth")[0].line.dash == "dash"
    for name, per_panel in (("wide", 2), ("published", 1), ("truth", 1)):
        places = [(trace.xaxis or "x", trace.yaxis or "y") for trace in named(fig, name)]
        assert places == [("x", "y")] * per_panel + [("x2", "y2")] * per_panel, f"{name} is in the wrong panel."
