"""A VAE and a Bayesian network as graphical models, one beside the other."""

from __future__ import annotations

import plotly.graph_objects as go

from bdlviz.plots.diagrams import Arrow, Diagram, Frame, Node, add_diagram
from bdlviz.plots.panels import panel_figure
from bdlviz.plots.theme import LIGHT, Theme

PLANE = ((0.0, 10.0), (0.0, 6.0))  # of one graphical model
EACH = "i = 1 … N"
PHI = Node("φ", 1.2, 4.4, is_parameter=True, color="mean")
VAE = Diagram(
    (
        Node("θ", 1.2, 1.6, is_parameter=True),
        PHI,
        Node("z<sub>i</sub>", 5.6, 4.4),
        Node("x<sub>i</sub>", 5.6, 1.6, is_observed=True),
    ),
    (
        Arrow("θ", "x<sub>i</sub>"),
        Arrow("z<sub>i</sub>", "x<sub>i</sub>", aside=0.22),
        Arrow("x<sub>i</sub>", "z<sub>i</sub>", "mean", aside=-0.22),
        Arrow("φ", "z<sub>i</sub>", "mean"),
    ),
    (Frame((3.6, 0.4, 9.4, 5.6), EACH),),
)
NETWORK = Diagram(
    (
        PHI,
        Node("W", 3.9, 4.4),
        Node("x<sub>i</sub>", 5.6, 1.6, is_observed=True),
        Node("y<sub>i</sub>", 8.4, 1.6, is_observed=True),
    ),
    (Arrow("φ", "W", "mean"), Arrow("W", "y<sub>i</sub>"), Arrow("x<sub>i</sub>", "y<sub>i</sub>")),
    (Frame((4.6, 0.4, 9.7, 3.0), EACH),),
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
        add_diagram(fig, graph, theme, index)
    return fig.update_layout(showlegend=False)
