"""Several pairs of axes in one figure: side by side on a wide screen, one below another on a phone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from bdlviz.plots.theme import Range, Theme, axis, empty, overlaid

AROUND = 80  # px of a figure's height for legend and axis labels
TITLE_HEIGHT = 1.8  # height of a panel's title, relative to the font size


def panel_axes(index: int) -> dict[str, str]:
    """The axes of panel ``index`` (from 0), as a trace names them."""
    suffix = "" if index == 0 else str(index + 1)
    return {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}


def domains(count: int, gap: float) -> list[Range]:
    """``count`` equal intervals of [0, 1] with ``gap`` between neighbours."""
    size = (1 - gap * (count - 1)) / count
    return [(start, min(start + size, 1.0)) for start in (index * (size + gap) for index in range(count))]


def room_for_titles(theme: Theme, height: int) -> dict[str, Any]:
    """Margin and legend of a figure whose panels have titles above them."""
    title_height = TITLE_HEIGHT * theme.font_size
    return {"margin": {"t": title_height}, "legend": {"y": 1 + title_height / (height - AROUND)}}


def panel_figure(
    theme: Theme,
    titles: Sequence[str],
    *,
    x_label: str,
    y_labels: Sequence[str],
    x_range: Range,
    y_ranges: Sequence[Range],
    stacked: bool = False,
    height: int = 420,
    traces: Iterable[Mapping[str, Any]] = (),
    **layout: Any,
) -> go.Figure:
    """A figure with one panel per title, all over the same x range.

    Panels with the same label and range as the first one share its y axis: only the leftmost shows numbers.
    ``height`` is of the whole figure in px; ``layout`` overrides the rest.
    """
    shared = len(set(y_labels)) == 1 and len(set(y_ranges)) == 1
    numbered = [stacked or not shared or index == 0 for index in range(len(titles))]
    gap = 2.6 * TITLE_HEIGHT * theme.font_size / height if stacked else (0.03 * theme.scale if shared else 0.14)
    spans = domains(len(titles), gap)
    axes: dict[str, Any] = {}
    for index, (y_label, y_range) in enumerate(zip(y_labels, y_ranges, strict=True)):
        x_name, y_name = panel_axes(index).values()
        column, row = ((0.0, 1.0), spans[-1 - index]) if stacked else (spans[index], (0.0, 1.0))
        label = x_label if not stacked or index == len(titles) - 1 else ""
        axes[x_name.replace("x", "xaxis")] = axis(theme, label, x_range, domain=column, anchor=y_name)
        label, shown = (y_label, True) if numbered[index] else ("", False)
        axes[y_name.replace("y", "yaxis")] = axis(
            theme, label, y_range, domain=row, anchor=x_name, showticklabels=shown
        )
    notes = [_title(theme, title, index) for index, title in enumerate(titles)]
    look = {**axes, **room_for_titles(theme, height), "annotations": notes}
    return empty(theme, height, traces=traces, **overlaid(look, layout))


def _title(theme: Theme, text: str, index: int) -> dict[str, Any]:
    """The title of panel ``index``, above its left corner."""
    x_name, y_name = panel_axes(index).values()
    return {
        "text": text,
        "font": theme.font(bold=True),
        "showarrow": False,
        "x": 0,
        "xanchor": "left",
        "xref": f"{x_name} domain",
        "y": 1,
        "yanchor": "bottom",
        "yref": f"{y_name} domain",
    }
