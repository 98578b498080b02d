"""The decode pad: the decoder itself runs in the browser, and a digit morphs wherever the pointer goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bdlviz.fits import GenerativeFit
from bdlviz.models.autoencoder import part_of
from bdlviz.predictive.surface import pack
from bdlviz.types import Array
from bdlviz.ui.cache import memoised
from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.scrub import base

SCRIPTS = ("network", "plane", "walk", "knobs", "view", "main")
FARTHEST = 1000.0  # of a coordinate of a code: far outside any prior, and no overflow in the decoder


@dataclass(frozen=True, eq=False)
class Dots:
    """Codes of images, means and standard deviations (N, Z), and classes (N,), to show where the data are.

    Codes of a log density below ``rare`` are far out.
    """

    mean: Array
    std: Array
    labels: Array
    rare: float


@dataclass(frozen=True)
class Place:
    """Where the pad stands: a code (Z,), and the two of its coordinates that the pad spans, counted from 0."""

    code: tuple[float, ...]
    across: int = 0
    up: int = 1


@dataclass(frozen=True)
class Walk:
    """Two codes (Z,), and the label of the slider that moves from the first to the second."""

    codes: tuple[list[float], ...]
    says: str


def show(
    fit: GenerativeFit,
    shape: tuple[int, int],
    dots: Dots,
    place: Place,
    on_commit: Callable[[dict[str, Any]], None],
    *,
    key: str,
    reach: float,
    near: int,
    mostly: float,
    walk: Walk,
    order: Sequence[int],
    weights: Sequence[float],
) -> None:
    """Put the pad on the page.

    Args:
        reach: the pad and the sliders run from -reach to reach.
        near: so many of the nearest codes are shown as digits.
        mostly: with a smaller share of one class among them, the second class is said, too.
        order: the coordinates that get a slider, in this order; none for a plane of codes.
        weights: the KL term of each coordinate in nats, (Z,).
    """
    blocks = {"decoder": decoder_block(fit), "dots": dots_block(dots)}
    theme = present_theme()
    data = {
        "name": key,
        "theme": base.tokens(theme) | {"classes": [theme.text(color) for color in theme.classes]},
        "shape": list(shape),
        "code": list(place.code),
        "across": place.across,
        "up": place.up,
        "reach": reach,
        "rare": dots.rare,
        "near": near,
        "mostly": mostly,
        "walk": {"codes": walk.codes, "says": walk.says},
        "order": list(order),
        "weights": [round(float(weight), 2) for weight in weights],
        **{name: base.block_name(block) for name, block in blocks.items()},
    }
    base.mount(base.component("decoder", SCRIPTS), key, data, blocks, on_commit)


@memoised()
def decoder_block(fit: GenerativeFit) -> bytes:
    """A decoder's weights in half precision, as the bits of 16-bit integers: 1.3 MB for 500 x 500 units."""
    network = fit.model.network.decoder
    params = part_of(fit.single(), "decoder")
    header = {
        "sizes": list(network.sizes),
        "activation": network.activation,
        "likelihood": fit.model.likelihood.name,
        "pixels": fit.model.network.num_inputs,
    }
    return pack(header, {name: half_bits(params[name]) for name in sorted(params)})


def dots_block(dots: Dots) -> bytes:
    """Codes and classes as a block."""
    codes = {"mean": half_bits(dots.mean), "std": half_bits(dots.std)}
    return pack({}, {**codes, "labels": np.asarray(dots.labels, np.uint8)})


def half_bits(values: Array) -> Array:
    """Numbers in half precision, as the 16-bit integers of the same bits: JavaScript has no such floats."""
    return np.asarray(values, np.float16).view(np.int16)


def committed(event: dict[str, Any], latent_dim: int) -> Place | None:
    """The place that a commit says; None where it says no code of that many finite numbers."""
    said = event.get("code")
    if not isinstance(said, list) or len(said) != latent_dim:
        return None
    try:
        code = np.asarray(said, float).reshape(latent_dim)
        across, up = int(event.get("across", 0)), int(event.get("up", 1))
    except (TypeError, ValueError, OverflowError):
        return None
    is_code = bool((np.abs(code) <= FARTHEST).all())  # also False for NaN
    if not is_code or across == up or not (0 <= across < latent_dim and 0 <= up < latent_dim):
        return None
    return Place(tuple(round(float(value), 3) for value in code), across, up)
