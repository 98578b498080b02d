"""Curves over a setting or over training: held-out error against weight decay, losses against steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import number
from bdlviz.errors import InvalidInput
from bdlviz.plots.panels import TITLE_HEIGHT, panel_axes
from bdlviz.plots.theme import LIGHT, Range, Theme, figure, tint
from bdlviz.plots.traces import Trace, band, float32, line_bundle, scatter
from bdlviz.types import Array

SEED_OPACITY, SPREAD_OPACITY = 0.35, 0.1


def held_out_curve(
    weight_decays: Array,
    values: Array,
    *,
    metric: str,
    chosen: int | None = None,
    theme: Theme = LIGHT,
    y_range: Range | None = None,
    height: int = 420,
) -> go.Figure:
    """Held-out error against weight decay: one thin line per seed, mean and standard deviation, the minimum marked.

    ``weight_decays`` (L,) must be positive, ``values`` is (R, L) with NaN where a fit failed, ``metric`` names it with
    its unit ("NLL in nats", "RMSE in ppm"). ``chosen`` is the index of the current setting. The points of the mean
    carry their index in ``customdata``, so that a click can choose one.
    """
    if not np.all(np.asarray(weight_decays) > 0):
        raise InvalidInput("Weight decays must be positive to be shown on a logarithmic axis.")
    decades = _log_range(weight_decays)
    mean, sd = _over_seeds(values)
    if np.isnan(mean).all():
        raise InvalidInput("No fit of this curve succeeded: all its values are NaN.")
    best, limits = int(np.nanargmin(mean)), y_range or _padded_range(values)
    ring, *words = _minimum(float(weight_decays[best]), float(mean[best]), theme)
    traces = [_mean_of_seeds(weight_decays, mean, len(values), theme)]
    if len(values) > 1:
        traces = [_spread(weight_decays, mean, sd, theme), _seeds(weight_decays, values, theme), *traces]
    if chosen is not None:
        dot, title = _chosen(float(weight_decays[chosen]), min(float(mean[chosen]), limits[1]), theme)
        traces, words = [*traces, dot], [*words, title]
    return figure(
        theme,
        x_label="Weight decay λ",
        y_label=metric[:1].upper() + metric[1:],
        x_range=decades,
        y_range=limits,
        height=height,
        traces=[*traces, ring],
        xaxis=log_ticks(decades, _power),
        annotations=words,
        margin={"t": TITLE_HEIGHT * theme.font_size},
    )


def learning_curves(
    history: Mapping[str, Array],
    steps: Array,
    *,
    y_label: str = "Loss per point in nats",
    theme: Theme = LIGHT,
    y_range: Range | None = None,
    height: int = 360,
) -> go.Figure:
    """Losses (T,) over training steps (T,), on a logarithmic axis unless some are negative.

    Up to four curves, styled in this order: training ink solid, training ink dashed, held-out blue solid, held-out
    blue dashed; dashes are for the loss without dropout.
    """
    losses = np.concatenate([float32(loss) for loss in history.values()])
    is_log = bool(np.nanmin(losses) > 0)
    limits = (_log_range if is_log else _padded_range)(np.asarray(y_range) if y_range else losses)
    return figure(
        theme,
        x_label="Training step",
        y_label=y_label,
        x_range=(0.0, float(np.max(steps))),
        y_range=limits,
        height=height,
        traces=_losses(history, steps, theme),
        legend={"traceorder": "normal"},
        yaxis=log_ticks(limits, "{:g}".format) if is_log else {},
    )


def describe_held_out_curve(weight_decays: Array, values: Array, *, metric: str) -> str:
    """A description of the figure of `held_out_curve`, in one sentence with numbers, for screen readers."""
    mean, _ = _over_seeds(values)
    best = int(np.nanargmin(mean))
    return (
        f"Held-out score, {metric}, over {len(weight_decays)} weight decays, mean of {len(values)} seeds: "
        f"{mean[0]:.3g} at {weight_decays[0]:.1e}, lowest {mean[best]:.3g} at {weight_decays[best]:.1e}, "
        f"{mean[-1]:.3g} at {weight_decays[-1]:.1e}."
    )


def accuracy_by_samples(
    num_samples: Array, accuracy: Array, spread: Array, one_pass: Array, *, theme: Theme = LIGHT, height: int = 380
) -> go.Figure:
    """Held-out accuracy of the mean of S draws, for R seeds (R, T), beside one pass without dropout (R,).

    ``spread`` (R, T) is the standard deviation over sets of draws of one network, NaN where there is one set. Thin
    lines are seeds, the band is their standard deviation.
    """
    keep = np.isfinite(accuracy).all(0)
    counts, accuracy, spread = float32(num_samples)[keep], accuracy[:, keep], spread[:, keep]
    mean, over_seeds = accuracy.mean(0), accuracy.std(0, ddof=1) if len(accuracy) > 1 else np.zeros(keep.sum())
    low = math.floor(50 * float(min(accuracy.min(), one_pass.min()))) / 50 - 0.01
    high = min(1.0, math.ceil(50 * float(max(accuracy.max(), one_pass.max()))) / 50 + 0.01)
    fig = figure(theme, x_label="Draws S that are averaged", y_label="Held-out accuracy", height=height)
    ticks = [int(count) for count in counts]
    fig.update_xaxes(type="log", range=[-0.08, math.log10(max(ticks)) + 0.08], tickvals=ticks)
    fig.update_yaxes(range=[low, high], tickformat=".0%")
    if len(accuracy) > 1:
        fig.add_trace(band(counts, mean, over_seeds, tint(theme.mean, 0.2), "± 1 sd over seeds"))
        line = theme.line(theme.draws, 1)
        fig.add_trace(line_bundle(counts, accuracy, line, "seeds", opacity=theme.draws_opacity))
    error = {"array": float32(np.nan_to_num(spread).mean(0)), "thickness": 1.5, "width": 4}
    look = {"mode": "lines+markers", "line": theme.line(theme.mean, 3), "marker": {"size": 8, "color": theme.mean}}
    hover = "S = %{x}: %{y:.2%}<extra></extra>"
    name = "mean of S draws (bars: sd over sets of masks)"
    fig.add_trace(scatter(counts, mean, name=name, hovertemplate=hover, error_y=error | {"color": theme.mean}, **look))
    flat = np.full(2, one_pass.mean())
    line = theme.line(theme.ink, 2, "dash")
    ends = np.array([counts.min(), counts.max()])
    fig.add_trace(scatter(ends, flat, mode="lines", line=line, name="one pass without dropout"))
    fig.data[-1].hovertemplate = "One pass: %{y:.2%}<extra></extra>"
    return fig.update_layout(legend_traceorder="normal")


def _losses(history: Mapping[str, Array], steps: Array, theme: Theme) -> Iterator[Trace]:
    styles = [(color, dash) for color in (theme.ink, theme.mean) for dash in ("solid", "dash")]
    for index, (name, loss) in enumerate(history.items()):
        color, dash = styles[index % len(styles)]
        line = theme.line(color, 2.5, dash)
        hover = name + " %{y:.3g}<extra></extra>"
        yield line_bundle(steps, loss[None], line, name, hoverinfo=None, hovertemplate=hover)


def _seeds(weight_decays: Array, values: Array, theme: Theme) -> Trace:
    return line_bundle(weight_decays, values, theme.line(theme.ink, 1), "One seed", opacity=SEED_OPACITY)


def _spread(weight_decays: Array, mean: Array, sd: Array, theme: Theme) -> Trace:
    known = np.isfinite(mean)
    fill = tint(theme.ink, SPREAD_OPACITY)
    return band(weight_decays[known], mean[known], sd[known], fill, "± 1 sd")


def _mean_of_seeds(weight_decays: Array, mean: Array, num_seeds: int, theme: Theme) -> Trace:
    return line_bundle(
        weight_decays,
        mean[None],
        theme.line(theme.ink, 3),
        f"Mean of {num_seeds} seeds" if num_seeds > 1 else "Held-out",
        mode="lines+markers",
        marker={"size": 7 * theme.scale, "color": theme.ink},
        customdata=np.arange(len(mean), dtype=np.int16),
        hoverinfo=None,
        hovertemplate="λ = %{x:.1e}<br>%{y:.4g}<extra></extra>",
    )


def _minimum(weight_decay: float, value: float, theme: Theme) -> tuple[Trace, dict[str, Any]]:
    """A ring around the lowest point, and its label below."""
    ring = {"symbol": "circle-open", "size": 18 * theme.scale, "color": theme.ink, "line": {"width": 2 * theme.scale}}
    look = {"mode": "markers", "marker": ring, "cliponaxis": False, "hoverinfo": "skip", "showlegend": False}
    words = {
        "x": float(np.log10(weight_decay)),  # plotly expects the exponent here, unlike elsewhere
        "y": value,
        "text": f"best: {number(weight_decay)}",
        "font": theme.font(bold=True),
        "bgcolor": tint(theme.paper, 0.85),
        "showarrow": False,
        "yanchor": "top",
        "yshift": -14 * theme.scale,
    }
    return scatter(weight_decay, value, **look), words


def _chosen(weight_decay: float, value: float, theme: Theme) -> tuple[Trace, dict[str, Any]]:
    """The point of the current setting, and its name above the curve."""
    marker = {"size": 14 * theme.scale, "color": theme.mean, "line": {"width": 2 * theme.scale, "color": theme.paper}}
    name, look = f"chosen: {number(weight_decay)}", {"mode": "markers", "cliponaxis": False, "hoverinfo": "skip"}
    place = {"x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper", "yanchor": "bottom"}
    words = {"text": f"● {name}", "font": theme.font(bold=True, color=theme.text(theme.mean)), "showarrow": False}
    return scatter(weight_decay, value, marker=marker, name=name, **look), {**words, **place}


def _over_seeds(values: Array) -> tuple[Array, Array]:
    """Mean and standard deviation (L,) over seeds (R, L), without failed fits; NaN if all failed."""
    known = np.ma.masked_invalid(values)
    return known.mean(axis=0).filled(np.nan), known.std(axis=0).filled(np.nan)


def _log_range(values: Array) -> Range:
    """The range of the positive values in decades, with a margin on both sides."""
    decades = np.log10(values[np.isfinite(values) & (values > 0)])
    room = max(0.04 * float(np.ptp(decades)), 0.1)
    return float(decades.min()) - room, float(decades.max()) + room


def power_of_ten(value: float) -> str:
    """A power of ten as the text of a tick."""
    return f"10<sup>{int(np.rint(np.log10(value)))}</sup>".replace("-", "−")


def log_ticks(decades: Range, label: Callable[[float], str]) -> dict[str, Any]:
    """Ticks at powers of ten, or at 1, 2, 5 times them if there are few; plotly's own ticks would omit zeros."""
    low, high = decades
    steps = (1, 2, 5) if high - low < 3 else (1,)
    every = 1 + int(high - low) // 9
    candidates = (step * 10.0**power for power in range(math.floor(low), math.ceil(high), every) for step in steps)
    values = [value for value in candidates if low <= math.log10(value) <= high]
    return {"type": "log", "tickvals": values, "ticktext": [label(value) for value in values]}


