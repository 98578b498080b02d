"""Figures of dense prediction: panels of pixels, and the effect of a second task."""

from __future__ import annotations

import base64
import io
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import plotly.graph_objects as go
from PIL import Image

from bdlviz.plots.images import outline
from bdlviz.plots.panels import domains, panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, tint
from bdlviz.plots.traces import Trace, scatter
from bdlviz.types import Array

CLASS_COLOURS = (9, 5, 3, 8, 7)  # indices of the theme's colours for wall, floor, ball, box and the class never seen
BAR = 12  # px
SIDE, SIDE_ON_PHONE = 168, 160  # px of one small picture
BELOW = 44  # px for a colour bar below a picture on a phone
LARGE = {1: 0.365, 2: 0.31}  # of the width: one of the two large pictures beside so many columns of small ones
GAP, WIDTH = 0.02, 817  # between columns, as a share of the width; px of the width in a usual window
ROW = 418  # px of a row of three, with its titles and colour bars: what a usual window has
LINE_ON_PHONE = 22  # characters
LEGEND = 34  # px below the pictures, for the names of classes


@dataclass(frozen=True, eq=False)
class Pixels:
    """One panel: values (H, W), or an image (H, W, 3) from 0 to 1, and how numbers become colours.

    ``meaning`` is the name of the theme's colour for the highest value; the lowest value has the colour of the paper.
    With a ``unit`` it can have a colour bar. ``note`` follows the title, ``below`` stands below it. ``framed`` (H, W)
    marks pixels that get a frame.
    """

    title: str
    values: Array
    limits: Range = (0.0, 1.0)
    meaning: str = "ink"
    unit: str = ""
    note: str = ""
    below: str = ""
    framed: Array | None = None
    names: Sequence[str] = field(default=())  # of classes, where values are classes


def pixel_panels(panels: Sequence[Pixels], *, theme: Theme = LIGHT, stacked: bool = False) -> go.Figure:
    """Pictures of one scene: three in a row, or the last two large and the others small beside them.

    On phones all have one size, two in a row. Large ones stand above their colour bars.
    """
    texts = [textwrap.wrap(panel.below, LINE_ON_PHONE if stacked else len(panel.below) + 1) for panel in panels]
    lines = (1.3 if stacked else 0) + 1.1 * max(map(len, texts))  # besides the title
    above = (1.9 + lines) * theme.font_size  # px
    below = LEGEND * theme.scale if any(panel.names for panel in panels) else 4
    arrange = _in_pairs if stacked else _in_a_row if len(panels) == 3 else _last_two_large
    height, places = arrange(len(panels), above)
    axes, notes, traces = {}, [], []
    for index, (panel, (across, down)) in enumerate(zip(panels, places, strict=True)):
        axes |= _square_axes(theme, index, panel.values.shape[:2], across, (max(down[0], 0.0), down[1]))
        notes.append(_heading(theme, panel, index, "<br>" if stacked else ": ", "<br>".join(texts[index])))
        bar = _bar_below(across, down)
        has_bar = bool(panel.unit) and (stacked or len(panels) == 3 or index >= len(panels) - 2)
        traces.append(_trace(panel, bar if has_bar else None, theme) | panel_axes(index))
        if panel.framed is not None:
            frame = {"mode": "lines", "line": theme.line(theme.ink, 1.5), "hoverinfo": "skip", "showlegend": False}
            traces.append(scatter(*outline(panel.framed), **frame) | panel_axes(index))
    fig = empty(theme, round(height + below), annotations=notes, margin={"l": 4, "r": 4, "t": 0, "b": below}, **axes)
    fig.add_traces(traces)
    if any(panel.names for panel in panels):
        shown = set().union(*(np.unique(panel.values) for panel in panels if panel.names))
        names = next(panel.names for panel in panels if panel.names)
        _name_classes(fig, {int(kind): names[int(kind)] for kind in sorted(shown)}, theme)
    return fig


