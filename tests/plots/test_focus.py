"""Traces in focus: the others are faint, lines and areas alike."""

from typing import Any

import pytest

from bdlviz.plots import focus
from bdlviz.plots.focus import DIMMED
from bdlviz.plots.theme import LIGHT, figure, tint


@pytest.fixture
def fig() -> Any:
    made = figure(LIGHT, x_label="x", y_label="y")
    made.add_scatter(x=[0, 1], y=[0, 1], name="line")
    made.add_scatter(x=[0, 1], y=[0, 1], name="area", fill="toself", fillcolor=tint(LIGHT.exact, 0.4))
    made.add_scatter(x=[0, 1], y=[0, 1], name="solid", fill="toself", fillcolor=LIGHT.mean)
    made.add_heatmap(z=[[0]], name="map")
    return made


def test_traces_out_of_focus_are_faint(fig: Any) -> None:
    before = fig.to_json()
    assert not focus(fig, ("absent",)) and not focus(fig, ())
    assert fig.to_json() == before
    assert focus(fig, ("line",))
    assert [trace.opacity for trace in fig.data] == [None, DIMMED, DIMMED, DIMMED]
    assert fig.data[1].fillcolor == tint(LIGHT.exact, 0.4 * DIMMED)
    assert fig.data[2].fillcolor == tint(LIGHT.mean, DIMMED)


def test_an_area_in_focus_keeps_its_colour(fig: Any) -> None:
    focus(fig, ("area",))
    assert (fig.data[1].opacity, fig.data[1].fillcolor) == (None, tint(LIGHT.exact, 0.4))
