"""Planes of codes, decoded: the learned manifold, and a VAE beside a plain autoencoder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st
from scipy.special import ndtr

from bdlviz import plots
from bdlviz.predictive import latent
from bdlviz.topics.shared import repeats, repeats_study
from bdlviz.topics.shared.generative_source import LARGE, Source, scale_of
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame import mode
from bdlviz.ui.frame.images import sheet
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.window import by_width

GRID = Control(
    "grid",
    "Grid",
    ("linear", "quantile"),
    "linear",
    "buttons",
    "Evenly spaced codes, or codes that enclose equal prior mass (through the inverse normal distribution function).",
    {"linear": "even steps", "quantile": "equal prior mass"},
)
REACH = number_control("reach", "Range of z, ±", (1, 1.5, 2, 2.5, 3, 4), 2, "The lecture decodes [-2, 2]².")
STEPS = number_control("steps", "Digits per side", (5, 10, 15, 20, 25, 30), 20)
OVERLAY = Control(
    "overlay",
    "Codes on top",
    ("none", "train", "test"),
    "none",
    "buttons",
    "Where the encoder puts the images: a decoded picture without codes near it was never asked for in training.",
    {"train": "training", "test": "held out"},
)
COMPARED_STEPS = 16
NUM_SHOWN = 40
FAR = 0.25  # of the width of the plane: a code so far from all others lies in a hole


def show_manifold(source: Source, reach: float, steps: int, spacing: str, overlay: str) -> None:
    """The decoded grid as one picture on its axes, with the codes of images on top if asked for."""
    images = source.decode(latent.code_grid(reach, steps, spacing))
    labels = ("z₁", "z₂")
    if spacing == "quantile":
        labels = ("z₁ (steps of equal prior mass)", "z₂ (steps of equal prior mass)")
    settings: dict[str, Any] = {
        "theme": present_theme(),
        "labels": labels,
        "overlay": None if overlay == "none" else _on_axes(source, overlay, reach, spacing),
    }
    extent = (-reach, reach, -reach, reach)
    fig = plots.manifold(images, extent, height=by_width(680, 400), **settings)
    alt = f"{steps} x {steps} digits decoded from a grid of codes over plus or minus {reach:g}."
    figure(fig, key="manifold", alt=alt)
    if overlay != "none":
        mean = source.mean(overlay)
        outside = 100 * (np.abs(mean) > reach).any(1).mean()
        st.caption(f"{len(mean):,} codes coloured by class; {outside:.0f} % of them lie outside this range.")


def _on_axes(source: Source, part: str, reach: float, spacing: str) -> tuple[Array, Array]:
    """Codes within the range and their classes, at their places on the figure's axes."""
    mean, labels = source.mean(part), source.labels(part)
    inside = (np.abs(mean) <= reach).all(1)
    places = mean[inside]
    if spacing == "quantile":
        tail = ndtr(-reach)
        places = reach * (2 * (ndtr(places) - tail) / (1 - 2 * tail) - 1)
    return places, labels[inside]


# A VAE beside a plain autoencoder ---------------------------------------------------------------------------------


def show_two(models: dict[str, Source], part: str) -> None:
    """The planes of codes of several models, decoded, with the codes of the images on top."""
    for place, (name, source) in zip(st.columns(len(models), gap="medium"), models.items(), strict=True):
        with place:
            st.markdown(f"**{name}**")
            _show_plane(name, source, part)


def _show_plane(name: str, source: Source, part: str) -> None:
    mean, labels = source.mean(part), source.labels(part)
    extent, codes = _covering_grid(mean)
    fig = plots.manifold(
        source.decode(codes),
        extent,
        theme=present_theme(),
        overlay=(mean, labels),
        keep_proportions=False,
        height=400 if mode.is_magnified() else 480,  # of a room's screen the names above take some
    )
    alt = f"{name}: decoded digits over z₁ from {extent[0]:.1f} to {extent[1]:.1f}, with {len(mean)} codes on top."
    figure(fig.update_layout(showlegend=False), key=f"plane_{name}", alt=alt)


def _covering_grid(mean: Array) -> tuple[tuple[float, float, float, float], Array]:
    """An even grid over all codes (N, 2): its extent, and its codes row by row from the top left."""
    (left, bottom), (right, top) = (float_pair(np.quantile(mean, share, axis=0)) for share in (0.002, 0.998))
    first, second = np.linspace(left, right, COMPARED_STEPS), np.linspace(top, bottom, COMPARED_STEPS)
    codes = np.stack([grid.ravel() for grid in np.meshgrid(first, second)], axis=1).astype(np.float32)
    return (left, right, bottom, top), codes


