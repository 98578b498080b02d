"""Figures of dense prediction: panels of pixels, one row of pixels as curves, and the effect of a second task."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import plotly.graph_objects as go
from PIL import Image

from bdlviz.plots.panels import domains, panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, figure, tint
from bdlviz.plots.traces import Trace, band, cased_line, line_bundle, points, ring, scatter
from bdlviz.types import Array

CLASS_COLOURS = (9, 5, 3, 8, 7)  # indices of the theme's colours for wall, floor, ball, box and the class never seen
BAR = 12  # px
UNDER = 68  # px below a row of panels, for its colour bars
ABOVE = 30  # px above a row of panels, for its titles
GAP = 0.018  # gap between panels, as a share of the width
COLUMNS = 2  # on a phone
WIDTH = 840  # approximate px of a row of panels
WIDTHS = 1.96  # standard deviations: 95 % of a Gaussian


@dataclass(frozen=True, eq=False)
class Pixels:
    """One panel: values (H, W), or an image (H, W, 3) from 0 to 1, and how numbers become colours.

    ``meaning`` is the name of the theme's colour for the highest value; the lowest value has the colour of the paper.
    ``bar`` is the title of the colour bar below the panel; if it is empty, there is no bar.
    """

    title: str
    values: Array
    limits: Range = (0.0, 1.0)
    meaning: str = "ink"
    unit: str = ""
    bar: str = ""
    names: Sequence[str] = field(default=())  # of classes, where values are classes


def pixel_panels(
    panels: Sequence[Pixels], *, row: int | None = None, theme: Theme = LIGHT, stacked: bool = False
) -> go.Figure:
    """Pictures of one scene side by side (on phones two per row); ``row`` is a row of pixels that is marked in all."""
    columns = COLUMNS if stacked else len(panels)
    num_rows = -(-len(panels) // columns)
    side = 150 if stacked else WIDTH // len(panels)  # approximate px of one picture
    height = num_rows * (side + UNDER + ABOVE)
    spans, axes, notes = domains(columns, 0.05 if stacked else GAP), {}, []
    places: list[tuple[Range, float]] = []
    for index, panel in enumerate(panels):
        top = 1 - ((index // columns) * (side + UNDER + ABOVE) + ABOVE) / height
        across, down = spans[index % columns], (top - side / height, top)
        places.append((across, down[0]))
        axes |= _square_axes(theme, index, panel.values.shape[:2], across, down)
        notes.append(_heading(theme, panel.title, index))
    fig = empty(theme, height, annotations=notes, margin={"l": 4, "r": 4, "t": 0, "b": 0}, **axes)
    for index, (panel, (across, below)) in enumerate(zip(panels, places, strict=True)):
        fig.add_trace(_trace(panel, across, below, theme) | panel_axes(index))
        if row is not None:
            fig.add_shape(**_row_mark(panel.values.shape[1], row, index, theme))
    if any(panel.names for panel in panels):
        shown = set().union(*(np.unique(panel.values) for panel in panels if panel.names))
        names = next(panel.names for panel in panels if panel.names)
        _name_classes(fig, {int(kind): names[int(kind)] for kind in sorted(shown)}, places, theme)
    return fig


def depth_cut(
    depth: Array,
    readings: Array,
    mean: Array,
    aleatoric_std: Array,
    epistemic_std: Array,
    *,
    y_range: Range,
    theme: Theme = LIGHT,
    height: int = 300,
) -> go.Figure:
    """Depth along one row of pixels, all (W,) in metres: truth, readings, and the mean with two nested 95 % bands."""
    x = np.arange(len(depth), dtype=float)
    fig = figure(
        theme,
        x_label="Column (pixels)",
        y_label="Depth (m)",
        x_range=(-0.5, len(x) - 0.5),
        y_range=y_range,
        height=height,
    )
    inner, outer = WIDTHS * epistemic_std, WIDTHS * np.hypot(aleatoric_std, epistemic_std)
    fig.add_trace(ring(x, mean, inner, outer, tint(theme.aleatoric, 0.35), "aleatoric"))
    fig.add_trace(band(x, mean, inner, tint(theme.epistemic, 0.3), "epistemic"))
    fig.add_trace(line_bundle(x, depth[None], theme.line(theme.truth, 2, "dash"), "truth"))
    for trace in cased_line(x, mean, theme.line(theme.mean, 3), "mean", theme):
        fig.add_trace(trace)
    return fig.add_trace(points(x, readings, "reading", theme, hollow=True))


def entropy_cut(
    expected_entropy: Array, mutual_information: Array, truth: Array, *, theme: Theme = LIGHT, height: int = 300
) -> go.Figure:
    """Expected entropy, mutual information on top, and entropy of the labels along one row of pixels, (W,) in nats."""
    x = np.arange(len(truth), dtype=float)
    fig = figure(
        theme,
        x_label="Column (pixels)",
        y_label="Entropy (nats)",
        x_range=(-0.5, len(x) - 0.5),
        y_range=(0.0, 1.45),
        height=height,
    )
    total = expected_entropy + mutual_information
    zero = np.zeros_like(x)
    fig.add_trace(_between(x, expected_entropy, total, tint(theme.epistemic, 0.45), "epistemic"))
    fig.add_trace(_between(x, zero, expected_entropy, tint(theme.aleatoric, 0.5), "aleatoric"))
    for trace in cased_line(x, total, theme.line(theme.mean, 2), "both", theme):
        fig.add_trace(trace)
    return fig.add_trace(line_bundle(x, truth[None], theme.line(theme.truth, 2, "dash"), "of the labels"))


def second_task(
    names: Sequence[str], sigma: Array, rmse: Array, *, theme: Theme = LIGHT, stacked: bool = False
) -> go.Figure:
    """The learned noise (R, T) and the error (R, T) of depth for T sets of tasks: R trainings as points, and means."""
    limits = (0.0, 1.15 * float(max(sigma.max(), rmse.max())))
    fig = panel_figure(
        theme,
        ["Learned noise σ of depth", "Held-out error of depth"],
        x_label="",
        y_labels=["σ (m)", "Root mean square (m)"],
        x_range=(-0.5, len(names) - 0.35),  # leaves space for the number at the right of the last line
        y_ranges=[limits, limits],
        stacked=stacked,
        height=560 if stacked else 400,
    )
    fig.update_xaxes(tickvals=list(range(len(names))), ticktext=list(names), showgrid=False)
    offsets = np.linspace(-0.12, 0.12, len(sigma))
    for index, (values, color) in enumerate(((sigma, theme.aleatoric), (rmse, theme.mean))):
        x = np.arange(len(names)) + offsets[:, None]
        marker = {"size": 9 * theme.scale, "color": tint(color, 0.6), "line": {"width": 1, "color": theme.paper}}
        hover = "%{y:.3f} m<extra></extra>"
        look = {"mode": "markers", "marker": marker, "name": "one training", "hovertemplate": hover}
        fig.add_trace(scatter(x, values, showlegend=False, **look) | panel_axes(index))
        ends = np.arange(len(names))[:, None] + np.array([-0.25, 0.25])
        bars = np.column_stack([ends, np.full(len(names), np.nan)]).ravel()
        means = np.column_stack([values.mean(0), values.mean(0), np.full(len(names), np.nan)]).ravel()
        line = {"mode": "lines", "line": theme.line(color, 3), "name": "mean", "hoverinfo": "skip"}
        fig.add_trace(scatter(bars, means, showlegend=False, **line) | panel_axes(index))
        for at, value in enumerate(values.mean(0)):
            place = {"x": at + 0.27, "y": float(value), "xanchor": "left", "showarrow": False}
            axes = {name.replace("axis", "ref"): ref for name, ref in panel_axes(index).items()}
            fig.add_annotation(text=f"{value:.3f}", font=theme.font(small=True), **place, **axes)
    return fig


def describe_pixels(panels: Sequence[Pixels]) -> str:
    """One sentence with the titles of the panels, and the mean of each panel that has a unit."""
    contents = ", ".join(
        f"{panel.title.lower()} (mean {panel.values.mean():.2f} {panel.unit})" if panel.unit else panel.title.lower()
        for panel in panels
    )
    return f"Pictures of one scene: {contents}."


def _trace(panel: Pixels, across: Range, below: float, theme: Theme) -> Trace:
    """An image, a map of classes, or a map of numbers with a colour bar below it."""
    if panel.values.ndim == 3:
        return {"type": "image", "source": _png(panel.values), "hoverinfo": "skip"}
    hover = "row %{y}, column %{x}<br>"
    if panel.names:
        return {
            "type": "heatmap",
            "z": np.asarray(panel.values, np.int8),
            "zmin": -0.5,
            "zmax": len(CLASS_COLOURS) - 0.5,
            "colorscale": _class_scale(theme),
            "showscale": False,
            "text": np.asarray(panel.names)[panel.values.astype(int)].tolist(),
            "hovertemplate": hover + "%{text}<extra></extra>",
        }
    return {
        "type": "heatmap",
        "z": np.asarray(panel.values, np.float32),
        "zmin": panel.limits[0],
        "zmax": panel.limits[1],
        "colorscale": [[0.0, theme.paper], [1.0, getattr(theme, panel.meaning)]],
        "showscale": bool(panel.bar),
        "colorbar": _bar(panel, across, below, theme),
        "hovertemplate": hover + f"%{{z:.2f}} {panel.unit}<extra></extra>",
    }


def _png(image: Array) -> str:
    """An image (H, W, 3) from 0 to 1 as a data URL."""
    buffer = io.BytesIO()
    Image.fromarray(np.rint(255 * np.clip(image, 0, 1)).astype(np.uint8)).save(buffer, format="PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def _bar(panel: Pixels, across: Range, below: float, theme: Theme) -> dict[str, Any]:
    return {
        "orientation": "h",
        "x": sum(across) / 2,
        "xanchor": "center",
        "y": below,
        "yanchor": "top",
        "len": 0.86 * (across[1] - across[0]),
        "thickness": BAR,
        "ypad": 6,
        "xpad": 0,
        "tickvals": np.linspace(*panel.limits, 3).round(2).tolist(),
        "tickfont": theme.font(small=True, color=theme.muted),
        "title": {"text": panel.bar, "font": theme.font(small=True), "side": "bottom"},
        "outlinecolor": theme.grid,
        "outlinewidth": 1,
    }


def _class_scale(theme: Theme) -> list[list[Any]]:
    """A colour scale with one constant colour for every class."""
    edges = np.linspace(0, 1, len(CLASS_COLOURS) + 1)
    pairs = zip(CLASS_COLOURS, edges[:-1], edges[1:], strict=True)
    return [[float(edge), theme.classes[index]] for index, low, high in pairs for edge in (low, high)]


def _name_classes(
    fig: go.Figure, names: Mapping[int, str], places: Sequence[tuple[Range, float]], theme: Theme
) -> None:
    """Add a legend of the named classes below the panels."""
    for kind, name in names.items():
        marker = {"symbol": "square", "size": 12, "color": theme.classes[CLASS_COLOURS[kind]]}
        fig.add_trace(scatter([-9], [-9], mode="markers", marker=marker, name=name, hoverinfo="skip"))
    fig.update_layout(legend={"x": 0, "y": places[0][1], "yanchor": "top"}, legend_traceorder="normal")


def _square_axes(theme: Theme, index: int, shape: tuple[int, ...], across: Range, down: Range) -> dict[str, Any]:
    """Hidden axes on which every pixel is a square and row 0 is at the top."""
    x_name, y_name = panel_axes(index).values()
    height, width = shape
    hidden = {"visible": False, "constrain": "domain"}
    x = axis(theme, "", (-0.5, width - 0.5), domain=across, anchor=y_name, **hidden)
    y = axis(theme, "", (height - 0.5, -0.5), domain=down, anchor=x_name, **hidden, constraintoward="top")
    return {
        x_name.replace("x", "xaxis"): x,
        y_name.replace("y", "yaxis"): y | {"scaleanchor": x_name, "scaleratio": 1},
    }


def _heading(theme: Theme, text: str, index: int) -> dict[str, Any]:
    x_name, y_name = panel_axes(index).values()
    place = {"x": 0.5, "xanchor": "center", "xref": f"{x_name} domain", "y": 1, "yref": f"{y_name} domain"}
    return {"text": text, "font": theme.font(bold=True), "showarrow": False, "yanchor": "bottom", **place}


def _row_mark(width: int, row: int, index: int, theme: Theme) -> dict[str, Any]:
    axes = {name.replace("axis", "ref"): ref for name, ref in panel_axes(index).items()}
    line = theme.line(theme.ink, 1.5, "dot")
    return {"type": "line", "x0": -0.5, "x1": width - 0.5, "y0": row, "y1": row, "line": line, **axes}


def _between(x: Array, low: Array, high: Array, fill: str, name: str) -> Trace:
    """The area between two curves (W,) over x."""
    return band(x, (low + high) / 2, (high - low) / 2, fill, name)
