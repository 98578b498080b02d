"""A VAE and a Bayesian network as graphical models, one beside the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Theme
from bdlviz.plots.traces import scatter

NODE = 46  # px
PLANE = ((0.0, 10.0), (0.0, 6.0))  # of one graphical model
PARAMETERS = "θφ"
ARROW_GAP = 27  # px between an arrow's ends and the centres of its nodes


@dataclass(frozen=True)
class Node:
    """A random variable (a circle, filled when it is observed) or a parameter (a dot)."""

    name: str
    x: float
    y: float
    is_observed: bool = False
    is_parameter: bool = False


@dataclass(frozen=True)
class Arrow:
    """From one node to another, perhaps to one side of the straight line between them."""

    start: str
    end: str
    is_inference: bool = False
    aside: float = 0.0


@dataclass(frozen=True)
class Graph:
    """A graphical model: nodes, arrows, and the plate (left, bottom, right, top) with how often it is repeated."""

    nodes: Sequence[Node]
    arrows: Sequence[Arrow]
    plate: tuple[float, float, float, float]
    repeated: str


VAE = Graph(
    (
        Node("θ", 1.2, 1.6, is_parameter=True),
        Node("φ", 1.2, 4.4, is_parameter=True),
        Node("z<sub>i</sub>", 5.6, 4.4),
        Node("x<sub>i</sub>", 5.6, 1.6, is_observed=True),
    ),
    (
        Arrow("θ", "x<sub>i</sub>"),
        Arrow("z<sub>i</sub>", "x<sub>i</sub>", aside=0.22),
        Arrow("x<sub>i</sub>", "z<sub>i</sub>", True, aside=-0.22),
        Arrow("φ", "z<sub>i</sub>", True),
    ),
    (3.6, 0.4, 9.4, 5.6),
    "i = 1 … N",
)
NETWORK = Graph(
    (
        Node("φ", 1.2, 4.4, is_parameter=True),
        Node("W", 3.9, 4.4),
        Node("x<sub>i</sub>", 5.6, 1.6, is_observed=True),
        Node("y<sub>i</sub>", 8.4, 1.6, is_observed=True),
    ),
    (Arrow("φ", "W", True), Arrow("W", "y<sub>i</sub>"), Arrow("x<sub>i</sub>", "y<sub>i</sub>")),
    (4.6, 0.4, 9.7, 3.0),
    "i = 1 … N",
)


def two_posteriors(*, theme: Theme = LIGHT, stacked: bool = False, height: int | None = None) -> go.Figure:
    """A VAE's q(z|x), one for every image, beside a Bayesian network's q(W), one for all data."""
    fig = panel_figure(
        theme,
        ["VAE: q(zᵢ | xᵢ; φ), one for every image", "Bayesian network: q(W; φ), one for all data"],
        x_label="",
        y_labels=["", ""],
        x_range=PLANE[0],
        y_ranges=[PLANE[1], PLANE[1]],
        stacked=stacked,
        height=height or (620 if stacked else 330),
    )
    fig.update_xaxes(visible=False).update_yaxes(visible=False)
    for index, graph in enumerate((VAE, NETWORK)):
        _draw(fig, graph, index, theme)
    return fig.update_layout(showlegend=False)


def _draw(fig: go.Figure, graph: Graph, index: int, theme: Theme) -> None:
    axes = panel_axes(index)
    refs = {"xref": axes["xaxis"], "yref": axes["yaxis"]}
    left, bottom, right, top = graph.plate
    fig.add_shape(type="rect", x0=left, y0=bottom, x1=right, y1=top, line=theme.line(theme.muted, 1.5), **refs)
    corner: dict[str, Any] = {"xanchor": "right", "yanchor": "bottom", "showarrow": False}
    label = theme.font(small=True, color=theme.muted)
    fig.add_annotation(x=right - 0.1, y=bottom + 0.05, text=graph.repeated, font=label, **corner, **refs)
    places = {node.name: (node.x, node.y) for node in graph.nodes}
    for arrow in graph.arrows:
        _add_arrow(fig, places[arrow.start], places[arrow.end], arrow, refs, theme)
    for node in graph.nodes:
        fig.add_trace(_node(node, theme) | axes)
        shift = {"yshift": -NODE / 2.6, "yanchor": "top"} if node.is_parameter else {}
        fig.add_annotation(x=node.x, y=node.y, text=node.name, font=theme.font(), showarrow=False, **shift, **refs)


def _node(node: Node, theme: Theme) -> dict[str, Any]:
    """A circle: filled with ink's tint when observed, small and solid for a parameter."""
    if node.is_parameter:
        marker: dict[str, Any] = {"size": 10 * theme.scale, "color": theme.mean if node.name == "φ" else theme.ink}
    else:
        fill = theme.grid if node.is_observed else theme.paper
        line = {"width": 2 * theme.scale, "color": theme.ink}
        marker = {"size": NODE * theme.scale, "color": fill, "line": line}
    return scatter([node.x], [node.y], mode="markers", marker=marker, hoverinfo="skip")


def _add_arrow(
    fig: go.Figure,
    start: tuple[float, float],
    end: tuple[float, float],
    arrow: Arrow,
    refs: dict[str, str],
    theme: Theme,
) -> None:
    """An arrow between two nodes, in the colour of what is learned where it stands for inference."""
    fig.add_annotation(
        x=end[0] + arrow.aside,
        y=end[1],
        ax=start[0] + arrow.aside,
        ay=start[1],
        axref=refs["xref"],
        ayref=refs["yref"],
        text="",
        showarrow=True,
        arrowhead=2,
        arrowsize=1.2,
        arrowwidth=2 * theme.scale,
        arrowcolor=theme.mean if arrow.is_inference else theme.ink,
        standoff=ARROW_GAP,
        startstandoff=10 if arrow.start in PARAMETERS else ARROW_GAP,
        **refs,
    )