def _in_pairs(count: int, above: float) -> tuple[float, list[tuple[Range, Range]]]:
    """The height in px of pictures of one size, two in a row, and the domains of each; ``above`` px are for titles."""
    rows, spans, row = -(-count // 2), domains(2, 0.06), above + SIDE_ON_PHONE + BELOW
    tops = [1 - (index // 2) / rows for index in range(count)]
    places = [
        (spans[index % 2], (top - (above + SIDE_ON_PHONE) / (row * rows), top - above / (row * rows)))
        for index, top in enumerate(tops)
    ]
    return rows * row, places


def _in_a_row(count: int, above: float) -> tuple[float, list[tuple[Range, Range]]]:
    """The same in one row."""
    spans, top = domains(count, GAP), 1 - above / ROW
    return ROW, [(span, (top - (span[1] - span[0]) * WIDTH / ROW, top)) for span in spans]


def _last_two_large(count: int, above: float) -> tuple[float, list[tuple[Range, Range]]]:
    """The same with two rows of small pictures, and the last two large at their right."""
    columns, height = -(-(count - 2) // 2), 2 * (SIDE + above)
    large = LARGE[columns]
    small, top = (1 - 2 * (large + GAP)) / columns - GAP / 2, 1 - above / height
    places = []
    for index in range(count - 2):
        left, down = (index % columns) * (small + GAP), (index // columns) / 2
        places.append(((left, left + small), (0.5 - down, top - down)))
    for left in (1 - 2 * large - GAP, 1 - large):
        places.append(((left, left + large), (top - large * WIDTH / height, top)))
    return height, places


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


def _trace(panel: Pixels, bar: Mapping[str, Any] | None, theme: Theme) -> Trace:
    """An image, a map of classes, or a map of numbers, with a colour bar if it gets a place."""
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
        "showscale": bar is not None,
        "colorbar": _bar(panel, bar or {}, theme),
        "hovertemplate": hover + f"%{{z:.2f}} {panel.unit}<extra></extra>",
    }


def _png(image: Array) -> str:
    """An image (H, W, 3) from 0 to 1 as a data URL."""
    buffer = io.BytesIO()
    Image.fromarray(np.rint(255 * np.clip(image, 0, 1)).astype(np.uint8)).save(buffer, format="PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def _bar_below(across: Range, down: Range) -> dict[str, Any]:
    """The place of a colour bar below a picture."""
    place = {"x": sum(across) / 2, "xanchor": "center", "y": down[0], "yanchor": "top", "orientation": "h"}
    return place | {"len": 0.84 * (across[1] - across[0]), "ypad": 6}  # free: half a label at both ends


def _bar(panel: Pixels, place: Mapping[str, Any], theme: Theme) -> dict[str, Any]:
    ticks = np.linspace(*panel.limits, 3).round(2).tolist()
    return {
        "thickness": BAR,
        "xpad": 0,
        "ypad": 0,
        "tickvals": ticks,
        "ticktext": [f"{tick:g} {panel.unit}" for tick in ticks],
        "tickfont": theme.font(small=True, color=theme.muted),
        "outlinecolor": theme.grid,
        "outlinewidth": 1,
        **place,
    }


def _class_scale(theme: Theme) -> list[list[Any]]:
    """A colour scale with one constant colour for every class."""
    edges = np.linspace(0, 1, len(CLASS_COLOURS) + 1)
    pairs = zip(CLASS_COLOURS, edges[:-1], edges[1:], strict=True)
    return [[float(edge), theme.classes[index]] for index, low, high in pairs for edge in (low, high)]


def _name_classes(fig: go.Figure, names: Mapping[int, str], theme: Theme) -> None:
    """Add a legend of the named classes below the panels."""
    for kind, name in names.items():
        marker = {"symbol": "square", "size": 12, "color": theme.classes[CLASS_COLOURS[kind]]}
        fig.add_trace(scatter([-9], [-9], mode="markers", marker=marker, name=name, hoverinfo="skip"))
    fig.update_layout(legend={"x": 0, "y": 0, "yanchor": "top"}, legend_traceorder="normal")


def _square_axes(theme: Theme, index: int, shape: tuple[int, ...], across: Range, down: Range) -> dict[str, Any]:
    """Hidden axes on which every pixel is a square and row 0 is at the top."""
    x_name, y_name = panel_axes(index).values()
    height, width = shape
    hidden = {"visible": False, "constrain": "domain"}
    x = axis(theme, "", (-0.5, width - 0.5), domain=across, anchor=y_name, **hidden, constraintoward="center")
    y = axis(theme, "", (height - 0.5, -0.5), domain=down, anchor=x_name, **hidden, constraintoward="top")
    return {
        x_name.replace("x", "xaxis"): x,
        y_name.replace("y", "yaxis"): y | {"scaleanchor": x_name, "scaleratio": 1},
    }


def _heading(theme: Theme, panel: Pixels, index: int, before_note: str, below: str) -> dict[str, Any]:
    x_name, y_name = panel_axes(index).values()
    text = panel.title + (before_note + panel.note if panel.note else "")
    if below:
        text += f'<br><span style="font-size:{theme.small_size}px;font-weight:400">{below}</span>'
    place = {"x": 0.5, "xanchor": "center", "xref": f"{x_name} domain", "y": 1, "yref": f"{y_name} domain"}
    font = theme.font(bold=True, color=theme.text(getattr(theme, panel.meaning)))
    return {"text": text, "font": font, "showarrow": False, "yanchor": "bottom", **place}
