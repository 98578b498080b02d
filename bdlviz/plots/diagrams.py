"""Diagrams: variables, parameters and boxes, with arrows between them and frames around some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from bdlviz.plots.panels import panel_axes
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty
from bdlviz.plots.traces import scatter

CIRCLE, DOT = 46, 10  # px
GAPS = {CIRCLE: 27, DOT: 10}  # px between an arrow's end and the centre of its node
GAP = 3  # px between an arrow's end and the edge of a box


@dataclass(frozen=True)
class Node:
    """A random variable (a circle, filled when it is observed), a parameter (a dot), or a box.

    Attributes:
        text: inside it, or below a dot.
        size: width and height of a box, in units of the axes.
        color: name of a colour of the theme.
        name: what arrows call it; by default its text.
    """

    text: str
    x: float
    y: float
    is_observed: bool = False
    is_parameter: bool = False
    size: tuple[float, float] | None = None
    color: str = "ink"
    name: str = ""

    @property
    def called(self) -> str:
        """Its name for arrows."""
        return self.name or self.text


@dataclass(frozen=True)
class Arrow:
    """From one node to another; ``aside`` moves it up, or to the right where it is more upright than level."""

    start: str
    end: str
    color: str = "ink"
    aside: float = 0.0


@dataclass(frozen=True)
class Frame:
    """A frame (left, bottom, right, top) with a label in its lower right corner, or in its upper one."""

    box: tuple[float, float, float, float]
    label: str
    is_label_on_top: bool = False


@dataclass(frozen=True)
class Diagram:
    """Nodes, arrows between them, and frames."""

    nodes: Sequence[Node]
    arrows: Sequence[Arrow]
    frames: Sequence[Frame] = ()


def diagram(drawn: Diagram, x_range: Range, y_range: Range, *, theme: Theme = LIGHT, height: int = 380) -> go.Figure:
    """A figure that holds one diagram, without axes."""
    fig = empty(
        theme,
        height,
        xaxis=axis(theme, limits=x_range, visible=False),
        yaxis=axis(theme, limits=y_range, visible=False),
        showlegend=False,
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
    )
    add_diagram(fig, drawn, theme)
    return fig


def add_diagram(fig: go.Figure, drawn: Diagram, theme: Theme, panel: int = 0) -> None:
    """Draw a diagram into a panel of a figure."""
    axes = panel_axes(panel)
    refs = {"xref": axes["xaxis"], "yref": axes["yaxis"]}
    for frame in drawn.frames:
        _add_frame(fig, frame, refs, theme)
    nodes = {node.called: node for node in drawn.nodes}
    for arrow in drawn.arrows:
        _add_arrow(fig, nodes[arrow.start], nodes[arrow.end], arrow, refs, theme)
    for node in drawn.nodes:
        _add_node(fig, node, axes, refs, theme)


def _add_frame(fig: go.Figure, frame: Frame, refs: dict[str, str], theme: Theme) -> None:
    left, bottom, right, top = frame.box
    fig.add_shape(type="rect", x0=left, y0=bottom, x1=right, y1=top, line=theme.line(theme.muted, 1.5), **refs)
    place = {"y": top, "yanchor": "top"} if frame.is_label_on_top else {"y": bottom, "yanchor": "bottom"}
    look = {"font": theme.font(small=True, color=theme.muted), "align": "right", "showarrow": False}
    fig.add_annotation(x=right, xanchor="right", text=frame.label, **place, **look, **refs)


def _add_node(fig: go.Figure, node: Node, axes: dict[str, str], refs: dict[str, str], theme: Theme) -> None:
    color, fill = getattr(theme, node.color), theme.grid if node.is_observed else theme.paper
    shift: dict[str, Any] = {}
    if node.size is not None:
        width, height = node.size
        ends = {"x0": node.x - width / 2, "x1": node.x + width / 2}
        ends |= {"y0": node.y - height / 2, "y1": node.y + height / 2}
        fig.add_shape(type="rect", **ends, fillcolor=fill, line=theme.line(color, 2), **refs)
    elif node.is_parameter:
        marker = {"size": DOT * theme.scale, "color": color}
        fig.add_trace(scatter([node.x], [node.y], mode="markers", marker=marker, hoverinfo="skip") | axes)
        shift = {"yshift": -CIRCLE / 2.6, "yanchor": "top"}
    else:
        marker = {"size": CIRCLE * theme.scale, "color": fill, "line": {"width": 2 * theme.scale, "color": color}}
        fig.add_trace(scatter([node.x], [node.y], mode="markers", marker=marker, hoverinfo="skip") | axes)
    font = theme.font(color=theme.text(color))
    fig.add_annotation(x=node.x, y=node.y, text=node.text, font=font, showarrow=False, **shift, **refs)


def _add_arrow(fig: go.Figure, start: Node, end: Node, arrow: Arrow, refs: dict[str, str], theme: Theme) -> None:
    """An arrow that begins and ends at the edges of its nodes."""
    (x0, y0), (x1, y1) = _edge(start, end), _edge(end, start)
    right, up = (0.0, arrow.aside) if abs(x1 - x0) > abs(y1 - y0) else (arrow.aside, 0.0)
    fig.add_annotation(
        x=x1 + right,
        y=y1 + up,
        ax=x0 + right,
        ay=y0 + up,
        axref=refs["xref"],
        ayref=refs["yref"],
        text="",
        showarrow=True,
        arrowhead=2,
        arrowsize=1.2,
        arrowwidth=2 * theme.scale,
        arrowcolor=getattr(theme, arrow.color),
        standoff=_gap(end) * theme.scale,
        startstandoff=_gap(start) * theme.scale,
        **refs,
    )


def _edge(node: Node, other: Node) -> tuple[float, float]:
    """Where the straight line to another node leaves the box of a node; the centre of a circle or a dot."""
    if node.size is None:
        return node.x, node.y
    across, up = other.x - node.x, other.y - node.y
    share = min(size / 2 / abs(way) for size, way in zip(node.size, (across, up), strict=True) if way)
    return node.x + share * across, node.y + share * up


def _gap(node: Node) -> int:
    return GAP if node.size is not None else GAPS[DOT if node.is_parameter else CIRCLE]
