"""The legend of a figure on a phone: a line of words with coloured marks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bdlviz.plots.theme import Theme

LETTERS, LINE = 56, 1.5  # of a row: characters, and its height relative to the size of the font
DASHES = {"dash": "- -", "dot": "···", "dashdot": "-·-"}
SIGNS = {
    "circle-open": "○",
    "diamond": "◆",
    "diamond-open": "◇",
    "square": "■",
    "square-open": "□",
    "x": "✕",
    "line-ns": "|",
    "line-ns-open": "|",
}


def in_words(fig: Any, theme: Theme) -> None:
    """Replace the legend of a figure by words with coloured marks: they need fewer rows than Plotly's own legend."""
    if fig.layout.showlegend is False:
        return
    entries = dict(_entries(fig, theme))
    if len(entries) < 2:
        return
    names = [*entries] if fig.layout.legend.traceorder == "normal" else [*entries][::-1]
    rows, length = [""], 0
    for name in names:
        mark, color = entries[name]
        length += len(f"{mark} {name}  ")
        if length > LETTERS and rows[-1]:
            rows.append("")
            length = len(f"{mark} {name}  ")
        rows[-1] += f"<span style='color:{color}'>{mark}</span> {name}  "
    legend = fig.layout.legend
    place = {"xref": "paper", "x": 1, "xanchor": "right", "yref": "paper", "y": legend.y, "yanchor": legend.yanchor}
    look = {"font": theme.font(small=True), "align": "left", "showarrow": False}
    if legend.yanchor == "bottom":  # above the picture
        fig.update_layout(margin_t=fig.layout.margin.t + LINE * theme.small_size * len(rows))
    fig.update_layout(showlegend=False).add_annotation(text="<br>".join(map(str.rstrip, rows)), **place, **look)


def _entries(fig: Any, theme: Theme) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each name in the legend with its mark and the colour of the mark."""
    for trace in fig.data:
        if trace.type in ("scatter", "scattergl", "bar") and trace.showlegend is not False and trace.name:
            yield trace.name, _mark(trace, theme)


def _mark(trace: Any, theme: Theme) -> tuple[str, str]:
    if trace.type == "bar":
        return "■", trace.marker.color
    if trace.fill is not None and trace.fill != "none":
        return "■", re.sub(r"[\d.]+\)$", "1)", trace.fillcolor)  # a pale mark would not be seen
    if trace.mode == "markers":
        look = trace.marker
        if look.color == theme.paper:  # a ring
            return "○", look.line.color
        return SIGNS.get(look.symbol, "●"), look.color or look.line.color
    return DASHES.get(trace.line.dash, "—"), trace.line.color
