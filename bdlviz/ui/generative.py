"""What the VAE pages need besides their pictures: codes, decoded grids, the image under a click."""

from __future__ import annotations

from typing import cast

import numpy as np
import streamlit as st
from scipy.stats import norm

from bdlviz import plots
from bdlviz.fits import Fit, GenerativeFit
from bdlviz.types import Array
from bdlviz.ui.controls import Control, number_control
from bdlviz.ui.look import figure, present_theme
from bdlviz.ui.reproduce import fit_snippet, load_snippet

PART = Control("part", "Codes of", ("train", "test"), "train", "buttons", names={"train": "training", "test": "test"})
CODES = Control(
    "codes",
    "Code",
    ("20d", "2d"),
    "20d",
    "buttons",
    "A code of 20 dimensions is flattened by t-SNE; one of 2 is shown as it is.",
    {"20d": "20 dimensions", "2d": "2 dimensions"},
)
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
NUM_SAMPLES = 40


def code_grid(reach: float, steps: int, spacing: str) -> Array:
    """Codes (steps^2, 2), row by row from the top left, either evenly spaced or with equal prior mass between them."""
    if spacing == "linear":
        ticks = np.linspace(-reach, reach, steps)
    else:
        tail = norm.cdf(-reach)
        ticks = norm.ppf(np.linspace(tail, 1 - tail, steps))
    first, second = np.meshgrid(ticks, ticks[::-1])
    return np.column_stack([first.ravel(), second.ravel()]).astype(np.float32)


def decoded(fit: Fit, codes: Array, shape: tuple[int, int]) -> Array:
    """Expected images of codes, (M, height, width)."""
    return cast(GenerativeFit, fit).decode(codes).reshape(-1, *shape)


def show_code_map(extra: dict[str, Array], part: str, fit: Fit, shape: tuple[int, int]) -> None:
    """The codes of one part of the data as points; a click shows what the decoder makes of a code."""
    embedding = extra.get(f"{part}_embedding")
    points = (extra[f"{part}_mean"] if embedding is None else embedding).astype(np.float32)
    labels = extra[f"{part}_labels"]
    axes = ("z₁", "z₂") if embedding is None else ("t-SNE 1 (no unit)", "t-SNE 2 (no unit)")
    fig = plots.latent_scatter(points, labels, theme=present_theme(), axis_labels=axes)
    alt = plots.describe_latent_scatter(points, labels)
    chosen = figure(fig, key="code_map", alt=alt, on_select="rerun", selection_mode="points")
    _show_chosen(chosen["selection"]["points"], extra, part, fit, shape)


def _show_chosen(points: list[dict], extra: dict[str, Array], part: str, fit: Fit, shape: tuple[int, int]) -> None:
    indices = [int(np.ravel(p["customdata"])[0]) for p in points if p.get("customdata") is not None]
    if not indices:
        st.caption("Click a point to see the image that the decoder draws from its code.")
        return
    index = indices[0]
    mean, std = (extra[f"{part}_{what}"][index].astype(np.float32) for what in ("mean", "std"))
    around = mean + std * np.random.Generator(np.random.SFC64(0)).standard_normal((7, len(mean)), np.float32)
    images = decoded(fit, np.vstack([mean, around]), shape)
    st.image(plots.image_grid(images, 8, theme=present_theme(), scale=max(2, 56 // shape[0])))
    st.caption(f"A {extra[f'{part}_labels'][index]}: decoded from the mean of q(z|x), and from seven draws of it.")


def show_samples(fit: Fit, shape: tuple[int, int]) -> None:
    """Images decoded from codes drawn from the prior."""
    images = cast(GenerativeFit, fit).sample(NUM_SAMPLES).reshape(-1, *shape)
    st.image(plots.image_grid(images, 10, theme=present_theme(), scale=max(2, 56 // shape[0])))
    st.caption(f"{NUM_SAMPLES} codes from N(0, I), decoded. Not every code lies where the training images put theirs.")


def show_history(fit: Fit) -> None:
    """The bound over the epochs, mean over each epoch's minibatches."""
    history = fit.history
    fig = plots.figure(present_theme(), x_label="Epoch", y_label="Training ELBO (nats per image)", height=320)
    epochs = np.arange(1, len(history["elbo"]) + 1, dtype=np.float32)
    fig.add_scatter(x=epochs, y=history["elbo"].astype(np.float32), mode="lines", line={"color": present_theme().mean})
    figure(fig, key="elbo_history", alt="The training ELBO rises over the epochs.")
    st.caption(f"Last epoch: {history['elbo'][-1]:.1f} nats per image.")


def show_manifold(fit: Fit, reach: float, steps: int, spacing: str, shape: tuple[int, int]) -> None:
    """The decoded grid as one picture on its axes."""
    images = decoded(fit, code_grid(reach, steps, spacing), shape)
    labels = (
        ("z₁", "z₂") if spacing == "linear" else ("z₁ (steps of equal prior mass)", "z₂ (steps of equal prior mass)")
    )
    fig = plots.manifold(images, (-reach, reach, -reach, reach), theme=present_theme(), labels=labels, height=640)
    figure(
        fig, key="manifold", alt=f"{steps} x {steps} digits decoded from a grid of codes over plus or minus {reach:g}."
    )


def snippet(fit: Fit, last: str) -> str:
    """Code that trains the same autoencoder and ends with ``last``."""
    imports = ["import bdlviz"]
    if "embed(" in last:
        imports.append("from bdlviz.predictive.embedding import embed")
    if "code_grid(" in last:
        imports.append("from bdlviz.ui.generative import code_grid")
    return "\n".join([*imports, "", load_snippet(fit.config.dataset), fit_snippet(fit.config), last])
