"""The training of a VAE in nats: its bound and the parts of it over the epochs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme, figure
from bdlviz.plots.traces import Trace, line_bundle, scatter
from bdlviz.predictive.latent import COLLAPSED
from bdlviz.types import Array

PARTS = ("elbo", "reconstruction", "kl")
TITLES = {"elbo": "ELBO", "reconstruction": "Reconstruction", "kl": "KL[q(z|x) ‖ p(z)]"}


@dataclass(frozen=True, eq=False)
class History:
    """Values over epochs: ``epoch`` (T,), and by name ``elbo``, ``reconstruction``, ``kl``, (T,) each."""

    epoch: Array
    values: Mapping[str, Array]

    def at(self, epoch: float) -> int:
        """The row of the recorded epoch that is nearest to ``epoch``."""
        return int(np.abs(self.epoch - epoch).argmin())


def elbo_curves(
    train: History,
    test: History | None = None,
    *,
    published: Sequence[float] = (),
    num_epochs: int,
    chosen: int | None = None,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """The bound over the epochs and its two parts: training solid, held out dashed, a published log as rings.

    ``published`` are training ELBOs of epochs 1, 2, ...; ``chosen`` marks an epoch; ``stacked`` is for phones.
    """
    shown = [part for part in PARTS if part in train.values]
    histories = [train] if test is None else [train, test]
    fig = panel_figure(
        theme,
        [TITLES[part] for part in shown],
        x_label="Epoch",
        y_labels=["nats per image", *[""] * (len(shown) - 1)],
        x_range=(0.0, num_epochs + 0.5),
        y_ranges=[_range(histories, part) for part in shown],
        stacked=stacked,
        height=height or (230 * len(shown) if stacked else 360),
    )
    for index, part in enumerate(shown):
        color = {"elbo": theme.mean, "reconstruction": theme.ink, "kl": theme.text(theme.prior)}[part]
        axes = panel_axes(index)
        for history, name, dash in zip(histories, ("training", "held out"), ("solid", "dash"), strict=False):
            hover = f"epoch %{{x}}: %{{y:.2f}} nats, {name}<extra></extra>"
            look = {"hoverinfo": None, "hovertemplate": hover, "showlegend": index == 0, "legendgroup": name, **axes}
            fig.add_trace(
                line_bundle(history.epoch, history.values[part][None], theme.line(color, 2.5, dash), name, **look)
            )
        if chosen is not None:
            look = {
                "line": theme.line(theme.muted, 1.2, "dot"),
                "xref": axes["xaxis"],
                "yref": f"{axes['yaxis']} domain",
            }
            fig.add_shape(type="line", x0=chosen, x1=chosen, y0=0, y1=1, **look)
    if len(published):
        fig.add_trace(_log(published, theme))
    return fig.update_layout(legend_traceorder="normal")


def kl_by_dimension(
    epochs: Array,
    kl: Array,
    *,
    theme: Theme = LIGHT,
    num_epochs: int,
    height: int = 340,
) -> go.Figure:
    """KL term of every code dimension (T, Z) over the epochs (T,): those in use green, those collapsed grey."""
    last = kl[-1]
    top = max(0.5, 1.08 * float(kl.max(initial=0.0)))
    fig = figure(
        theme,
        x_label="Epoch",
        y_label="KL of one dimension (nats per image)",
        x_range=(0.0, num_epochs + 0.5),
        y_range=(0.0, top),
        height=height,
    )
    groups = {
        "in use": (last >= COLLAPSED, theme.line(theme.prior, 2)),
        "collapsed: its posterior is the prior": (last < COLLAPSED, theme.line(theme.dropped, 2, "dot")),
    }
    for name, (members, line) in groups.items():
        if members.any():
            lines = kl[:, members].T
            fig.add_trace(line_bundle(epochs, lines, line, f"{int(members.sum())} {name}"))
    return fig.update_layout(legend_traceorder="normal")


def _range(histories: Sequence[History], part: str) -> Range:
    """Limits that hold every value."""
    values = np.concatenate([history.values[part] for history in histories])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    room = 0.08 * (high - low) or 0.05 * max(abs(high), 1.0)
    return low - room, high + room


def _log(published: Sequence[float], theme: Theme) -> Trace:
    """A published log as rings on the curve."""
    epochs = np.arange(1, len(published) + 1)
    ring = {"symbol": "circle-open", "size": 10 * theme.scale, "color": theme.ink, "line": {"width": 2 * theme.scale}}
    hover = "printed for epoch %{x}: %{y:.2f} nats<extra></extra>"
    return scatter(epochs, published, mode="markers", marker=ring, name="printed log", hovertemplate=hover)
