"""What the page on learned keep probabilities shows."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.fits import Fit
from bdlviz.types import Array
from bdlviz.ui.look import figure, numbers, present_theme
from bdlviz.ui.reproduce import fit_snippet, load_snippet

INTRODUCTION = """
Concrete dropout learns one dropout rate per input unit of every layer, together with the weights. In the first layer a
unit is a pixel, so the learned rates are a picture.
"""


def show_introduction() -> None:
    """What is learned, in two sentences."""
    st.markdown(INTRODUCTION)


def show_pixels(extra: dict[str, Array], shape: tuple[int, int]) -> None:
    """Keep probability of every pixel, and the mean of every layer."""
    fig = plots.keep_probabilities(extra["keep0"].astype(np.float32).reshape(shape), theme=present_theme(), height=520)
    figure(fig, key="kept_pixels", alt=f"Learned keep probability of {shape[0]} x {shape[1]} pixels.")
    means = [(f"Mean keep, {_name(layer)}", f"{_keep(extra, layer).mean():.2f}", "") for layer in _layers(extra)]
    numbers(means[:4])


def show_layers(extra: dict[str, Array]) -> None:
    """How the keep probabilities of each layer are distributed."""
    by_layer = {_name(layer): _keep(extra, layer) for layer in _layers(extra)}
    figure(plots.keep_histograms(by_layer, theme=present_theme()), key="keep_histograms")


def snippet(fit: Fit) -> str:
    """Code that learns the same keep probabilities."""
    return "\n".join(
        [
            "import bdlviz",
            "from bdlviz.methods.concrete_dropout import keep_probabilities",
            "",
            load_snippet(fit.config.dataset),
            fit_snippet(fit.config),
            "keep = keep_probabilities(fit)  # layer -> (units,)",
        ]
    )


def _layers(extra: dict[str, Array]) -> list[int]:
    return sorted(int(name.removeprefix("keep")) for name in extra if name.startswith("keep"))


def _keep(extra: dict[str, Array], layer: int) -> Array:
    return extra[f"keep{layer}"].astype(np.float32)


def _name(layer: int) -> str:
    return "pixels" if layer == 0 else f"hidden layer {layer}"
