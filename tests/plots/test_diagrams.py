"""Diagrams: where arrows begin and end, and what is drawn for each kind of node."""

from __future__ import annotations

from typing import Any

import pytest

from bdlviz.plots.diagrams import GAP, Arrow, Diagram, Frame, Node, diagram
from bdlviz.plots.theme import LIGHT, theme

BOX = Node("box", 2.0, 3.0, size=(2.0, 1.0), name="a")
NODES = (
    BOX,
    Node("z", 6.0, 3.0, color="prior"),
    Node("below", 2.0, 0.0, size=(1.0, 1.0)),
    Node("φ", 6.0, 0.0, is_parameter=True),
)
RANGES = ((0.0, 8.0), (-1.0, 4.0))


def arrow_of(arrow: Arrow, **look: Any) -> Any:
    fig: Any = diagram(Diagram(NODES, (arrow,)), *RANGES, **look)
    [found] = [each for each in fig.layout.annotations if each.showarrow]
    return found


def test_an_arrow_begins_at_the_edge_of_a_box_and_ends_before_a_circle() -> None:
    found = arrow_of(Arrow("a", "z"))
    assert (found.ax, found.ay, found.x, found.y) == (3.0, 3.0, 6.0, 3.0)
    assert found.startstandoff == GAP and found.standoff > 20
    large = arrow_of(Arrow("a", "z"), theme=theme("light", presenter=True))
    assert large.standoff == pytest.approx(found.standoff * theme("light", presenter=True).scale)


def test_a_slanted_arrow_ends_on_the_edges_of_both_boxes() -> None:
    box, other = (Node(name, x, y, size=(2.0, 2.0)) for name, x, y in (("from", 0.0, 0.0), ("to", 6.0, 3.0)))
    fig: Any = diagram(Diagram((box, other), (Arrow("from", "to"),)), *RANGES)
    [found] = [each for each in fig.layout.annotations if each.showarrow]
    assert (found.ax, found.ay, found.x, found.y) == (1.0, 0.5, 5.0, 2.5)


def test_two_arrows_between_the_same_nodes_lie_side_by_side() -> None:
    level, upright = arrow_of(Arrow("a", "z", aside=0.3)), arrow_of(Arrow("a", "below", aside=0.3))
    assert (level.y, level.ay, level.x) == (3.3, 3.3, 6.0)
    assert (upright.x, upright.ax, upright.y) == (2.3, 2.3, 0.5)


def test_every_node_and_frame_is_drawn_in_its_colour_with_its_text() -> None:
    fig: Any = diagram(Diagram(NODES, (), (Frame((0.0, -1.0, 7.0, 4.0), "N times"),)), *RANGES)
    texts = {each.text: each for each in fig.layout.annotations}
    assert list(texts) == ["N times", "box", "z", "below", "φ"]
    assert texts["z"].font.color == LIGHT.text(LIGHT.prior)
    assert len(fig.layout.shapes) == 3 and len(fig.data) == 2
    assert fig.data[0].marker.size > fig.data[1].marker.size
