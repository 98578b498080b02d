"""Published numbers beside ours: their differences and their ratios."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.theme import LIGHT, Theme, axis, empty, figure, tint, upright
from bdlviz.plots.traces import scatter
from bdlviz.published.claim import Outcome

ROW_HEIGHT, AROUND, LINE = 34, 90, 20  # px
COLUMNS, NARROW_COLUMNS = 30, 16  # of dots on each side of 1
GAP = 1.5  # between two sources, in dots
RATIOS = (0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 5)  # with a number on the axis


@dataclass(frozen=True)
class Dot:
    """One published number: ours divided by it, NaN where that says nothing, and ``words`` that say what it is.

    A ``name`` stands beside it.
    """

    source: str
    ratio: float
    verdict: str
    words: str
    name: str = ""


@dataclass(frozen=True)
class Compared:
    """One published number, as differences from it: the mean of ours, the ends of its bar, and the allowed distances.

    ``below`` and ``above`` are 0 where the rule is about the bar instead. Of a trend, which is a difference itself, the
    values are ours as they are, and ``printed`` is the source's.
    """

    label: str
    difference: float
    low: float
    high: float
    below: float
    above: float
    verdict: Outcome
    printed: float | None = None


def differences(
    rows: Sequence[Compared], *, unit: str, theme: Theme = LIGHT, is_narrow: bool = False, height: int | None = None
) -> go.Figure:
    """Ours minus published, one row each: what the rule allows as a band, our mean as a dot with its bar.

    Rows of trends show our differences instead, and the printed ones as diamonds. Except on a phone, words at the first
    row say what the marks are.
    """
    reach = 1.15 * max(
        max(abs(row.low), abs(row.high), row.below, row.above, abs(row.difference), abs(row.printed or 0.0))
        for row in rows
    )
    printed = [(row.printed, place) for place, row in enumerate(rows) if row.printed is not None]
    x_label = "Difference" if printed else "Ours − published"
    fig = figure(
        theme,
        x_label=f"{x_label}<br>({unit})",  # in two lines: beside long labels a phone has no room for one
        y_label="",
        x_range=(-reach, reach),
        y_range=(len(rows) - 0.4, -0.6),
        height=height or ROW_HEIGHT * len(rows) + AROUND + LINE,
    )
    for place, row in enumerate(rows):
        box = {"y0": place - 0.36, "y1": place + 0.36, "line_width": 0, "layer": "below"}
        fig.add_shape(type="rect", x0=-row.below, x1=row.above, fillcolor=tint(theme.truth, 0.16), **box)
        color, symbol = _looks(theme)[row.verdict]
        bar = {
            "type": "data",
            "symmetric": False,
            "array": np.array([row.high - row.difference], np.float32),
            "arrayminus": np.array([row.difference - row.low], np.float32),
            "color": color,
            "thickness": 2 * theme.scale,
        }
        marker = {"size": 11 * theme.scale, "color": color, "symbol": symbol}
        hover = f"{row.label}<br>%{{x:+.2f}} {unit}, bar {row.low:+.2f} to {row.high:+.2f}<extra></extra>"
        look = {"mode": "markers", "marker": marker, "error_x": bar, "hovertemplate": hover, "showlegend": False}
        fig.add_trace(scatter([row.difference], [place], **look))
    if printed:
        hollow = {"size": 11 * theme.scale, "color": theme.ink, "symbol": "diamond-open", "line": {"width": 2}}
        hover = f"printed: %{{x:+.2f}} {unit}<extra></extra>"
        look = {"mode": "markers", "marker": hollow, "name": "printed", "hovertemplate": hover, "showlegend": False}
        fig.add_trace(scatter(*zip(*printed, strict=True), **look))
    fig.add_shape(**upright(0, theme.line(theme.truth, 2, "dash")))
    first = rows[0]
    ours = "ours" if first.low == first.high else "ours, 95 % interval"
    end = (first.above, "right") if first.difference < 0 else (-first.below, "left")  # of the grey, away from ours
    for x, side, y, text, is_shown in (
        (first.printed or 0.0, "center", -0.48, "printed", True),
        ((first.low + first.high) / 2, "center", 0.36, ours, True),
        (*end, 0, "allowed", first.above > 0),
    ):
        if is_shown and not is_narrow:
            look = {"font": theme.font(small=True, color=theme.muted), "bgcolor": tint(theme.paper, 0.7 * (y < 0))}
            fig.add_annotation(x=x, y=y, text=text, xanchor=side, borderpad=0, showarrow=False, **look)
    labels = [row.label for row in rows]
    return fig.update_yaxes(tickvals=list(range(len(rows))), ticktext=labels, showgrid=False)


def ratios(
    dots: Sequence[Dot], *, reach: float, theme: Theme = LIGHT, is_narrow: bool = False, height: int = 440
) -> go.Figure:
    """Ours divided by what is printed, in a row for each source, on a logarithmic axis from 1 / reach to reach.

    Dots at the same place are stacked in the given order. At the right end are those without a ratio.
    """
    columns = NARROW_COLUMNS if is_narrow else COLUMNS
    step, aside = math.log10(reach) / columns, round(1.2 * columns)
    places = [aside if math.isnan(dot.ratio) else round(math.log10(dot.ratio) / step) for dot in dots]
    stacks: dict[tuple[str, int], list[int]] = {}
    for index, (dot, place) in enumerate(zip(dots, places, strict=True)):
        stacks.setdefault((dot.source, place), []).append(index)
    sources = [*dict.fromkeys(dot.source for dot in dots)]
    sizes = [GAP + max(len(found) for (name, _), found in stacks.items() if name == source) for source in sources]
    middles = dict(zip(sources, np.cumsum(sizes) - np.array(sizes) / 2, strict=True))
    y = np.zeros(len(dots))
    for (source, _), found in stacks.items():
        y[found] = middles[source] + np.arange(len(found)) - (len(found) - 1) / 2
    ticks = [tick for tick in RATIOS if 1 / reach < tick < reach]
    fig = empty(
        theme,
        height,
        xaxis=axis(
            theme,
            "Our number / printed number",
            (-1.05 * math.log10(reach), (aside + 0.15 * columns) * step),
            tickvals=[*np.log10(ticks), aside * step],
            ticktext=[*(f"{tick:g}" for tick in ticks), "no ratio"],
            tickangle=0,
        ),
        yaxis=axis(theme, "", (sum(sizes), 0.0), tickvals=[*middles.values()], ticktext=sources, showgrid=False),
        shapes=[upright(0, theme.line(theme.truth, 2, "dash"))],
        legend={"traceorder": "normal"},
    )
    looks = _looks(theme)
    for verdict in dict.fromkeys(dot.verdict for dot in dots):
        chosen = [index for index, dot in enumerate(dots) if dot.verdict == verdict]
        color, symbol = looks.get(verdict, looks["inconclusive"])
        marker = {"size": (5 if is_narrow else 8) * theme.scale, "color": color, "symbol": symbol}
        words = [dots[index].words for index in chosen]
        look = {"mode": "markers", "marker": marker, "text": words, "hovertemplate": "%{text}<extra></extra>"}
        x = step * np.array([places[index] for index in chosen])
        fig.add_trace(scatter(x, y[chosen], name=f"{verdict} {len(chosen)}", showlegend=True, **look))
    for dot, place, height_of in zip(dots, places, y, strict=True):
        if dot.name:
            is_left = dot.ratio < 1
            side = "right" if is_left else "left"
            look = {"xanchor": side, "align": side, "xshift": -9 if is_left else 9, "showarrow": False}
            font = theme.font(small=True, color=theme.text(theme.warning))
            fig.add_annotation(x=place * step, y=height_of, text="<br>".join(wrap(dot.name, 28)), font=font, **look)
    return fig


def _looks(theme: Theme) -> dict[str, tuple[str, str]]:
    """Colour and symbol of a verdict."""
    return {
        "reproduced": (theme.mean, "circle"),
        "contradicted": (theme.warning, "x"),
        "inconclusive": (theme.dropped, "circle-open"),
    }
