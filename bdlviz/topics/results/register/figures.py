"""Published numbers by verdict, and our values minus them, divided by the largest difference that a rule allows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.theme import LIGHT, Theme, axis, empty, tint, upright
from bdlviz.plots.traces import float32, scatter

LINES, NARROW_LINES = 5, 14  # at least so many for a source, whose name needs them
GAP, APART = 2.0, 2.5  # between two sources, and between dots without a place, in lines
TICKS = (-6, -4, -2, -1, 0, 1, 2, 4, 6)
MEANINGS = {
    "reproduced": "our runs give the printed number,<br>within 10 % or two standard deviations",
    "contradicted": "our runs give another number",
    "inconclusive": "our runs are too few<br>or differ too much to decide",
}


@dataclass(frozen=True)
class Dot:
    """One published number in the ``group`` that stands beside it, and ``words`` that say what it is.

    ``place`` is ours minus it, ``low`` to ``high`` the interval, in units of what the rule allows; NaN if it has no
    place.
    """

    group: str
    place: float
    low: float
    high: float
    verdict: str
    words: str


def counted(
    counts: Mapping[str, Mapping[Any, int]], others: str, *, theme: Theme = LIGHT, is_narrow: bool = False
) -> go.Figure:
    """How many numbers of each source have which of the verdicts in `MEANINGS`; the first row is of all.

    ``others`` says how many numbers of which sources have none of these verdicts.
    """
    fig = empty(
        theme,
        440,
        xaxis=axis(theme, "How many published numbers", (0, sum(next(iter(counts.values())).values()))),
        yaxis=axis(theme, "", (len(counts) - 0.5, -0.6), tickvals=[*range(len(counts))], ticktext=[*counts])
        | {"showgrid": False},
        barmode="stack",
        legend={"traceorder": "normal"},
        showlegend=is_narrow,
    )
    least = 5 if is_narrow else 1  # the smallest number that has room in its bar
    for verdict, (color, _) in _looks(theme).items():
        values = [each[verdict] for each in counts.values()]
        names = [
            f"<b>{value}</b><br>{verdict}"
            if row == 0 and not is_narrow
            else f"<b>{value if value >= least else ''}</b>"
            for row, value in enumerate(values)
        ]
        font = theme.font(small=True, color=theme.paper)
        look = {"text": names, "insidetextfont": font, "textangle": 0, "constraintext": "none"}
        look |= {"textposition": "inside", "insidetextanchor": "middle", "hoverinfo": "skip"}
        look |= {"orientation": "h", "marker_color": color, "name": verdict}
        fig.add_bar(x=np.array(values), y=np.arange(len(values)), **look)
    if not is_narrow:
        for row, each in [*enumerate(counts.values())][1:]:
            told = f"{each['reproduced']} of {sum(each.values())} reproduced"
            place = {"x": sum(each.values()), "y": row, "xanchor": "left", "xshift": 6, "showarrow": False}
            fig.add_annotation(text=told, font=theme.font(color=theme.text(theme.mean)), **place)
        meanings = MEANINGS | {"not compared": others}
        told = "<br>".join(f"<b>{verdict}</b>: {words}" for verdict, words in meanings.items())
        look = {"x": 1, "xanchor": "right", "xref": "paper", "y": 0.03, "yanchor": "bottom", "yref": "paper"}
        fig.add_annotation(text=told, align="left", font=theme.font(), bgcolor=theme.paper, showarrow=False, **look)
    return fig


def placed(
    dots: Sequence[Dot], *, reach: float, aside: str, theme: Theme = LIGHT, is_narrow: bool = False, height: int = 440
) -> go.Figure:
    """Ours minus what is printed, in units of what the rule allows, with intervals: a line each, in groups.

    The axis reaches from -reach to reach. At the right end, under the name ``aside``, are the dots without a place.
    """
    edge = 1.2 * reach
    fewest, ticks = (NARROW_LINES, TICKS[1::2]) if is_narrow else (LINES, TICKS)
    y, middles, top = np.zeros(len(dots)), dict[str, float](), 0.0
    for group in dict.fromkeys(dot.group for dot in dots):
        lines, rest = list[int](), list[int]()
        for index in (index for index, dot in enumerate(dots) if dot.group == group):
            (rest if math.isnan(dots[index].place) else lines).append(index)
        size = max(fewest, len(lines), APART * len(rest))
        middles[group] = top + size / 2
        for each, step in ((lines, 1.0), (rest, APART)):
            y[each] = middles[group] + step * (np.arange(len(each)) - (len(each) - 1) / 2)
        top += size + GAP
    allowed = {
        **upright(-1, {"width": 0}),
        "type": "rect",
        "x1": 1,
        "fillcolor": tint(theme.truth, 0.2),
        "layer": "below",
    }
    fig = empty(
        theme,
        height,
        xaxis=axis(
            theme,
            f"Ours − printed{'<br>' if is_narrow else ' '}(grey, up to 1: allowed)",
            (-reach, 1.35 * reach),
            tickvals=[*ticks, edge],
            ticktext=[*(f"{tick:+d}".replace("-", "−") if tick else "0" for tick in ticks), aside],
            tickangle=0,
        ),
        yaxis=axis(theme, "", (top, -GAP), tickvals=[*middles.values()], ticktext=[*middles], showgrid=False),
        shapes=[allowed, upright(0, theme.line(theme.truth, 2, "dash"))],
        legend={"traceorder": "normal"},
    )
    looks = _looks(theme)
    for verdict in dict.fromkeys(dot.verdict for dot in dots):
        chosen = [index for index, dot in enumerate(dots) if dot.verdict == verdict]
        color, symbol = looks.get(verdict, looks["inconclusive"])
        x, low, high = np.array([[dots[i].place, dots[i].low, dots[i].high] for i in chosen]).T
        bar = {"type": "data", "symmetric": False, "array": float32(high - x), "arrayminus": float32(x - low)}
        bar |= {"color": color, "thickness": 1.5 * theme.scale, "width": 0}
        words = [dots[index].words for index in chosen]
        look = {"mode": "markers", "text": words, "hovertemplate": "%{text}<extra></extra>", "error_x": bar}
        look["marker"] = {"size": (4 if is_narrow else 6) * theme.scale, "color": color, "symbol": symbol}
        x = np.where(np.isnan(x), edge, x)
        fig.add_trace(scatter(x, y[chosen], name=f"{verdict} {len(chosen)}", showlegend=True, **look))
    return fig


def _looks(theme: Theme) -> dict[str, tuple[str, str]]:
    """Colour and symbol of a verdict."""
    return {
        "reproduced": (theme.mean, "circle"),
        "contradicted": (theme.warning, "x"),
        "inconclusive": (theme.dropped, "circle-open"),
    }