def names_at_ends(
    ends: Sequence[tuple[str, float, str]], panel: int, limits: Range, theme: Theme, *, is_beside: bool = False
) -> Iterator[dict[str, Any]]:
    """Names of curves at their right ends: (name, height, colour) each. Two that end together are moved apart.

    They stand above the ends, or right of the panel with ``is_beside``. A name may have several lines.
    """
    x_name, y_name = panel_axes(panel).values()
    gap, lowest = 0.07 * theme.scale * (limits[1] - limits[0]), limits[0]
    left = sum(1 + name.count("<br>") for name, _, _ in ends)
    for name, height, color in sorted(ends, key=lambda each: each[1]):
        lines = 1 + name.count("<br>")
        place = min(max(height - is_beside * gap * lines / 2, lowest), limits[1] - gap * left)
        lowest, left = place + gap * lines, left - lines
        yield {
            "x": 1,
            "xref": f"{x_name} domain",
            "y": place,
            "yref": y_name,
            "xanchor": "left" if is_beside else "right",
            "xshift": 3 * theme.scale * is_beside,
            "align": "left",
            "yanchor": "bottom",
            "text": name,
            "font": theme.font(bold=True, small=True, color=theme.text(color)),
            "bgcolor": tint(theme.paper, 0.75),
            "borderpad": 1,
            "showarrow": False,
        }


def _padded_range(values: Array) -> Range:
    """The range of the finite values, with space for a label below the lowest."""
    known = values[np.isfinite(values)]
    low, high = float(known.min()), float(known.max())
    span = (high - low) or max(abs(high), 1.0)
    return low - 0.2 * span, high + 0.05 * span


def _power(value: float) -> str:
    """A number in scientific notation, as plotly writes it: 3·10<sup>−5</sup>."""
    mantissa, exponent = f"{value:.1e}".split("e")
    power = f"10<sup>{int(exponent)}</sup>".replace("-", "−")
    return power if mantissa == "1.0" else f"{mantissa.removesuffix('.0')}·{power}"
