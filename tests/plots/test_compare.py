"""Panels of methods and distances: every panel on the axes of the data, problems in words, one colour a method."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from bdlviz import plots
from bdlviz.plots.compare import PANEL_HEIGHT
from bdlviz.plots.theme import DARK, LIGHT, theme
from bdlviz.types import Dataset, Predictive
from tests.told import numbers_in

Make = Callable[..., Predictive]


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("count", [1, 3, 4, 7, 13])
def test_panels_share_the_axes_of_the_data(predictive: Predictive, data: Dataset, count: int, stacked: bool) -> None:
    panels = [plots.MethodPanel(f"Method {i}", predictive, "a note") for i in range(count)]
    layout = plots.method_panels(panels, data, stacked=stacked).to_dict()["layout"]
    x_axes = [axis for name, axis in layout.items() if name.startswith("xaxis")]
    y_axes = [axis for name, axis in layout.items() if name.startswith("yaxis")]
    assert len(x_axes) == len(y_axes) == count
    assert all(tuple(axis["range"]) == data.x_range for axis in x_axes)
    assert all(tuple(axis["range"]) == data.y_range for axis in y_axes)
    assert all(0 <= low < high <= 1 for axis in (*x_axes, *y_axes) for low, high in [axis["domain"]])


@pytest.mark.parametrize("presenter", [False, True])
def test_a_title_stands_above_its_note(predictive: Predictive, data: Dataset, presenter: bool) -> None:
    look = theme("light", presenter=presenter)
    layout: Any = plots.method_panels([plots.MethodPanel("A", predictive, "a note")], data, theme=look).layout
    title, note = layout.annotations
    line = 1.25  # height of a line of text, in sizes of its font
    assert title.yshift - (note.yshift or 0) >= line * note.font.size
    low, high = layout.yaxis.domain
    room = (1 - high) / (high - low) * PANEL_HEIGHT
    assert room >= title.yshift + line * title.font.size


def test_problems_and_references_on_panels(predictive: Predictive, data: Dataset) -> None:
    panels = [
        plots.MethodPanel("Fine", predictive, "a note"),
        plots.MethodPanel("Broken", problem="Diverged: its weights are no longer finite numbers at all."),
        plots.MethodPanel("Waiting", note="not trained yet"),
    ]
    fig: Any = plots.method_panels(panels, data, reference=plots.Reference(predictive))
    words = [note.text.replace("<br>", " ") for note in fig.layout.annotations]
    assert {"Fine", "Broken", "Waiting", "a note", "not trained yet"} <= set(words)
    assert any(word.startswith("Diverged") for word in words)
    shown = {trace.xaxis for trace in fig.data if trace.name == "Predictive mean"}
    assert shown == {"x"}
    told = plots.describe_method_panels(panels, data)
    assert "Diverged" in told and all(panel.title in told for panel in panels)
    panels = [plots.MethodPanel(name, predictive) for name in "abc"]
    fig: Any = plots.method_panels(panels, data, reference=plots.Reference(predictive, "Exact (HMC)"))
    outlined = {trace.xaxis for trace in fig.data if trace.name == "Exact (HMC), mean"}
    assert outlined == {"x", "x2", "x3"}
    colors = {trace.line.color for trace in fig.data if trace.name == "Exact (HMC), mean"}
    assert colors == {LIGHT.exact}
    panels = [plots.MethodPanel(f"Method {i}", predictive) for i in range(7)]
    layout = plots.method_panels(panels, data).to_dict()["layout"]
    places = {
        (tuple(layout[f"xaxis{end}"]["domain"]), tuple(layout[f"yaxis{end}"]["domain"]))
        for end in ("", *map(str, range(2, 8)))
    }
    assert len(places) == 7
    rows = sorted({row for _, row in places})
    assert all(upper[0] > lower[1] for lower, upper in pairwise(rows))


def test_distances_are_clipped_to_the_axis_and_keep_their_colours(data: Dataset) -> None:
    x = np.linspace(-3, 4, 5)
    curves = [plots.MethodCurve("a", np.zeros(5), 0), plots.MethodCurve("b", np.ones(5), 11)]
    fig: Any = plots.distance_curves(x, curves, data, floor=np.full(5, 0.1), theme=DARK)
    low, high = fig.layout.yaxis.range
    assert high == pytest.approx(np.log10(4.0)) and low == pytest.approx(high - 4)
    lines = {trace.name: trace for trace in fig.data}
    assert (lines["a"].y >= 10**low * 0.999).all()
    assert lines["a"].line.color == DARK.classes[0]
    assert (lines["b"].line.color, lines["b"].line.dash) == (DARK.classes[1], "dash")
    assert {0, 1} <= set(numbers_in(plots.describe_distances(curves)))
    faint: Any = plots.distance_curves(x, curves, data, is_grey=True)
    assert {trace.opacity for trace in faint.data if trace.name in "ab"} == {0.35}
