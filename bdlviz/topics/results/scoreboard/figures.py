"""How good a classifier's probabilities are: reliability, rotation, refusing, unknown inputs, accuracies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import THIN, number, percent
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, figure, tint
from bdlviz.plots.traces import Trace, band, float32, scatter
from bdlviz.types import Array

MARKED = -2  # the bin before the last, of answers that are nearly sure: few are sure of nothing
FEWEST = 10  # answers in a bin of the reliability diagram that is drawn
SHARES = (0.0, 0.2)  # of a figure's height: the histogram below a diagram
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

    @property
    def right(self) -> str:
        """The accuracy of all answers."""
        return f"{number(100 * float(np.nansum(self.count * self.accuracy) / self.count.sum()), 3)}{THIN}%"

    def by_chance(self, num_answers: int) -> tuple[Array, Array]:
        """Between which accuracies 95 % of calibrated bins lie, (B,) each, if ``num_answers`` are independent."""
        from scipy.stats import binom

        count = np.maximum(1, np.rint(self.count / self.count.sum() * num_answers))
        low, high = (binom.ppf(level, count, self.confidence.astype(float)) / count for level in (0.025, 0.975))
        return low, high


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
    edges: Array,
    num_answers: int,
    theme: Theme = LIGHT,
    is_narrow: bool = False,
    height: int = 470,
) -> go.Figure:
    """Accuracy against confidence, with the share of answers of each bin below.

    The bin before the last is marked, with its accuracies. A line of words names each method, with its accuracy.

    Args:
        averaged: of the predictive mean.
        one_pass: of one pass without masks, drawn hollow.
        edges: (B + 1,) of the bins, from 0 to 1.
        num_answers: N, from which follows how far chance alone moves a bin: the grey band, 95 % of binomial draws.
        theme: colours and sizes.
        is_narrow: on a phone, where these words are fewer.
        height: in px.
    """
    fig = _over_histogram(theme, height)
    area, diagonal = _by_chance(averaged, num_answers, theme)
    fig.add_traces([area, diagonal])
    arrow = {"axref": "x", "ayref": "y", "ax": 0.02, "ay": 0.78, "xanchor": "left", "arrowcolor": theme.muted}
    tip = {"x": area["x"][0], "y": 0.5 * (area["y"][0] + area["x"][0]), "arrowhead": 2, "arrowwidth": theme.scale}
    fig.add_annotation(text="grey: chance alone (95 %)", font=theme.font(small=True, color=theme.muted), **arrow, **tip)
    gaps = _gaps(averaged)
    if len(gaps):
        line = theme.line(theme.warning, 3)
        look = {"name": "too certain", "hoverinfo": "skip", "showlegend": False}
        fig.add_trace(scatter(gaps[:, 0], gaps[:, 1], mode="lines", line=line, **look))
    if one_pass is not None:
        fig.add_trace(_bins(one_pass, "one pass without masks", theme, is_chosen=False))
    name = "mean of the draws" if one_pass is not None else "one network"
    fig.add_trace(_bins(averaged, name, theme, True))
    shares = averaged.count / averaged.count.sum()
    hover = "%{y:.1%} of the answers<extra></extra>"
    middles = (edges[1:] + edges[:-1]) / 2
    look = {"marker": {"color": tint(theme.mean, 0.5), "line": {"width": 0}}, "width": 0.9 * float(edges[1])}
    fig.add_bar(x=float32(middles), y=float32(shares), yaxis="y2", showlegend=False, hovertemplate=hover, **look)
    low, high = (float(each) for each in edges[MARKED - 1 :][:2])
    marked = {"x0": low, "x1": high, "y0": -0.02, "y1": 1.02, "fillcolor": tint(theme.mean, 0.14), "line_width": 0}
    fig.add_shape(type="rect", layer="below", **marked)
    blue, edge = theme.text(theme.mean), 0.76 if is_narrow else 0.83
    said = [(name, averaged, blue, "●"), *([("one pass", one_pass, theme.ink, "◇")] if one_pass is not None else [])]
    for place, (each, bins, color, sign) in enumerate(said):
        note: dict[str, Any] = {"xanchor": "right", "showarrow": False}
        at: dict[str, Any] = {"x": bins.confidence[MARKED], "y": bins.accuracy[MARKED], "xshift": -12, "yshift": 6}
        if place or one_pass is None:  # below the line, which rises there
            at |= {"yshift": -16} if is_narrow else {"xshift": 6, "yshift": -14, "xanchor": "left"}
        font = theme.font(bold=True, small=True, color=color)
        text = f"right on {percent(float(bins.accuracy[MARKED]))}"
        fig.add_annotation(text=text, font=font, bgcolor=tint(theme.paper, 0.8), **(note | at))
        words = f"{sign} {each.split()[0] if is_narrow else each}: {bins.right} right{'' if is_narrow else ' overall'}"
        font = theme.font(small=True, color=color)
        fig.add_annotation(x=edge, y=0.24 - 0.1 * place, text=words, font=font, **note)
    for x, y, text, color, side in (
        (
            edge,
            0.04,
            "below: too sure" if is_narrow else "below the diagonal: too sure",
            theme.text(theme.warning),
            "right",
        ),
        (0.02, 0.94, "above: too cautious", theme.muted, "left"),
        ((low + high) / 2, 0.04, f"says {says(len(edges) - 1)}", theme.ink, "center"),
    ):
        note = {"xanchor": side, "showarrow": False, "font": theme.font(small=True, color=color)}
        fig.add_annotation(x=x, y=y, text=text, **note)
    return fig.update_layout(showlegend=False)


def says(num_bins: int) -> str:
    """The confidence in the middle of the marked one of so many equal bins."""
    return percent(1 + (MARKED + 0.5) / num_bins)


def _over_histogram(theme: Theme, height: int) -> go.Figure:
    shared: dict[str, Any] = {"tickformat": ".0%"}
    places = [0, 0.2, 0.4, 0.6, 0.8, 1]
    return empty(
        theme,
        height,
        xaxis=axis(theme, "How sure: probability of the answer", (0.0, 1.02), anchor="y2", tickvals=places, **shared),
        yaxis=axis(theme, "How often right", (-0.02, 1.02), domain=[SHARES[1] + 0.06, 1.0], **shared),
        yaxis2=axis(theme, "Digits", (0.0, 1.0), domain=list(SHARES), nticks=3, **shared),
        margin={"l": 8, "r": 20, "t": 16, "b": 8},
    )


def _shown(bins: Binned) -> Array:
    return bins.count >= FEWEST


def _by_chance(bins: Binned, num_answers: int, theme: Theme) -> Iterator[Trace]:
    """The diagonal, and how far chance alone moves the accuracy of a bin."""
    keep = _shown(bins)
    center = bins.confidence[keep]
    low, high = (each[keep] for each in bins.by_chance(num_answers))
    fill = tint(theme.truth, 0.18)
    yield band(center, (low + high) / 2, (high - low) / 2, fill, f"chance alone, {num_answers:,} answers")
    look = {"line": theme.line(theme.truth, 2, "dash"), "name": "calibrated", "hoverinfo": "skip", "showlegend": False}
    yield scatter([0, 1], [0, 1], mode="lines", **look)


def _gaps(bins: Binned) -> Array:
    """Lines from the diagonal down to the bins that are too certain, (3 n, 2) with NaN between them."""
    chosen = _shown(bins) & (np.nan_to_num(bins.accuracy) < np.nan_to_num(bins.confidence))
    x, y = bins.confidence[chosen], bins.accuracy[chosen]
    nothing = np.full_like(x, np.nan)
    return np.stack([np.stack([x, x, nothing], 1), np.stack([x, y, nothing], 1)], -1).reshape(-1, 2)


def _bins(bins: Binned, name: str, theme: Theme, is_chosen: bool) -> Trace:
    keep = _shown(bins)
    color = theme.mean if is_chosen else theme.ink
    marker = {
        "size": (10 if is_chosen else 9) * theme.scale,
        "symbol": "circle" if is_chosen else "diamond-open",
        "color": color,
        "line": {"width": 1.5 * theme.scale, "color": theme.paper if is_chosen else color},
    }
    line = theme.line(color, 2.5) if is_chosen else theme.line(color, 1.2, "dot")
    hover = f"{name}<br>confidence %{{x:.1%}}, right %{{y:.1%}}<extra></extra>"
    look = {"mode": "lines+markers", "marker": marker, "line": line, "name": name, "hovertemplate": hover}
    return scatter(bins.confidence[keep], bins.accuracy[keep], **look)


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
        ["Uncertainty: predictive entropy (grey: other methods)", "Accuracy"],
        x_label="Rotation (degrees)",
        y_labels=["nats per digit", "right answers"],
        x_range=(0.0, float(degrees.max())),
        y_ranges=[(0.0, top), (0.0, 1.0)],
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
        x_label="Refused: the most uncertain digits (grey: other methods)",
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
        x=1, y=everything, text="refused at random", font=theme.font(small=True, color=theme.muted), **note
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
    fig.add_annotation(x=refused, y=here, text=f"{here:.1%} wrong", font=font, xshift=10, yshift=8, **note)
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
