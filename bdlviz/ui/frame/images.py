"""Images of digits on a page: one sheet, with a description for screen readers."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from bdlviz import plots
from bdlviz.types import Array
from bdlviz.ui.frame import on_page
from bdlviz.ui.frame.look import present_theme


def sheet(
    images: Array, columns: int, *, alt: str, scale: int = 2, width: Literal["content", "stretch"] = "content"
) -> None:
    """Show images (n, h, w), 0 (paper) to 1 (ink), in rows of ``columns``, every pixel ``scale`` wide.

    ``alt`` describes the sheet in words. A caption does not replace it, since screen readers do not connect the two.
    """
    picture = plots.image_grid(images, columns, theme=present_theme(), scale=scale)
    on_page.note_image(picture, alt)
    st.image(picture, width=width, alt=alt)
