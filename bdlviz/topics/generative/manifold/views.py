"""A grid of codes over the plane, decoded."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import KDTree
from scipy.special import ndtr

from bdlviz import plots
from bdlviz.digits import number, percent
from bdlviz.plots.theme import Theme, tint
from bdlviz.plots.traces import Trace, float32, scatter
from bdlviz.predictive import latent
from bdlviz.topics.generative.manifold.controls import GRID, OVERLAY, REACH, STEPS
from bdlviz.topics.shared import autoencoders, views_decoded
from bdlviz.topics.shared.autoencoders import IMAGES, Autoencoder, grey_share
from bdlviz.topics.shared.views_planes_only import planes_only
from bdlviz.types import Array
from bdlviz.ui.cache import remembered
from bdlviz.ui.model import Figure, Formula, Need, Part, Result, Says, Screen, Setting, Words

TICKS = (0.0, 1.0, 2.0, 3.0, 0.5, 1.5)  # values and their negatives that get a tick where there is room, in this order
ROOM = 0.08  # between two ticks, as a share of the axis
MAP_REACH = 4.4  # of the map of codes: every range of the grid is inside
MAP_CELLS = 150  # per side, for the region without codes
NEAR = 0.25  # in units of the prior's sd: a place without a code within this distance is shaded
GRID_OF_CODES = Formula(
    latent.code_grid,
    "Where the pictures lie: even steps, or steps that enclose equal prior mass.",
    {"a": "half the range of z", "M": "digits per side", r"\Phi": "distribution function of the prior N(0, 1)"},
    {r"\Phi": "prior"},
)
DISTANCE = Formula(
    latent.nearest,
    f"How far a place is from the code of an image; where all are farther than {NEAR}, it is shaded.",
    {"z": "place, 2 numbers", "z_i": "mean of the code of image i, 2 numbers"},
)


def needed(setting: Setting) -> Need[Autoencoder]:
    """The shipped VAE with a plane of codes."""
    return autoencoders.needed(setting[IMAGES], "2d")


def manifold(setting: Setting, screen: Screen, model: Autoencoder) -> Result:
    """The decoded grid as one picture on its axes, beside a map of the codes with the range of the grid."""
    spacing, part = setting[GRID], setting[OVERLAY]
    reach, steps = setting.number(REACH), int(setting[STEPS])
    codes = latent.code_grid(reach, steps, spacing)
    part_known = "train" if part == "none" else part
    known, whose = model.mean(part_known), OVERLAY.name(part_known).replace(" ", "-")
    is_far = are_far(codes, known)
    images, shaded = model.decode(codes), f"{is_far.sum()} of {len(is_far)}"
    says = f"{shaded} images {'is' if is_far.sum() == 1 else 'are'} far from every {whose} code"
    if is_far.any():
        here, others = (grey_share(images[where]) for where in (is_far, ~is_far))
        verdict = "and greyer" if here > others else "but no greyer"
        says += f" (shaded), {verdict}: {percent(here)} grey pixels, the others {percent(others)}"
    height = screen.by_width(680, 400 if part == "none" else 780)
    fig: Any = plots.manifold(images, (-reach, reach, -reach, reach), height=height, theme=screen.theme)
    fig.update_layout_images(layer="below")
    values = ticks(reach, spacing)
    scale = {"tickvals": on_axis(values, reach, spacing).tolist(), "ticktext": [number(value) for value in values]}
    fig.update_xaxes(scale, showgrid=False).update_yaxes(scale, showgrid=False)
    places = [f"z₁ = {number(first)}, z₂ = {number(second)}" for first, second in codes.astype(float)]
    fig.data[-1].update(text=places, hovertemplate="%{text}<extra></extra>")
    if is_far.any():
        fig.add_trace(_shaded(on_axis(codes[is_far], reach, spacing), reach / (steps - 1), screen.theme))
    fig.add_annotation(**_title(f"{shaded} decoded images are shaded", "", screen))
    whole = {"x0": 0, "x1": 1, "y0": 0, "y1": 1, "xref": "x domain", "yref": "y domain"}
    fig.add_shape(type="rect", line=screen.theme.line(screen.theme.ink, 2.5), **whole)
    fig.update_layout(showlegend=False, margin_t=3 * screen.theme.font_size)
    alt = f"{steps} × {steps} digits decoded from a grid of codes over ±{reach:g}."
    told: list[Part] = []
    if part != "none":
        _add_map(fig, model, part, reach, screen)
        title = f"Dots: codes of {len(known):,} {whose} images.<br>Shaded: farther than {NEAR} from all of them."
        fig.add_annotation(**_title(title, "2", screen))
        outside = 100 * (np.abs(known) > reach).any(1).mean()
        told = [Words(f"{outside:.0f} % of the codes lie outside the frame.")]
    return Result(
        [Says(f"{says}."), Figure("manifold", fig, alt), *told, planes_only()],
        formulas=(GRID_OF_CODES, DISTANCE),
        code=(latent.code_grid, latent.decode_logits, are_far, plots.manifold),
        call=autoencoders.snippet(
            model.fit, f"images = fit.decode(code_grid({setting[REACH]}, {setting[STEPS]}, {spacing!r}))"
        ),
        tabs=views_decoded.tabs(model),
    )


def are_far(places: Array, codes: Array) -> Array:
    """True for places (M, 2) without one of the codes (N, 2) within `NEAR`, (M,)."""
    return KDTree(codes).query(places)[0] > NEAR


def _add_map(fig: Any, model: Autoencoder, part: str, reach: float, screen: Screen) -> None:
    """A second panel: the codes of a part, where there are none, and the range of the decoded images as a frame."""
    theme = screen.theme
    extent = (-MAP_REACH, MAP_REACH, -MAP_REACH, MAP_REACH)
    codes = model.mean(part)
    panel: Any = plots.latent_scatter(codes, model.labels(part), theme=theme, extent=extent)
    fig.add_trace(_region(model, part, theme))
    dot = {"size": 4 * theme.scale, "color": theme.muted}
    look = {"mode": "markers", "hoverinfo": "skip", "xaxis": "x2", "yaxis": "y2", "name": "codes"}
    fig.add_trace(scatter(codes[:, 0], codes[:, 1], marker=dot, **look))
    for name in {each.text: each for each in reversed(panel.layout.annotations)}.values():  # the densest place
        fig.add_annotation(name.update(xref="x2", yref="y2", bgcolor=theme.ink, borderpad=1))
    frame = {"x0": -reach, "x1": reach, "y0": -reach, "y1": reach, "xref": "x2", "yref": "y2"}
    fig.add_shape(type="rect", line=theme.line(theme.ink, 2.5), **frame)
    left, right = screen.by_width(([0, 0.45], [0.55, 1]), ([0, 1], [0, 1]))
    up, down = screen.by_width(([0, 1], [0, 1]), ([0.58, 1], [0, 0.42]))
    fig.update_layout(xaxis_domain=left, yaxis_domain=up, xaxis2=panel.layout.xaxis, yaxis2=panel.layout.yaxis)
    across = {"domain": right, "anchor": "y2", "constrain": "domain", "showgrid": False}
    fig.update_layout(xaxis2=across | {"title_text": "z₁ (frame: the decoded range)"})
    box = {"domain": down, "anchor": "x2", "scaleanchor": "x2", "constrain": "domain", "constraintoward": "top"}
    fig.update_layout(yaxis2=box | {"showgrid": False})


def _title(text: str, panel: str, screen: Screen) -> dict[str, Any]:
    """The title of a panel, above its middle."""
    place = {"x": 0.5, "xref": f"x{panel} domain", "y": 1, "yref": f"y{panel} domain", "yanchor": "bottom"}
    return {"text": text, "font": screen.theme.font(bold=True, small=True), "showarrow": False, **place}


def _shaded(places: Array, half: float, theme: Theme) -> Trace:
    """Squares over the pictures at places (F, 2), where no image has its code, ``half`` a square each way."""
    around = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (np.nan, np.nan)])
    corners = places[:, None] + half * around
    look = {"fill": "toself", "fillcolor": tint(theme.warning, 0.3), "line": {"width": 0}, "hoverinfo": "skip"}
    return scatter(float32(corners[..., 0]), float32(corners[..., 1]), mode="lines", name="no code is near", **look)


def _region(model: Autoencoder, part: str, theme: Theme) -> Trace:
    """A trace that shades the places of the map where no image of a part has its code."""
    centres = np.linspace(-MAP_REACH, MAP_REACH, MAP_CELLS, dtype=np.float32)
    codes = np.stack(np.meshgrid(centres, centres), axis=-1).reshape(-1, 2)
    is_far = remembered(model.fit, ("no codes", part), lambda: are_far(codes, model.mean(part)))
    scale = [[0, tint(theme.paper, 0)], [1, tint(theme.warning, 0.3)]]
    look = {"zmin": 0, "zmax": 1, "colorscale": scale, "showscale": False, "hoverinfo": "skip", "zsmooth": False}
    look |= {"xaxis": "x2", "yaxis": "y2", "name": "no code is near"}
    z = is_far.reshape(MAP_CELLS, MAP_CELLS).astype(np.uint8)
    return {"type": "heatmap", "x": centres, "y": centres, "z": z, **look}


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
