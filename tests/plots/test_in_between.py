"""The sd across a gap and its ratios: what is on the picture is what was given."""

import re
from typing import Any

import numpy as np
import pytest

from bdlviz import plots
from bdlviz.plots.theme import LIGHT
from bdlviz.topics.regression.in_between import figures as in_between_figures
from bdlviz.types import Dataset
from tests.told import numbers_in

X = np.linspace(-3, 4, 50)
CURVES = [
    plots.MethodCurve("Exact (HMC)", np.full(50, 0.3), 12, True),
    plots.MethodCurve("Backprop", np.full(50, 0.02), 3),
]
RATIOS = [
    in_between_figures.Ratio("Plain", 0, 0.0, 0.0),
    in_between_figures.Ratio("Backprop", 3, 0.07, 1.2),
    in_between_figures.Ratio("HMC", 12, 1.0, 9.0, True),
]


@pytest.mark.parametrize("stacked", [False, True])
def test_axes_do_not_depend_on_the_curves(data: Dataset, stacked: bool) -> None:
    ranges = []
    for factor in (0.01, 100):
        curves = [plots.MethodCurve("a", factor * CURVES[0].values, 1)]
        layout: Any = in_between_figures.spreads_in_between(X, curves, RATIOS, data, (0.0, 1.0), stacked=stacked).layout
        ranges.append((layout.xaxis.range, layout.yaxis.range, layout.xaxis2.range))
    assert ranges[0] == ranges[1]


def test_curves_gap_and_ratios(data: Dataset) -> None:
    fig: Any = in_between_figures.spreads_in_between(X, CURVES, RATIOS, data, (0.0, 1.0))
    names = [trace.name for trace in fig.data]
    assert names.index("Backprop") < names.index("Exact (HMC)")
    assert fig.data[names.index("Exact (HMC)")].line.color == LIGHT.exact
    [shape] = fig.layout.shapes
    assert (shape.x0, shape.x1) == (0.25, 0.75)
    ceiling = np.where(X > 0, 0.05, np.inf)
    fig: Any = in_between_figures.spreads_in_between(
        X, CURVES, RATIOS, data, (0.0, 1.0), ceilings={"at most": (ceiling, CURVES[1])}
    )
    [line] = [trace for trace in fig.data if trace.name == "at most"]
    assert np.isfinite(line.y).sum() == (X > 0).sum() and line.line.dash == "dashdot"
    fig: Any = in_between_figures.spreads_in_between(X, CURVES, RATIOS, data, (0.0, 1.0))
    assert [re.sub("<.*?>", "", each) for each in fig.layout.yaxis2.ticktext] == ["Plain", "Backprop", "HMC"]
    [filled] = [trace for trace in fig.data if trace.text is not None and "exact" in str(trace.text[0])]
    np.testing.assert_allclose(filled.x, [0.0005, 0.07, 1.0], rtol=1e-6)
    assert filled.marker.color[2] == LIGHT.exact
    ratios = [in_between_figures.Ratio("Backprop", 3, None, 1.2)]
    fig: Any = in_between_figures.spreads_in_between(X, CURVES, ratios, data, (0.0, 1.0))
    assert in_between_figures.EXACT not in {trace.name for trace in fig.data}
    assert 1.2 in numbers_in(in_between_figures.describe_in_between(ratios))
    assert {0.07, 1.2} <= set(numbers_in(in_between_figures.describe_in_between(RATIOS)))


def test_a_range_over_seeds_is_a_line_through_its_mark(data: Dataset) -> None:
    own, exact = (0.8, 1.5), (0.0001, 0.2)
    ratios = [RATIOS[0], in_between_figures.Ratio("Backprop", 3, 0.07, 1.2, False, 20, exact, own), RATIOS[2]]
    fig: Any = in_between_figures.spreads_in_between(X, CURVES, ratios, data, (0.0, 1.0))
    assert any(20 in numbers_in(str(trace.name)) for trace in fig.data)
    [filled] = [trace for trace in fig.data if trace.text is not None and "exact" in str(trace.text[0])]
    [hollow] = [trace for trace in fig.data if trace.name == in_between_figures.OWN]
    lines = [trace for trace in fig.data if trace.mode == "lines" and trace.xaxis == "x2" and trace.hoverinfo == "skip"]
    for marks, ends in ((filled, (0.0005, 0.2)), (hollow, own)):  # the axis ends at 0.0005
        [line] = [line for line in lines if len(set(line.y)) == 1 and line.y[0] == pytest.approx(marks.y[1])]
        np.testing.assert_allclose(line.x, ends, rtol=1e-6)
    said = in_between_figures.describe_in_between(ratios)
    for ratio, ends in ((0.07, exact), (1.2, own)):
        assert f"{ratio:g} ({ends[0]:g} to {ends[1]:g}" in said
    assert {0.07, *exact, 20} <= set(numbers_in(filled.text[1]))
    fig: Any = in_between_figures.spreads_in_between(X, CURVES, RATIOS, data, (0.0, 1.0))
    assert not any(20 in numbers_in(str(trace.name)) for trace in fig.data)
