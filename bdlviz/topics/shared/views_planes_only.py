"""A sentence for a link that asks a page of planes for codes of more dimensions."""

from __future__ import annotations

import streamlit as st

from bdlviz.methods.common import LATENT_DIM
from bdlviz.topics.shared.autoencoders import CODES
from bdlviz.ui.model import Widget
from bdlviz.ui.places import link


def planes_only() -> Widget:
    """A warning where the link asks for codes that the page does not show, else nothing."""
    return Widget(_warn)


def _warn() -> None:
    asked = link.arrived_with(CODES.key) or link.arrived_with(LATENT_DIM.name) or "2"
    if (codes := asked.removesuffix("d")) != "2":
        st.warning(
            f"This page shows planes, codes of 2 dimensions; the link asks for {link.quoted(codes, 20)}. "
            "*Decode* and *Latent space* show the others."
        )
