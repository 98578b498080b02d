"""Published numbers beside ours: their differences, and how many of them have which verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.theme import LIGHT, Theme, figure, tint, upright
from bdlviz.plots.traces import scatter
from bdlviz.published.claim import Outcome

ROW_HEIGHT, AROUND, LINE = 34, 90, 20  # px


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
        color, symbol = {
            "reproduced": (theme.mean, "circle"),
            "contradicted": (theme.warning, "x"),
            "inconclusive": (theme.dropped, "circle-open"),
        }[row.verdict]
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


def verdict_counts(
    counts: Sequence[tuple[str, Sequence[int]]],
    *,
    verdicts: Sequence[str],
    notes: Sequence[str] = (),
    theme: Theme = LIGHT,
    is_narrow: bool = False,
    height: int | None = None,
) -> go.Figure:
    """How many numbers of each source have each verdict: (source, one count for each verdict), as stacked bars.

    Every part of a bar has its count above it, the legend the sums. ``notes`` are words at the ends of the bars.
    On a phone, where parts are narrower than numbers, all counts stand at the end of a bar.
    """
    fig = figure(
        theme,
        x_label="Numbers of each source",
        y_label="",
        x_range=(0.0, 1.35 * max(1, *(sum(each) for _, each in counts))),
        y_range=(len(counts) - 0.4, -0.6),
        height=height or 46 * len(counts) + AROUND + LINE,
    )
    stripes = {"shape": "/", "fillmode": "overlay", "fgcolor": theme.paper, "size": 7}
    looks: dict[str, dict[str, object]] = {
        "reproduced": {"color": theme.mean},
        "contradicted": {"color": theme.warning, "pattern": stripes},
    }
    warning = theme.text(theme.warning)
    words = {"reproduced": theme.text(theme.mean), "contradicted": warning}
    for place, verdict in enumerate(verdicts):
        of_verdict = [each[place] for _, each in counts]
        fig.add_bar(
            x=np.array(of_verdict, np.float32),
            y=np.arange(len(counts), dtype=np.float32),
            orientation="h",
            width=0.56,
            marker=looks.get(verdict, {"color": tint(theme.dropped, 0.5)}) | {"line": {"width": 0}},
            name=f"{verdict} {sum(of_verdict)}",
            hovertemplate=f"%{{x}} {verdict}<extra></extra>",
        )
        font = theme.font(small=True, bold=True, color=words.get(verdict, theme.muted))
        for row, (_, each) in enumerate(counts):
            above = {"x": sum(each[:place]) + each[place] / 2, "y": row - 0.28, "yanchor": "bottom"}
            beside = {"x": sum(each), "y": row, "xanchor": "left", "xshift": 22 * sum(map(bool, each[:place]))}
            if each[place]:
                where = beside if is_narrow else above
                fig.add_annotation(text=str(each[place]), font=font, showarrow=False, **where)
    for row, ((_, each), note) in enumerate(zip(counts, notes, strict=False)):
        look = {"xanchor": "left", "align": "left", "xshift": 10, "showarrow": False}
        font = theme.font(small=True, color=warning)
        fig.add_annotation(x=sum(each), y=row, text="<br>".join(wrap(note, 52)), font=font, **look)
    fig.update_layout(barmode="stack", legend_traceorder="normal")
    return fig.update_yaxes(tickvals=list(range(len(counts))), ticktext=[name for name, _ in counts], showgrid=False)
