"""The figure of the decision whom to treat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import number, percent
from bdlviz.plots.functions import function_traces, in_panel
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.theme import LIGHT, Theme, tint
from bdlviz.plots.traces import Trace, line_bundle, scatter
from bdlviz.topics.foundations.deciding.decisions import Costs, Outcome
from bdlviz.types import Array, Dataset, Predictive

NAMES = {"Predictive mean": "Mean", "Epistemic (1, 2 sd)": "Ignorance", "Noise (aleatoric)": "Noise"}  # short
SHOWN = ({"mean"}, {"aleatoric", "epistemic", "mean"})  # what each rule knows
HIGH = 0.5  # of the top of the y axis: above, the name of the limit stands below its line
STRIP = 0.2  # of the height of a panel, at its bottom, where the risk is drawn from 0 to 100 %


@dataclass(frozen=True, eq=False)
class Rule:
    """A decision rule at N inputs: its probability of being ill (N,), and the mask of who is treated (N,)."""

    name: str
    probability: Array
    is_treated: Array

    def treats_at(self, inputs: Array, x: Array) -> Array:
        """Whether the rule treats people at x (M,), by the nearest of the ``inputs`` (N,), which must ascend."""
        return np.interp(x, inputs, self.is_treated) > 0.5


def people_and_rules(
    predictive: Predictive,
    data: Dataset,
    rules: Sequence[Rule],
    people: tuple[Array, Array],
    outcomes: Sequence[Outcome],
    *,
    limit: float,
    costs: Costs,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int | None = None,
) -> go.Figure:
    """The same people at (x, y), twice: who of them is ill, above the limit, and who is treated, in the shade.

    ``rules`` are two, without and with uncertainty, each with the risk that it sees; ``people`` are x and y, (N,) each,
    and ``outcomes`` what each rule does with them. ``stacked`` is for phones.
    """
    ratio = "" if stacked else f"{number(costs.treat)} ÷ {number(costs.miss)} = "
    fig = panel_figure(
        theme,
        [
            f"The mean alone: treat if it is > {number(limit)}",
            f"With uncertainty: treat if risk > {ratio}{percent(costs.threshold)}",
        ],
        x_label=f"{data.x_label}: known of a person",
        y_labels=[f"{data.y_label}: seen later"] * 2,
        x_range=data.x_range,
        y_ranges=[data.y_range] * 2,
        stacked=stacked,
        height=height or (760 if stacked else 480),
        traces=[
            in_panel(trace, panel, legend=panel == 1 and not (stacked and trace["name"] in NAMES.values()))
            for panel, outcome in enumerate(outcomes)
            for trace in _panel(predictive, data, SHOWN[panel], people, outcome, limit, theme)
        ],
    )
    words = {"font": theme.font(small=True), "showarrow": False}
    bold = {"bgcolor": tint(theme.paper, 0.75)}
    for panel, outcome in enumerate(outcomes):
        axes = {f"{name[0]}ref": f"{ref} domain" for name, ref in panel_axes(panel).items()}
        missed, treated = int(outcome.missed.sum()), int(outcome.is_treated.sum())
        told = (
            _colored(f"{missed:,} ill missed × {number(costs.miss)}", theme.text(theme.warning)),
            _colored(f"+ {treated:,} treated × {number(costs.treat)}", theme.text(theme.mean)),
            f"= cost {number(outcome.cost(costs))}",
        )
        place = {"x": 0, "xanchor": "left", "y": 1, "yanchor": "top", "align": "left", "font": theme.font(bold=True)}
        fig.add_annotation(text="<br>".join(told), **axes, **words | bold | place)
        inputs = predictive.x[:, 0]
        stretches = _stretches(inputs, rules[panel].is_treated)
        shade = {"fillcolor": tint(theme.ink, 0.09), "line_width": 0, "layer": "below"}
        for start, end in stretches:
            ends = {"x0": start, "x1": end, "xref": axes["xref"].split()[0], "y0": 0, "y1": 1, "yref": axes["yref"]}
            fig.add_shape(type="rect", **ends, **shade)
        if stretches:
            widest = max(stretches, key=np.ptp)
            place = {"x": float(np.mean(widest)), "xref": axes["xref"].split()[0], "y": 0.99, "yref": axes["yref"]}
            fig.add_annotation(text="treated", yanchor="top", **words | place)
        if panel == 0:
            continue  # the mean alone sees no risk
        risk, (low, high), line = rules[panel].probability, data.y_range, theme.line(theme.ink, 2)
        highest, threshold = np.flatnonzero(risk == risk.max()), np.full(len(risk), min(costs.threshold, 1))
        both = line_bundle(inputs, low + STRIP * (high - low) * np.stack([risk, threshold]), line, "Risk")
        fig.add_trace(in_panel(both, panel, legend=False))
        for text, x, share, side in (
            (f"highest risk {percent(risk.max())}", inputs[highest[len(highest) // 2]], risk.max(), "center"),
            (f"treat above {percent(costs.threshold)}", data.x_range[0], threshold[0], "left"),
        ):
            place = {"x": float(x), "xref": axes["xref"].split()[0], "y": STRIP * float(share), "yref": axes["yref"]}
            fig.add_annotation(text=text, xanchor=side, yanchor="bottom", **words | place)
    side = "bottom" if limit < HIGH * data.y_range[1] else "top"
    at = {"x": data.x_range[0], "xanchor": "left", "xshift": 4, "y": limit, "yanchor": side}
    fig.add_annotation(text=f"ill above {number(limit)}", xref="x", yref="y", **at, **words)
    return fig


def _colored(text: str, color: str) -> str:
    return f'<span style="color:{color}">{text}</span>'


def _stretches(x: Array, is_treated: Array) -> list[tuple[float, float]]:
    """The intervals of x, ascending (N,), that a mask (N,) covers."""
    ends = np.flatnonzero(np.diff([False, *is_treated, False]))
    return [(float(x[start]), float(x[stop - 1])) for start, stop in zip(ends[::2], ends[1::2], strict=True)]


def _panel(
    predictive: Predictive,
    data: Dataset,
    shown: set[str],
    people: tuple[Array, Array],
    outcome: Outcome,
    limit: float,
    theme: Theme,
) -> Iterator[Trace]:
    """What a rule knows of y, the limit, and the people: filled if ill, blue if treated; the missed ones stand out."""
    for trace in function_traces(predictive, data, theme, 0, None, shown, None):
        yield trace | {"name": NAMES[trace["name"]]}
    line = theme.line(theme.ink, 1.5, "dot")
    yield line_bundle(np.array(data.x_range), np.full((1, 2), limit), line, "limit", showlegend=False)
    ring = {"color": theme.paper, "size": 8, "line": {"width": 2 * theme.scale, "color": theme.mean}}
    for name, who, look in (
        ("Healthy", ~outcome.is_ill & ~outcome.is_treated, {"color": theme.dropped, "size": 6}),
        ("Healthy, treated", outcome.in_vain, ring),
        ("Ill, treated", outcome.is_ill & outcome.is_treated, {"color": theme.mean, "size": 9}),
        ("Ill, missed", outcome.missed, {"color": theme.warning, "size": 11}),
    ):
        marker = {"line": {"width": theme.scale, "color": theme.paper}} | look | {"size": look["size"] * theme.scale}
        x, y = (np.append(values[who], np.nan) for values in people)  # an empty trace would have no legend
        yield scatter(x, y, mode="markers", marker=marker, name=name, hoverinfo="name")
