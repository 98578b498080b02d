"""How good a classifier's probabilities are: reliability, rotation, refusing, unknown inputs, accuracies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import number, percent
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, figure, tint
from bdlviz.plots.traces import Trace, band, float32, scatter
from bdlviz.types import Array

QUARTER = 90  # degrees
FEWEST = 20  # answers in a bin of the reliability diagram that is drawn
BESIDE_ITS_DOT = 0.8  # words of less sure answers have room at the right of their dot
CONFIDENCES = (0.3, 1.02)  # of the axis; few answers are less sure
SMALLEST, LARGER, RING = 7, 18, 18  # px: a dot of no answers, how much larger that of all is, and a ring around one
LOW, HIGH = 0.47, 0.93  # where words at the right end have room below the lines, and above them
LEAST_GAP = 5  # points, of a gap that has room for its number
FINE = 0.95  # a confidence from which on a tenth of a point counts
HISTOGRAM_BINS = 40
CHOSEN, BESIDE = 3.0, 1.2  # px
EPISTEMIC, ALEATORIC = 0.45, 0.55  # opacity of the areas
ROW_HEIGHT, AROUND = 44, 90  # px


@dataclass(frozen=True, eq=False)
class Binned:
    """Answers sorted by confidence: means of a bin, NaN where it is empty, and how many it holds, (B,) each."""

    confidence: Array
    accuracy: Array
    count: Array

    def place(self, sure: float) -> int | None:
        """The bin that holds this confidence; None if it is not drawn."""
        at = int(sure * self.count.size)
        return at if _shown(self)[at] else None

    def mark(self, sure: float) -> tuple[float, float]:
        """Confidence and accuracy of that bin; below both axes if it is not drawn."""
        at = self.place(sure)
        return (-1.0, -1.0) if at is None else (float(self.confidence[at]), float(self.accuracy[at]))

    def by_chance(self, num_answers: int) -> tuple[Array, Array]:
        """Between which accuracies 95 % of calibrated bins lie, (B,) each, if ``num_answers`` are independent."""
        from scipy.stats import binom

        count = np.maximum(1, np.rint(self.count / self.count.sum() * num_answers))
        low, high = (binom.ppf(level, count, self.confidence.astype(float)) / count for level in (0.025, 0.975))
        return low, high

    def verdict(self, at: int, num_answers: int) -> tuple[str, str, str]:
        """How far a bin is from the diagonal: how that was subtracted, in points, and in words."""
        (low, high), right = self.by_chance(num_answers), self.accuracy[at]
        decimals = 1 if self.confidence[at] > FINE else 0
        less, more = sorted(round(100 * float(each), decimals) for each in (self.confidence[at], right))
        points = f"{round(more - less, decimals):g}"
        subtraction = f"{more:g} − {less:g} = "
        if low[at] <= right <= high[at]:
            return f"{subtraction}{points}, ", points, "could be chance"
        return subtraction, points, f"{points} points too {'sure' if right < low[at] else 'cautious'}"


@dataclass(frozen=True)
class Accuracies:
    """One row of test accuracies in %: mean and standard deviation of ours and of the published ones."""

    label: str
    ours: tuple[float, float] | None
    published: tuple[float, float] | None = None


def reliability_diagram(
    averaged: Binned,
    one_pass: Binned | None = None,
    *,
    sure: float,
    num_answers: int,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int = 440,
) -> go.Figure:
    """Accuracy against confidence; the more answers a bin holds, the larger is its dot.

    The dots of the bin that holds ``sure`` have a ring, a bracket to the diagonal, and words with their numbers.

    Args:
        averaged: of the predictive mean.
        one_pass: of one pass without masks, or of one member.
        sure: the confidence whose bin is marked, if it holds enough answers to be drawn.
        num_answers: N, from which follows how far chance alone moves a bin: the grey band, 95 % of binomial draws.
        theme: colours and sizes.
        stacked: for phones.
        height: in px.
    """
    ticks: dict[str, Any] = {"tickformat": ".0%", "tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1]}
    fig = empty(
        theme,
        height,
        traces=_by_chance(averaged, num_answers, theme),
        xaxis=axis(theme, "How sure: probability of the answer", CONFIDENCES, **ticks),
        yaxis=axis(theme, "How often right", (-0.02, 1.06), **ticks),
        showlegend=False,
    )
    drawn = [("one network", averaged, theme.mean, -1)]
    if one_pass is not None:
        drawn = [("mean of many networks", averaged, theme.mean, 1), ("one network", one_pass, theme.ink, -1)]
    for each, bins, color, _ in reversed(drawn):
        x, y = bins.mark(sure)
        fig.add_trace(_bins(bins, each, theme, color))
        ring = {"symbol": "circle-open", "size": RING * theme.scale, "color": color, "line": {"width": 2 * theme.scale}}
        fig.add_trace(scatter([x], [y], mode="markers", marker=ring, hoverinfo="skip", name=f"{each}, marked"))
    for each, bins, color, side in drawn:  # over all dots: a bracket from the diagonal to the dot
        x, y = bins.mark(sure)
        subtraction, points, verdict = bins.verdict(bins.place(sure) or 0, num_answers)
        font = theme.font(bold=True, color=theme.text(color))
        beside, middle = x + side * (0.05 if stacked else 0.018), y + (0.75 if side > 0 else 0.25) * (x - y)
        gap = {"mode": "lines+text", "line": theme.line(color, 3), "hoverinfo": "skip", "name": f"{each}, gap"}
        gap |= {"text": ["", "", f"\N{NO-BREAK SPACE}{points}\N{NO-BREAK SPACE}"], "textfont": font}
        gap |= {"textposition": f"middle {'right' if side > 0 else 'left'}", "visible": float(points) >= LEAST_GAP}
        fig.add_trace(scatter([x, beside, beside, beside, x], [x, x, middle, y, y], **gap))
        if side > 0:  # above the diagonal, where no line comes
            right = max(x, CONFIDENCES[0] + (0.66 if stacked else 0.28))
            foot = min(HIGH, max(right, y) + 0.03)
            place = {"x": min(right, foot), "xanchor": "right", "y": foot, "yanchor": "bottom", "align": "right"}
        else:
            is_inside = sure < BESIDE_ITS_DOT
            end = "left" if is_inside else "right"
            place = {"x": x if is_inside else CONFIDENCES[1], "xanchor": end, "align": end, "yanchor": "top"}
            place |= {"xshift": 0.6 * RING * theme.scale * is_inside, "yshift": -0.7 * RING * theme.scale}
            place["y"] = y if is_inside else min(y, LOW)
        name = "mean" if stacked and side > 0 else each  # the longer one would cover the axis of a phone
        text = f"{name}: right on {percent(y)},<br>{subtraction}{verdict}"
        place |= {"font": font, "bgcolor": tint(theme.paper, 0.8 if side < 0 else 0), "showarrow": False}
        fig.add_annotation(text=text, visible=x > 0, **place)
    fig.add_annotation(
        text="dashed: as often right as it says<br>grey: chance alone moves blue there (95 %)<br>"
        "larger dot: more digits",
        x=1,
        xref="x domain",
        xanchor="right",
        y=0,
        yanchor="bottom",
        align="right",
        font=theme.font(small=True, color=theme.muted),
        showarrow=False,
    )
    return fig


def _shown(bins: Binned) -> Array:
    return bins.count >= FEWEST


def _by_chance(bins: Binned, num_answers: int, theme: Theme) -> Iterator[Trace]:
    """The diagonal, and how far chance alone moves the accuracy of a bin."""
    keep = _shown(bins)
    center = bins.confidence[keep]
    low, high = (each[keep] for each in bins.by_chance(num_answers))
    fill = tint(theme.truth, 0.18)
    yield band(center, (low + high) / 2, (high - low) / 2, fill, f"chance alone, {num_answers:,} answers")
    look = {"line": theme.line(theme.truth, 2, "dash"), "name": "calibrated", "hoverinfo": "skip"}
    yield scatter([0, 1], [0, 1], mode="lines", **look)


def _bins(bins: Binned, name: str, theme: Theme, color: str) -> Trace:
    keep = _shown(bins)
    share = bins.count[keep] / bins.count.sum()
    sizes = float32(theme.scale * (SMALLEST + LARGER * np.sqrt(share)))
    marker = {"size": sizes, "color": color, "opacity": 1, "line": {"width": theme.scale, "color": theme.paper}}
    hover = f"{name}: %{{x:.1%}} sure, %{{y:.1%}} right<br>%{{text}} of the digits<extra></extra>"
    told = [percent(float(each)) for each in share]
    look = {"mode": "lines+markers", "marker": marker, "line": theme.line(color, 2.5), "name": name, "text": told}
    return scatter(bins.confidence[keep], bins.accuracy[keep], hovertemplate=hover, **look)


def rotation_curves(
    degrees: Array,
    entropy: Mapping[str, Array],
    accuracy: Mapping[str, Array],
    expected: Array,
    *,
    chosen: str,
    theme: Theme = LIGHT,
    top: float | None = None,
    height: int = 560,
) -> go.Figure:
    """Uncertainty and accuracy while digits are rotated, means over images and seeds.

    Args:
        degrees: (A,).
        entropy: predictive entropy (A,) in nats, by method.
        accuracy: (A,) from 0 to 1, by method.
        expected: (A,) expected entropy of the chosen method; what lies above it is mutual information.
        chosen: the method whose entropy is split.
        theme: colours and sizes.
        top: upper end of the entropy's axis.
        height: in px.
    """
    top = top or 1.15 * max(float(values.max()) for values in entropy.values())
    fig = panel_figure(
        theme,
        ["Entropy (grey: other methods)", "Accuracy"],
        x_label="Rotation (degrees)",
        y_labels=["nats per digit", "right answers"],
        x_range=(0.0, float(degrees.max())),
        y_ranges=[(0.0, top), (0.0, 1.15)],
        stacked=True,
        height=height,
    )
    total = entropy[chosen]
    for low, high, color, opacity, name in (
        (np.zeros_like(expected), expected, theme.aleatoric, ALEATORIC, "expected entropy (noise)"),
        (expected, total, theme.epistemic, EPISTEMIC, "mutual information (ignorance)"),
    ):
        fig.add_trace(band(degrees, (low + high) / 2, (high - low) / 2, tint(color, opacity), name))
    for index, (curves, unit) in enumerate(((entropy, ":.2f} nats"), (accuracy, ":.1%} right"))):
        for name, look in _looks(list(curves), chosen, theme):
            hover = f"{name}<br>%{{x}}°: %{{y{unit}<extra></extra>"
            look |= {"showlegend": index == 0 and name == chosen, "hovertemplate": hover, **panel_axes(index)}
            fig.add_trace(scatter(degrees, curves[name], name=name, **look))
        at = [0, int(np.argmin(np.abs(degrees - QUARTER)))]
        y = curves[chosen][at]
        words = [number(float(each), 2) if index == 0 else percent(float(each)) for each in y]
        look = {"mode": "markers+text", "marker": {"size": 10 * theme.scale, "color": theme.mean}, **panel_axes(index)}
        look |= {"textposition": "top right", "textfont": theme.font(bold=True, color=theme.text(theme.mean))}
        look |= {"hoverinfo": "skip", "showlegend": False, "cliponaxis": False}
        fig.add_trace(scatter(degrees[at], y, text=words, name=f"{chosen}, marked", **look))
    for index in range(2):
        ticks = list(range(0, int(degrees.max()) + 1, 30))
        fig.update_layout({panel_axes(index)["xaxis"].replace("x", "xaxis"): {"tickvals": ticks}})
    return fig.update_layout(legend_traceorder="normal", yaxis2_tickformat=".0%")


def risk_coverage(
    risk: Mapping[str, Array],
    *,
    chosen: str,
    refused: float,
    theme: Theme = LIGHT,
    y_range: Range = (0.0, 0.14),
    height: int = 440,
) -> go.Figure:
    """Wrong answers among those that are given, (N,) by method, against the share of refused digits.

    ``risk[m][n - 1]`` belongs to the n most certain of N digits; ``refused`` is the share on show, 0 to below 1.
    """
    fig = figure(
        theme,
        x_label="Refused: the most uncertain digits",
        y_label="Wrong among the others",
        x_range=(0.0, 1.0),
        y_range=y_range,
        height=height,
    )
    everything = float(risk[chosen][-1])
    line = theme.line(theme.truth, 1.5, "dot")
    fig.add_trace(scatter([0, 1], [everything] * 2, mode="lines", line=line, showlegend=False, hoverinfo="skip"))
    note = {"xanchor": "right", "yanchor": "bottom", "showarrow": False}
    fig.add_annotation(
        x=1,
        y=everything,
        text=f"refused at random: {percent(everything)} wrong<br>grey: other methods",
        align="right",
        font=theme.font(small=True, color=theme.muted),
        **note,
    )
    for name, look in _looks(list(risk), chosen, theme):
        share = 1 - np.arange(1, len(risk[name]) + 1) / len(risk[name])
        hover = f"{name}<br>%{{x:.0%}} refused: %{{y:.1%}} wrong<extra></extra>"
        look |= {"showlegend": name == chosen, "hovertemplate": hover}
        fig.add_trace(scatter(share[::-1], risk[name][::-1], name=name, **look))
    answered = max(1, round((1 - refused) * len(risk[chosen])))
    here = float(risk[chosen][answered - 1])
    fig.add_vline(x=refused, line=theme.line(theme.muted, 1.2, "dot"))
    marker = {"size": 13 * theme.scale, "color": theme.mean, "line": {"width": 2, "color": theme.paper}}
    fig.add_trace(scatter([refused], [here], mode="markers", marker=marker, showlegend=False, hoverinfo="skip"))
    note = {"xanchor": "left" if refused < 0.6 else "right", "yanchor": "bottom", "showarrow": False}
    note["bgcolor"] = tint(theme.paper, 0.85)
    font = theme.font(bold=True, color=theme.text(theme.mean))
    fig.add_annotation(x=refused, y=here, text=f"{percent(here)} wrong", font=font, xshift=10, yshift=8, **note)
    fig.update_xaxes(tickformat=".0%").update_yaxes(tickformat=".0%")
    return fig.update_layout(showlegend=True)


def entropy_histograms(
    inside: Array, outside: Array, *, names: tuple[str, str], top: float, theme: Theme = LIGHT, height: int = 400
) -> go.Figure:
    """How the predictive entropy of known (N,) and unknown (M,) inputs is distributed, in shares of each."""
    edges = np.linspace(0, top, HISTOGRAM_BINS + 1)
    shares = [np.histogram(np.clip(values, 0, top), edges)[0] / len(values) for values in (inside, outside)]
    fig = figure(
        theme,
        x_label="Predictive entropy (nats)",
        y_label="Share of images",
        x_range=(0.0, top),
        y_range=(0.0, 0.6),
        height=height,
    )
    colors = (tint(theme.truth, 0.5), tint(theme.epistemic, 0.55))
    for name, values, color in zip(names, shares, colors, strict=True):
        fig.add_bar(
            x=float32((edges[1:] + edges[:-1]) / 2),
            y=float32(values),
            width=float(edges[1]),
            name=name,
            marker={"color": color, "line": {"width": 0}},
            hovertemplate=f"{name}<br>%{{y:.1%}} near %{{x:.2f}} nats<extra></extra>",
        )
    fig.update_yaxes(tickformat=".0%")
    return fig.update_layout(barmode="overlay", legend_traceorder="normal")


def accuracies(
    rows: Sequence[Accuracies], *, x_range: Range, theme: Theme = LIGHT, height: int | None = None
) -> go.Figure:
    """Test accuracies: ours as dots, published ones as rings, each with a bar of one standard deviation."""
    fig = figure(
        theme,
        x_label="Test accuracy (%)",
        y_label="",
        x_range=x_range,
        y_range=(len(rows) - 0.5, -0.6),
        height=height or ROW_HEIGHT * len(rows) + AROUND,
    )
    solid = {"symbol": "circle", "size": 12 * theme.scale, "color": theme.mean}
    ring = {"symbol": "circle-open", "size": 12 * theme.scale, "color": theme.ink, "line": {"width": 2 * theme.scale}}
    for name, marker, shift, values in (
        ("lecture ± sd", ring, -0.16, [row.published for row in rows]),
        ("ours ± sd over seeds", solid, 0.16, [row.ours for row in rows]),
    ):
        known = [(place, *value) for place, value in enumerate(values) if value is not None]
        if not known:
            continue
        places, means, spreads = np.array(known).T
        bar = {"type": "data", "array": float32(spreads), "color": marker["color"], "thickness": 2, "width": 4}
        hover = f"{name}: %{{x:.2f}} %<extra></extra>"
        look = {"mode": "markers", "marker": marker, "error_x": bar, "name": name, "hovertemplate": hover}
        fig.add_trace(scatter(means, places + shift, **look))
    for place, row in enumerate(rows):
        if row.ours is None:
            note = {"xanchor": "right", "showarrow": False, "font": theme.font(small=True, color=theme.muted)}
            fig.add_annotation(x=x_range[1], y=place + 0.16, text="not here yet", xshift=-6, **note)
    fig.update_yaxes(tickvals=list(range(len(rows))), ticktext=[row.label for row in rows], showgrid=False)
    return fig.update_layout(legend_traceorder="normal")


def _looks(names: Sequence[str], chosen: str, theme: Theme) -> Iterator[tuple[str, dict[str, Any]]]:
    """How every method's line looks, the chosen one last and in front."""
    for name in names:
        if name != chosen:
            yield name, {"mode": "lines", "line": theme.line(theme.muted, BESIDE)}
    yield chosen, {"mode": "lines", "line": theme.line(theme.mean, CHOSEN)}


def describe_reliability(averaged: Binned) -> str:
    """What `reliability_diagram` shows, in a sentence with numbers, for people who do not see it."""
    keep = _shown(averaged)
    told = [
        f"{confidence:.0%} sure, {right:.0%} right"
        for confidence, right in zip(averaged.confidence[keep], averaged.accuracy[keep], strict=True)
    ]
    return f"Reliability diagram, from the least to the most certain answers: {'; '.join(told)}."


def describe_rotation(degrees: Array, entropy: Array, accuracy: Array) -> str:
    """What `rotation_curves` shows of one method, in a sentence with numbers, for people who do not see it."""
    peak = int(np.argmax(entropy))
    return (
        f"Predictive entropy {entropy[0]:.2f} nats for upright digits, {entropy[peak]:.2f} when rotated by "
        f"{degrees[peak]:.0f} degrees; accuracy {accuracy[0]:.0%} and {accuracy[peak]:.0%}."
    )
