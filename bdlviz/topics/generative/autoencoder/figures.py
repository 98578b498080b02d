"""Where a VAE stands among generative models."""

from __future__ import annotations

import plotly.graph_objects as go

from bdlviz.plots.theme import LIGHT, Theme, axis, empty, tint


def taxonomy(*, theme: Theme = LIGHT, height: int = 380) -> go.Figure:
    """Generative models by what they know of p(x): explicit and exact, explicit and approximate, implicit."""
    fig = empty(
        theme,
        height,
        xaxis=axis(theme, limits=(0.0, 12.0), visible=False),
        yaxis=axis(theme, limits=(0.0, 7.0), visible=False),
        showlegend=False,
    )
    places = {
        "generative models": (6.0, 6.4, theme.ink),
        "explicit density p(x)": (3.6, 4.6, theme.ink),
        "implicit: samples only": (10.0, 4.6, theme.ink),
        "tractable": (1.7, 2.8, theme.ink),
        "approximate": (5.6, 2.8, theme.ink),
        "autoregressive,<br>flows": (1.7, 1.0, theme.muted),
        "variational:<br><b>VAE</b>": (4.4, 1.0, theme.mean),
        "Markov chain:<br>Boltzmann machines": (7.4, 1.0, theme.muted),
        "adversarial:<br>GANs": (10.0, 2.8, theme.muted),
    }
    edges = (
        ("generative models", "explicit density p(x)"),
        ("generative models", "implicit: samples only"),
        ("explicit density p(x)", "tractable"),
        ("explicit density p(x)", "approximate"),
        ("tractable", "autoregressive,<br>flows"),
        ("approximate", "variational:<br><b>VAE</b>"),
        ("approximate", "Markov chain:<br>Boltzmann machines"),
        ("implicit: samples only", "adversarial:<br>GANs"),
    )
    for start, end in edges:
        (x0, y0, _), (x1, y1, _) = places[start], places[end]
        fig.add_shape(type="line", x0=x0, y0=y0 - 0.4, x1=x1, y1=y1 + 0.5, line=theme.line(theme.dropped, 1.5))
    for text, (x, y, color) in places.items():
        fig.add_annotation(
            x=x,
            y=y,
            text=text,
            font=theme.font(color=theme.text(color)),
            bgcolor=tint(theme.paper, 1),
            bordercolor=color,
            borderwidth=2 if color == theme.mean else 1,
            borderpad=5,
            showarrow=False,
        )
    return fig
