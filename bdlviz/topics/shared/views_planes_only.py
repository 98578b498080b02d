"""A warning about links to codes of more than two dimensions, on pages that show codes of two dimensions."""

from __future__ import annotations

from bdlviz.methods.common import LATENT_DIM
from bdlviz.topics.shared.autoencoders import CODES
from bdlviz.ui.model import Widget
from bdlviz.ui.places import link


def planes_only() -> Widget:
    """A widget with a warning if the link names codes that the page does not show."""
    return Widget(_warn, is_picture=False)


def _warn() -> None:
    in_link = link.arrived_with(CODES.key) or link.arrived_with(LATENT_DIM.name) or "2"
    codes = in_link.removesuffix("d")
    told = (
        f"This page shows codes of 2 dimensions; the link asks for {link.quoted(codes, 20)}. *Decode* and *Latent "
        "space* show codes of other dimensions."
    )
    link.warn("codes", [told] if codes != "2" else [])
