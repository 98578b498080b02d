"""Sheets of pictures of one likelihood."""

from __future__ import annotations

import numpy as np

from bdlviz.plots.images import scale_of
from bdlviz.types import Array
from bdlviz.ui.model import Part, Sheet, Words

COLUMNS = 5


def titled_sheet(images: Array, title: str, caption: str) -> list[Part]:
    """Pictures (M, D) under their title, in five columns."""
    side = int(np.sqrt(images.shape[1]))
    pictures = images.reshape(-1, side, side)
    alt = f"{title}: {len(images)} digits. {caption}".strip()
    shown = Sheet(pictures, COLUMNS, alt, scale_of((side, side)), "stretch")
    return [Words(f"**{title}**", "markdown"), shown, *([Words(caption)] if caption else [])]
