"""A grid of codes over the plane, decoded."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from bdlviz import plots
from bdlviz.methods import vae
from bdlviz.predictive import latent
from bdlviz.topics.generative.manifold.controls import GRID, OVERLAY, REACH, STEPS
from bdlviz.topics.shared import autoencoders, views_decoded
from bdlviz.topics.shared.autoencoders import IMAGES, Autoencoder
from bdlviz.topics.shared.views_planes_only import planes_only
from bdlviz.types import Array
from bdlviz.ui.model import Figure, Need, Part, Result, Screen, Setting, Words


def needed(setting: Setting) -> Need[Autoencoder]:
    """The shipped VAE with a plane of codes."""
    return autoencoders.needed(setting[IMAGES], "2d")


def manifold(setting: Setting, screen: Screen, model: Autoencoder) -> Result:
    """The decoded grid as one picture on its axes, with the codes of images on top if asked for."""
    spacing, overlay = setting[GRID], setting[OVERLAY]
    reach, steps = setting.number(REACH), int(setting[STEPS])
    labels = ("z₁", "z₂")
    if spacing == "quantile":
        labels = ("z₁ (steps of equal prior mass)", "z₂ (steps of equal prior mass)")
    fig = plots.manifold(
        model.decode(latent.code_grid(reach, steps, spacing)),
        (-reach, reach, -reach, reach),
        height=screen.by_width(680, 400),
        theme=screen.theme,
        labels=labels,
        overlay=None if overlay == "none" else _on_axes(model, overlay, reach, spacing),
    )
    alt = f"{steps} x {steps} digits decoded from a grid of codes over plus or minus {reach:g}."
    parts: list[Part] = [Figure("manifold", fig, alt)]
    if overlay != "none":
        mean = model.mean(overlay)
        outside = 100 * (np.abs(mean) > reach).any(1).mean()
        parts.append(Words(f"{len(mean):,} codes coloured by class; {outside:.0f} % of them lie outside this range."))
    parts.append(planes_only())
    return Result(
        parts,
        formulas=(vae.negative_elbo, latent.code_grid, latent.encode),
        code=(latent.code_grid, latent.decode_logits, plots.manifold),
        call=autoencoders.snippet(
            model.fit, f"images = fit.decode(code_grid({setting[REACH]}, {setting[STEPS]}, {spacing!r}))"
        ),
        tabs=views_decoded.tabs(model),
    )


def _on_axes(model: Autoencoder, part: str, reach: float, spacing: str) -> tuple[Array, Array]:
    """Codes within the range and their classes, at their places on the figure's axes."""
    mean, labels = model.mean(part), model.labels(part)
    inside = (np.abs(mean) <= reach).all(1)
    places = mean[inside]
    if spacing == "quantile":
        tail = ndtr(-reach)
        places = reach * (2 * (ndtr(places) - tail) / (1 - 2 * tail) - 1)
    return places, labels[inside]