def float_pair(values: Array) -> tuple[float, float]:
    """Two numbers of an array."""
    return float(values[0]), float(values[1])


def show_two_numbers(models: dict[str, Source]) -> None:
    """How far the codes reach, how empty the prior's home is, and how well held-out images come back."""
    found = []
    for name, source in models.items():
        mean = source.mean("train")
        short = name.removesuffix(" autoencoder")
        misfit = float(source.extra["test_reconstruction"][-1])
        help_text = "Mean of log p(x|z) of held-out images at the last epoch (the VAE's over draws of its codes)."
        found.append((f"{short}: log p(x|z) (nats)", f"{misfit:.0f}", help_text))
        found.append((f"{short}: sd of codes", f"{mean.std():.2f}", "The prior N(0, I) would have 1."))
    numbers(found)
    _say_other_seeds(next(iter(models.values())).images)


def _say_other_seeds(images: str) -> None:
    """How far the codes reach with other training seeds, where that is known."""
    found = repeats.study(repeats_study.GENERATIVE)
    if (name := f"codes_std_{images}") in found:
        plain, ours = (repeats.told(found[name][:, column], ".2f") for column in range(2))
        repeats.say(len(found[name]), f"the sd of the codes is {plain} without the KL term, {ours} in the VAE")


def tabs(models: dict[str, Source]) -> dict[str, Callable[[], None]]:
    """What else there is to compare."""
    return {
        "Samples": lambda: show_two_samples(models),
        "Reconstructions": lambda: show_two_reconstructions(models),
        "Interpolation": lambda: show_two_walks(models),
        "Family tree": show_family_tree,
    }


def show_two_samples(models: dict[str, Source]) -> None:
    """Samples from the prior, and from a Gaussian fitted to the codes: the fair way for a plain autoencoder."""
    for name, source in models.items():
        st.markdown(f"**{name}**")
        left, right = st.columns(2, gap="large")
        drawn = {left: ("z from N(0, I)", None), right: ("z from a Gaussian fitted to its codes", source.mean("train"))}
        for place, (caption, like) in drawn.items():
            with place:
                images = source.fit.sample(NUM_SHOWN, like=like).reshape(-1, *source.shape)
                alt = f"{name}: {NUM_SHOWN} decoded digits, {caption}."
                sheet(images, 10, alt=alt, scale=scale_of(source.shape))
                st.caption(caption)


def show_two_reconstructions(models: dict[str, Source]) -> None:
    """Held-out images, and what each model makes of them."""
    first = next(iter(models.values()))
    rows = {"Held-out images": first.originals("test")[:12]}
    for name, source in models.items():
        rows[name] = source.decode(source.mean("test")[:12])
    told = ", ".join(map(str, first.labels("test")[:12]))
    for name, images in rows.items():
        alt = f"{name}: twelve digits, labelled {told}."
        sheet(images, 12, alt=alt, scale=scale_of(first.shape, LARGE // 2))
        st.caption(name)


def show_two_walks(models: dict[str, Source]) -> None:
    """The straight line from one image's code to another's, decoded by each model."""
    first = next(iter(models.values()))
    labels = first.labels("test")
    digits = st.columns(2)
    start = digits[0].select_slider("From a", range(10), 3, key="walk_from")
    end = digits[1].select_slider("to a", range(10), 8, key="walk_to")
    ends = [int(np.flatnonzero(labels == digit)[0]) for digit in (start, end)]
    share = np.linspace(0, 1, 12, dtype=np.float32)[:, None]
    for name, source in models.items():
        a, b = source.mean("test")[ends]
        images = source.decode((1 - share) * a + share * b)
        alt = f"{name}: twelve steps on the straight line from the code of a {start} to that of a {end}."
        sheet(images, 12, alt=alt, scale=scale_of(first.shape, LARGE // 2))
        st.caption(name)


def show_family_tree() -> None:
    """Where a VAE stands among generative models."""
    alt = "Tree of generative models: explicit density (tractable, approximate: VAE) and implicit density (GAN)."
    figure(plots.taxonomy(theme=present_theme()), key="taxonomy", alt=alt)
    st.markdown(
        "A VAE has an **explicit** density that it knows **approximately**: a lower bound. "
        "A plain autoencoder is not in this tree: it has no density at all. "
        "See the bound on *Train a VAE*, and what it leaves out under *log p(x)* there."
    )
