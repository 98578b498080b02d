"""A grid of codes over the plane, decoded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr

from bdlviz import plots
from bdlviz.digits import number, percent
from bdlviz.plots.theme import Theme, tint
from bdlviz.plots.traces import Trace, float32, scatter
from bdlviz.predictive import latent
from bdlviz.topics.generative.manifold.controls import GRID, OVERLAY, REACH, STEPS
from bdlviz.topics.shared import autoencoders, views_decoded
from bdlviz.topics.shared.autoencoders import IMAGES, RARE, Autoencoder
from bdlviz.topics.shared.views_planes_only import planes_only
from bdlviz.types import Array
from bdlviz.ui.model import Figure, Formula, Need, Part, Result, Says, Screen, Setting, Words

TICKS = (0.0, 1.0, 2.0, 3.0, 0.5, 1.5)  # values and their negatives that get a tick where there is room, in this order
ROOM = 0.08  # between two ticks, as a share of the axis
GRID_OF_CODES = Formula(
    latent.code_grid,
    "Where the pictures lie: even steps, or steps that enclose equal prior mass.",
    {"a": "half the range of z", "M": "digits per side", r"\Phi": "distribution function of the prior N(0, 1)"},
    {r"\Phi": "prior"},
)
DENSITY = Formula(
    latent.log_average_posterior,
    f"The density of the codes of training images; they are rare where it is lower than at {percent(1 - RARE)} of "
    "held-out images.",
    {r"\mu_i, \sigma_i": "mean and standard deviation of the code of image i, 2 numbers each", "N": "training images"},
)


def needed(setting: Setting) -> Need[Autoencoder]:
    """The shipped VAE with a plane of codes."""
    return autoencoders.needed(setting[IMAGES], "2d")


def manifold(setting: Setting, screen: Screen, model: Autoencoder) -> Result:
    """The decoded grid as one picture on its axes, with the codes of images on top if asked for."""
    spacing, overlay = setting[GRID], setting[OVERLAY]
    reach, steps = setting.number(REACH), int(setting[STEPS])
    codes = latent.code_grid(reach, steps, spacing)
    images = model.decode(codes)
    fig: Any = plots.manifold(
        images,
        (-reach, reach, -reach, reach),
        height=screen.by_width(680, 400),
        theme=screen.theme,
        overlay=None if overlay == "none" else _codes_on_axes(model, overlay, reach, spacing),
    )
    fig.update_layout(showlegend=False).update_layout_images(layer="below")
    for trace in fig.data[:-1]:  # a digit at the place of a code says its class without a legend
        font = screen.theme.font(small=True, color=trace.marker.color)
        trace.update(mode="text", text=[trace.name] * len(trace.x), textfont=font)
    values = ticks(reach, spacing)
    scale = {"tickvals": on_axis(values, reach, spacing).tolist(), "ticktext": [number(value) for value in values]}
    fig.update_xaxes(scale, showgrid=False).update_yaxes(scale, showgrid=False)
    places = [f"z₁ = {number(first)}, z₂ = {number(second)}" for first, second in codes.astype(float)]
    fig.data[-1].update(text=places, hovertemplate="%{text}<extra></extra>")
    is_far = model.is_far_out(codes)
    told, key = "", [] if overlay == "none" else [f"small digits: codes of {OVERLAY.name(overlay)} images"]
    if is_far.any():
        told = f"Shaded: {percent(RARE)} of the codes of held-out images are in places that are as rare. "
        fig.add_trace(_rare(on_axis(codes[is_far], reach, spacing), reach / (steps - 1), screen.theme))
        key.append(f"shaded: codes are rare, at {is_far.sum()} of {len(codes)} pictures")
    fig.add_annotation(**_key(key, screen)).update_layout(margin_t=screen.by_width(27, 48) * screen.theme.scale)
    alt = f"{steps} × {steps} digits decoded from a grid of codes over ±{reach:g}."
    parts: list[Part] = [Says(between_the_codes(is_far)), Figure("manifold", fig, alt)]
    if overlay != "none":
        mean = model.mean(overlay)
        outside = 100 * (np.abs(mean) > reach).any(1).mean()
        told += f"{len(mean):,} codes coloured by class; {outside:.0f} % of them lie outside this range."
    if told:
        parts.append(Words(told.strip()))
    parts.append(planes_only())
    return Result(
        parts,
        formulas=(GRID_OF_CODES, DENSITY),
        code=(latent.code_grid, latent.decode_logits, plots.manifold),
        call=autoencoders.snippet(
            model.fit, f"images = fit.decode(code_grid({setting[REACH]}, {setting[STEPS]}, {spacing!r}))"
        ),
        tabs=views_decoded.tabs(model),
    )


def between_the_codes(is_far: Array) -> str:
    """How many of the pictures are where hardly any image has its code."""
    if not is_far.any():
        return f"All {len(is_far)} pictures lie where images have their codes: none is shaded."
    return f"{is_far.sum()} of {len(is_far)} pictures, shaded, lie where codes are rare: the decoder draws there, too."


def _key(lines: Sequence[str], screen: Screen) -> dict[str, Any]:
    """What the marks on the pictures are, above them."""
    place = {"x": 0.5, "xref": "x domain", "y": 1, "yref": "y domain", "yanchor": "bottom", "showarrow": False}
    text = ("<br>" if screen.is_narrow else "; ").join(lines)
    return {"text": text, "font": screen.theme.font(small=True), **place}


def _rare(places: Array, half: float, theme: Theme) -> Trace:
    """Squares over the pictures at places (F, 2), where hardly any image has its code, ``half`` a square each way."""
    around = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (np.nan, np.nan)])
    corners = places[:, None] + half * around
    look = {
        "fill": "toself",
        "fillcolor": tint(theme.warning, 0.3),
        "line": {"width": 0},
        "hoverinfo": "skip",
    }
    name = "codes are rare"
    return scatter(float32(corners[..., 0]), float32(corners[..., 1]), mode="lines", name=name, **look)


def on_axis(values: Array, reach: float, spacing: str) -> Array:
    """Where values of a coordinate lie on an axis from -reach to reach on which the pictures are evenly spaced."""
    if spacing != "quantile":
        return values
    tail = ndtr(-reach)
    return reach * (2 * (ndtr(values) - tail) / (1 - 2 * tail) - 1)


def ticks(reach: float, spacing: str) -> Array:
    """Values that get a tick: both ends, and others where there is room, in their order."""
    kept: list[float] = []
    for value in (reach, -reach, *(sign * each for each in TICKS for sign in (1, -1))):
        places = on_axis(np.array([value, *kept]), reach, spacing)
        if abs(value) <= reach and (np.abs(places[1:] - places[0]) >= ROOM * 2 * reach).all():
            kept.append(value)
    return np.sort(kept)


def _codes_on_axes(model: Autoencoder, part: str, reach: float, spacing: str) -> tuple[Array, Array]:
    """Codes within the range and their classes, at their places on the figure's axes."""
    mean, labels = model.mean(part), model.labels(part)
    inside = (np.abs(mean) <= reach).all(1)
    return on_axis(mean[inside], reach, spacing), labels[inside]
